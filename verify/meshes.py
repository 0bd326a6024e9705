"""Meshes for the second verifier: STL, OBJ, PLY and COLLADA by their specifications, in doubles. The order of
all sums is that of docs/formats.md, so that the vertices are the same to the bit as those that were proved."""
import math
import struct
import xml.etree.ElementTree as ElementTree


class Unreadable(Exception):
    """A file that this verifier cannot read: nothing is said about the certificate."""


def need(condition, text):
    if not condition:
        raise Unreadable(text)


# --- Plain poses: three rows and a position, in doubles --------------------------------------------

PLAIN_HERE = ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], (0.0, 0.0, 0.0))


def plain_dot(a, b):
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


def plain_point(pose, v):
    return tuple(plain_dot(row, v) + p for row, p in zip(*pose))


def plain_compose(X, Y):
    columns = list(zip(*Y[0]))
    return [[plain_dot(column, row) for column in columns] for row in X[0]], plain_point(X, Y[1])


def plain_turn(a, angle):
    s, v, c = math.sin(angle), 2 * math.sin(0.5 * angle) ** 2, math.cos(angle)
    (x, y, z) = a
    return [[c + x * x * v, x * y * v - z * s, x * z * v + y * s],
            [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v]]


def plain_unit(v):
    exponent = math.frexp(max(map(abs, v)))[1]
    v = [math.ldexp(x, -exponent) for x in v]
    factor = 1.0 / math.sqrt(plain_dot(v, v))
    return tuple(x * factor for x in v)


def fan(corners):
    return [(corners[0], b, c) for b, c in zip(corners[1:], corners[2:])]


def polygon(corners, vertices):
    """A fan, if it covers the polygon and nothing else; else ear by ear (docs/formats.md, Meshes)."""
    if len(corners) <= 3:
        return fan(corners)
    first = vertices[corners[0]]
    points = [tuple(x - y for x, y in zip(vertices[c], first)) for c in corners]
    size = max(abs(x) for p in points for x in p)
    areas = [(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
             for a, b in zip(points[1:], points[2:])]
    normal, sizes = [0.0] * 3, [0.0] * 3
    for area in areas:
        normal, sizes = [n + x for n, x in zip(normal, area)], [n + abs(x) for n, x in zip(sizes, area)]
    if max(sizes) <= 2.0 ** -16 * (size * size):
        return fan(corners)
    need(max(map(abs, normal)) > 2.0 ** -16 * max(sizes), 'a polygon crosses itself')
    most = 0.01 * size * math.sqrt(plain_dot(normal, normal))
    need(all(abs(plain_dot(normal, p)) <= most for p in points), 'a polygon is not flat')
    axis = max(range(3), key=lambda k: abs(normal[k]))  # of equal ones the first
    u, v = (axis + 1) % 3, (axis + 2) % 3
    flat = [(p[u], p[v]) if normal[axis] > 0 else (p[v], p[u]) for p in points]
    rounding = 2.0 ** -40 * (size * size)
    if all(turned(flat[0], b, c) >= -rounding for b, c in zip(flat[1:], flat[2:])):
        return fan(corners)
    return [tuple(corners[i] for i in ear) for ear in ears(flat, rounding)]


def turned(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def ears(flat, rounding):
    need(len(flat) <= 1000, 'a polygon that is not convex has more than 1000 corners')
    rest, found = list(range(len(flat))), []

    def empty(t):
        places = [flat[i] for i in t]
        return not any(flat[i] not in places and turned(places[0], places[1], flat[i]) >= 0
                       and turned(places[1], places[2], flat[i]) >= 0 and turned(places[2], places[0], flat[i]) >= 0
                       for i in rest)
    while len(rest) > 3:
        around = [(rest[k - 1], rest[k], rest[(k + 1) % len(rest)]) for k in range(len(rest))]
        areas = [turned(*(flat[i] for i in t)) for t in around]
        ear = next((t for t, area in zip(around, areas) if area > rounding and empty(t)), None)
        ear = ear or next((t for t, area in zip(around, areas) if abs(area) <= rounding), None)
        need(ear is not None, 'a polygon crosses itself')
        found.append(ear)
        rest.remove(ear[1])
    need(turned(*(flat[i] for i in rest)) >= -rounding, 'a polygon crosses itself')
    return found + [tuple(rest)]


def number(text):
    need('_' not in text, f'{text} is no number')  # which Python would read
    value = float(text)
    need(math.isfinite(value), f'{text} is not finite')
    return value


def index(text, count):
    value = number(text)
    need(value == int(value) and 0 <= value < count, f'index {text} is out of range')
    return int(value)


# --- The formats ----------------------------------------------------------------------------------

def read_stl(data):
    if len(data) >= 84 and len(data) == 84 + 50 * struct.unpack_from('<I', data, 80)[0]:
        flat = [struct.unpack_from('<9f', data, 96 + 50 * k) for k in range((len(data) - 84) // 50)]
        vertices = [corner[i:i + 3] for corner in flat for i in (0, 3, 6)]
        need(all(math.isfinite(x) for v in vertices for x in v), 'a coordinate is not finite')
    else:
        need(data[:84].lstrip().startswith(b'solid'), 'neither text nor as long as its count says')
        words = iter(data.decode().split())
        vertices = [tuple(number(next(words)) for _ in range(3)) for w in words if w == 'vertex']
        need(len(vertices) % 3 == 0, 'a triangle has not three corners')
    return vertices, [(i, i + 1, i + 2) for i in range(0, len(vertices), 3)]


OBJ_PASSED_OVER = set('vt vn vp g s o mg usemtl mtllib maplib usemap l p lod bevel c_interp d_interp shadow_obj '
                      'trace_obj'.split())


def read_obj(data):
    vertices, faces, count, said, first = [], [], 0, None, True
    for line in data.decode('utf-8-sig').splitlines():
        words = line.split('#')[0].split()
        if not words:
            continue
        if words[0] == 'v':
            need(len(words) in (4, 5, 7) and (len(words) != 5 or number(words[4]) == 1), 'a vertex is not x y z')
            vertices.append(tuple(number(x) for x in words[1:4]))
        elif words[0] == 'f':
            corners = [int(word.split('/')[0]) for word in words[1:]]
            corners = [c - 1 if c > 0 else c + len(vertices) for c in corners]
            need(len(corners) >= 3 and all(0 <= c < len(vertices) for c in corners), 'a face has no such corner')
            faces += polygon(corners, vertices)
            count += 1
        elif first and len(words) == 2 and words[0].isdigit():
            said = (int(words[0]), int(words[1]))
        else:
            need(words[0] in OBJ_PASSED_OVER, f'{words[0]} is not read')
        first = False
    need(said in (None, (len(vertices), count)), 'the first line says other counts')
    return vertices, faces


PLY_TYPES = {'char': 'b', 'int8': 'b', 'uchar': 'B', 'uint8': 'B', 'short': 'h', 'int16': 'h', 'ushort': 'H',
             'uint16': 'H', 'int': 'i', 'int32': 'i', 'uint': 'I', 'uint32': 'I', 'float': 'f', 'float32': 'f',
             'double': 'd', 'float64': 'd'}


def read_ply_header(data):
    lines, at = [], 0
    while not lines or lines[-1] != ['end_header']:
        end = data.index(b'\n', at)
        lines.append(data[at:end].decode('latin-1').split())
        at = end + 1
    need(lines[0] == ['ply'], 'does not start with ply')
    order, elements = None, []
    for words in lines[1:-1]:
        if not words or words[0] in ('comment', 'obj_info'):
            continue
        if words[0] == 'format':
            need(words[2:] == ['1.0'], 'unknown version')
            order = {'ascii': '', 'binary_little_endian': '<', 'binary_big_endian': '>'}[words[1]]
        elif words[0] == 'element':
            need(words[1] in ('vertex', 'face', 'edge', 'material'), f'element {words[1]} is not read')
            elements.append((words[1], int(words[2]), []))
        else:
            need(words[0] == 'property' and len(words) == (5 if words[1] == 'list' else 3), 'unknown header line')
            elements[-1][2].append((words[-1], PLY_TYPES[words[-2]], PLY_TYPES[words[2]] if len(words) == 5 else None))
    need(order is not None, 'no format')
    return order, elements, at


def read_ply(data):
    order, elements, at = read_ply_header(data)
    words = iter(data[at:].split()) if order == '' else None

    def take(code):
        nonlocal at
        if words is not None:
            return number(next(words).decode())
        value, = struct.unpack_from(order + code, data, at)
        at += struct.calcsize(order + code)
        return value

    vertices, faces = [], []
    for name, count, properties in elements:
        for _ in range(count):
            row = {}
            for key, code, length in properties:
                row[key] = take(code) if length is None else [take(code) for _ in range(int(take(length)))]
            if name == 'vertex':
                vertices.append((row['x'], row['y'], row['z']))
                need(all(math.isfinite(x) for x in vertices[-1]), 'a coordinate is not finite')
            corners = row.get('vertex_indices', row.get('vertex_index')) if name == 'face' else None
            if corners is not None:
                need(len(corners) >= 3, 'a face has less than three corners')
                need(not {'vertex_indices', 'vertex_index'} <= set(row), 'the corners of a face are there twice')
                faces += polygon([index(str(c), len(vertices)) for c in corners], vertices)
    rest = list(words) if words is not None else data[at:].split()
    need(not rest, 'there are more rows than the header says')
    return vertices, faces


class Collada:
    """The geometries of the visual scene, with the transforms of its nodes and the file's unit."""

    def __init__(self, data):
        need(b'<!DOCTYPE' not in data and b'<!ENTITY' not in data, 'document types are not read')
        self.root = ElementTree.fromstring(data)
        self.ids, self.vertices, self.faces = {}, [], []
        for element in self.root.iter():
            element.tag = element.tag.split('}')[-1]
            if 'id' in element.attrib:
                need(element.get('id') not in self.ids, 'an id is there twice')
                self.ids[element.get('id')] = element
        unit = self.root.find('asset/unit')
        metre = number(unit.get('meter', '1')) if unit is not None else 1.0
        need(metre > 0, 'the unit is not positive')
        scene = self.root.find('scene/instance_visual_scene')
        scene = self.target(scene, 'url') if scene is not None else self.root.find('library_visual_scenes/visual_scene')
        self.visit(scene, ([[x * metre for x in row] for row in PLAIN_HERE[0]], PLAIN_HERE[1]), 0)

    def target(self, element, name):
        need(element.get(name, '').startswith('#'), 'a reference is not within the file')
        return self.ids[element.get(name)[1:]]

    @staticmethod
    def values(element, count=None):
        values = [number(word) for word in ''.join(element.itertext()).split()]
        need(count in (None, len(values)), f'<{element.tag}> has not {count} numbers')
        return values

    def transform(self, element):
        if element.tag == 'translate':
            return PLAIN_HERE[0], tuple(self.values(element, 3))
        if element.tag == 'scale':
            x, y, z = self.values(element, 3)
            return [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]], PLAIN_HERE[1]
        if element.tag == 'rotate':
            v = self.values(element, 4)
            return plain_turn(plain_unit(v[:3]), v[3] * math.pi / 180), PLAIN_HERE[1]
        if element.tag == 'matrix':
            v = self.values(element, 16)
            need(v[12:] == [0, 0, 0, 1], 'the last row of a matrix is not 0 0 0 1')
            return [v[0:3], v[4:7], v[8:11]], (v[3], v[7], v[11])
        need(element.tag not in ('lookat', 'skew', 'instance_controller'), f'<{element.tag}> is not read')
        return None

    def visit(self, node, X, depth):
        need(depth <= 200, 'nodes form a circle')
        for element in node:
            step = self.transform(element)
            X = X if step is None else plain_compose(X, step)
        for element in node:
            if element.tag == 'node':
                self.visit(element, X, depth + 1)
            elif element.tag == 'instance_node':
                self.visit(self.target(element, 'url'), X, depth + 1)
            elif element.tag == 'instance_geometry':
                self.add(self.target(element, 'url'), X)

    def add(self, geometry, X):
        vertices, faces, first = [], [], {}
        for part in geometry.find('mesh'):
            if part.tag in ('triangles', 'polylist', 'polygons', 'trifans', 'tristrips'):
                self.add_primitives(part, vertices, faces, first)
            else:
                need(part.tag in ('source', 'vertices', 'lines', 'linestrips', 'extra'), f'<{part.tag}> is not read')
        (a, b, c), start = X[0], len(self.vertices)
        cross = (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0])
        mirrored = plain_dot(a, cross) < 0
        self.vertices += [plain_point(X, v) for v in vertices]
        self.faces += [(start + i, start + (k if mirrored else j), start + (j if mirrored else k)) for i, j, k in faces]

    def add_primitives(self, part, vertices, faces, first):
        inputs = part.findall('input')
        stride = 1 + max(int(i.get('offset', '0')) for i in inputs)
        vertex, = [i for i in inputs if i.get('semantic') == 'VERTEX']
        position, = [i for i in self.target(vertex, 'source').findall('input') if i.get('semantic') == 'POSITION']
        source = self.target(position, 'source')
        positions = self.positions(source)
        if source not in first:
            first[source] = len(vertices)
            vertices += positions
        need(part.find('ph') is None, 'polygons with holes are not read')
        for p in part.findall('p'):
            values = self.values(p)
            need(len(values) % stride == 0, 'the number of indices does not fit the inputs')
            at = values[int(vertex.get('offset', '0'))::stride]
            need(all(x == int(x) and 0 <= x < len(positions) for x in at), 'an index is out of range')
            corners = [first[source] + int(x) for x in at]
            if part.tag == 'tristrips':
                strip = enumerate(zip(corners, corners[1:], corners[2:]))
                faces += [(a, c, b) if i % 2 else (a, b, c) for i, (a, b, c) in strip]
                continue
            sizes = [len(corners)]
            if part.tag == 'triangles':
                sizes = [3] * (len(corners) // 3)
            if part.tag == 'polylist':
                sizes = [int(x) for x in self.values(part.find('vcount'))]
            need(sum(sizes) == len(corners), 'there are too few or too many indices')
            for size in sizes:
                cut = fan(corners[:size]) if part.tag == 'trifans' or not size else polygon(corners[:size], vertices)
                faces += cut if size else []
                corners = corners[size:]

    def positions(self, source):
        accessor = source.find('technique_common/accessor')
        values = self.values(self.target(accessor, 'source'))
        count, stride, offset = (int(accessor.get(k, d)) for k, d in (('count', '0'), ('stride', '1'), ('offset', '0')))
        need(stride >= 3 and (count == 0 or offset + (count - 1) * stride + 3 <= len(values)), 'positions do not fit')
        return [tuple(values[offset + i * stride:offset + i * stride + 3]) for i in range(count)]


def read_collada(data):
    mesh = Collada(data)
    return mesh.vertices, mesh.faces


def read_mesh(file):
    ending = file.lower().rsplit('.', 1)[-1]
    readers = {'stl': read_stl, 'stlb': read_stl, 'obj': read_obj, 'ply': read_ply, 'dae': read_collada}
    need(ending in readers, f'{file}: only STL, OBJ, DAE and PLY are read')
    with open(file, 'rb') as stream:
        data = stream.read()
    try:
        return readers[ending](data)
    except (Unreadable, ValueError, KeyError, IndexError, TypeError, AttributeError, RuntimeError, StopIteration, struct.error,
            ElementTree.ParseError) as error:
        raise Unreadable(f'{file}: {error or type(error).__name__}') from None
