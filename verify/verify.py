#!/usr/bin/env python3
"""A second verifier of certificates that a path, or a curved motion, is free (docs/certificate_format.md).

Slow, short, and independent of everything else in this repository: it reads the scene, the URDFs,
the meshes and the path itself, and computes with mpmath's intervals of 128 bits. It checks proofs;
witnesses of collisions are left to `proven verify`.

    verify.py SCENE PATH CERTIFICATE [--clearance D[,CLASS=D]] [--tracking-error E[,JOINT=E]]
              [--robot URDF] [--trust-srdf-never] [--require-solid] [--constraints FILE] [--ignore-elements NAME[,NAME]]
    verify.py SCENE PATHS ARCHIVE    certificates of all paths of a file, as `proven audit` wrote them
    verify.py MANIFEST ARCHIVE       of a data set (docs/audit.md)

Exit code 0: accepted, 4: the input cannot be read, 5: rejected. Needs mpmath and the program zstd.
"""
import argparse
import collections
import struct
import subprocess
import sys
from xml.etree.ElementTree import ParseError

from mpmath import iv

from archive import Archive, is_archive, of_set
from clock import Part, all_runs, late_errors, make_pieces, size_of
from curves import derivative, exponential, largest, part, rests, spin, value
from intervals import (HERE, IDENTITY, ZERO, Rejected, add, compose, cross, dot, interval, least, norm, product,
                       require, rotation, scale, sub, times, transpose, upper, vec)
from kept import read_constraints
from meshes import Unreadable
from paths import read_motion
from scene_model import Model, parts


# --- Motion (format, sections 5 and 8) ---------------------------------------------------------

# What a joint does on a piece. `points`: control points of its value, vectors of one number, or of the rotation vector
# of a ball joint on a curve, of three. A ball joint has the rotation `start` before that.
Joint = collections.namedtuple('Joint', 'axis points rate bend start moves')


class Segment:
    """What links do on a piece of a motion."""

    def __init__(self, model, piece, tracking_error, errors):
        self.model, self.piece, self.frames, self.known = model, piece, {}, {}
        self.curved = piece.degree > 1
        self.state = [self.joint_state(link) if link.can_move() else None for link in model.links]
        general, by_joint = parts(tracking_error)
        require(set(by_joint) <= set(model.joints), 'the tracking error names a joint that does not move by itself')

        def error(link):
            asked = iv.mpf(by_joint.get(model.joints[link.coordinate], general or 0))
            asked = asked + errors.get(link.coordinate, 0)
            if self.curved:  # conversions round
                size = 1 if link.kind == 'ball' else largest(abs(v[0]) for v in piece.scalars[link.coordinate])
                asked = asked + iv.mpf(2) ** -45 * size
            return upper(abs(link.multiplier) * asked)
        self.error = [error(link) if link.can_move() else ZERO for link in model.links]

    def joint_state(self, link):
        if link.kind == 'ball':
            return self.ball_state(self.piece.turns[link.coordinate])
        given = self.piece.scalars[link.coordinate]
        moves = not rests(given)
        points = [[link.multiplier * v[0] + link.offset] for v in (given if moves else given[:1])]
        rate = [scale(link.multiplier, v) for v in derivative(given)]
        return Joint(link.axis, points, rate, derivative(rate), None, moves)

    def ball_state(self, turn):
        if self.curved:
            rate = derivative(turn.points)
            return Joint(None, turn.points, rate, derivative(rate), turn.start, not rests(turn.points))
        angle = turn.angle
        return Joint(turn.axis, [[ZERO], [angle]], [[angle]], [[ZERO]], turn.start, not angle == 0)

    def link_pose(self, t, index):
        frame = self.frames.setdefault(t, {0: HERE})
        if index not in frame:
            link, state = self.model.links[index], self.state[index]
            X = compose(self.link_pose(t, link.parent), link.pose.exact)
            if link.can_move():
                now = value(state.points, t)
                if link.kind == 'slide':
                    X = compose(X, (IDENTITY, scale(now[0], state.axis)))
                else:
                    R = exponential(now) if len(now) == 3 else rotation(state.axis, now[0])
                    X = compose(X, (product(state.start, R) if state.start else R, [ZERO] * 3))
            frame[index] = X
        return frame[index]

    def body_pose(self, t, body):
        return compose(self.link_pose(t, body.link), body.pose.exact)

    def reaches(self, body):
        """S of the links above the body: COMPUTE-SPHERE."""
        if body.name not in self.known:
            (R, p), radius, found = body.pose.exact, body.radius, {}
            centre = add(times(R, body.centre), p)
            for index in self.model.chain(0, body.link)[::-1]:
                link, state = self.model.links[index], self.state[index]
                found[index] = iv.mpf(1)
                if link.kind == 'slide':
                    span = interval(min(v[0].a for v in state.points), max(v[0].b for v in state.points))
                    middle = iv.mpf(span.mid)
                    centre = add(centre, scale(middle, state.axis))
                    radius = upper(radius + upper(abs(span - middle)) + self.error[index])
                elif link.can_move():
                    foot = scale(dot(centre, state.axis), state.axis) if link.kind == 'turn' else [ZERO] * 3
                    radius = found[index] = upper(norm(sub(centre, foot)) + radius)
                    centre = foot
                centre = add(times(link.pose.exact[0], centre), link.pose.exact[1])
            self.known[body.name] = found
        return self.known[body.name]

    def tracking_slack(self, body, ancestor):
        reach = self.reaches(body)
        return sum((reach[i] * self.error[i] for i in self.model.chain(ancestor, body.link)), ZERO)

    def over_side(self, state, t, end):
        """D and F: bounds on the rate over a side, and on how the second derivative differs from that at t."""
        a, b = min(t, end), max(t, end)
        speed = largest(size_of(v) for v in part(state.rate, a, b))
        if len(state.points[0]) == 3:
            return speed, largest(norm(v) for v in part(state.bend, a, b)) + speed * speed / 2
        there = value(state.bend, t)
        return speed, largest(abs(v[0] - there[0]) for v in part(state.bend, a, b))

    def motion(self, t, ends, body, ancestor):
        """At t, with bounds over the sides that reach to the two ends."""
        key = (t, ends if self.curved else None, body.name, ancestor)
        if key not in self.known:
            self.known[key] = self.find_motion(t, ends, body, ancestor)
        return self.known[key]

    def find_motion(self, t, ends, body, ancestor):
        X = self.body_pose(t, body)
        centre = add(times(X[0], body.centre), X[1])
        velocity, bend, joints = Field(), Field(), []
        spin_sum, drift = [ZERO, ZERO], [ZERO, ZERO]  # Omega and W, of either side
        for index in self.model.chain(ancestor, body.link):
            link, state = self.model.links[index], self.state[index]
            if state is None or not state.moves:
                continue
            R, point = self.link_pose(t, index)
            turns, rate, w_above, kappa = link.kind != 'slide', value(state.rate, t), velocity.w, ZERO
            if len(rate) == 3:  # in the frame above, the angular velocity is start J(phi) rate
                above = product(self.link_pose(t, link.parent)[0], link.pose.exact[0])
                velocity.turn(times(product(above, state.start), spin(value(state.points, t), rate)), point)
                distance = norm(sub(centre, point))
            else:
                axis, kappa = times(R, state.axis), value(state.bend, t)[0]
                for field, size in ((velocity, rate[0]), (bend, kappa)):
                    if turns:
                        field.turn(scale(size, axis), point)
                    else:
                        field.slide(scale(size, axis))
                distance = norm(cross(sub(centre, point), axis))
            sides = []
            for k, end in enumerate(ends):
                speed, change = self.over_side(state, t, end)
                spin_above, drift_above = spin_sum[k], drift[k]
                if turns:
                    drift[k] = drift[k] + speed * spin_sum[k] + abs(kappa) + change
                    spin_sum[k] = spin_sum[k] + speed
                sides.append((speed, change, spin_above, spin_above + spin_sum[k], drift_above + drift[k]))
            joints.append((turns, abs(kappa), add(w_above, velocity.w), distance + body.radius,
                           self.reaches(body)[index], sides))
        return X, velocity, bend, joints


class Field:
    """Vectors w × x + u at the points x."""

    def __init__(self):
        self.w, self.u = [ZERO] * 3, [ZERO] * 3

    def turn(self, w, centre):
        self.w, self.u = add(self.w, w), add(self.u, cross(centre, w))

    def slide(self, u):
        self.u = add(self.u, u)


NOWHERE = (HERE, Field(), Field(), [])


def bounds(joints, side, n, length, h):
    """Of all points of a body on a side: the speed, the acceleration along n beyond that of the kappas, and the latter."""
    speed, acceleration, bend = ZERO, ZERO, ZERO
    for turns, kappa, spins, distance, reach, sides in reversed(joints):
        rate, change, spin_above, spin_bound, drift = sides[side]
        radius = least(distance + h * speed, reach) if turns else iv.mpf(1)
        turning = least(norm(cross(n, spins)) + length * h * drift, length * spin_bound)
        speed = upper(speed + radius * rate)
        moved = radius * spin_above + speed if turns else spin_above
        acceleration = upper(acceleration + radius * rate * turning + length * (radius * change + kappa * h * moved))
        bend = upper(bend + radius * kappa)
    return speed, acceleration, bend


def highest_moved(body, node, motion, n, s, by_pieces):
    if body is None:  # of the tree over still bodies
        return upper(dot(n, node.box))
    (R, p), velocity, bend, _ = motion
    half = s * s / 2
    d = add(n, add(scale(s, cross(n, velocity.w)), scale(half, cross(n, bend.w))))
    return upper(body.highest(node, times(transpose(R), d), by_pieces) + dot(d, p) + s * dot(n, velocity.u)
                 + half * dot(n, bend.u))


def rule_holds(n, before, after, a, node_a, motion_a, b, node_b, motion_b, c, growth, by_pieces):
    """`c` is required at the anchor; it grows by `growth` per unit of t."""
    length = norm(n)

    def gap(s):
        s = iv.mpf(s)
        return (-highest_moved(b, node_b, motion_b, scale(-1, n), s, by_pieces)
                - highest_moved(a, node_a, motion_a, n, s, by_pieces)) - (c + s * growth) * length

    spare = gap(0)
    if not spare > 0:
        return False
    for side, s in enumerate((-before, after)):
        if s == 0:
            continue
        h = iv.mpf(abs(s))
        va, aa, ba = bounds(motion_a[3], side, n, length, h)
        vb, ab, bb = bounds(motion_b[3], side, n, length, h)
        # A larger bound on the acceleration costs less at the anchor: the least one that leaves
        # something of the spare gap there will do.
        acceleration = upper(aa + ab)
        enough = upper(length * (ba + bb) - 8 * (1 - iv.mpf(2) ** -20) * spare / (h * h))
        acceleration = enough if enough > acceleration else acceleration
        dip = upper((length * (ba + bb) - acceleration) * h * h / 8)
        dip = dip if dip > 0 else ZERO
        if not (spare - length * (va + vb + growth) * h > 0 or
                (spare - dip > 0 and gap(s) - acceleration * h * h / 2 - dip > 0)):
            return False
    return True


# --- The walk (format, section 4) ----------------------------------------------------------------

class Walk:
    def __init__(self, model, pieces, errors, options, body):
        self.model, self.pieces, self.errors, self.options = model, pieces, errors, options
        self.body, self.at, self.leaves = body, 0, 0

    def take(self, form):
        require(self.at + struct.calcsize(form) <= len(self.body), 'the body ends too early')
        values = struct.unpack_from(form, self.body, self.at)
        self.at += struct.calcsize(form)
        return values

    def run(self):
        for self.number, piece in enumerate(self.pieces):
            self.segment = Segment(self.model, piece, self.options.tracking_error, self.errors)
            self.direction = None
            for unit_of_pairs in self.model.units:
                self.begin(*unit_of_pairs)
                body_b = None if self.b < 0 else self.model.bodies[self.b]
                node_b = self.model.still_tree if self.b < 0 else body_b.tree
                self.prove(0.0, 1.0, 0, self.model.bodies[self.a].tree, *self.enter(body_b, node_b))
        require(self.at == len(self.body), 'bytes follow the end of the body')

    def begin(self, a, b, others):
        self.a, self.b, self.others = a, b, others
        bodies, segment = self.model.bodies, self.segment
        self.ancestor = 0 if b < 0 else self.model.common_ancestor(bodies[a].link, bodies[b].link)
        self.slack = segment.tracking_slack(bodies[a], self.ancestor)
        if b >= 0:
            self.slack = self.slack + segment.tracking_slack(bodies[b], self.ancestor)

    def counts(self, node):
        if node.item is not None:
            return self.model.still[node.item] in self.others
        return any(self.counts(child) for child in node.children)

    def enter(self, body, node):
        if body is None and node.item is not None:
            body = self.model.bodies[self.model.still[node.item]]
            node = body.tree
        return body, node

    def prove(self, begin, end, depth, node_a, body_b, node_b):
        code, = self.take('<B')
        where = f'segment {self.number}, {self.model.bodies[self.a].name} and ' \
                f'{body_b.name if body_b else "still bodies"}, t from {begin} to {end}: '
        if code == 0:
            require(depth < 50, where + 'time is split more than 50 times')
            middle = 0.5 * (begin + end)
            self.prove(begin, middle, depth + 1, node_a, body_b, node_b)
            self.prove(middle, end, depth + 1, node_a, body_b, node_b)
        elif code == 1:
            require(node_a.children, where + 'a single piece is split')
            for child in node_a.children:
                self.prove(begin, end, depth, child, body_b, node_b)
        elif code == 2:
            require(node_b.children, where + 'a single piece is split')
            for child in node_b.children:
                if body_b or self.counts(child):
                    self.prove(begin, end, depth, node_a, *self.enter(body_b, child))
        else:
            require(0x10 <= code < 0x28 and code % 8 <= 4, where + 'unknown code')
            self.check_leaf(code - 0x10, begin, end, node_a, body_b, node_b, where)

    def check_leaf(self, code, begin, end, node_a, body_b, node_b, where):
        if code % 8:
            self.direction = self.take('<3' + 'bhiq'[code % 8 - 1])
        require(self.direction and any(self.direction), where + 'a leaf has no direction')
        require(max(map(abs, self.direction)) <= 2 ** 53, where + 'a direction is too long')
        self.leaves += 1
        anchor = begin + 0.5 * (code // 8) * (end - begin)
        bodies = self.model.bodies
        if self.b < 0:
            c = [self.model.clearance[self.a, o] for o in self.others if body_b in (None, bodies[o])]
        else:
            c = [self.model.clearance[self.a, self.b]]
        motion_a = self.segment.motion(anchor, (begin, end), bodies[self.a], self.ancestor)
        motion_b = self.segment.motion(anchor, (begin, end), body_b, self.ancestor) if body_b else NOWHERE
        growth = iv.mpf(bodies[self.a].grows) + (body_b.grows if body_b else 0)
        piece = self.segment.piece
        required = iv.mpf(max(c)) + self.slack + growth * (piece.begin + anchor * piece.seconds)
        claim = (vec(self.direction), anchor - begin, end - anchor, bodies[self.a], node_a, motion_a, body_b, node_b,
                 motion_b, required, growth * piece.seconds)
        require(rule_holds(*claim, by_pieces=False) or rule_holds(*claim, by_pieces=True),
                where + f'the rule does not hold along {self.direction}')


# --- Solids (format, section 6) ---------------------------------------------------------------

def component_points(body):
    """One point of each component."""
    points = [body.body_points(i)[0] for i in body.inside.parts]
    return points + [body.body_points(i)[0] if piece.kind == 'hull' else piece.pose.exact[1]
                     for i, piece in enumerate(body.pieces) if piece.kind != 'triangle']


def roots_apart(a, X, b, Y):
    (RA, pa), (RB, pb) = X, Y
    columns = transpose(RA) + transpose(RB)
    middle = sub(add(times(RB, b.centre), pb), add(times(RA, a.centre), pa))
    candidates = [middle] + columns + [cross(x, y) for x in columns[:3] for y in columns[3:]]
    for n in candidates:
        for m in (n, scale(-1, n)):
            m = [iv.mpf(x.mid) for x in m]
            top = a.highest(a.tree, times(transpose(RA), m)) + dot(m, pa)
            bottom = dot(m, pb) - b.highest(b.tree, times(transpose(RB), scale(-1, m)))
            if bottom - top > 0:
                return True
    return False


def check_solids(model, pieces):
    start = Segment(model, pieces[0], 0, {})
    poses = [start.body_pose(0.0, body) for body in model.bodies]
    for (i, j), c in model.clearance.items():
        a, b = model.bodies[i], model.bodies[j]
        if c < 0 or (i < j and roots_apart(a, poses[i], b, poses[j])) or \
                (i > j and roots_apart(b, poses[j], a, poses[i])):
            continue
        (RA, pa), (RB, pb) = poses[i], poses[j]
        for point in component_points(a) if b.inside.may_hold() else []:
            local = times(transpose(RB), sub(add(times(RA, point), pa), pb))
            if all(x.b >= y.a and x.a <= y.b for x, y in zip(local, b.tree.box)):
                require(b.inside.holds(local) is False, f'{a.name} starts inside {b.name}')


def bodies_without_inside(model):
    tested = sorted({i for pair in model.clearance for i in pair})
    return [model.bodies[i].name for i in tested if model.bodies[i].inside.open]


# --- Files ----------------------------------------------------------------------------------------

def read_certificate(data):
    """The tested and excluded pairs it claims, and the body. (The checksum proves nothing.)"""
    require(data[:8] == b'PROVEN\r\n', 'this is not a certificate')
    version, kind, degree = struct.unpack_from('<HBB', data, 8)
    require((version in (1, 4) and degree == 0) or (version in (2, 3, 4) and 1 <= degree <= 5), 'unknown version')
    require(kind == 0, 'this is a witness of a collision; use `proven verify`')
    segments, slots, at = *struct.unpack_from('<II', data, 60), 68
    if version < 3:
        slots, at = 0, 64
    require(version != 3 or slots > 0, 'lateness is cut into no slots')
    tested, count = struct.unpack_from('<II', data, at)
    at, excluded = at + 8, []
    for _ in range(count):
        a, b, reason, size = struct.unpack_from('<IIBI', data, at)
        excluded.append((a, b, reason))
        at += 13 + size
    size, stored = struct.unpack_from('<QQ', data, at)
    require(at + 16 + stored + 8 == len(data), 'the certificate has the wrong length')
    require(size <= 1 << 30, 'the body is too long for this verifier')
    done = subprocess.run(['zstd', '-d', '-c', '-q', '--memory=128MB'], input=data[at + 16:at + 16 + stored],
                          capture_output=True, check=False)
    require(done.returncode == 0 and len(done.stdout) == size, 'the body cannot be decompressed')
    return version == 4, max(1, degree), segments, slots, tested, excluded, done.stdout


def all_pieces(model, times, rows, slots):
    """Of the motion that was read, with all that moves by the clock, run by run."""
    count = len(model.coordinates)
    own = make_pieces(times, rows, 0, count, model.balls())
    clock = model.clock_coordinates()
    own = [piece._replace(**{what: {k: x for k, x in getattr(piece, what).items() if k not in clock}
                             for what in ('scalars', 'turns')}) for piece in own]
    require(not times or times[0] >= 0 or all(body.grows == 0 for body in model.bodies),
            'the motion begins before time 0, when things begin to grow')
    return all_runs(Part('', 0, count, times, own, 0.0), model.timed, slots)


class Scene:
    """A scene, ready to judge motions in it."""

    def __init__(self, file, options):
        self.options, self.model = options, Model(file, options)
        self.open = bodies_without_inside(self.model)
        self.kept = read_constraints(options.constraints, self.model) if options.constraints else []
        if options.require_solid and self.open:
            raise ValueError('--require-solid: no well-defined inside, since a mesh is open: ' + ', '.join(self.open))

    def judge(self, motion, data):
        model = self.model
        try:
            sensed, degree, segments, slots, tested, excluded, body = read_certificate(data)
        except struct.error:
            raise Rejected('the certificate ends too early') from None
        require(sensed == any(body.codes for body in model.bodies), 'the certificate is for a scene that was sensed otherwise')
        require(tested == len(model.clearance) // 2, 'the certificate tests another number of pairs')
        require(excluded == model.not_tested, 'the certificate excludes other pairs than the scene does')
        pieces = all_pieces(model, *motion, slots)
        require(degree == max(piece.degree for piece in pieces), 'the certificate is for a motion of another degree')
        require(segments == len(pieces), 'the certificate is for another number of segments')
        walk = Walk(model, pieces, late_errors(model.timed, slots), self.options, body)
        walk.run()
        check_solids(model, pieces)
        parts = 0
        for number, piece in enumerate(pieces if self.kept else []):
            segment = Segment(model, piece, self.options.tracking_error, walk.errors)
            parts += sum(kept.check(segment, number) for kept in self.kept)
        curve = f' of degree up to {degree}' if degree > 1 else ''
        remark = f'; no well-defined inside: {", ".join(self.open)}' if self.open else ''
        remark += f'; left out of the robots\' files, as asked: {", ".join(model.ignored)}' if model.ignored else ''
        remark += f'; {len(self.kept)} constraints kept, by {parts} parts' if self.kept else ''
        return f'{tested} pairs, {segments} segments{curve}, {walk.leaves} leaves{remark}'


def verify(options):
    scene = Scene(options.scene, options)
    motion = read_motion(options.path, scene.model.joint_names())
    with open(options.certificate, 'rb') as stream:
        return scene.judge(motion, stream.read())


def is_witness(certificate):
    return certificate[:8] == b'PROVEN\r\n' and certificate[10:11] == b'\x01'


def verify_archive(options, data_set, scene):
    """All certificates that paths are free. The paths and the records are in the same order: both are streams."""
    archive = Archive(options.certificate)
    paths = enumerate(of_set(data_set, scene))
    prepared, file = None, None
    accepted = witnesses = 0
    ignored = set()
    for wanted, certificate in archive.records():
        index, (file_here, read) = next(item for item in paths if item[0] == wanted)
        if is_witness(certificate):
            witnesses += 1
            continue
        if file_here != file:
            prepared, file = Scene(file_here, options), file_here
            ignored |= set(prepared.model.ignored)
        try:
            prepared.judge(read(prepared.model.joint_names()), certificate)
        except Rejected as rejected:
            raise Rejected(f'path {index}: {rejected}') from None
        accepted += 1
    remark = f'; left out of the robots\' files, as asked: {", ".join(sorted(ignored))}' if ignored else ''
    return f'{accepted} paths are free; {witnesses} witnesses of collisions are left to `proven verify`{remark}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('scene', 'path'):
        parser.add_argument(name)
    parser.add_argument('certificate', nargs='?')
    parser.add_argument('--robot', default='', help='URDF of a planning scene')
    parser.add_argument('--clearance', default='0')
    parser.add_argument('--tracking-error', default='0')
    parser.add_argument('--trust-srdf-never', action='store_true')
    parser.add_argument('--require-solid', action='store_true')
    parser.add_argument('--ignore-elements', default='', help='unknown elements of URDFs that are passed over')
    parser.add_argument('--constraints', default='', help='what frames must keep, too')
    options = parser.parse_args()
    sys.setrecursionlimit(10000)
    data_set = options.path
    if options.certificate is None:
        data_set, options.scene, options.certificate = options.scene, None, options.path
    try:
        if is_archive(options.certificate):
            print('accepted:', verify_archive(options, data_set, options.scene))
        else:
            print('accepted:', verify(options))
        return 0
    except Rejected as rejected:
        print('rejected:', rejected)
        return 5
    except Unreadable as error:
        print(f'verify.py: cannot read {error}', file=sys.stderr)
        return 4
    except (OSError, KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RuntimeError, StopIteration,
            ParseError) as error:
        print(f'verify.py: cannot read: {type(error).__name__}: {error}', file=sys.stderr)
        return 4


if __name__ == '__main__':
    sys.exit(main())
