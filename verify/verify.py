#!/usr/bin/env python3
"""A second verifier of certificates that a path is free (docs/certificate_format.md).

Slow, short, and independent of everything else in this repository: it reads the scene, the URDFs,
the meshes and the path itself, and computes with mpmath's intervals of 128 bits. It checks proofs;
witnesses of collisions are left to `proven verify`.

    verify.py SCENE PATH CERTIFICATE [--clearance D[,CLASS=D]] [--tracking-error E[,JOINT=E]]
              [--robot URDF] [--trust-srdf-never] [--require-solid]

Exit code 0: accepted, 4: the input cannot be read, 5: rejected. Needs mpmath and the program zstd.
"""
import argparse
import collections
import json
import math
import struct
import subprocess
import sys
from xml.etree.ElementTree import ParseError

import mpmath
from mpmath import iv

from intervals import (HERE, IDENTITY, ZERO, Rejected, add, compose, cross, dot, interval, least, norm, product,
                       require, rotation, scale, sub, times, transpose, upper, vec)
from meshes import Unreadable, need, plain_point
from paths import read_path
from scene_model import Model, parts, quaternion_matrix


# --- Motion (format, section 5) ----------------------------------------------------------------

class Segment:
    def __init__(self, model, qa, qb, tracking_error):
        self.model, self.frames, self.known = model, {}, {}
        self.state = [self.joint_state(link, qa, qb) for link in model.links]
        general, by_joint = parts(tracking_error)
        require(set(by_joint) <= set(model.joints), 'the tracking error names a joint that does not move by itself')

        def error(link):
            joint = model.joints[link.coordinate]
            return upper(abs(link.multiplier) * iv.mpf(by_joint.get(joint, general or 0)))
        self.error = [error(link) if link.can_move() else ZERO for link in model.links]

    @staticmethod
    def joint_state(link, qa, qb):
        """Axis, value at the begin, rate; for ball joints the rotation at the begin."""
        if not link.can_move():
            return None
        k = link.coordinate
        if link.kind != 'ball':
            a, b = iv.mpf(qa[k]), iv.mpf(qb[k])
            rate = link.multiplier * (b - a) if qa[k] != qb[k] else ZERO
            return link.axis, link.multiplier * a + link.offset, rate, None
        a, b = vec(qa[k:k + 4]), vec(qb[k:k + 4])
        start = quaternion_matrix(a)
        w = dot(a, b) + a[3] * b[3]
        v = sub(sub(scale(a[3], b[:3]), scale(b[3], a[:3])), cross(a[:3], b[:3]))
        if all(x == 0 for x in v):
            return IDENTITY[0], ZERO, ZERO, start
        require(w < 0 or w >= 0, 'the short way of a turn cannot be told')
        if w < 0:
            w, v = -w, scale(-1, v)
        size = norm(v)
        require(size > 0, 'a turn is too small to have an axis')
        with mpmath.workprec(iv.prec + 20):  # atan2 grows with its first and falls with its second
            angle = interval(mpmath.atan2(mpmath.mpf(size.a), mpmath.mpf(w.b)) * (1 - mpmath.mpf(2) ** -120),
                             mpmath.atan2(mpmath.mpf(size.b), mpmath.mpf(max(w.a, 0))) * (1 + mpmath.mpf(2) ** -120))
        return scale(1 / size, v), ZERO, 2 * angle, start

    def link_pose(self, t, index):
        frame = self.frames.setdefault(t, {0: HERE})
        if index not in frame:
            link, state = self.model.links[index], self.state[index]
            X = compose(self.link_pose(t, link.parent), link.pose.exact)
            if link.can_move():
                axis, start, rate, ball = state
                value = start + iv.mpf(t) * rate
                if link.kind == 'slide':
                    X = compose(X, (IDENTITY, scale(value, axis)))
                else:
                    R = rotation(axis, value)
                    X = compose(X, (product(ball, R) if ball else R, [ZERO] * 3))
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
                    centre = add(centre, scale(state[1] + state[2] / 2, state[0]))
                    radius = upper(radius + abs(state[2]) / 2 + self.error[index])
                elif link.can_move():
                    foot = scale(dot(centre, state[0]), state[0]) if link.kind == 'turn' else [ZERO] * 3
                    radius = found[index] = upper(norm(sub(centre, foot)) + radius)
                    centre = foot
                centre = add(times(link.pose.exact[0], centre), link.pose.exact[1])
            self.known[body.name] = found
        return self.known[body.name]

    def tracking_slack(self, body, ancestor):
        reach = self.reaches(body)
        return sum((reach[i] * self.error[i] for i in self.model.chain(ancestor, body.link)), ZERO)

    def motion(self, t, body, ancestor):
        key = (t, body.name, ancestor)
        if key in self.known:
            return self.known[key]
        X = self.body_pose(t, body)
        centre = add(times(X[0], body.centre), X[1])
        w, u, spin, drift, joints = [ZERO] * 3, [ZERO] * 3, ZERO, ZERO, []
        for index in self.model.chain(ancestor, body.link):
            link, state = self.model.links[index], self.state[index]
            if state is None or state[2] == 0:
                continue
            R, point = self.link_pose(t, index)
            axis, speed, before = times(R, state[0]), abs(state[2]), (w, spin, drift)
            distance = norm(cross(sub(centre, point), axis)) + body.radius
            if link.kind == 'slide':
                u = add(u, scale(state[2], axis))
            else:
                w, u = add(w, scale(state[2], axis)), add(u, scale(state[2], cross(point, axis)))
                drift, spin = drift + speed * spin, spin + speed
            joints.append((link.kind != 'slide', speed, add(before[0], w), before[1] + spin,
                           before[2] + drift, distance, self.reaches(body)[index]))
        self.known[key] = (X, w, u, joints)
        return self.known[key]


def bounds(joints, n, length, h):
    """Speed and acceleration against n of all points of a body."""
    speed, acceleration = ZERO, ZERO
    for turns, rate, spins, spin_bound, drift, distance, reach in reversed(joints):
        radius = least(distance + h * speed, reach) if turns else iv.mpf(1)
        turning = least(norm(cross(n, spins)) + length * h * drift, length * spin_bound)
        speed, acceleration = upper(speed + radius * rate), upper(acceleration + radius * rate * turning)
    return speed, acceleration


def highest_moved(body, node, motion, n, s, by_pieces):
    if body is None:  # of the tree over still bodies
        return upper(dot(n, node.box))
    (R, p), w, u, _ = motion
    d = add(n, scale(s, cross(n, w)))
    return upper(body.highest(node, times(transpose(R), d), by_pieces) + dot(d, p) + s * dot(n, u))


def rule_holds(n, before, after, a, node_a, motion_a, b, node_b, motion_b, c, by_pieces):
    length = norm(n)

    def gap(s):
        s = iv.mpf(s)
        return (-highest_moved(b, node_b, motion_b, scale(-1, n), s, by_pieces)
                - highest_moved(a, node_a, motion_a, n, s, by_pieces)) - c * length

    spare = gap(0)
    if not spare > 0:
        return False
    for s in (-before, after):
        if s == 0:
            continue
        h = iv.mpf(abs(s))
        va, aa = bounds(motion_a[3], n, length, h)
        vb, ab = bounds(motion_b[3], n, length, h)
        if not (spare - length * (va + vb) * h > 0 or gap(s) - (aa + ab) * h * h / 2 > 0):
            return False
    return True


# --- The walk (format, section 4) ----------------------------------------------------------------

class Walk:
    def __init__(self, model, waypoints, options, body):
        self.model, self.waypoints, self.options = model, waypoints, options
        self.body, self.at, self.leaves = body, 0, 0

    def take(self, form):
        require(self.at + struct.calcsize(form) <= len(self.body), 'the body ends too early')
        values = struct.unpack_from(form, self.body, self.at)
        self.at += struct.calcsize(form)
        return values

    def run(self):
        ends = list(zip(self.waypoints, self.waypoints[1:])) or [(self.waypoints[0],) * 2]
        for self.number, (qa, qb) in enumerate(ends):
            self.segment, self.direction = Segment(self.model, qa, qb, self.options.tracking_error), None
            for unit_of_pairs in self.model.units:
                self.begin(*unit_of_pairs)
                body_b = None if self.b < 0 else self.model.bodies[self.b]
                node_b = self.model.still_tree if self.b < 0 else body_b.tree
                self.prove(0.0, 1.0, 0, self.model.bodies[self.a].tree, *self.enter(body_b, node_b))
        require(self.at == len(self.body), 'bytes follow the end of the body')
        return len(ends)

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
        motion_a = self.segment.motion(anchor, bodies[self.a], self.ancestor)
        motion_b = self.segment.motion(anchor, body_b, self.ancestor) if body_b else (HERE, [ZERO] * 3, [ZERO] * 3, [])
        claim = (vec(self.direction), anchor - begin, end - anchor, bodies[self.a], node_a, motion_a, body_b, node_b,
                 motion_b, iv.mpf(max(c)) + self.slack)
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


def check_solids(model, waypoints):
    start = Segment(model, waypoints[0], waypoints[0], 0)
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
    version, kind, reserved = struct.unpack_from('<HBB', data, 8)
    require(version == 1 and reserved == 0, 'unknown version')
    require(kind == 0, 'this is a witness of a collision; use `proven verify`')
    segments, tested, count = struct.unpack_from('<III', data, 60)
    at, excluded = 72, []
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
    return segments, tested, excluded, done.stdout


def verify(options):
    model = Model(options.scene, options)
    open_bodies = bodies_without_inside(model)
    if options.require_solid and open_bodies:
        raise ValueError('--require-solid: no well-defined inside, since a mesh is open: ' + ', '.join(open_bodies))
    waypoints = read_path(options.path, model)
    with open(options.certificate, 'rb') as stream:
        data = stream.read()
    try:
        segments, tested, excluded, body = read_certificate(data)
    except struct.error:
        raise Rejected('the certificate ends too early') from None
    require(tested == len(model.clearance) // 2, 'the certificate tests another number of pairs')
    require(excluded == model.not_tested, 'the certificate excludes other pairs than the scene does')
    walk = Walk(model, waypoints, options, body)
    require(segments == max(1, len(waypoints) - 1), 'the certificate is for another number of segments')
    walk.run()
    check_solids(model, waypoints)
    remark = f'; no well-defined inside: {", ".join(open_bodies)}' if open_bodies else ''
    return f'{tested} pairs, {segments} segments, {walk.leaves} leaves{remark}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('scene', 'path', 'certificate'):
        parser.add_argument(name)
    parser.add_argument('--robot', default='', help='URDF of a planning scene')
    parser.add_argument('--clearance', default='0')
    parser.add_argument('--tracking-error', default='0')
    parser.add_argument('--trust-srdf-never', action='store_true')
    parser.add_argument('--require-solid', action='store_true')
    options = parser.parse_args()
    sys.setrecursionlimit(10000)
    try:
        print('accepted:', verify(options))
        return 0
    except Rejected as rejected:
        print('rejected:', rejected)
        return 5
    except Unreadable as error:
        print(f'verify.py: cannot read {error}', file=sys.stderr)
        return 4
    except (OSError, KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RuntimeError, ParseError) as error:
        print(f'verify.py: cannot read: {type(error).__name__}: {error}', file=sys.stderr)
        return 4


if __name__ == '__main__':
    sys.exit(main())
