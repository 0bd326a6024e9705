(define (domain d) (:types box)
  (:predicates (p ?x - boxx)))