(define (domain d)
  (:predicates (p ?x))
  (:action a :parameters (?x)
 :precondition (p ?y) :effect (p ?x)))