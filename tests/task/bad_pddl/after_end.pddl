(define (domain d))
more