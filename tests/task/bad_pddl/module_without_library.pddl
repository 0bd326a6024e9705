(define (domain d) (:predicates (p))
  (:modules (m conditionchecker   checkIt)))