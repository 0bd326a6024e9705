"""Numbers of the second verifier: vectors and rotations of intervals.

A comparison such as `a > b` is true only if it is certain.
"""
import math

from mpmath import iv

iv.prec = 128
ZERO = iv.mpf(0)


class Rejected(Exception):
    pass


def require(condition, otherwise):
    if not condition:
        raise Rejected(otherwise)


def vec(v):
    return [iv.mpf(x) for x in v]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(s, a):
    return [s * x for x in a]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def norm(a):
    squares = [abs(x) * abs(x) for x in a]
    return iv.sqrt(squares[0] + squares[1] + squares[2])


def transpose(m):
    return [list(column) for column in zip(*m)]


def times(m, v):
    return [dot(row, v) for row in m]


def product(a, b):
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def interval(lo, hi):
    return iv.mpf([lo, hi])


def upper(x):
    return interval(x.b, x.b)


def least(a, b):  # of two upper bounds
    return a if a.b < b.b else b


def hull(a, b):
    return interval(min(a.a, b.a), max(a.b, b.b))


IDENTITY = [vec((1, 0, 0)), vec((0, 1, 0)), vec((0, 0, 1))]
HERE = (IDENTITY, [ZERO] * 3)


def compose(X, Y):
    return product(X[0], Y[0]), add(times(X[0], Y[1]), X[1])


def rotation(axis, angle):
    s, c = iv.sin(angle), iv.cos(angle)
    x, y, z = axis
    skew = [[ZERO, -z, y], [z, ZERO, -x], [-y, x, ZERO]]
    return [[c * (i == j) + s * skew[i][j] + (1 - c) * axis[i] * axis[j] for j in range(3)]
            for i in range(3)]


def nearest_rotation(rows):
    """What nine numbers mean. A Newton step leaves at most 4 d^2, d the deviation of R^T R."""
    R = [vec(row) for row in rows]
    excess = product(transpose(R), R)
    for i in range(3):
        excess[i][i] -= 1
    d2 = sum(abs(x) * abs(x) for row in excess for x in row)
    require(d2 < 1e-12, 'a matrix is not a rotation')
    step = [[iv.mpf(i == j) - excess[i][j] / 2 for j in range(3)] for i in range(3)]
    slack = interval(-(4 * d2).b, (4 * d2).b)
    return [[x + slack for x in row] for row in product(R, step)]


def near_angle(sine, cosine):
    """The angle with this sine and cosine, both times something positive: within ± pi, a little beyond for rounding. The
    two span a box without the origin, in which angles differ by less than pi: a small sine of the difference is near 0."""
    guess = iv.mpf(math.atan2(float(sine.mid), float(cosine.mid)))
    x = (sine * iv.cos(guess) - cosine * iv.sin(guess)) / iv.sqrt(sine * sine + cosine * cosine)
    require(abs(x) < 2 ** -20, 'an angle cannot be told')
    return guess + x * interval(1, 1 + (x * x).b)  # arcsin x is between x and x + x^3
