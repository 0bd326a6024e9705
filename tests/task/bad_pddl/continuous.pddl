(define (domain d)
  (:functions (x))
  (:durative-action a :parameters () :duration (= ?duration 1)
 :effect (at end (increase (x)                                   #t))))