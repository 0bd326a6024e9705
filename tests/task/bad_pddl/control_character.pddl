(define (domain d)
  (:types a))