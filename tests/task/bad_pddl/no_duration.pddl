(define (domain d)
  (:predicates (p))
  (:durative-action a :parameters () :effect (at end (p))))