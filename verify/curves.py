"""Curved pieces of the second verifier (format, section 8): polynomials in Bernstein form, whose points are vectors of
intervals, and turns by rotation vectors."""
import math

from mpmath import iv

from intervals import (IDENTITY, ZERO, add, cross, dot, hull, interval, near_angle, norm, require, scale, sub, times,
                       transpose, vec)


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


def raised(points, degree):
    """The same polynomial by a higher degree."""
    while len(points) <= degree:
        n = len(points)
        points = [points[0]] + [scale(iv.mpf(1) / n, add(scale(k, points[k - 1]), scale(n - k, points[k])))
                                for k in range(1, n)] + [points[-1]]
    return points


def hermite(a, b, T, degree):
    """Control points of the cubic, or quintic, from a to b within T: each a value, a velocity and an acceleration."""
    (p, v, x), (q, w, y) = vec(a), vec(b)
    if degree == 3:
        return [p, p + v * T / 3, q - w * T / 3, q]
    V, W = v * T / 5, w * T / 5
    return [p, p + V, p + 2 * V + x * T * T / 20, q - 2 * W + y * T * T / 20, q - W, q]


def rests(points):
    """Whether all are the same number."""
    return all(x.a == x.b == y.a for p in points for x, y in zip(p, points[0]))


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


def quaternion_matrix(q):
    v, w = q[:3], q[3]
    s = 2 / (dot(v, v) + w * w)
    columns = []
    for e in IDENTITY:
        once = cross(v, e)
        columns.append(add(e, scale(s, add(scale(w, once), cross(v, once)))))
    return transpose(columns)


def short_turn(a, b):
    """Axis and angle from quaternion a to b, the shorter way."""
    w = dot(a, b) + a[3] * b[3]
    v = sub(sub(scale(a[3], b[:3]), scale(b[3], a[:3])), cross(a[:3], b[:3]))
    if all(x == 0 for x in v):
        return IDENTITY[0], ZERO
    require(w < 0 or w >= 0, 'the short way of a turn cannot be told')
    if w < 0:
        w, v = -w, scale(-1, v)
    size = norm(v)
    require(size > 0, 'a turn is too small to have an axis')
    return scale(1 / size, v), 2 * near_angle(size, w)


def turn_vector(a, b):
    """The rotation vector from quaternion a to b; none if either way may be the shorter one."""
    axis, angle = short_turn(a, b)
    return scale(angle, axis) if abs(dot(a, b) + a[3] * b[3]) >= 2 ** -40 else None


def turn_hermite(a, phi, begin, end, T):
    """Control points of the cubic of rotation vectors from quaternion a on to phi, with these angular velocities."""
    back = transpose(quaternion_matrix(a))
    first, last = scale(T / 3, times(back, begin)), times(back, end)
    # J(phi)^-1 = I - [phi] / 2 + k [phi]^2, k = (1 - h cot h) / (2 h)^2 for h = |phi| / 2, which is 1/12 + |phi|^2/720 + ...
    sine, cosine, _ = turn_factors(phi)
    z = dot(phi, phi)
    small = z < 2 ** -40
    k = iv.mpf(1) / 12 + interval(0, (z / 360).b) if small else (1 - sine / (2 * cosine)) / z
    once = cross(phi, last)
    rate = add(sub(last, scale(iv.mpf(1) / 2, once)), scale(k, cross(phi, once)))
    return [[ZERO] * 3, first, sub(phi, scale(T / 3, rate)), phi]
