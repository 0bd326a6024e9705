"""Curved pieces of the second verifier (format, section 8): polynomials in Bernstein form, whose points are vectors of
intervals, and turns by rotation vectors."""
import math

from mpmath import iv

from intervals import IDENTITY, ZERO, add, cross, dot, hull, scale, sub, transpose


def split(points, t):
    """Control points of the parts before and after t, by de Casteljau."""
    left, right = [], []
    while points:
        left.append(points[0])
        right.append(points[-1])
        points = [add(scale(1 - t, a), scale(t, b)) for a, b in zip(points, points[1:])]
    return left, right[::-1]


def value(points, t):
    return split(points, iv.mpf(t))[0][-1]


def part(points, a, b):
    """Control points of the part on [a, b]: what they span holds it."""
    a, b = iv.mpf(a), iv.mpf(b)
    if a == 1:
        return [points[-1]]
    return split(split(points, a)[1], (b - a) / (1 - a))[0]


def derivative(points):
    degree = len(points) - 1
    return [scale(degree, sub(b, a)) for a, b in zip(points, points[1:])] or [[ZERO] * len(points[0])]


def largest(numbers):
    """The least upper bound of numbers >= 0."""
    return iv.mpf(max([ZERO.b] + [x.b for x in numbers]))


def alternating(z, first):
    """Sum of (-z)^k / (2k + first)! for 0 <= z <= 1: it lies between any two partial sums that follow each other."""
    term = iv.mpf(1) / math.factorial(first)
    total = term
    for k in range(first, first + 40, 2):
        before, term = total, -term * z / ((k + 1) * (k + 2))
        total = before + term
    return hull(before, total)


def turn_factors(phi):
    """sin θ / θ, (1 - cos θ) / θ² and (θ - sin θ) / θ³ for θ = |φ|."""
    z = dot(phi, phi)
    z = iv.mpf([max(z.a, ZERO.a), z.b])
    if z <= 1:
        return [alternating(z, first) for first in (1, 2, 3)]
    angle = iv.sqrt(z)
    half = iv.sin(angle / 2)
    return [iv.sin(angle) / angle, 2 * half * half / z, (angle - iv.sin(angle)) / (z * angle)]


def exponential(phi):
    sine, cosine, _ = turn_factors(phi)
    columns = []
    for e in IDENTITY:
        once = cross(phi, e)
        columns.append(add(e, add(scale(sine, once), scale(cosine, cross(phi, once)))))
    return transpose(columns)


def spin(phi, rate):
    """The angular velocity J(φ) φ' of exp(φ)."""
    _, cosine, rest = turn_factors(phi)
    once = cross(phi, rate)
    return add(rate, add(scale(cosine, once), scale(rest, cross(phi, once))))
