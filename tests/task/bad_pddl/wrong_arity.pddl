(define (domain d)
  (:predicates (p ?x))
  (:action a :parameters (?x)
 :precondition (p ?x ?x) :effect (p ?x)))