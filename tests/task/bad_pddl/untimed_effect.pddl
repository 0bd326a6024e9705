(define (domain d)
  (:predicates (p))
  (:durative-action a :parameters ()
 :duration (= ?duration 1) :effect (p)))