(define (domain d)
  (:actoin a))