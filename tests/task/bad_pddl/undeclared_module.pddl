(define (domain d)
  (:predicates (p))
  (:action a :parameters () :precondition ([m]) :effect (p)))