"""Point clouds, grids, maps and images for the second verifier (docs/formats.md, Sensed bodies): each becomes
a cloud, a voxel set or triangles as a scene could list them."""
import ast
import itertools
import math
import os
import struct
import zlib

from meshes import PLAIN_HERE, Unreadable, need, number, plain_point, read_ply_header
from planning_scene import only

SILENT = set('_ rgb rgba r g b a red green blue alpha intensity normal_x normal_y normal_z nx ny nz curvature label ring '
             'time t timestamp'.split())
FARTHEST, MOST_CELLS = 1e7, 50_000_000


def real(value, what):
    need(type(value) in (int, float) and math.isfinite(value), f'{what} is no number')
    return float(value)


def size_of(node, key):
    value = real(node[key], key)
    need(1e-9 <= value <= 1e7, f'{key} is out of range')
    return value


# --- Files ----------------------------------------------------------------------------------------

def unpack_lzf(data, size):
    out, at = bytearray(), 0
    while at < len(data):
        first = data[at]
        at += 1
        if first < 32:
            need(at + first < len(data), 'the packed points end early')
            out += data[at:at + first + 1]
            at += first + 1
            continue
        length = first >> 5
        if length == 7:
            length += data[at]
            at += 1
        back = ((first & 31) << 8) + data[at] + 1
        at += 1
        need(back <= len(out) and len(out) < size, 'the packed points are damaged')
        for _ in range(length + 2):
            out.append(out[-back])
    need(len(out) == size, 'the packed points are damaged')
    return bytes(out)


def quaternion_rows(x, y, z, w):
    length = math.sqrt(x * x + y * y + z * z + w * w)
    need(abs(length - 1) <= 1e-3, 'a quaternion is not of length 1')
    x, y, z, w = x / length, y / length, z / length, w / length
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def read_pcd(data):
    """Points, the names of the other fields, and the viewpoint."""
    names, entries, at = ['VERSION', 'FIELDS', 'SIZE', 'TYPE', 'COUNT', 'WIDTH', 'HEIGHT', 'VIEWPOINT', 'POINTS', 'DATA'], {}, 0
    while 'DATA' not in entries:
        end = data.index(b'\n', at)
        words, at = data[at:end].decode('latin-1').split(), end + 1
        if not words or words[0].startswith('#'):
            continue
        while names and names[0] != words[0] and names[0] in ('COUNT', 'VIEWPOINT'):
            names.pop(0)
        need(names and words[0] == names.pop(0) and len(words) > 1, 'the header is not that of a PCD of version 0.7')
        entries[words[0]] = words[1:]
    need(entries['VERSION'] in (['0.7'], ['.7']), 'only version 0.7 is read')
    fields, n = entries['FIELDS'], len(entries['FIELDS'])
    sizes, types = [int(x) for x in entries['SIZE']], entries['TYPE']
    counts = [int(x) for x in entries.get('COUNT', ['1'] * n)]
    need(len(sizes) == len(types) == len(counts) == n and all(0 <= c <= 1 << 16 for c in counts), 'not as many as fields')
    need(all((t == 'F' and s in (4, 8)) or (t in ('I', 'U') and s in (1, 2, 4, 8)) for t, s in zip(types, sizes)), 'an unknown type')
    need(all(fields.count(f) == 1 for f in fields if f != '_'), 'a field is there twice')
    axes = [fields.index(f) for f in 'xyz']
    need(all(types[i] == 'F' and counts[i] == 1 for i in axes), 'x, y and z are one float each')
    (width,), (height,), (total,), (kind,) = entries['WIDTH'], entries['HEIGHT'], entries['POINTS'], entries['DATA']
    total = int(total)
    need(total >= 0 and int(width) * int(height) == total, 'POINTS is not WIDTH times HEIGHT')
    viewpoint = PLAIN_HERE
    if 'VIEWPOINT' in entries:
        x, y, z, qw, qx, qy, qz = (number(word) for word in entries['VIEWPOINT'])
        viewpoint = (quaternion_rows(qx, qy, qz, qw), (x, y, z))
    others = [f for f in fields if f not in ('x', 'y', 'z')]
    starts = [sum(s * c for s, c in zip(sizes[:i], counts[:i])) for i in range(n + 1)]
    codes = [{4: '<f', 8: '<d'}[sizes[i]] for i in axes]
    rest = data[at:]
    if kind == 'ascii':
        need(total == 0 or rest.endswith(b'\n'), 'the last line does not end')
        lines = rest.decode('latin-1').split('\n')
        need(len(lines) > total and not any(line.strip() for line in lines[total:]), 'more or less points than said')
        columns = [sum(counts[:i]) for i in axes]
        points = []
        for line in lines[:total]:
            words = line.split()
            need(len(words) == sum(counts), 'a line with too many or too few numbers')
            types_of = [t for t, c in zip(types, counts) for _ in range(c)]
            values = [math.nan if t == 'F' and w in ('nan', '-nan', 'NaN', 'inf', '-inf') else number(w) for w, t in zip(words, types_of)]
            points.append(tuple(struct.unpack(code, struct.pack(code, values[c]))[0] for c, code in zip(columns, codes)))
        return points, others, viewpoint
    need(kind in ('binary', 'binary_compressed'), 'unknown DATA')
    if kind == 'binary':
        need(len(rest) == total * starts[n], 'another length than the header says')
        places = [(starts[i], starts[n]) for i in axes]
    else:
        packed, size = struct.unpack_from('<II', rest)
        need(packed == len(rest) - 8 and size == total * starts[n], 'another length than the header says')
        rest = unpack_lzf(rest[8:], size)
        places = [(total * starts[i], sizes[i]) for i in axes]
    columns = [[struct.unpack_from(code, rest, begin + k * step)[0] for k in range(total)] for code, (begin, step) in zip(codes, places)]
    return list(zip(*columns)), others, viewpoint


def read_ply_points(data):
    order, elements, at = read_ply_header(data)
    words = iter(data[at:].split()) if order == '' else None
    points, others = [], []

    def take(code):
        nonlocal at
        if words is not None:
            word = next(words).decode()
            return math.nan if word in ('nan', '-nan', 'NaN') else number(word)
        value, = struct.unpack_from(order + code, data, at)
        at += struct.calcsize(order + code)
        return value

    for name, count, properties in elements:
        if name == 'vertex':
            types = {key: code for key, code, length in properties if length is None}
            need(count == 0 or all(types.get(axis) in ('f', 'd') for axis in 'xyz'), 'x, y and z must be floats')
            others = [key for key, _, _ in properties if key not in ('x', 'y', 'z')]
        for _ in range(count):
            row = {key: take(code) if length is None else [take(code) for _ in range(int(take(length)))] for key, code, length in properties}
            if name == 'vertex':
                points.append((row['x'], row['y'], row['z']))
            need(name != 'face' or not ({'vertex_indices', 'vertex_index'} & row.keys()), 'it holds faces')
    need(not (list(words) if words is not None else data[at:].split()), 'there are more rows than the header says')
    return points, others, PLAIN_HERE


class Array:
    def __init__(self, kind, bytes_each, shape, values):
        self.kind, self.bytes_each, self.shape, self.values = kind, bytes_each, shape, values


def read_npy(data):
    need(data[:6] == b'\x93NUMPY' and data[6] in (1, 2, 3) and data[7] == 0, 'no array of numpy')
    start = 10 if data[6] == 1 else 12
    length, = struct.unpack_from('<H' if data[6] == 1 else '<I', data, 8)
    need(start + length <= len(data), 'the header does not end')
    header = ast.literal_eval(data[start:start + length].decode('latin-1').strip())
    need(isinstance(header, dict) and set(header) == {'descr', 'fortran_order', 'shape'}, 'the header is not that of numpy')
    descr, shape = header['descr'], header['shape']
    need(isinstance(descr, str) and isinstance(shape, tuple) and all(type(k) is int and k >= 0 for k in shape), 'the header is not that of numpy')
    codes = {'b1': 'B', 'u1': 'B', 'i1': 'b', 'u2': 'H', 'i2': 'h', 'u4': 'I', 'i4': 'i', 'u8': 'Q', 'i8': 'q', 'f4': 'f', 'f8': 'd'}
    need(descr[1:] in codes and (descr[0] in '<>' or descr[0] == '|' and descr[2] == '1'), 'numbers of an unknown type')
    each, total = int(descr[2]), math.prod(shape)
    need(len(data) - start - length == total * each, 'another length than its shape')
    values = struct.unpack(f"{'>' if descr[0] == '>' else '<'}{total}{codes[descr[1:]]}", data[start + length:])
    need(descr[1] != 'b' or all(x in (0, 1) for x in values), 'a truth value is neither 0 nor 1')
    if header['fortran_order']:
        strides = [math.prod(shape[:i]) for i in range(len(shape))]
        values = [values[sum(i * s for i, s in zip(index, strides))] for index in itertools.product(*map(range, shape))]
    return Array(descr[1], each, shape, values)


def read_png(data):
    need(data[:8] == b'\x89PNG\r\n\x1a\n', 'no PNG')
    chunks, at = [], 8
    while at < len(data):
        size, = struct.unpack_from('>I', data, at)
        need(at + 12 + size <= len(data), 'it ends in the middle of a chunk')
        body = data[at + 4:at + 8 + size]
        need(zlib.crc32(body) == struct.unpack_from('>I', data, at + 8 + size)[0], 'a checksum is wrong')
        chunks.append((body[:4], body[4:]))
        at += 12 + size
    need(len(chunks) > 2 and chunks[0][0] == b'IHDR' and chunks[-1] == (b'IEND', b''), 'does not begin with IHDR and end with IEND')
    width, height, *kind = struct.unpack('>IIBBBBB', chunks[0][1])
    need(kind == [16, 0, 0, 0, 0], 'not of 16 bits grey, in one go')
    types = [name for name, _ in chunks[1:-1]]
    passed = b'tEXt zTXt iTXt tIME pHYs gAMA cHRM sRGB iCCP bKGD eXIf IDAT'.split()
    need(all(name in passed for name in types), 'a chunk that is not read')
    need(len([name for name, _ in itertools.groupby(types) if name == b'IDAT']) == 1, 'the image is not in one piece')
    unpacker = zlib.decompressobj()
    line = 1 + 2 * width
    raw = bytearray(unpacker.decompress(b''.join(c for name, c in chunks if name == b'IDAT')))
    need(unpacker.eof and not unpacker.unused_data and len(raw) == height * line, 'the packed image is damaged')
    for y in range(height):
        begin, kind = y * line, raw[y * line]
        need(kind <= 4, 'an unknown filter')
        for x in range(1, line):
            a = raw[begin + x - 2] if x > 2 else 0
            b = raw[begin + x - line] if y else 0
            c = raw[begin + x - 2 - line] if x > 2 and y else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            raw[begin + x] = raw[begin + x] + (0, a, b, (a + b) // 2, nearest)[kind] & 255
    values = [v for y in range(height) for v in struct.unpack_from(f'>{width}H', raw, y * line + 1)]
    return Array('u', 2, (height, width), values)


def read_file(file, readers):
    ending = os.path.splitext(file)[1].lower()
    need(ending in readers, f'{file}: {ending} is not read here')
    with open(file, 'rb') as stream:
        data = stream.read()
    try:
        return readers[ending](data)
    except (Unreadable, ValueError, KeyError, IndexError, TypeError, SyntaxError, StopIteration, struct.error, zlib.error,
            RecursionError) as error:
        raise Unreadable(f'{file}: {error or type(error).__name__}') from None


# --- Clouds ---------------------------------------------------------------------------------------

def spacing_radius(points):
    places = sorted(set(points))
    need(len(places) > 1, 'one place alone needs a radius')
    squares = []
    for i, p in enumerate(places):
        best = math.inf
        for side in (range(i + 1, len(places)), range(i - 1, -1, -1)):
            for j in side:
                x, y, z = (a - b for a, b in zip(p, places[j]))
                best = min(best, x * x + y * y + z * z)
                if x * x > best:
                    break
        squares.append(best)
    return math.sqrt(0.5 * sorted(squares)[-(-95 * len(squares) // 100) - 1])


def region_of(node):
    low, high = ([real(x, 'region') for x in corner] for corner in node['region'])
    need(len(low) == len(high) == 3 and all(-FARTHEST <= a < b <= FARTHEST for a, b in zip(low, high)), 'a region needs two corners in order')
    return low, high


def factors_of(node):
    scale = node.get('scale', 1)
    factors = [real(x, 'scale') for x in (scale if isinstance(scale, list) else [scale] * 3)]
    need(len(factors) == 3 and all(factors), 'a scale is one number or three, not zero')
    return factors


def balls(points, node):
    need(points, 'no points')
    radius = size_of(node, 'radius') if 'radius' in node else spacing_radius(points)
    return {'cloud': {'points': points, 'radius': radius}}


def unknown_of(node):
    need(node.get('unknown') in ('free', 'occupied'), 'unknown is to be free or occupied')
    return node['unknown'] == 'occupied'


def filed_points(node, folder):
    npy_points = lambda data: (points_of(read_npy(data)), [], PLAIN_HERE)
    points, others, viewpoint = read_file(os.path.join(folder, node['points']), {'.pcd': read_pcd, '.ply': read_ply_points, '.npy': npy_points})
    ignored = node.get('ignore', [])
    need(isinstance(ignored, list) and all(f in others for f in ignored), 'a field to be ignored is not there')
    need(all(f in SILENT or f in ignored for f in others), 'a field that is not known')
    whose = node.get('coordinates')
    need(whose in (None, 'sensor', 'world'), 'coordinates are of the sensor or the world')
    need(whose or viewpoint == PLAIN_HERE, 'a viewpoint, and nothing says whose coordinates these are')
    if whose == 'sensor':
        points = [plain_point(viewpoint, p) for p in points]
    seen = [p for p in points if all(map(math.isfinite, p))]
    if 'unknown' in node or len(seen) < len(points):
        need(not unknown_of(node) or len(seen) == len(points), 'points that were not seen are nowhere')
    return seen


def points_of(array):
    need(len(array.shape) in (2, 3) and array.shape[-1] == 3 and array.kind == 'f', 'points are floats, three in a row')
    return [tuple(array.values[i:i + 3]) for i in range(0, len(array.values), 3)]


def cloud(node, folder):
    only(node, 'points', 'radius', 'scale', 'region', 'unknown', 'coordinates', 'ignore')
    if isinstance(node['points'], str):
        points = filed_points(node, folder)
    else:
        need(not {'unknown', 'coordinates', 'ignore'} & node.keys(), 'a key that is for files')
        points = [tuple(real(x, 'a coordinate') for x in p) for p in node['points']]
        need(all(len(p) == 3 for p in points), 'a point has three coordinates')
    factors = factors_of(node)
    points = [tuple(x * f for x, f in zip(p, factors)) for p in points]
    need(all(abs(x) <= FARTHEST for p in points for x in p), 'a point is too far away')
    if 'region' in node:
        low, high = region_of(node)
        points = [p for p in points if all(a <= x <= b for a, x, b in zip(low, p, high))]
    return balls(points, node)


# --- Voxels ---------------------------------------------------------------------------------------

def filled(size, cells):
    need(cells, 'no cell is occupied')
    return {'voxels': {'size': size, 'cells': cells}}


def voxels(node, folder):
    only(node, 'cells', 'size', 'unknown')
    size = size_of(node, 'size')
    if not isinstance(node['cells'], str):
        need('unknown' not in node, 'a key that is for files')
        need(all(type(i) in (int, float) and i == int(i) for cell in node['cells'] for i in cell), 'an index is not whole')
        return filled(size, [[int(i) for i in cell] for cell in node['cells']])
    if 'unknown' in node:
        unknown_of(node)
    array = read_file(os.path.join(folder, node['cells']), {'.npy': read_npy})
    if len(array.shape) == 3:
        need(array.bytes_each == 1, 'a grid holds truth values or bytes')
        nobody_knows = -1 if array.kind == 'i' else 255
        need(all(v in (0, 1, nobody_knows) for v in array.values), 'a value without meaning')
        solid = (1, nobody_knows) if nobody_knows in array.values and unknown_of(node) else (1,)
        indices = itertools.product(*map(range, array.shape))
        return filled(size, [list(index) for index, v in zip(indices, array.values) if v in solid])
    need(len(array.shape) == 2 and array.shape[1] == 3 and array.kind in 'iu', 'cells are three whole numbers each')
    return filled(size, [list(array.values[i:i + 3]) for i in range(0, len(array.values), 3)])


class Octomap:
    """The cubes (corner, side) of a map by what is known of them."""

    def __init__(self, data):
        first, _, _ = data.partition(b'\n')
        self.short = first.strip() == b'# Octomap OcTree binary file'
        need(self.short or first.strip() == b'# Octomap OcTree file', 'no OctoMap')
        said, at = {}, len(first) + 1
        while True:
            end = data.index(b'\n', at)
            words, at = data[at:end].decode('latin-1').split(), end + 1
            if words == ['data']:
                break
            if words and not words[0].startswith('#'):
                key, value = words
                need(key in ('id', 'size', 'res') and key not in said, 'an unknown header line')
                said[key] = value
        kinds = ('OcTree',) if self.short else ('OcTree', 'ColorOcTree')
        need(said['id'] in kinds, 'a tree of a kind that is not known')
        self.extra = 3 if said['id'] == 'ColorOcTree' else 0
        self.cell = number(said['res'])
        need(1e-9 <= self.cell and 32768 * self.cell <= FARTHEST, 'the resolution is out of range')
        self.data, self.at, self.nodes = data, at, 0
        self.unknown, self.free, self.occupied = [], [], []
        if int(said['size']) != 0:
            (self.pairs if self.short else self.node)((-32768,) * 3, 65536)
        need(self.nodes == int(said['size']) and self.at == len(data), 'another number of nodes than said')

    def take(self, count):
        need(self.at + count <= len(self.data), 'it ends in the middle of the tree')
        self.at += count
        return self.data[self.at - count:self.at]

    @staticmethod
    def parts(corner, side):
        half = side // 2
        return [((corner[0] + half * (i & 1), corner[1] + half * (i >> 1 & 1), corner[2] + half * (i >> 2)), half) for i in range(8)]

    def pairs(self, corner, side):
        self.nodes += 1
        bits = int.from_bytes(self.take(2), 'little')
        need(side > 1, 'a cell that is divided')
        said = [bits >> 2 * i & 3 for i in range(8)]
        for part, what in zip(self.parts(corner, side), said):
            if what < 3:
                self.nodes += what > 0
                (self.unknown, self.free, self.occupied)[what].append(part)
        for part, what in zip(self.parts(corner, side), said):
            if what == 3:
                self.pairs(*part)

    def node(self, corner, side):
        self.nodes += 1
        odds, = struct.unpack('<f', self.take(4))
        need(math.isfinite(odds), 'odds that are not finite')
        self.take(self.extra)
        children = self.take(1)[0]
        if children == 0:
            (self.occupied if odds >= 0 else self.free).append((corner, side))
            return
        need(side > 1, 'a cell that is divided')
        for i, part in enumerate(self.parts(corner, side)):
            if children >> i & 1:
                self.node(*part)
            else:
                self.unknown.append(part)


def octomap(node, folder):
    only(node, 'file', 'unknown', 'region')
    solid_unknown = unknown_of(node)
    readers = {'.bt': Octomap, '.ot': Octomap}
    file = os.path.join(folder, node['file'])
    readers.setdefault(os.path.splitext(file)[1].lower(), Octomap)
    tree = read_file(file, readers)
    low, high = [-32768] * 3, [32768] * 3
    if 'region' in node:
        corners = region_of(node)
        low = [math.floor(x / tree.cell) for x in corners[0]]
        high = [math.ceil(x / tree.cell) for x in corners[1]]
        need(min(low) >= -32768 and max(high) <= 32768, 'a region beyond the map')
    elif solid_unknown:
        known = tree.occupied + tree.free
        low = [min([c[i] for c, _ in known], default=0) for i in range(3)]
        high = [max([c[i] + side for c, side in known], default=0) for i in range(3)]
    kept = []

    def cut(corner, side):
        if any(c >= h or c + side <= l for c, l, h in zip(corner, low, high)):
            return
        if side < 65536 and all(c >= l and c + side <= h for c, l, h in zip(corner, low, high)):
            kept.append((corner, side))
        else:
            for part in tree.parts(corner, side):
                cut(*part)

    for corner, side in tree.occupied + (tree.unknown if solid_unknown else []):
        cut(corner, side)
    finest = min((side for _, side in kept), default=1)
    need(sum((side // finest) ** 3 for _, side in kept) <= MOST_CELLS, 'too many cells')
    cells = [list(index) for corner, side in kept
             for index in itertools.product(*(range(c // finest, (c + side) // finest) for c in corner))]
    return filled(tree.cell * finest, sorted(cells))


# --- Images ---------------------------------------------------------------------------------------

def image(node, folder):
    array = read_file(os.path.join(folder, node['file']), {'.png': read_png, '.npy': read_npy})
    need(len(array.shape) == 2 and array.values and array.kind != 'b', 'images are rows and columns of numbers')
    need('scale' in node or array.kind == 'f', 'whole numbers need a scale')
    scale = real(node.get('scale', 1), 'scale')
    need(scale > 0, 'a scale above 0')
    return array.shape, [v * scale for v in array.values]


def depth(node, folder):
    only(node, 'file', 'camera', 'scale', 'unknown', 'radius', 'size', 'near', 'far')
    hidden_solid = unknown_of(node)
    (rows, columns), depths = image(node, folder)
    camera = node['camera']
    only(camera, 'fx', 'fy', 'cx', 'cy')
    fx, fy, cx, cy = (real(camera[key], key) for key in ('fx', 'fy', 'cx', 'cy'))
    need(0 < fx <= 2 ** 24 and 0 < fy <= 2 ** 24 and abs(cx) <= 2 ** 24 and abs(cy) <= 2 ** 24, 'a camera out of range')
    need(not any(z < 0 or FARTHEST < z < math.inf for z in depths), 'an impossible depth')
    depths = [z if 0 < z < math.inf else None for z in depths]
    need(not {'size', 'near', 'far'} & node.keys() or hidden_solid, 'a key of what is unknown')
    need('radius' not in node or not hidden_solid, 'cells have no radius')
    if not hidden_solid:
        return balls([((i % columns - cx) / fx * z, (i // columns - cy) / fy * z, z) for i, z in enumerate(depths) if z is not None], node)
    size, near, far = (size_of(node, key) for key in ('size', 'near', 'far'))
    need(near < far, 'far must be beyond near')

    def pixels(i, f, c, count, z0, z1):
        low, high = i * size, (i + 1) * size
        a, b = c + f * (low / (z0 if low < 0 else z1)), c + f * (high / (z0 if high > 0 else z1))
        return max(0, math.ceil(a - 0.5 - 2.0 ** -20)), max(0, min(count, math.floor(b + 0.5 + 2.0 ** -20) + 1))

    def cells_in_view(f, c, count, z1):
        low, high = (-0.5 - c) / f * z1 / size, (count - 0.5 - c) / f * z1 / size
        need(max(abs(low), abs(high)) < 2 ** 20 - 2, 'too many cells')
        return range(math.floor(min(low, 0.0)) - 1, math.ceil(max(high, 0.0)) + 1)

    cells = []
    need(far / size < 2 ** 20 - 2, 'too many cells')
    for k in range(math.floor(near / size), math.ceil(far / size)):
        z0, z1 = max(k * size, near), (k + 1) * size * (1 + 2.0 ** -50)
        hides = [z is None or z <= z1 for z in depths]
        down = [(j, pixels(j, fy, cy, rows, z0, z1)) for j in cells_in_view(fy, cy, rows, z1)]
        for i in cells_in_view(fx, cx, columns, z1):
            first, last = pixels(i, fx, cx, columns, z0, z1)
            if first < last:
                rows_hide = [any(hides[r * columns + first:r * columns + last]) for r in range(rows)]
                cells += [[i, j, k] for j, (top, bottom) in down if any(rows_hide[top:bottom])]
    return filled(size, sorted(cells))


def heights(node, folder):
    only(node, 'file', 'size', 'scale', 'floor')
    (nx, ny), values = image(node, folder)
    size, floor = size_of(node, 'size'), real(node['floor'], 'floor')
    need(abs(floor) <= FARTHEST and max(nx, ny) * size <= FARTHEST, 'it reaches too far')
    need(all(floor < h <= FARTHEST for h in values), 'a height is not above the floor, or too large')

    def top(i, j):
        return max(values[a * ny + b] for a in (i - 1, i) for b in (j - 1, j) if 0 <= a < nx and 0 <= b < ny)

    at = lambda i, j: i * (ny + 1) + j
    vertices = [(i * size, j * size, top(i, j)) for i in range(nx + 1) for j in range(ny + 1)]
    triangles = []
    for i, j in itertools.product(range(nx), range(ny)):
        triangles += [(at(i, j), at(i + 1, j), at(i + 1, j + 1)), (at(i, j), at(i + 1, j + 1), at(i, j + 1))]
    border = ([(0, j) for j in range(ny)] + [(i, ny) for i in range(nx)] +
              [(nx, j) for j in range(ny, 0, -1)] + [(i, 0) for i in range(nx, 0, -1)])
    middle, n = len(vertices), len(border)
    vertices.append((0.5 * (nx * size), 0.5 * (ny * size), floor))
    vertices += [(i * size, j * size, floor) for i, j in border]
    for a in range(n):
        b = (a + 1) % n
        triangles += [(at(*border[a]), at(*border[b]), middle + 1 + b), (at(*border[a]), middle + 1 + b, middle + 1 + a),
                      (middle, middle + 1 + a, middle + 1 + b)]
    return {'vertices': vertices, 'triangles': triangles}


def listed(node, folder):
    """The node itself, or with the shape that its file holds in place of the file's name."""
    for name, read in (('cloud', cloud), ('voxels', voxels), ('octomap', octomap), ('depth', depth), ('heights', heights)):
        if name in node:
            need('scale' not in node, f'a {name} has no scale beside it')
            return read(node[name], folder)
    return node
