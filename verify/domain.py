"""Of the second verifier: where it holds that two links were proved never to meet (format, section 1)."""
import math

from mpmath import iv

from curves import split
from intervals import Rejected, vec
from scene_model import PROVED, parts

# The statement of the SRDF is about limits widened by 2e-6; a checker accepts values beyond them by 1e-6.
BEYOND = iv.mpf(3) / 2000000
HALVINGS = 40


def stays(points, low, high, halvings=HALVINGS):
    """Whether a polynomial by its control points surely stays between two numbers."""
    def within(point):
        return point[0].a >= low.b and point[0].b <= high.a
    if all(within(p) for p in points):
        return True
    if halvings == 0 or not within(points[0]) or not within(points[-1]):
        return False
    return all(stays(half, low, high, halvings - 1) for half in split(points, iv.mpf(1) / 2))


def polynomials(model, pieces, coordinate):
    """Control points of what the coordinate does, piece by piece."""
    for part in model.timed:
        if part.first <= coordinate < part.first + part.count:
            return [piece.scalars[coordinate] for piece in part.pieces]
    return [[vec([row[coordinate]]) for row in rows] for rows in pieces]


def require_domain(model, pieces, tracking_error):
    """`pieces`: rows of control points. Rejects a motion that leaves the limits for which an excluded pair was proved."""
    general, by_joint = parts(tracking_error)
    for a, b, reason in model.not_tested:
        if reason != PROVED:
            continue
        for coordinate in model.between(model.bodies[a], model.bodies[b]):
            lower, upper = model.limits[coordinate]
            if math.isinf(lower) and math.isinf(upper):
                continue
            joint = model.joints[coordinate]
            rounded = iv.mpf(2) ** -44 * min(1e9, max(abs(lower), abs(upper)))  # curves of a clock are cut
            spare = BEYOND - iv.mpf(by_joint.get(joint, general or 0)) - rounded
            for points in polynomials(model, pieces, coordinate):
                if not stays(points, iv.mpf(lower) - spare, iv.mpf(upper) + spare):
                    raise Rejected(f'{model.bodies[a].name} and {model.bodies[b].name} are not tested, since they were '
                                   f'proved never to meet within limits, but {joint} leaves its own')
