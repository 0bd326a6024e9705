(define (domain d) (:predicates (p))
  (:modules (m checker f@l.so)))