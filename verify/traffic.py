#!/usr/bin/env python3
"""traffic.py SCENE TRAJECTORIES CERTIFICATE [--clearance D] [--leave-out ID ...] [--after rest|continue|gone]

The second verifier of traffic: reads CommonRoad scenarios or traffic scenes, trajectories and a proof
(docs/certificate_format.md) by itself, in 128-bit intervals. Exit code 0: accepted; 5: rejected; 4: unreadable.
"""
import argparse
import bisect
import math
import struct
import sys

from mpmath import iv

from intervals import Rejected, require
from traffic_files import (AFTER, ALWAYS, Unreadable, largest, length, lower, number, prolong, read_motions, read_scene,
                           smallest, turned, upper)

# --- the proof

class Input:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        size = struct.calcsize("<" + form)
        require(self.at + size <= len(self.data), "the certificate is cut short")
        value, = struct.unpack_from("<" + form, self.data, self.at)
        self.at += size
        require(not isinstance(value, float) or math.isfinite(value), "a number is not finite")
        return value


class Piece:
    def __init__(self, corners, radius, shape):
        self.corners, self.radius, self.shape = corners, radius, shape
        self.reach = upper(largest([length(*p) for p in corners]))


class Side:
    """A part, with its pieces as the certificate takes them: hulls, or edges."""

    def __init__(self, part, data):
        self.part, self.pieces, self.hollow = part, [], []
        self.times = [s.t for s in part.samples]
        for shape in part.shapes:
            mode = data.take("B")
            require(mode in (0, 1), "unknown form of a shape")
            if mode == 0:
                self.pieces.append(Piece(shape.corners, upper(shape.radius), shape))
                continue
            corners = []
            for p in shape.corners:
                if not corners or (p[0].a, p[1].a) != (corners[-1][0].a, corners[-1][1].a):
                    corners.append(p)
            if (corners[0][0].a, corners[0][1].a) == (corners[-1][0].a, corners[-1][1].a):
                corners.pop()
            require(len(corners) > 2, "a shape without an inside is taken by its edges")
            self.hollow.append(corners)
            for a, b in zip(corners, corners[1:] + corners[:1]):
                self.pieces.append(Piece([a, b], upper(shape.radius), shape))

    def step(self, t):
        if self.part.stands:
            return 0
        return max(0, min(bisect.bisect_right(self.times, t), len(self.times) - 1) - 1)

    def pose(self, k, t):
        a = self.part.samples[k]
        x, y, heading = a.x, a.y, a.heading
        if not self.part.stands:
            b = self.part.samples[k + 1]
            share = (number(t) - a.t) / (number(b.t) - a.t)
            x, y = x + share * (b.x - a.x), y + share * (b.y - a.y)
            heading = heading + share * (b.heading - a.heading)
        return x, y, iv.cos(heading), iv.sin(heading)

    def loss(self, k, a, b, piece):
        p = self.part.samples[k]
        off = p.deviation + piece.reach * p.turn
        bend = number(0)
        if not self.part.stands:
            q = self.part.samples[k + 1]
            off = largest([off, q.deviation + piece.reach * q.turn])
            turn = abs(q.heading - p.heading) * (number(b) - a) / (number(q.t) - p.t)
            bend = smallest([turn * turn / 8, number(2)]) * piece.reach
        return upper(off) + upper(bend) + piece.radius


def placed(p, pose):
    q = turned(p, pose[2], pose[3])
    return pose[0] + q[0], pose[1] + q[1]


def extent(piece, pose, nx, ny):
    values = []
    for p in piece.corners:
        x, y = placed(p, pose)
        values.append(nx * x + ny * y)
    return lower(smallest(values)), upper(largest(values))


def check_apart(own, mine, other, theirs, a, b, n, clearance, what):
    i, j = own.step(a), other.step(a)
    gaps = []
    for t in (a, b):
        _, high = extent(mine, own.pose(i, t), *n)
        low, _ = extent(theirs, other.pose(j, t), *n)
        gaps.append(low - high)
    loss = own.loss(i, a, b, mine) + other.loss(j, a, b, theirs) + clearance
    require(smallest(gaps) > length(*n) * loss, f"{what}: from {a} to {b} s the line does not separate them")


def check_leaf(own, mine, other, theirs, a, to, n, clearance, what):
    while True:
        b = to
        for side in (own, other):
            if not side.part.stands:
                t = side.part.samples[side.step(a) + 1].t
                if t > a:
                    b = min(b, t)
        check_apart(own, mine, other, theirs, a, b, n, clearance, what)
        if not b < to:
            return
        a = b


def together(a, b):
    return max(a.begin, b.begin) <= min(a.end, b.end)


def check_pair(own, mine, other, theirs, data, clearance, what):
    leaves = data.take("I")
    at, end = max(own.part.begin, other.part.begin), min(own.part.end, other.part.end)
    require(leaves > 0, f"{what}: no proof")
    for _ in range(leaves):
        to, nx, ny = data.take("d"), data.take("f"), data.take("f")
        require((to > at or to == at == end) and to <= end, f"{what}: leaves do not follow each other")
        check_leaf(own, mine, other, theirs, at, to, (number(nx), number(ny)), clearance, what)
        at = to
    require(at == end, f"{what}: the proof ends too early")
    return leaves


def check_outside(hollow, other, what):
    t = max(hollow.part.begin, other.part.begin)
    for corners in hollow.hollow:
        around = hollow.pose(hollow.step(t), t)
        outline = [placed(p, around) for p in corners]
        for piece in other.pieces:
            x, y = placed(piece.corners[0], other.pose(other.step(t), t))
            odd = False
            for a, b in zip(outline, outline[1:] + outline[:1]):
                above = []
                for q in (a, b):
                    require(q[1] > y or q[1] < y, f"{what}: a corner is level with the tested point")
                    above.append(bool(q[1] > y))
                if above[0] == above[1]:
                    continue
                side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
                require(side > 0 or side < 0, f"{what}: a point on an edge")
                odd ^= bool(side > 0) == above[1]
            require(not odd, f"{what}: one is inside the other")


def beyond(piece, pose, x, y):
    c = [placed(p, pose) for p in piece.corners]
    sides, best = [], []
    for a, b in zip(c, c[1:] + c[:1]):
        sides.append((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]))
        d = [float(v.mid) for v in (b[0] - a[0], b[1] - a[1], x - a[0], y - a[1])]
        l = d[0] * d[0] + d[1] * d[1]
        u = min(1.0, max(0.0, (d[2] * d[0] + d[3] * d[1]) / l)) if l > 0 else 0.0
        best.append(upper(length(x - (a[0] + u * (b[0] - a[0])), y - (a[1] + u * (b[1] - a[1])))))
    if len(c) > 2 and (all(s > 0 for s in sides) or all(s < 0 for s in sides)):
        edges = [length(b[0] - a[0], b[1] - a[1]) for a, b in zip(c, c[1:] + c[:1])]
        return -lower(smallest([abs(s) / e for s, e in zip(sides, edges)]))  # its depth
    return smallest(best)


def check_collision(own, others, data, clearance, name):
    o, p, i, j = (data.take("I") for _ in range(4))
    t = data.take("d")
    ax, ay, bx, by = (number(data.take("d")) for _ in range(4))
    require(o < len(others) and p < len(others[o]), "a witness of no obstacle")
    other = others[o][p]
    require(other is not None, "a witness of what is never there")
    require(i < len(own.pieces) and j < len(other.pieces), "a witness of no piece")
    what = f"trajectory '{name}'"
    for side in (own, other):
        require(side.part.begin <= t <= side.part.end, f"{what}: not there at the time of the witness")
        exact = side.part.samples[side.step(t):side.step(t) + 2]
        require(all(s.deviation == 0 and s.turn == 0 for s in exact), f"{what}: a witness needs exact motions")
    mine, theirs = own.pieces[i], other.pieces[j]
    off_a = beyond(mine, own.pose(own.step(t), t), ax, ay)
    off_b = beyond(theirs, other.pose(other.step(t), t), bx, by)
    gap = length(ax - bx, ay - by) + off_a + off_b
    near = lower(mine.shape.radius) + lower(theirs.shape.radius) + clearance
    require(gap < near, f"{what}: the points of the witness are not near")


def times_of(scene, left_out, after):
    then = {"rest": "at rest after that", "gone": "not there after that",
            "continue": "straight on as in its last step after that"}[after]
    lists = {}
    for name, parts in scene:
        if name not in left_out:
            span = min(part.begin for part in parts), max(part.end for part in parts)
            lists.setdefault(span, []).append(f"'{name}'")
    for (begin, end), names in sorted(lists.items()):
        when = f"there from {begin} s, known to {end} s, {then} (--after {after})"
        yield f"{'there at all times' if end >= ALWAYS else when}: {', '.join(names)}"


def verify(scene, motions, data, clearance, left_out, after):
    known = [name for name, _ in scene]
    require(all(name in known for name in left_out), "an obstacle to leave out is not there")
    data = Input(data)
    require(bytes(data.take("B") for _ in range(8)) == b"PRVNTRFC", "no certificate of traffic")
    require(data.take("I") == 3, "a version that is not known")
    data.take("d")
    made = data.take("B")
    require(made < len(AFTER), "an end of obstacles that is not known")
    require(AFTER[made] == after, f"it was made for --after {AFTER[made]}, and is asked about --after {after}")
    require(data.take("I") == len(motions), "it is about another number of trajectories")
    clearance, free, leaves = number(clearance), 0, 0
    prolong(scene, after, max(part.end for _, part in motions))
    for name, part in motions:
        kind = data.take("B")
        require(kind in (0, 1), f"trajectory '{name}' has no proof")
        own = Side(part, data)
        # What is never there together with the trajectory has no pieces.
        others = [[] if o in left_out else [Side(p, data) if together(part, p) else None for p in parts]
                  for o, parts in scene]
        if kind == 1:
            check_collision(own, others, data, clearance, name)
            continue
        free += 1
        for mine in own.pieces:
            for (o, _), sides in zip(scene, others):
                for side in filter(None, sides):
                    for theirs in side.pieces:
                        leaves += check_pair(own, mine, side, theirs, data, clearance,
                                             f"trajectory '{name}' and obstacle '{o}'")
        for (o, _), sides in zip(scene, others):
            for side in filter(None, sides):
                check_outside(own, side, f"trajectory '{name}' and obstacle '{o}'")
                check_outside(side, own, f"trajectory '{name}' and obstacle '{o}'")
    require(data.at == len(data.data), "there are bytes behind the end of the certificate")
    return free, len(motions) - free, leaves


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene")
    parser.add_argument("trajectories")
    parser.add_argument("certificate")
    parser.add_argument("--clearance", type=float, default=0.0)
    parser.add_argument("--leave-out", action="append", default=[])
    parser.add_argument("--after", choices=AFTER, default="continue")
    parser.add_argument("--length", type=float, default=4.5)
    parser.add_argument("--width", type=float, default=2.0)
    options = parser.parse_args()
    reading = options.scene
    try:
        scene = read_scene(reading)
        reading = options.trajectories
        motions = read_motions(reading, (options.length, options.width))
        reading = options.certificate
        with open(reading, "rb") as file:
            data = file.read()
    except (Unreadable, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else error
        print(f"traffic.py: {reading}: {what}", file=sys.stderr)
        return 4
    try:
        require(options.clearance >= 0, "a clearance is at least 0")
        times = list(times_of(scene, options.leave_out, options.after))
        free, collisions, leaves = verify(scene, motions, data, options.clearance, options.leave_out, options.after)
    except Rejected as rejected:
        print(f"rejected: {rejected}")
        return 5
    print(f"accepted: {free} free, {collisions} in collision, {leaves} leaves, at {options.clearance} m")
    for sentence in times:
        print(sentence)
    for name in options.leave_out:
        print(f"obstacle '{name}' was left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
