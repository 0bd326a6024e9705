"""Planning scenes (MoveIt's message in YAML) for the second verifier, as the scene in JSON that says the same.

The reader of YAML knows what such files are written in: maps and lists, in blocks or in brackets, and plain or
quoted values. Anchors, tags, block texts and several documents are refused."""
import math
import os
import re
import xml.etree.ElementTree as ElementTree

from meshes import PLAIN_HERE, Unreadable, need, plain_compose, plain_dot, plain_point, plain_turn, plain_unit
from robots import read_srdf, read_urdf

# --- YAML -----------------------------------------------------------------------------------------

TOKEN = re.compile(r'''\s*(?:(\#[^\n]*)|([\[\]{},]|:(?=[\s,\[\]{}]|$))|"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'
                          |([^\[\]{},\#\s"'&*!|>%@`](?:[^\[\]{},:\#\n]|:(?![\s,\[\]{}])|(?<!\s)\#)*))''', re.VERBOSE)
NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$')


# What versions of YAML read differently: truth in other letters, leading zeros, other bases, underscores,
# sixties, numbers that are not finite.
AMBIGUOUS = re.compile(r'''yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|True|TRUE|False|FALSE
                           |[+-]?\.(inf|Inf|INF|nan|NaN|NAN)|[+-]?0[0-9_]+|[+-]?0[xXoObB][0-9a-fA-F_]+
                           |[+-]?[0-9][0-9.eE+-]*_[0-9_.eE+-]*|[+-]?[0-9][0-9_.]*:[0-9_:.]*''', re.VERBOSE)


def scalar(text):
    need(not AMBIGUOUS.fullmatch(text), f'{text} means different things in versions of YAML')
    if text in ('true', 'false'):
        return text == 'true'
    if text in ('null', 'Null', 'NULL', '~', ''):
        return None
    return float(text) if NUMBER.match(text) else text


class Flow:
    """A value in brackets, or a single one."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            need(match, f'YAML near {text[at:at + 30]!r} is not read')
            at = match.end()
            comment, sign, double, single, plain = match.groups()
            if sign is not None:
                self.tokens.append(('sign', sign))
            elif plain is not None:
                self.tokens.append(('plain', plain.strip()))
            elif comment is None:
                self.tokens.append(('text', double if double is not None else single.replace("''", "'")))
        need(not any('\\' in word for kind, word in self.tokens if kind == 'text'), 'escapes in YAML are not read')

    def read(self):
        value = self.value()
        need(not self.tokens, 'something stands behind a value')
        return value

    def take(self, *signs):
        if self.tokens and self.tokens[0] in [('sign', sign) for sign in signs]:
            return self.tokens.pop(0)[1]
        return None

    def value(self):
        if self.take('['):
            items = []
            while not self.take(']'):
                items.append(self.value())
                need(self.take(',') or self.tokens[:1] == [('sign', ']')], 'a list in YAML is not closed')
            return items
        if self.take('{'):
            members = {}
            while not self.take('}'):
                key = self.tokens.pop(0)[1]
                need(self.take(':') and key not in members, f'key {key} is repeated, or has no value')
                members[key] = None if self.tokens[:1] in ([('sign', ',')], [('sign', '}')]) else self.value()
                need(self.take(',') or self.tokens[:1] == [('sign', '}')], 'a map in YAML is not closed')
            return members
        need(self.tokens and self.tokens[0][0] != 'sign', 'a value is missing in YAML')
        kind, word = self.tokens.pop(0)
        return word if kind == 'text' else scalar(word)


KEY = re.compile(r'''(?:"([^"\\]*)"|'([^']*)'|([^\s\[\]{},#&*!|>'"%@`-][^\[\]{},#]*?|-[^\s][^\[\]{},#]*?))\s*:(?:\s+(.*))?$''')


def read_yaml(text):
    rows = []
    for line in text.splitlines():
        need('\t' not in line[:len(line) - len(line.lstrip())], 'tabs in YAML are not read')
        bare = line.strip()
        if not bare or bare.startswith('#') or (bare == '---' and not rows):
            continue
        need(bare not in ('---', '...'), 'several documents in YAML are not read')
        depth = len(line) - len(line.lstrip())
        # What is open in brackets goes on in the next line.
        if rows and opened(rows[-1][1]) > 0:
            rows[-1] = (rows[-1][0], rows[-1][1] + '\n' + bare)
        else:
            rows.append((depth, bare))
    value = block(rows, rows[0][0] if rows else 0)
    need(not rows, 'the indentation of YAML does not fit')
    return value


def opened(text):
    text = re.sub(r'''"[^"]*"|'[^']*'|(^|\s)#[^\n]*''', '', text)
    return sum((c in '[{') - (c in ']}') for c in text)


def block(rows, depth):
    """The value that begins in the first row, at this depth; takes its rows."""
    if not rows or rows[0][0] < depth:
        return None
    first = rows[0][1]
    if first == '-' or first.startswith('- '):
        items = []
        while rows and rows[0][0] == depth and (rows[0][1] == '-' or rows[0][1].startswith('- ')):
            rest = rows.pop(0)[1][1:]
            inner = depth + 1 + len(rest) - len(rest.lstrip())
            if rest.strip() and not rest.strip().startswith('#'):
                rows.insert(0, (inner, rest.strip()))
                items.append(block(rows, inner))
            else:
                items.append(block(rows, rows[0][0]) if rows and rows[0][0] > depth else None)
        return items
    if not KEY.match(first) or first[0] in '[{':
        return Flow(rows.pop(0)[1]).read()
    members = {}
    while rows and rows[0][0] == depth and KEY.match(rows[0][1]):
        double, single, plain, rest = KEY.match(rows.pop(0)[1]).groups()
        key = next(k for k in (double, single, plain) if k is not None)
        need(key not in members, f'key {key} is repeated')
        if rest and not rest.lstrip().startswith('#'):
            members[key] = Flow(rest).read()
        elif rows and (rows[0][0] > depth or (rows[0][0] == depth and rows[0][1].startswith('-'))):
            members[key] = block(rows, rows[0][0])
        else:
            members[key] = None
    return members


# --- Poses ----------------------------------------------------------------------------------------

def only(node, *keys):
    need(isinstance(node, dict), 'a map is expected')
    for key in node:
        need(key in keys, f'unknown key {key}')


def vector(node, keys='xyz'):
    if isinstance(node, dict):
        only(node, *keys)
        node = [node[k] for k in keys]
    need(len(node) == len(keys) and all(isinstance(x, float) and math.isfinite(x) for x in node), 'numbers are expected')
    return tuple(node)


def placed(node, position, orientation):
    only(node, position, orientation)
    x, y, z, w = vector(node[orientation], 'xyzw')
    n = math.sqrt(x * x + y * y + z * z + w * w)
    need(abs(n - 1) <= 1e-3, 'a quaternion is not of length 1')
    x, y, z, w = x / n, y / n, z / n, w / n
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return rows, vector(node[position])


def as_json(pose):
    return {'xyz': list(pose[1]), 'rotation': [list(row) for row in pose[0]]}


def inverse(pose):
    columns = [list(c) for c in zip(*pose[0])]
    return columns, tuple(-plain_dot(c, pose[1]) for c in columns)


def frame_id(node):
    header = node.get('header') or {}
    only(header, 'frame_id', 'stamp', 'seq')
    return (header.get('frame_id') or '').removeprefix('/')


# --- The scene ------------------------------------------------------------------------------------

def robot_name(file):
    try:
        return ElementTree.parse(file).getroot().get('name')
    except ElementTree.ParseError:
        return None


def find_urdf(name, file):
    """NAME.urdf, or the one URDF that calls its robot so, in the file's folder or one of the two above."""
    folder = os.path.dirname(os.path.abspath(file))
    for _ in range(3):
        if os.path.isfile(os.path.join(folder, name + '.urdf')):
            return os.path.join(folder, name + '.urdf')
        urdfs = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.lower().endswith('.urdf')]
        urdfs = [f for f in urdfs if robot_name(f) == name]
        with_srdf = [f for f in urdfs if os.path.isfile(f.rsplit('.', 1)[0] + '.srdf')]
        if len(urdfs) == 1 or len(with_srdf) == 1:
            return (with_srdf or urdfs)[0]
        need(not urdfs, f'several URDFs describe {name}; name one with --robot')
        folder = os.path.dirname(folder)
    raise Unreadable(f'{name}.urdf was not found; name it with --robot')


def link_poses(root, base, values, urdf_pose):
    """Where the links are, in doubles; joints of several values are not read here."""
    joints = root.findall('joint')
    children = {j.find('child').get('link') for j in joints}
    poses = {link.get('name'): base for link in root.findall('link') if link.get('name') not in children}
    by_name = {j.get('name'): j for j in joints}

    def value(joint, depth=0):
        mimic = joint.find('mimic')
        need(depth <= len(joints), 'mimic joints form a cycle')
        if mimic is None:
            return values.get(joint.get('name'), 0.0)
        return float(mimic.get('multiplier', 1)) * value(by_name[mimic.get('joint')], depth + 1) + float(mimic.get('offset', 0))

    while True:
        ready = [j for j in joints if j.find('parent').get('link') in poses and j.find('child').get('link') not in poses]
        if not ready:
            return poses
        for joint in ready:
            X_PJ, kind = urdf_pose(joint).plain, joint.get('type')
            need(kind in ('fixed', 'revolute', 'continuous', 'prismatic'), f'{kind} joints in planning scenes are not read')
            axis = joint.find('axis')
            axis = [float(x) for x in axis.get('xyz').split()] if axis is not None else [1.0, 0.0, 0.0]
            axis = plain_unit(axis) if kind != 'fixed' else axis
            if kind == 'prismatic':
                X_PJ = (X_PJ[0], plain_point(X_PJ, tuple(value(joint) * x for x in axis)))
            elif kind != 'fixed':
                X_PJ = (plain_compose(X_PJ, (plain_turn(axis, value(joint)), PLAIN_HERE[1]))[0], X_PJ[1])
            poses[joint.find('child').get('link')] = plain_compose(poses[joint.find('parent').get('link')], X_PJ)


class PlanningScene:
    def __init__(self, file, robot, urdf_pose, ignore):
        with open(file, encoding='utf-8-sig') as stream:
            scene = read_yaml(stream.read())
        only(scene, 'name', 'robot_model_name', 'robot_state', 'fixed_frame_transforms', 'allowed_collision_matrix',
             'link_padding', 'link_scale', 'object_colors', 'world', 'is_diff')
        need(not scene.get('is_diff'), 'a difference of scenes is not read')
        urdf = robot or find_urdf(scene['robot_model_name'], file)
        self.root, _ = read_urdf(urdf, ignore)
        self.name = self.root.get('name') or os.path.basename(urdf).rsplit('.', 1)[0]
        self.links = {link.get('name') for link in self.root.findall('link')}
        srdf = urdf.rsplit('.', 1)[0] + '.srdf'
        self.srdf = read_srdf(srdf) if os.path.isfile(srdf) else None
        self.virtual = self.srdf.find('virtual_joint') if self.srdf is not None else None
        self.tested = set()  # pairs that the SRDF disables in vain
        self.result = {'obstacles': [], 'attached': [], 'home': {}, 'pairs': {'exclude': []}}
        state = scene.get('robot_state') or {}
        base, values = self.read_state(state)
        self.frames = link_poses(self.root, base, values, urdf_pose)
        if self.virtual is not None:
            self.frames[self.virtual.get('parent_frame')] = PLAIN_HERE
        for frame in scene.get('fixed_frame_transforms') or []:
            only(frame, 'header', 'child_frame_id', 'transform')
            X = plain_compose(self.frame(frame), placed(frame['transform'], 'translation', 'rotation'))
            self.add_frame(frame['child_frame_id'].removeprefix('/'), X)
        for held in state.get('attached_collision_objects') or []:
            self.read_attached(held)
        world = scene.get('world') or {}
        only(world, 'collision_objects', 'octomap')
        octomap = world.get('octomap') or {}
        need(not (octomap.get('octomap') or octomap).get('data'), 'octomaps are not read')
        for node in world.get('collision_objects') or []:
            self.read_obstacle(node)
        self.read_matrix(scene.get('allowed_collision_matrix') or {})
        source = {'name': self.name, 'urdf': os.path.abspath(urdf), 'pose': as_json(base), 'growth': self.read_growth(scene)}
        source['tested'] = self.tested
        if self.srdf is not None:
            source['srdf'] = os.path.abspath(srdf)
        self.result['robots'] = [source]

    def read_growth(self, scene):
        """Scale and padding of links, which they keep from obstacles."""
        growths = {}
        for i, (key, field, least) in enumerate((('link_scale', 'scale', 1), ('link_padding', 'padding', 0))):
            named = set()
            for entry in scene.get(key) or []:
                only(entry, 'link_name', field)
                link, value = entry['link_name'], entry[field]
                need(link in self.links and link not in named, f'{key}: link {link} is unknown or named twice')
                need(isinstance(value, float) and least <= value < math.inf, f'{key}: the robot must not shrink')
                named.add(link)
                growths.setdefault(link, [1.0, 0.0])[i] = value
        return growths

    def read_state(self, state):
        only(state, 'joint_state', 'multi_dof_joint_state', 'attached_collision_objects', 'is_diff')
        need(not state.get('is_diff'), 'a difference of states is not read')
        base, values = PLAIN_HERE, {}
        moved = state.get('multi_dof_joint_state') or {}
        only(moved, 'header', 'joint_names', 'transforms', 'twist', 'wrench')
        names, transforms = moved.get('joint_names') or [], moved.get('transforms') or []
        need(len(names) == len(transforms) <= 1, 'one joint may place the base')
        for name, transform in zip(names, transforms):
            need(self.virtual is None or self.virtual.get('name') == name, f'there is no joint {name}')
            base = placed(transform, 'translation', 'rotation')
            need(self.virtual is None or self.virtual.get('type') != 'fixed' or base == PLAIN_HERE, 'the base is fixed')
        joints = state.get('joint_state') or {}
        only(joints, 'header', 'name', 'position', 'velocity', 'effort')
        known = {j.get('name'): j for j in self.root.findall('joint')}
        names, positions = joints.get('name') or [], joints.get('position') or []
        need(len(names) == len(positions), 'as many positions as names are needed')
        for name, value in zip(names, positions):
            need(name in known and name not in values and isinstance(value, float), f'joint {name} is unknown or twice')
            values[name] = value
            if known[name].find('mimic') is None and known[name].get('type') != 'fixed':
                self.result['home'][self.name + '/' + name] = value
        return base, values

    def frame(self, node):
        name = frame_id(node)
        need(name in self.frames or name in ('', 'world'), f'there is no frame {name}')
        return self.frames.get(name, PLAIN_HERE)

    def add_frame(self, name, X):
        need(self.frames.setdefault(name, X) == X, f'frame {name} is at two poses')

    @staticmethod
    def primitive(node):
        only(node, 'type', 'dimensions', 'polygon')
        need(not (node.get('polygon') or {}).get('points'), 'prisms are not read')
        kind = {1.0: 'box', 2.0: 'sphere', 3.0: 'cylinder'}.get(node['type'], node['type'])
        size = node['dimensions']
        need(len(size) == {'box': 3, 'sphere': 1, 'cylinder': 2}[kind], 'a primitive has other dimensions')
        if kind == 'cylinder':
            return {kind: {'radius': size[1], 'length': size[0]}}
        return {kind: size if kind == 'box' else size[0]}

    @staticmethod
    def mesh(node):
        only(node, 'triangles', 'vertices')
        faces = [t['vertex_indices'] if isinstance(t, dict) else t for t in node['triangles']]
        vertices = [vector(v) for v in node['vertices']]
        need(faces and all(len(f) == 3 and all(i == int(i) and 0 <= i < len(vertices) for i in f) for f in faces),
             'a triangle refers to no vertex')
        return {'vertices': vertices, 'triangles': [tuple(int(i) for i in f) for f in faces]}

    def read_object(self, node):
        """Its parts, and where it is in the world."""
        only(node, 'id', 'header', 'pose', 'type', 'operation', 'primitives', 'primitive_poses', 'meshes', 'mesh_poses',
             'planes', 'plane_poses', 'subframe_names', 'subframe_poses')
        need(not node.get('operation'), 'only objects that are added are read')
        need(not node.get('planes') and not node.get('plane_poses'), 'planes are not read')
        parts = []
        for shapes, poses, read in (('primitives', 'primitive_poses', self.primitive), ('meshes', 'mesh_poses', self.mesh)):
            shapes, poses = node.get(shapes) or [], node.get(poses) or []
            need(len(shapes) == len(poses), 'as many poses as shapes are needed')
            parts += [(read(s), placed(p, 'position', 'orientation')) for s, p in zip(shapes, poses)]
        need(parts, f'{node["id"]} has no shapes')
        own = placed(node['pose'], 'position', 'orientation') if 'pose' in node else PLAIN_HERE
        X = plain_compose(self.frame(node), own)
        self.add_frame(node['id'], X)
        names, poses = node.get('subframe_names') or [], node.get('subframe_poses') or []
        need(len(names) == len(poses), 'as many poses as subframes are needed')
        for name, pose in zip(names, poses):
            self.add_frame(f'{node["id"]}/{name}', plain_compose(X, placed(pose, 'position', 'orientation')))
        taken = [body['name'] for body in self.result['obstacles'] + self.result['attached']]
        need(node['id'] not in taken, f'two objects are called {node["id"]}')
        return parts, X, own

    def read_obstacle(self, node):
        parts, X, _ = self.read_object(node)
        if len(parts) == 1:  # the frame of a single shape is that of its body
            self.result['obstacles'].append({'name': node['id'], 'pose': as_json(plain_compose(X, parts[0][1])), **parts[0][0]})
        else:
            self.result['obstacles'].append({'name': node['id'], 'pose': as_json(X),
                                             'parts': [{**shape, 'pose': as_json(pose)} for shape, pose in parts]})

    def read_attached(self, held):
        only(held, 'link_name', 'object', 'touch_links', 'detach_posture', 'weight')
        link, node = held['link_name'], held['object']
        need(link in self.links and frame_id(node), 'a held object needs a link and a frame')
        parts, X, own = self.read_object(node)
        X = own if frame_id(node) == link else plain_compose(inverse(self.frames[link]), X)
        touch = [self.name + '/' + name for name in held.get('touch_links') or [] if need(name in self.links, f'no link {name}') is None]
        self.result['attached'].append({'name': node['id'], 'link': self.name + '/' + link, 'pose': as_json(X), 'touch': touch,
                                        'parts': [{**shape, 'pose': as_json(pose)} for shape, pose in parts]})

    def read_matrix(self, matrix):
        only(matrix, 'entry_names', 'entry_values', 'default_entry_names', 'default_entry_values')
        names = matrix.get('entry_names') or []
        rows = [row['enabled'] if isinstance(row, dict) else row for row in matrix.get('entry_values') or []]
        need(len(rows) == len(names) and all(len(row) == len(names) for row in rows), 'the matrix is not square')
        given, listed, objects = {}, set(), {b['name'] for b in self.result['obstacles'] + self.result['attached']}
        for i, a in enumerate(names):
            for j in range(i + 1, len(names)):
                need(isinstance(rows[i][j], bool) and rows[i][j] == rows[j][i], 'the matrix is not symmetric')
                need(frozenset((a, names[j])) not in listed, 'a pair is listed twice')
                listed.add(frozenset((a, names[j])))
                given[frozenset((a, names[j]))] = rows[i][j]
                if rows[i][j]:
                    self.allow(a, names[j], objects)
        defaulted, values = matrix.get('default_entry_names') or [], matrix.get('default_entry_values') or []
        need(len(defaulted) == len(values) == len(set(defaulted)) and all(isinstance(x, bool) for x in values),
             'the defaults of the matrix do not fit their names')
        defaults = dict(zip(defaulted, values))
        if names or defaults:
            self.replace_srdf(given, defaults)
        for name, allowed in sorted(defaults.items()):
            for other in sorted(objects | self.links):
                pair = frozenset((name, other))
                if allowed and defaults.get(other, True) and other != name and name in objects | self.links and pair not in listed:
                    listed.add(pair)
                    self.allow(name, other, objects)

    def replace_srdf(self, given, defaults):
        """The matrix of a scene replaces the one that follows from the SRDF: what it does not allow is tested."""
        def says(a, b):
            both = [defaults[name] for name in (a, b) if name in defaults]
            return given.get(frozenset((a, b)), all(both) if both else None)
        for pair in [] if self.srdf is None else self.srdf.findall('disable_collisions'):
            a, b = pair.get('link1'), pair.get('link2')
            if not says(a, b):
                self.tested.add(frozenset((a, b)))
        solid = {link.get('name') for link in self.root.findall('link') if link.find('collision') is not None}
        for joint in self.root.findall('joint'):
            a, b = joint.find('parent').get('link'), joint.find('child').get('link')
            need(says(a, b) is not False or not {a, b} <= solid, f'{a} and {b} share a joint and are never tested')

    def allow(self, a, b, objects):
        disabled = [] if self.srdf is None else self.srdf.findall('disable_collisions')
        if any({p.get('link1'), p.get('link2')} == {a, b} for p in disabled):
            return  # the SRDF's reason stands
        bodies = [self.name + '/' + n if n in self.links else n for n in (a, b) if n in self.links or n in objects]
        if len(bodies) == 2 and bodies[0] != bodies[1]:
            self.result['pairs']['exclude'].append(bodies + ['allowed collision matrix'])


def read_planning_scene(file, robot, urdf_pose, ignore):
    return PlanningScene(file, robot, urdf_pose, ignore).result
