(define (domain d)
  (:predicates (p))
  (:action a :parameters ()
  :precondition (q) :effect (p)))