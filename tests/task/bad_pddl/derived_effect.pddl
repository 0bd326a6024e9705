(define (domain d)
  (:predicates (p) (q))
  (:derived (q) (p))
  (:action a :parameters () :effect (q)))