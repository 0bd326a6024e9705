(define (domain d)
  (:predicates (p))