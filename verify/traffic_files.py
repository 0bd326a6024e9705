"""What traffic.py is about: outlines in the plane that move in time, from CommonRoad scenarios and the project's own
traffic scenes and trajectories (docs/formats.md).
"""
import json
import math
from fractions import Fraction

from mpmath import iv

from commonroad import Unreadable, read_scenario

iv.prec = 128
ALWAYS = 1e12
AFTER = ("rest", "continue", "gone")  # by their numbers in a certificate


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

    def says(self, other):
        def ends_of(s):
            return [s.t] + [(v.a, v.b) for v in (s.x, s.y, s.heading, s.deviation, s.turn)]
        return ends_of(self) == ends_of(other)


class Part:
    def __init__(self, shapes, samples, begin, end):
        self.shapes, self.samples, self.begin, self.end = shapes, samples, begin, end
        self.stands = len(samples) == 1


def prolong(scene, after, until):
    """What moves gets one more step, of a set the last regions stay; what is gone stays gone."""
    for _, parts in scene:
        last = max(part.end for part in parts)
        for part in parts:
            if after == "gone" or part.end != last or not until > last:
                continue
            part.end = until
            if part.stands:
                continue
            p, q = part.samples[-2:]
            end = Sample(until)
            end.x, end.y, end.heading, end.deviation, end.turn = q.x, q.y, q.heading, q.deviation, q.turn
            if after == "continue":
                share = (number(until) - q.t) / (number(q.t) - p.t)
                end.x, end.y = q.x + share * (q.x - p.x), q.y + share * (q.y - p.y)
            part.samples.append(end)


def shorten_turns(samples):
    for before, sample in zip(samples, samples[1:]):
        turns = round(float((middle(sample.heading) - middle(before.heading)).mid) / (2 * math.pi))
        if turns:
            sample.heading = sample.heading - turns * 2 * iv.pi


def outline(corners, where):
    """A polygon that encloses an inside: edges that are no neighbours do not meet, exactly."""
    points = [p for i, p in enumerate(corners) if i == 0 or p != corners[i - 1]]
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    n = len(points)

    def side(a, b, p):
        (ax, ay), (bx, by), (px, py) = ([Fraction(v) for v in q] for q in (a, b, p))
        return (bx - ax) * (py - ay) - (by - ay) * (px - ax)

    def meet(a, b, c, d):
        if any(max(a[k], b[k]) < min(c[k], d[k]) or max(c[k], d[k]) < min(a[k], b[k]) for k in (0, 1)):
            return False
        return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0

    crossing = any(meet(points[i], points[i + 1], points[k], points[(k + 1) % n])
                   for i in range(n - 1) for k in range(i + 2, n) if (k + 1) % n != i)
    if n < 3 or crossing:
        raise Unreadable(f"{where}: no outline around an inside")
    return Shape(corners)


# --- CommonRoad

def ends(e):
    exact = e.find("exact")
    if exact is not None:
        return exact.number(), exact.number(), True
    low, high = e.number("intervalStart"), e.number("intervalEnd")
    if low > high:
        e.fail("an interval that ends before it begins")
    return low, high, False


def xml_size(e, name):
    if not e.number(name) > 0:
        e.fail(f"{name} is not above 0")
    return e.number(name)


def xml_point(e):
    return e.number("x"), e.number("y")


def xml_shape(e):
    centre = xml_point(e.find("center")) if e.find("center") else (0.0, 0.0)
    if e.tag == "circle":
        return Shape([centre], xml_size(e, "radius"))
    if e.tag == "rectangle":
        angle = e.number("orientation") if e.find("orientation") else 0.0
        return rectangle(xml_size(e, "length"), xml_size(e, "width"), centre, angle)
    if e.tag == "polygon":
        return outline([xml_point(p) for p in e.children], f"line {e.line}")
    return e.fail("no shape of a certain size")


def xml_shapes(e):
    return [xml_shape(s) for s in e.children]


def reach(shapes):
    return upper(largest([length(*p) for s in shapes for p in s.corners]))


def xml_state(e, step):
    low, _, exact = ends(e.find("time"))
    if not exact:
        e.fail("a state is of one step")
    s = Sample(low * step)
    position = e.find("position")
    p = position.find("point")
    if p is not None:
        s.x, s.y = number(p.number("x")), number(p.number("y"))
    else:
        region = xml_shapes(position)
        every = [(q, r.radius) for r in region for q in r.corners]
        low_x, high_x = smallest([q[0] - r for q, r in every]), largest([q[0] + r for q, r in every])
        low_y, high_y = smallest([q[1] - r for q, r in every]), largest([q[1] + r for q, r in every])
        s.x, s.y = middle((low_x + high_x) / 2), middle((low_y + high_y) / 2)
        around = upper(largest([length(q[0] - s.x, q[1] - s.y) + r for q, r in every]))
        box = upper(length(largest([high_x - s.x, s.x - low_x]), largest([high_y - s.y, s.y - low_y])))
        s.deviation = smallest([around, box])
    low, high, exact = ends(e.find("orientation"))
    s.heading = number(low) if exact else middle((number(low) + high) / 2)
    s.turn = number(0) if exact else upper(largest([high - s.heading, s.heading - low]))
    return s


def grown(shapes, s):
    around = s.deviation + reach(shapes) * s.turn
    for shape in shapes:
        shape.radius = shape.radius + around
    return shapes


def xml_set(e, step):
    parts, said = [], []
    initial = e.find("initialState")
    if initial is not None:
        s, shapes = xml_state(initial, step), xml_shapes(e.find("shape"))
        around = s.deviation + reach(shapes) * s.turn
        c, sn = iv.cos(s.heading), iv.sin(s.heading)
        for shape in shapes:
            placed = [turned(p, c, sn) for p in shape.corners]
            shape.corners = [(s.x + p[0], s.y + p[1]) for p in placed]
            shape.radius = shape.radius + around
        parts.append(Part(shapes, [Sample()], s.t, s.t))
        said.append(ends(initial.find("time"))[:2])
    for o in e.find("occupancySet").children:
        low, high, _ = ends(o.find("time"))
        said.append((low, high))
        parts.append(Part(xml_shapes(o.find("shape")), [Sample()], (low - 1) * step, (high + 1) * step))
    said.sort()
    reached = said[0][1]
    for low, high in said:
        if low > reached + 1:
            e.fail(f"nothing is said of step {reached + 1}")
        reached = max(reached, high)
    return parts


def xml_motion(e, step):
    states = [e.find("initialState")] + e.find("trajectory").children
    samples, before = [], None
    for state in states:
        s, now = xml_state(state, step), ends(state.find("time"))[0]
        if len(samples) == 1 and s.says(samples[0]):
            continue  # the initial state again
        if samples and now != before + 1:
            state.fail("steps do not follow each other")
        samples.append(s)
        before = now
    if len(samples) < 2:
        e.fail("no state besides the initial one")
    shorten_turns(samples)
    return [Part(xml_shapes(e.find("shape")), samples, samples[0].t, samples[-1].t)]


def xml_mover(e, step):
    if e.find("occupancySet"):
        return xml_set(e, step)
    if e.find("trajectory"):
        return xml_motion(e, step)
    # What belongs to the environment has its place in its shape.
    at = xml_state(e.find("initialState"), step) if e.find("initialState") else Sample()
    shapes = grown(xml_shapes(e.find("shape")), at)
    at.deviation = at.turn = number(0)
    return [Part(shapes, [at], -ALWAYS, ALWAYS)]


# --- our own files

SHAPES = ("box", "circle", "polygon", "parts")
MOTION = ("times", "poses", "between", "turns", "max_acceleration", "max_angular_acceleration", "position_deviation",
          "heading_deviation", "max_step")


def only(node, *keys):
    for key in node:
        if key not in keys:
            raise Unreadable(f"unknown key '{key}'")


def figure(value, above=None):
    """A finite number, perhaps above another."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Unreadable(f"{value!r} is no finite number")
    if above is not None and not value > above:
        raise Unreadable(f"{value} is not above {above}")
    return float(value)


def figures(values, count):
    if not isinstance(values, list) or len(values) != count:
        raise Unreadable(f"expected {count} numbers")
    return [figure(v) for v in values]


def load(file):
    def once(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise Unreadable("a key is given twice")
        return dict(pairs)

    with open(file, encoding="utf-8") as text:
        root = json.load(text, object_pairs_hook=once)
    if not isinstance(root, dict) or root.get("proven") != 1:
        raise Unreadable('"proven" is not 1')
    return root


def json_shapes(node):
    given = [name for name in SHAPES if name in node]
    if len(given) > 1 or ("centre" in node and given in ([], ["parts"])):
        raise Unreadable("more than one shape, or a centre of none")
    if "parts" in node:
        for part in node["parts"]:
            only(part, "box", "circle", "polygon", "centre")
        parts = [json_shapes(part) for part in node["parts"]]
        if not parts or not all(parts):
            raise Unreadable("a part without a shape")
        return [shape for part in parts for shape in part]
    centre = figures(node.get("centre", [0.0, 0.0]), 2)
    if "box" in node:
        return [rectangle(*(figure(v, 0) for v in figures(node["box"], 2)), (centre[0], centre[1]))]
    if "circle" in node:
        return [Shape([(centre[0], centre[1])], figure(node["circle"], 0))]
    if "polygon" in node:
        corners = [figures(p, 2) for p in node["polygon"]]
        return [outline([(p[0] + centre[0], p[1] + centre[1]) for p in corners], "polygon")]
    return []


def json_motion(node):
    only(node, "name", "centre", *SHAPES, *MOTION)
    if node.get("between", "linear") != "linear":
        raise Unreadable("certificates are for linear motions")
    if node.get("turns", "shortest") not in ("shortest", "literal"):
        raise Unreadable("turns that are neither shortest nor literal")
    times = [figure(t) for t in node["times"]]
    off = figures(node.get("position_deviation", [0] * len(times)), len(times))
    turn = figures(node.get("heading_deviation", [0] * len(times)), len(times))
    if min(off + turn + [0]) < 0:
        raise Unreadable("a deviation below 0")
    if len(node["poses"]) != len(times) or len(times) < 2 or any(b <= a for a, b in zip(times, times[1:])):
        raise Unreadable("times and poses do not fit")
    samples = [Sample(t, *figures(p, 3), d, e) for t, p, d, e in zip(times, node["poses"], off, turn)]
    if node.get("turns", "shortest") == "shortest":
        shorten_turns(samples)
    return samples


def json_parts(node):
    if "occupancy" in node:
        only(node, "name", "occupancy")
        parts = []
        for o in node["occupancy"]:
            only(o, "from", "to", "centre", *SHAPES)
            begin, end = figure(o["from"]), figure(o["to"])
            if begin > end:
                raise Unreadable("an occupancy that ends before it begins")
            parts.append(Part(json_shapes(o), [Sample()], begin, end))
    elif "times" in node or "poses" in node:
        samples = json_motion(node)
        parts = [Part(json_shapes(node), samples, samples[0].t, samples[-1].t)]
    else:
        only(node, "name", "pose", "centre", *SHAPES)
        parts = [Part(json_shapes(node), [Sample(0.0, *figures(node["pose"], 3))], -ALWAYS, ALWAYS)]
    if not parts or not all(part.shapes for part in parts):
        raise Unreadable("an obstacle without a shape")
    return parts


def read_scene(file):
    if file.endswith(".xml"):
        root, step = read_scenario(file)
        kinds = ("obstacle", "staticObstacle", "dynamicObstacle", "environmentObstacle", "phantomObstacle")
        return [(e.attributes["id"], xml_mover(e, step)) for e in root.all(*kinds)]
    root = load(file)
    only(root, "proven", "name", "obstacles")
    movers = [(node["name"], json_parts(node)) for node in root["obstacles"]]
    if len({name for name, _ in movers}) != len(movers):
        raise Unreadable("two obstacles of one name")
    return movers


def read_motions(file, usual):
    root = load(file)
    only(root, "proven", "trajectories", "centre", *SHAPES)
    motions = []
    for i, node in enumerate(root["trajectories"]):
        samples = json_motion(node)
        shapes = json_shapes(node) or json_shapes(root) or [rectangle(*usual)]
        motions.append((node.get("name", str(i)), Part(shapes, samples, samples[0].t, samples[-1].t)))
    return motions
