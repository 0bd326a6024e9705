#!/usr/bin/env python3
"""traffic.py SCENE TRAJECTORIES CERTIFICATE [--clearance D] [--leave-out ID ...]

The second verifier of traffic: reads CommonRoad scenarios or traffic scenes, trajectories and a proof
(docs/certificate_format.md) by itself, in 128-bit intervals. Exit code 0: accepted; 5: rejected; 4: unreadable.
"""
import argparse
import bisect
import json
import math
import struct
import sys
import xml.etree.ElementTree

from mpmath import iv

from intervals import Rejected, require

iv.prec = 128
ALWAYS = 1e12


class Unreadable(Exception):
    pass


def number(x):
    return iv.mpf(x)


def length(x, y):
    return iv.sqrt(abs(x) * abs(x) + abs(y) * abs(y))


def lower(x):
    return iv.mpf([x.a, x.a])


def upper(x):
    return iv.mpf([x.b, x.b])


def middle(x):
    return iv.mpf(float(x.mid))


def largest(values):
    return iv.mpf([max(v.a for v in values), max(v.b for v in values)])


def smallest(values):
    return iv.mpf([min(v.a for v in values), min(v.b for v in values)])


def turned(p, c, s):
    return (c * p[0] - s * p[1], s * p[0] + c * p[1])


class Shape:
    def __init__(self, corners, radius=0):
        self.corners = [(number(x), number(y)) for x, y in corners]
        self.radius = number(radius)


def rectangle(l, w, centre=(0.0, 0.0), angle=0.0):
    corners = [(0.5 * l, 0.5 * w), (-0.5 * l, 0.5 * w), (-0.5 * l, -0.5 * w), (0.5 * l, -0.5 * w)]
    c, s = iv.cos(number(angle)), iv.sin(number(angle))
    out = []
    for p in corners:
        q = turned((number(p[0]), number(p[1])), c, s)
        out.append((centre[0] + q[0], centre[1] + q[1]))
    return Shape(out)


class Sample:
    def __init__(self, t=0.0, x=0.0, y=0.0, heading=0.0, deviation=0.0, turn=0.0):
        self.t = t
        self.x, self.y, self.heading = number(x), number(y), number(heading)
        self.deviation, self.turn = number(deviation), number(turn)


class Part:
    def __init__(self, shapes, samples, begin, end):
        self.shapes, self.samples, self.begin, self.end = shapes, samples, begin, end
        self.stands = len(samples) == 1


def shorten_turns(samples):
    for before, sample in zip(samples, samples[1:]):
        turns = round(float((middle(sample.heading) - middle(before.heading)).mid) / (2 * math.pi))
        if turns:
            sample.heading = sample.heading - turns * 2 * iv.pi


# --- CommonRoad

def child_number(e, name):
    return float(e.find(name).text)


def ends(e):
    exact = e.find("exact")
    if exact is not None:
        return float(exact.text), float(exact.text), True
    return child_number(e, "intervalStart"), child_number(e, "intervalEnd"), False


def xml_shape(e):
    c = e.find("center")
    centre = (child_number(c, "x"), child_number(c, "y")) if c is not None else (0.0, 0.0)
    if e.tag == "circle":
        return Shape([centre], child_number(e, "radius"))
    if e.tag == "rectangle":
        angle = child_number(e, "orientation") if e.find("orientation") is not None else 0.0
        return rectangle(child_number(e, "length"), child_number(e, "width"), centre, angle)
    if e.tag == "polygon":
        return Shape([(child_number(p, "x"), child_number(p, "y")) for p in e.findall("point")])
    raise Unreadable(f"unknown shape <{e.tag}>")


def xml_shapes(e):
    return [xml_shape(s) for s in e]


def reach(shapes):
    return upper(largest([length(*p) for s in shapes for p in s.corners]))


def xml_state(e, step):
    low, _, exact = ends(e.find("time"))
    if not exact or low != math.floor(low):
        raise Unreadable("a time is a whole step")
    s = Sample(low * step)
    position = e.find("position")
    p = position.find("point")
    if p is not None:
        s.x, s.y = number(child_number(p, "x")), number(child_number(p, "y"))
    else:
        region = xml_shapes(position)
        every = [(q, r.radius) for r in region for q in r.corners]
        low_x, high_x = smallest([q[0] - r for q, r in every]), largest([q[0] + r for q, r in every])
        low_y, high_y = smallest([q[1] - r for q, r in every]), largest([q[1] + r for q, r in every])
        s.x, s.y = middle((low_x + high_x) / 2), middle((low_y + high_y) / 2)
        around = upper(largest([length(q[0] - s.x, q[1] - s.y) + r for q, r in every]))
        box = upper(length(largest([high_x - s.x, s.x - low_x]), largest([high_y - s.y, s.y - low_y])))
        s.deviation = smallest([around, box])
    o = e.find("orientation")
    if o is not None:
        low, high, exact = ends(o)
        s.heading = number(low) if exact else middle((number(low) + high) / 2)
        s.turn = number(0) if exact else upper(largest([high - s.heading, s.heading - low]))
    return s


def grown(shapes, s):
    around = s.deviation + reach(shapes) * s.turn
    for shape in shapes:
        shape.radius = shape.radius + around
    return shapes


def xml_mover(e, step):
    outline, initial = e.find("shape"), e.find("initialState")
    occupied = e.find("occupancySet")
    if occupied is not None:
        parts = []
        if outline is not None and initial is not None:
            s, shapes = xml_state(initial, step), xml_shapes(outline)
            around = s.deviation + reach(shapes) * s.turn
            c, sn = iv.cos(s.heading), iv.sin(s.heading)
            for shape in shapes:
                placed = [turned(p, c, sn) for p in shape.corners]
                shape.corners = [(s.x + p[0], s.y + p[1]) for p in placed]
                shape.radius = shape.radius + around
            parts.append(Part(shapes, [Sample()], s.t, s.t))
        for o in occupied.findall("occupancy"):
            low, high, exact = ends(o.find("time"))
            more = 1 if exact else 0
            parts.append(Part(xml_shapes(o.find("shape")), [Sample()], (low - more) * step, (high + more) * step))
        return parts
    shapes = xml_shapes(outline)
    trajectory = e.find("trajectory")
    if trajectory is None:
        at = Sample() if e.tag == "environmentObstacle" else xml_state(initial, step)
        shapes = grown(shapes, at)
        at.deviation = at.turn = number(0)
        return [Part(shapes, [at], -ALWAYS, ALWAYS)]
    samples = [xml_state(initial, step)] if initial is not None else []
    for state in trajectory:
        s = xml_state(state, step)
        first = samples[0] if len(samples) == 1 else None
        if first and (s.t, s.x.a, s.y.a, s.heading.a) == (first.t, first.x.a, first.y.a, first.heading.a):
            continue
        if samples and not s.t > samples[-1].t:
            raise Unreadable("times are not in order")
        samples.append(s)
    shorten_turns(samples)
    return [Part(shapes, samples, samples[0].t, samples[-1].t)]


# --- our own files

def json_shapes(node):
    if "parts" in node:
        return [shape for part in node["parts"] for shape in json_shapes(part)]
    centre = node.get("centre", [0.0, 0.0])
    if "box" in node:
        return [rectangle(float(node["box"][0]), float(node["box"][1]), (float(centre[0]), float(centre[1])))]
    if "circle" in node:
        return [Shape([(float(centre[0]), float(centre[1]))], float(node["circle"]))]
    if "polygon" in node:
        return [Shape([(float(p[0]) + centre[0], float(p[1]) + centre[1]) for p in node["polygon"]])]
    return []


def json_motion(node):
    if node.get("between", "linear") != "linear":
        raise Unreadable("certificates are for linear motions")
    times = [float(t) for t in node["times"]]
    off = node.get("position_deviation", [0] * len(times))
    turn = node.get("heading_deviation", [0] * len(times))
    if len(node["poses"]) != len(times) or len(times) < 2 or any(b <= a for a, b in zip(times, times[1:])):
        raise Unreadable("times and poses do not fit")
    samples = [Sample(t, *(float(v) for v in p), float(d), float(e))
               for t, p, d, e in zip(times, node["poses"], off, turn)]
    if node.get("turns", "shortest") == "shortest":
        shorten_turns(samples)
    return samples


def read_scene(file):
    if file.endswith(".xml"):
        root = xml.etree.ElementTree.parse(file).getroot()
        step = float(root.get("timeStepSize"))
        kinds = ("obstacle", "staticObstacle", "dynamicObstacle", "environmentObstacle", "phantomObstacle")
        return [(e.get("id"), xml_mover(e, step)) for e in root if e.tag in kinds]
    movers = []
    with open(file, encoding="utf-8") as text:
        root = json.load(text)
    for node in root["obstacles"]:
        if "occupancy" in node:
            parts = [Part(json_shapes(o), [Sample()], float(o["from"]), float(o["to"])) for o in node["occupancy"]]
        elif "times" in node:
            samples = json_motion(node)
            parts = [Part(json_shapes(node), samples, samples[0].t, samples[-1].t)]
        else:
            parts = [Part(json_shapes(node), [Sample(0.0, *(float(v) for v in node["pose"]))], -ALWAYS, ALWAYS)]
        movers.append((node["name"], parts))
    return movers


def read_motions(file, usual):
    with open(file, encoding="utf-8") as text:
        root = json.load(text)
    motions = []
    for i, node in enumerate(root["trajectories"]):
        samples = json_motion(node)
        shapes = json_shapes(node) or json_shapes(root) or [rectangle(*usual)]
        motions.append((node.get("name", str(i)), Part(shapes, samples, samples[0].t, samples[-1].t)))
    return motions


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


def verify(scene, motions, data, clearance, left_out):
    known = [name for name, _ in scene]
    require(all(name in known for name in left_out), "an obstacle to leave out is not there")
    data = Input(data)
    require(bytes(data.take("B") for _ in range(8)) == b"PRVNTRFC", "no certificate of traffic")
    require(data.take("I") == 2, "a version that is not known")
    data.take("d")
    require(data.take("I") == len(motions), "it is about another number of trajectories")
    clearance, free, leaves = number(clearance), 0, 0
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
    except (Unreadable, OSError, ValueError, KeyError, AttributeError, xml.etree.ElementTree.ParseError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else error
        print(f"traffic.py: {reading}: {what}", file=sys.stderr)
        return 4
    try:
        require(options.clearance >= 0, "a clearance is at least 0")
        free, collisions, leaves = verify(scene, motions, data, options.clearance, options.leave_out)
    except Rejected as rejected:
        print(f"rejected: {rejected}")
        return 5
    print(f"accepted: {free} free, {collisions} in collision, {leaves} leaves, at {options.clearance} m")
    for name in options.leave_out:
        print(f"obstacle '{name}' was left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
