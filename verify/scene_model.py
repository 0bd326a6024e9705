"""The scene of the second verifier: its own readers of scene JSON, URDF and SRDF (meshes.py reads meshes), and
what follows from them by sections 2 and 3 of the certificate format."""
import collections
import copy
import itertools
import json
import math
import os

from mpmath import iv

from curves import quaternion_matrix
from intervals import (HERE, IDENTITY, ZERO, add, compose, cross, dot, hull, interval, nearest_rotation, norm,
                       product, require, rotation, scale, sub, times, transpose, upper, vec)
from clock import Part, make_pieces
from inside import Inside
from paths import SUFFIXES, Joints, from_tree, no_repeats, read_motion
from planning_scene import only, read_planning_scene
from robots import check_packages, find_mesh, read_srdf, read_urdf, with_virtual_joint
from sensed_files import listed
from sensed import Grains, boxes_of_cells, code_of_box, code_tree, codes_of_points
from meshes import PLAIN_HERE, need, number, plain_compose, plain_dot, plain_point, plain_turn, read_mesh

# --- Poses in files. Each is kept twice: exactly, and as doubles that order trees. ---------------

Pose = collections.namedtuple('Pose', 'exact plain')


def make_pose(xyz=(0, 0, 0), rpy=None, quaternion=None, rows=None):
    R, plain = IDENTITY, PLAIN_HERE[0]
    if rpy is not None and any(rpy):
        turns = [((0, 0, 1), rpy[2]), ((0, 1, 0), rpy[1]), ((1, 0, 0), rpy[0])]
        for axis, angle in turns:
            R = product(R, rotation(vec(axis), iv.mpf(angle)))
            plain = plain_compose((plain, (0, 0, 0)), (plain_turn(axis, angle), (0, 0, 0)))[0]
    if quaternion is not None:
        R = quaternion_matrix(vec(quaternion))
        plain = [[float(x.mid) for x in row] for row in R]
    if rows is not None:
        R, plain = nearest_rotation(rows), [list(row) for row in rows]
    return Pose((R, vec(xyz)), (plain, tuple(float(x) for x in xyz)))


def json_pose(node):
    node = node.get('pose', {})
    only(node, 'xyz', 'rpy', 'quaternion', 'rotation')
    need(len(set(node) - {'xyz'}) <= 1, 'a pose turns in several ways')
    return make_pose(node.get('xyz', (0, 0, 0)), node.get('rpy'), node.get('quaternion'),
                     node.get('rotation'))


def numbers(element, name, default, count=3):
    text = element.get(name) if element is not None else None
    if text is None:
        return default
    need(len(text.split()) == count, f'{name}: {count} numbers are expected')
    return tuple(number(x) for x in text.split())


def urdf_pose(element):
    origin = element.find('origin')
    rows = numbers(origin, 'rotation', None, 9)
    if rows is not None:
        rows = [rows[0:3], rows[3:6], rows[6:9]]
    return make_pose(numbers(origin, 'xyz', (0, 0, 0)), numbers(origin, 'rpy', (0, 0, 0)), None, rows)


# --- Meshes and shapes --------------------------------------------------------------------------

Piece = collections.namedtuple('Piece', 'kind data pose')  # kind: points, box, sphere, ...


def mesh_pieces(file, factors, pose, convex):
    vertices, faces = read_mesh(file)
    vertices = [tuple(x * f for x, f in zip(v, factors)) for v in vertices]
    if convex:
        return [Piece('hull', vertices, pose)]
    return [Piece('triangle', [vertices[i] for i in face], pose) for face in faces]


def round_shape(kind, node, pose):
    return Piece(kind, (float(node['radius']), 0.5 * float(node['length'])), pose)


def at_point(pose, exact, plain):
    """The pose moved along to a point of its frame."""
    R, p = pose.exact
    return Pose((R, add(times(R, exact), p)), (pose.plain[0], plain_point(pose.plain, plain)))


def cloud_pieces(node, pose):
    only(node, 'points', 'radius')
    points = [tuple(float(x) for x in p) for p in node['points']]
    radius = float(node['radius'])
    need(points and all(len(p) == 3 for p in points) and 0 < radius <= 1e6, 'a cloud has points and a positive radius')
    return Grains([Piece('sphere', radius, at_point(pose, vec(p), p)) for p in points], codes_of_points(points))


def voxel_pieces(node, pose):
    only(node, 'size', 'cells')
    size, cells = float(node['size']), node['cells']
    need(cells and 0 < size <= 1e6, 'a voxel set has cells and a positive size')
    need(all(len(c) == 3 and all(type(i) is int and -2 ** 20 <= i < 2 ** 20 for i in c) for c in cells),
         'indices of voxels are three whole numbers from -2^20 to 2^20 - 1')
    pieces, boxes = [], boxes_of_cells(cells)
    for box in boxes:
        exact = [iv.mpf(size) * (a + b) / 2 for a, b in box]
        half = [iv.mpf(size) * (b - a) / 2 for a, b in box]
        ends = [(a * size, b * size) for a, b in box]
        plain = (tuple(0.5 * (a + b) for a, b in ends), [0.5 * (b - a) for a, b in ends])
        pieces.append(Piece('cells', (half, plain[1]), at_point(pose, exact, plain[0])))
    return Grains(pieces, [code_of_box(box) for box in boxes])


def json_pieces(node, folder, pose):
    factors = node.get('scale', 1.0)
    factors = factors if isinstance(factors, list) else [factors] * 3
    node = listed(node, folder)
    if 'cloud' in node:
        return cloud_pieces(node['cloud'], pose)
    if 'voxels' in node:
        return voxel_pieces(node['voxels'], pose)
    if 'parts' in node:
        if len(node['parts']) == 1:
            return json_pieces(node['parts'][0], folder, json_pose(node['parts'][0]))
        need(not any(key in part for part in node['parts'] for key in SENSED), 'a cloud or a voxel set is alone')
        return list(itertools.chain.from_iterable(
            json_pieces(part, folder, json_pose(part)) for part in node['parts']))
    if 'box' in node:
        return [Piece('box', [0.5 * x for x in node['box']], pose)]
    if 'sphere' in node:
        radius = node['sphere']['radius'] if isinstance(node['sphere'], dict) else node['sphere']
        only(node['sphere'] if isinstance(node['sphere'], dict) else {}, 'radius')
        return [Piece('sphere', float(radius), pose)]
    for kind in ('cylinder', 'capsule'):
        if kind in node:
            only(node[kind], 'radius', 'length')
            return [round_shape(kind, node[kind], pose)]
    if isinstance(node.get('hull'), list):
        points = [tuple(x * f for x, f in zip(v, factors)) for v in node['hull']]
        return [Piece('hull', points, pose)]
    if 'triangles' in node:  # of a planning scene
        return [Piece('triangle', [node['vertices'][i] for i in face], pose) for face in node['triangles']]
    kind = 'hull' if 'hull' in node else 'mesh'
    return mesh_pieces(os.path.join(folder, node[kind]), factors, pose, kind == 'hull')


def shape_pieces(collision, urdf, packages):
    pose, shape = urdf_pose(collision), collision.find('geometry')[0]
    if shape.tag == 'box':
        return [Piece('box', [0.5 * x for x in numbers(shape, 'size', None)], pose)]
    if shape.tag == 'sphere':
        return [Piece('sphere', float(shape.get('radius')), pose)]
    if shape.tag == 'mesh':
        file = find_mesh(shape.get('filename'), urdf, packages)
        return mesh_pieces(file, numbers(shape, 'scale', (1, 1, 1)), pose, shape.get('convex') == 'true')
    return [round_shape(shape.tag, shape.attrib, pose)]


def growth(pieces, s, p):
    """How far a shape reaches beyond itself, scaled by s and padded by p (docs/formats.md, Planning scene)."""
    kind, data, _ = pieces[0]
    if kind == 'sphere':
        return (s - 1) * data + p
    if kind == 'box':
        return (s - 1) * math.sqrt(sum(x * x for x in data)) + math.sqrt(3.0) * p
    if kind == 'cylinder':
        return (s - 1) * math.hypot(*data) + math.sqrt(2.0) * p
    if kind == 'capsule':
        return (s - 1) * sum(data) + p
    points = list(zip(*itertools.chain.from_iterable(piece.data for piece in pieces)))
    return (s - 1) * math.sqrt(sum((max(x) - min(x)) ** 2 for x in points)) + p


# --- The model: links, bodies, pairs (format, section 2) ------------------------------------------

class Link:
    def __init__(self, name, parent, pose, kind='fixed', axis=None, coordinate=None, multiplier=1,
                 offset=0):
        self.name, self.parent, self.pose, self.kind, self.axis = name, parent, pose, kind, axis
        self.coordinate, self.multiplier, self.offset = coordinate, iv.mpf(multiplier), iv.mpf(offset)

    def can_move(self):
        return self.kind != 'fixed'


# Codes of the reasons why a pair is not tested (format, section 1).
RIGID, ADJACENT, TOUCH, USER, SRDF_ADJACENT, SRDF_DEFAULT, SRDF_USER, SRDF_NEVER, PROVED = REASONS = range(9)

CLASSES = ('world', 'robots', 'self', 'attached')


def parts(text):
    """'X,NAME=X,...' as a number (or None) and a dict."""
    general, named = None, {}
    for part in str(text).split(','):
        name, sign, number = part.rpartition('=')
        if sign:
            need(name and name not in named, f'{name or part} is given twice, or names nothing')
            named[name] = float(number)
        else:
            need(general is None and not named, 'the number for all stands first, and once')
            general = float(number)
    return general, named


def clearances(given):
    """By class of pairs; a number is for the world and other robots."""
    if isinstance(given, dict):
        general, named = None, given
    else:
        general, named = parts(given)
    require(set(named) <= set(CLASSES), 'there is no such class of pairs')
    both = general or 0
    by_class = {'world': both, 'robots': both, 'self': 0, 'attached': 0, **named}
    require(all(0 <= c <= 1e9 for c in by_class.values()), 'a clearance is a number from 0 to 1e9')
    return by_class


class Body:
    def __init__(self, name, link, pose, pieces, held=False, obstacle=False, grows=0.0):
        require(pieces, name + ' has no shape')
        self.name, self.link, self.pose, self.held = name, link, pose, held
        self.obstacle, self.grows = obstacle, grows  # in metres per second from time 0 on
        # Triangles first, then the others.
        self.pieces = sorted(pieces, key=lambda piece: piece.kind != 'triangle')
        self.points = [None] * len(self.pieces)
        keys = [plain_box(piece) for piece in self.pieces]
        self.key = (tuple(map(min, zip(*(lo for lo, _ in keys)))), tuple(map(max, zip(*(hi for _, hi in keys)))))
        self.codes = getattr(pieces, 'codes', None)
        bounds = [self.bound(i) for i in range(len(keys))]
        if self.codes:
            self.tree = code_tree(self.codes, lambda i: Node(bounds[i], [i]), joined_node)
        else:
            self.tree = build_tree(keys, bounds)
        triangles = [p for p in self.pieces if p.kind == 'triangle']
        self.inside = Inside([[plain_point(p.pose.plain, v) for v in p.data] for p in triangles], self.body_points)
        box = self.tree.box
        self.centre = [iv.mpf(x.mid) for x in box]
        self.radius = upper(norm([upper(abs(x - c)) for x, c in zip(box, self.centre)]))

    def body_points(self, i):
        if self.points[i] is None:
            R, p = self.pieces[i].pose.exact
            self.points[i] = [add(times(R, vec(v)), p) for v in self.pieces[i].data]
        return self.points[i]

    def bound(self, i):
        if self.pieces[i].kind in ('triangle', 'hull'):
            corners = zip(*self.body_points(i))
            return [interval(min(x.a for x in c), max(x.b for x in c)) for c in map(list, corners)]
        axes = [vec((s if k == j else 0 for j in range(3))) for k in range(3) for s in (1, -1)]
        ends = [self.highest_of_piece(i, axis) for axis in axes]
        return [interval((-ends[2 * k + 1]).a, ends[2 * k].b) for k in range(3)]

    def highest_of_piece(self, i, d):
        kind, data, pose = self.pieces[i]
        if kind in ('triangle', 'hull'):
            return iv.mpf(max(dot(d, p).b for p in self.body_points(i)))
        R, p = pose.exact
        e = times(transpose(R), d)
        base = dot(d, p)
        if kind in ('box', 'cells'):
            half = vec(data) if kind == 'box' else data[0]
            return upper(base + sum(abs(x) * h for x, h in zip(e, half)))
        if kind == 'sphere':
            return upper(base + data * norm(d))
        across = norm(d) if kind == 'capsule' else norm([e[0], e[1], ZERO])
        return upper(base + data[0] * across + data[1] * abs(e[2]))

    def highest(self, node, d, by_pieces=False):
        if len(node.items) == 1 or (by_pieces and len(node.items) <= 16):
            return iv.mpf(max(self.highest_of_piece(i, d).b for i in node.items))
        return upper(dot(d, node.box))


def plain_box(piece):
    kind, data, pose = piece
    R, p = pose.plain
    if kind in ('triangle', 'hull'):
        points = [plain_point(pose.plain, v) for v in data]
        return tuple(map(min, zip(*points))), tuple(map(max, zip(*points)))
    e = []
    for row in R:
        if kind in ('box', 'cells'):
            e.append(plain_dot([abs(x) for x in row], data if kind == 'box' else data[1]))
        elif kind == 'sphere':
            e.append(data)
        elif kind == 'capsule':
            e.append(abs(row[2]) * data[1] + data[0])
        else:
            e.append(data[0] * math.sqrt(row[0] * row[0] + row[1] * row[1]) + abs(row[2]) * data[1])
    return tuple(x - y for x, y in zip(p, e)), tuple(x + y for x, y in zip(p, e))


class Node:
    def __init__(self, box, items, children=()):
        self.box, self.items, self.children = box, items, children
        self.item = items[0] if len(items) == 1 else None


def joined_node(items, first, second):
    return Node([hull(a, b) for a, b in zip(first.box, second.box)], items, (first, second))


def area(lo, hi):
    x, y, z = (b - a for a, b in zip(lo, hi))
    return (x * y + y * z) + z * x


def around(boxes):
    """Running boxes around the first 1, 2, ... of a list."""
    lo, hi = boxes[0]
    for box in boxes:
        lo, hi = tuple(map(min, lo, box[0])), tuple(map(max, hi, box[1]))
        yield lo, hi


def build_tree(keys, bounds, items=None):
    """Format, section 3."""
    items = list(range(len(keys))) if items is None else items
    if len(items) == 1:
        return Node(bounds[items[0]], items)
    places = {i: [a + b for a, b in zip(*keys[i])] for i in items}
    ranges = [max(places[i][k] for i in items) - min(places[i][k] for i in items) for k in range(3)]
    axis = ranges.index(max(ranges))
    items = sorted(items, key=lambda i: (places[i][axis], i))
    n, margin = len(items), max(1, len(items) // 8)
    boxes = [keys[i] for i in items]
    first = [area(*box) for box in around(boxes)]
    rest = [area(*box) for box in around(boxes[::-1])]
    m = min(range(margin, n - margin + 1), key=lambda k: first[k - 1] * k + rest[n - k - 1] * (n - k))
    return joined_node(items, build_tree(keys, bounds, items[:m]), build_tree(keys, bounds, items[m:]))


def unit(v):
    if sorted(map(abs, v)) == [0, 0, 1]:
        return vec(v)
    return scale(1 / norm(vec(v)), vec(v))


SENSED = ('cloud', 'voxels', 'octomap', 'depth')
SHAPES = ('box', 'cylinder', 'sphere', 'capsule', 'mesh', 'hull', 'scale', 'parts', 'heights') + SENSED


def check_keys(scene):
    """What is not understood is not passed over."""
    need(scene.get('proven') == 1 and scene['proven'] is not True, 'a scene says "proven": 1')
    only(scene, 'proven', 'robots', 'obstacles', 'attached', 'clearance', 'pairs', 'home')
    for robot in scene.get('robots', []):
        need(isinstance(robot.get('name'), str) and robot['name'], 'a robot has a name')
        only(robot, 'name', 'urdf', 'srdf', 'pose', 'packages', 'virtual_joints', 'motion', 'late', 'ignore_elements')
    for body in scene.get('obstacles', []):
        only(body, 'name', 'pose', 'motion', 'late', 'grows', *SHAPES)
        grows = body.get('grows', 0)
        need(type(grows) in (int, float) and 0 <= grows <= 1e9, 'an obstacle grows by a number of at least 0')
    for part in scene.get('robots', []) + scene.get('obstacles', []):
        late = part.get('late', 0)
        need(type(late) in (int, float) and 0 <= late <= 1e9, 'what is late is so by a number of at least 0')
        need('motion' in part or 'late' not in part, 'only what has a motion can be late')
    for body in scene.get('attached', []):
        only(body, 'name', 'link', 'touch', 'pose', *SHAPES)
    only(scene.get('pairs', {}), 'exclude', 'clearance')


class Model:
    def __init__(self, file, options):
        # What URDFs hold and is left out since somebody said so: no part of what is proved.
        self.ignore, self.ignored = [n for n in getattr(options, 'ignore_elements', '').split(',') if n], []
        if file.lower().endswith(('.yaml', '.yml')):
            scene = read_planning_scene(file, options.robot, urdf_pose, self.ignore)
        else:
            need(file.lower().endswith('.json'), f'{file}: only .json and .yaml are read here; `proven verify` reads others')
            with open(file) as stream:
                scene = json.load(stream, object_pairs_hook=no_repeats)
            check_keys(scene)
        folder = os.path.dirname(file)
        self.links, self.coordinates, self.bodies = [Link('world', None, make_pose())], [], []
        self.joints, self.limits = [], []  # per coordinate
        self.placed, self.timed = {}, []  # see Joints in paths.py; what follows the clock
        self.excluded, self.disabled_never, self.reach = {}, [], {}
        self.given = []  # all reasons
        for robot in scene.get('robots', []):
            first = len(self.coordinates)
            self.add_robot(robot, folder)
            if 'motion' in robot:
                self.follow_clock(robot['name'], first, robot['motion'], folder, robot.get('late', 0))
        index = {link.name: i for i, link in enumerate(self.links) if link.name}
        for body in scene.get('obstacles', []):
            self.add_obstacle(body, folder)
        for body in scene.get('attached', []):
            pieces = json_pieces(body, folder, make_pose())
            self.bodies.append(Body(body['name'], index[body['link']], json_pose(body), pieces, held=True))
            for other in body.get('touch', []):
                self.exclude(body['name'], other, TOUCH)
        pairs = scene.get('pairs', {})
        for entry in pairs.get('exclude', []):
            self.exclude(entry[0], entry[1], USER)
        if options.trust_srdf_never:
            for a, b in self.disabled_never:
                self.exclude(a, b, SRDF_NEVER)
        own = {}
        for entry in pairs.get('clearance', []):  # of several the strictest counts
            require(abs(entry[2]) <= 1e9, 'a clearance is at most 1e9 m')
            own[frozenset(entry[:2])] = max(entry[2], own.get(frozenset(entry[:2]), entry[2]))
        for link, reach in self.reach.items():  # of padding and scale
            for body in scene.get('obstacles', []):
                own[frozenset((link, body['name']))] = reach * (1 + 2.0 ** -40)
        self.home = scene.get('home', {})
        need(not {self.coordinates[k] for k in self.clock_coordinates()} & set(self.home),
             'home names a joint that moves by the clock')
        stated, asked = clearances(scene.get('clearance', 0)), clearances(options.clearance)
        self.required = {kind: max(stated[kind], asked[kind]) for kind in CLASSES}, own
        self.select_pairs()
        self.build_still_tree()

    def add_obstacle(self, source, folder):
        name, pose, pieces = source['name'], json_pose(source), json_pieces(source, folder, make_pose())
        grows, link = float(source.get('grows', 0)), 0
        if 'motion' in source or grows > 0:  # floats in the frame of its pose
            first, link = len(self.coordinates), self.add(Link(None, 0, pose))
            self.name_coordinates(name + '/motion', 'floating', name + '/frame')
            link, pose = self.float(name + '/body', link, make_pose(), first), make_pose()
            rest = {'proven': 1, 'joints': ['motion.x'], 'waypoints': [[0]], 'times': [0]}
            self.follow_clock(name, first, source.get('motion', rest), folder, source.get('late', 0))
        self.bodies.append(Body(name, link, pose, pieces, obstacle=True, grows=grows))

    def follow_clock(self, name, first, motion, folder, late):
        """The coordinates from `first` on do what a motion file says of a robot that is alone."""
        count = len(self.coordinates) - first

        def alone(full):
            return 'robot/' + full.removeprefix(name + '/')
        home = [float(x.endswith('.qw')) for x in self.coordinates[first:]]
        joints = Joints([alone(x) for x in self.coordinates[first:]], home,
                        [k - first for k in self.balls() if k >= first],
                        {alone(x): (kind, alone(parent)) for x, (kind, parent) in self.placed.items()
                         if x.startswith(name + '/')})
        read = read_motion(os.path.join(folder, motion), joints) if isinstance(motion, str) else from_tree(motion, joints)
        need(read[0], f'the motion of {name} has no times')
        self.timed.append(Part(name, first, count, read[0], make_pieces(*read, first, count, self.balls()),
                               float(late)))

    def balls(self):
        return [link.coordinate for link in self.links if link.kind == 'ball']

    def clock_coordinates(self):
        return {k for part in self.timed for k in range(part.first, part.first + part.count)}

    def joint_names(self):
        home = [self.home.get(name, float(name.endswith('.qw'))) for name in self.coordinates]
        return Joints(self.coordinates, home, self.balls(), self.placed, self.clock_coordinates())

    def exclude(self, a, b, reason):
        self.given.append((frozenset((a, b)), reason))
        self.excluded.setdefault(frozenset((a, b)), reason)  # the first reason stands

    def add_robot(self, source, folder):
        urdf = os.path.join(folder, source['urdf'])
        packages = {k: os.path.join(folder, v) for k, v in source.get('packages', {}).items()}
        root, left_out = read_urdf(urdf, self.ignore + list(source.get('ignore_elements', [])))
        self.ignored += [f'{source["name"]}: {what}' for what in left_out]
        check_packages(packages, root, urdf)
        if source.get('virtual_joints'):
            with_virtual_joint(root, read_srdf(os.path.join(folder, source['srdf'])))
        prefix = source['name'] + '/'
        joints = root.findall('joint')
        by_name = {joint.get('name'): joint for joint in joints}
        for joint in joints:
            self.exclude(prefix + joint.find('parent').get('link'), prefix + joint.find('child').get('link'), ADJACENT)
        if 'srdf' in source:
            reasons = {'Adjacent': SRDF_ADJACENT, 'Default': SRDF_DEFAULT, 'User': SRDF_USER}
            for pair in read_srdf(os.path.join(folder, source['srdf'])).findall('disable_collisions'):
                if frozenset((pair.get('link1'), pair.get('link2'))) in source.get('tested', ()):
                    continue
                a, b = prefix + pair.get('link1'), prefix + pair.get('link2')
                if pair.get('reason') in reasons:
                    self.exclude(a, b, reasons[pair.get('reason')])
                if pair.get('reason', '').startswith('Never, proved for '):
                    self.exclude(a, b, PROVED)
                if pair.get('reason') == 'Never':
                    self.disabled_never.append((a, b))
        children = {joint.find('child').get('link') for joint in joints}
        roots = [link.get('name') for link in root.findall('link') if link.get('name') not in children]
        need(len(roots) == 1, urdf + ' has not one root link')
        order, waiting = [], [(roots[0], None)]
        while waiting:
            name, above = waiting.pop()
            order.append((name, above))
            below = [j for j in joints if j.find('parent').get('link') == name]
            waiting += [(j.find('child').get('link'), j) for j in reversed(below)]
        first = {}
        for _, joint in order:
            if joint is not None:
                first[joint.get('name')] = len(self.coordinates)
                self.number_coordinates(joint, prefix)
        indices = {}
        for name, joint in order:
            indices[name] = self.hang(name, joint, prefix, indices, first, by_name, json_pose(source))
        for link in root.findall('link'):
            shapes = [shape_pieces(c, urdf, packages) for c in link.findall('collision')]
            if not shapes:
                continue
            name, pieces = link.get('name'), list(itertools.chain.from_iterable(shapes))
            self.bodies.append(Body(prefix + name, indices[name], make_pose(), pieces))
            reach = max(growth(shape, *source.get('growth', {}).get(name, (1, 0))) for shape in shapes)
            if reach > 0:
                self.reach[prefix + name] = reach

    def number_coordinates(self, joint, prefix):
        kind = joint.get('type')
        if kind == 'planar' and numbers(joint.find('axis'), 'xyz', (1, 0, 0)) != (0, 0, 1):
            kind = 'askew'  # no transforms are read for it
        if kind == 'fixed' or joint.find('mimic') is not None:
            return
        limits = -math.inf, math.inf
        if kind in ('revolute', 'prismatic'):
            limits = tuple(float(joint.find('limit').get(end, 0)) for end in ('lower', 'upper'))
        self.name_coordinates(prefix + joint.get('name'), kind, prefix + joint.find('parent').get('link'), limits)

    def name_coordinates(self, name, kind, parent, limits=(-math.inf, math.inf)):
        suffixes = SUFFIXES.get('planar' if kind == 'askew' else kind, [''])
        if len(suffixes) > 1:
            self.placed[name] = (kind, parent)
        self.coordinates += [name + s for s in suffixes]
        self.joints += [name] * len(suffixes)
        self.limits += [limits] * len(suffixes)

    def float(self, name, parent, pose, at):
        for k, direction in enumerate(IDENTITY):
            parent = self.add(Link(None, parent, pose if k == 0 else make_pose(), 'slide', direction, at + k))
        return self.add(Link(name, parent, make_pose(), 'ball', None, at + 3))

    def add(self, link):
        self.links.append(link)
        return len(self.links) - 1

    def hang(self, name, joint, prefix, indices, first, by_name, base):
        if joint is None:
            return self.add(Link(prefix + name, 0, base))
        parent, pose = indices[joint.find('parent').get('link')], urdf_pose(joint)
        kind, at = joint.get('type'), first[joint.get('name')]
        axis = numbers(joint.find('axis'), 'xyz', (1, 0, 0))
        if kind == 'fixed':
            return self.add(Link(prefix + name, parent, pose))
        if kind == 'floating':
            return self.float(prefix + name, parent, pose, at)
        if kind == 'planar':
            largest = max((2, 1, 0), key=lambda i: abs(axis[i]))
            along = vec([float(i == (largest + 1) % 3) for i in range(3)])
            x = sub(along, scale(dot(along, unit(axis)), unit(axis)))
            x = scale(1 / norm(x), x)
            parent = self.add(Link(None, parent, pose, 'slide', x, at))
            parent = self.add(Link(None, parent, make_pose(), 'slide', cross(unit(axis), x), at + 1))
            return self.add(Link(prefix + name, parent, make_pose(), 'turn', unit(axis), at + 2))
        multiplier, offset, driver = iv.mpf(1), ZERO, joint
        for _ in range(len(by_name) + 1):
            mimic = driver.find('mimic')
            if mimic is None:
                break
            offset = multiplier * float(mimic.get('offset', 0)) + offset
            multiplier = multiplier * float(mimic.get('multiplier', 1))
            driver = by_name[mimic.get('joint')]
        need(driver.find('mimic') is None, 'mimic joints form a cycle')
        motion = 'slide' if kind == 'prismatic' else 'turn'
        if multiplier == 0:  # never moves
            exact = (IDENTITY, scale(offset, unit(axis))) if motion == 'slide' else (rotation(unit(axis), offset), [ZERO] * 3)
            length = math.sqrt(sum(x * x for x in axis))
            flat, value = tuple(x / length for x in axis), float(offset.mid)
            plain = (PLAIN_HERE[0], tuple(value * x for x in flat)) if motion == 'slide' else (plain_turn(flat, value), (0.0,) * 3)
            return self.add(Link(prefix + name, parent, Pose(compose(pose.exact, exact), plain_compose(pose.plain, plain))))
        return self.add(Link(prefix + name, parent, pose, motion, unit(axis), first[driver.get('name')], multiplier, offset))

    def chain(self, ancestor, link):
        below = []
        while link != ancestor:
            below.append(link)
            link = self.links[link].parent
        return below[::-1]

    def moving_root(self, body):
        return max([link for link in self.chain(0, body.link) if self.links[link].can_move()], default=0)

    def common_ancestor(self, a, b):
        while a != b:
            a, b = min(a, b), self.links[max(a, b)].parent
        return a

    def pair_class(self, a, b):
        """What two bodies are to each other: whatever hangs on a robot belongs to it."""
        robots = [(self.chain(0, body.link) or [0])[0] for body in (a, b)]
        if a.obstacle or b.obstacle:
            return 'world'
        if robots[0] != robots[1]:
            return 'robots'
        return 'attached' if a.held or b.held else 'self'

    def testing_proved(self):
        """The same model, but it tests what an SRDF says was proved never to meet within the limits of joints."""
        other = copy.copy(self)
        other.excluded = {}
        for names, reason in self.given:
            if reason != PROVED:
                other.excluded.setdefault(names, reason)
        other.select_pairs()
        return other

    def between(self, a, b):
        """The coordinates that move one of two bodies against the other."""
        top = self.common_ancestor(a.link, b.link)
        links = [self.links[i] for body in (a, b) for i in self.chain(top, body.link)]
        return {link.coordinate for link in links if link.can_move()}

    def select_pairs(self):
        general, own = self.required
        roots = [self.moving_root(body) for body in self.bodies]
        self.still = [i for i, r in enumerate(roots) if r == 0]
        self.clearance, self.not_tested, units = {}, [], {}
        for i, j in itertools.combinations(range(len(self.bodies)), 2):
            names = frozenset((self.bodies[i].name, self.bodies[j].name))
            if (roots[i] == 0 and roots[j] == 0) or (self.bodies[i].obstacle and self.bodies[j].obstacle):
                continue
            if roots[i] == roots[j] or names in self.excluded:
                self.not_tested.append((i, j, RIGID if roots[i] == roots[j] else self.excluded[names]))
                continue
            wanted = general[self.pair_class(self.bodies[i], self.bodies[j])]
            c = own.get(names, wanted)
            c = max(c, wanted) if wanted > 0 else c
            if c < 0:
                require(self.bodies[i].grows == self.bodies[j].grows == 0, 'what may overlap must not grow')
                require(all(len(self.bodies[k].pieces) == 1 and not self.bodies[k].codes and self.bodies[k].pieces[0].kind != 'triangle' for k in (i, j)),
                        'only single convex pieces may overlap')
            else:  # nothing may pass between a surface and its welded twin
                c = max([c] + [self.bodies[k].inside.weld_error for k in (i, j)])
            self.clearance[i, j] = self.clearance[j, i] = c
            a, b = (j, i) if roots[i] == 0 else (i, j)
            units.setdefault((a, -1 if roots[b] == 0 else b), []).append(b)
        self.units = [(a, b, units[a, b]) for a, b in sorted(units)]

    def build_still_tree(self):
        keys, bounds = [], []
        for i in self.still:
            body = self.bodies[i]
            X, plain = HERE, PLAIN_HERE
            for link in self.chain(0, body.link) + [None]:
                pose = body.pose if link is None else self.links[link].pose
                X, plain = compose(X, pose.exact), plain_compose(plain, pose.plain)
            lo, hi = body.key
            middle = tuple(0.5 * (a + b) for a, b in zip(lo, hi))
            half = [0.5 * (b - a) for a, b in zip(lo, hi)]
            keys.append(plain_box(Piece('box', half, Pose(None, (plain[0], plain_point(plain, middle))))))
            bounds.append(add(times(X[0], body.tree.box), X[1]))
        self.still_tree = build_tree(keys, bounds) if keys else None
