"""Paths and motions for the second verifier: JSON, YAML, CSV, and matrices as OMPL prints them (docs/formats.md, Path).

A motion is read as the rows of its pieces: control points, both ends included. What follows from numbers of the file by
arithmetic, such as the control points of a spline, is an interval that holds the exact value; times are the doubles that
the format says."""
import json
import math
import os

from mpmath import iv

from curves import hermite, raised, turn_hermite, turn_vector
from intervals import ZERO, near_angle, norm, vec
from meshes import Unreadable, need
from planning_scene import NUMBER, frame_id, only, read_yaml

SUFFIXES = {'planar': ['.x', '.y', '.angle'], 'floating': ['.x', '.y', '.z', '.qx', '.qy', '.qz', '.qw']}


class Joints:
    """Names that a file may use. `home`: a value of each coordinate; `balls`: the first places of quaternions; `placed`:
    planar and floating joints, each with its kind and its parent link; `timed`: coordinates that follow the clock."""

    def __init__(self, coordinates, home, balls, placed, timed=()):
        self.coordinates, self.home, self.balls, self.placed, self.timed = coordinates, home, balls, placed, set(timed)
        self.quaternions = {k + i for k in balls for i in range(4)}

    def fits(self, name):
        """The coordinates of that name: 'robot/joint', or 'joint' where one robot alone has it."""
        exact = [i for i, known in enumerate(self.coordinates) if known == name]
        return exact or [i for i, known in enumerate(self.coordinates) if known.endswith('/' + name)]

    def columns(self, names):
        columns = []
        for name in names:
            found = self.fits(name)
            need(len(found) == 1, f'joint {name} is unknown, ambiguous or follows another')
            need(found[0] not in self.timed, f'{name} moves by the clock')
            columns += found
        need(len(set(columns)) == len(columns), 'a joint is named twice')
        for k in self.balls:
            need(len({k, k + 1, k + 2, k + 3} & set(columns)) in (0, 4), 'a quaternion is named in part')
        return columns

    def find_placed(self, name, frame):
        found = [joint for joint in self.placed if joint == name or joint.endswith('/' + name)]
        need(len(found) == 1, f'joint {name} is unknown or ambiguous, or has one value')
        kind, parent = self.placed[found[0]]
        need(not frame or parent == frame or parent.endswith('/' + frame), f'{name} does not move in the frame {frame}')
        need(kind in SUFFIXES, f'{name} does not turn about z: its transforms are not read here')
        return found[0], kind


def is_number(x):
    return type(x) in (int, float) and math.isfinite(x)


def numbers(values, count, what):
    need(isinstance(values, list) and len(values) == count, f'{what}: {count} values are expected')
    need(all(is_number(x) for x in values), f'{what}: something else than finite numbers')
    return [float(x) for x in values]


class Points:
    """Named values, row by row; rates, each of all rows or of none; times; and by which degree each name moves."""

    def __init__(self, names):
        self.names, self.values, self.rates, self.times, self.degrees = names, [], ([], []), [], [1] * len(names)

    def add(self, values, time=None):
        need(len(values) == len(self.names), f'{len(values)} values for {len(self.names)} joints')
        self.values.append(values)
        if time is not None:
            need(is_number(time), 'a time is not a number')
            need(not self.times or time > self.times[-1], 'times must increase')
            self.times.append(float(time))

    def done(self):
        need(self.values, 'the path has no waypoint')
        need(len(self.times) in (0, len(self.values)), 'some waypoints have a time and some have none')
        velocities, accelerations = ([row for row in rates if row] for rates in self.rates)
        need(len(velocities) in (0, len(self.values)) and len(accelerations) in (0, len(self.values)),
             'some points have rates and some have none')
        need(velocities or not accelerations, 'accelerations without velocities')
        self.degrees = [5 if accelerations else 3 if velocities else 1] * len(self.names)
        for rate in (x for rows in self.rates for row in rows for x in row or []):
            need(rate == 0 or 1e-60 <= abs(rate) <= 1e60, 'a rate is beyond 1e-60 and 1e60')
        return self

    def beside(self, other):
        """Of two halves of a trajectory."""
        need(self.times == other.times and len(self.values) == len(other.values), 'both halves need the same times')
        both = Points(self.names + other.names)
        both.values = [a + b for a, b in zip(self.values, other.values)]
        both.rates = tuple([(a or [0.0] * len(self.names)) + (b or [0.0] * len(other.names)) for a, b in zip(x, y)]
                           for x, y in zip(self.rates, other.rates))
        both.times, both.degrees = self.times, self.degrees + other.degrees
        return both


# --- Trajectories ----------------------------------------------------------------------------------

def seconds(time):
    if isinstance(time, dict):
        whole, part = ('secs', 'nsecs') if 'secs' in time else ('sec', 'nanosec')
        only(time, whole, part)
        need(all(is_number(x) and x == int(x) for x in (time[whole], time[part])) and 0 <= time[part] < 1e9,
             'a time has whole seconds, and nanoseconds below 1e9')
        return time[whole] + 1e-9 * time[part]
    return time


def no_effort(effort):
    for x in effort if isinstance(effort, list) else [effort]:
        need(not no_effort(x) if isinstance(x, list) else x in (0, None), 'a motion has no forces')


def read_points(node, values, names, read_values, read_rates):
    """What points of joints and of transforms share."""
    result = Points(names)
    for point in node['points']:
        only(point, values, 'velocities', 'accelerations', 'effort', 'time_from_start')
        no_effort(point.get('effort') or [])
        time = point.get('time_from_start')
        result.add(read_values(point[values], result.values), None if time is None else seconds(time))
        for rates, key in zip(result.rates, ('velocities', 'accelerations')):
            rates.append(read_rates(point[key]) if point.get(key) else None)
    return result.done()


def joint_points(node, joints):
    only(node, 'header', 'joint_names', 'points')
    names = node['joint_names']
    result = read_points(node, 'positions', names, lambda row, _: numbers(row, len(names), 'positions'),
                         lambda row: numbers(row, len(names), 'rates'))
    if max(result.degrees, default=1) > 1:
        need(not any(set(joints.fits(name)) & joints.quaternions for name in names),
             'a part of a quaternion has no rate of its own')
    return result


def triple(node, keys='xyz'):
    if isinstance(node, dict):
        only(node, *keys)
        node = [node[k] for k in keys]
    return numbers(node, len(keys), 'a vector')


def planar_angle(x, y, z, w):
    """Of a quaternion that turns about z."""
    size = x * x + y * y + z * z + w * w
    cosine, sine = size - 2 * (y * y + z * z), 2 * (x * y + z * w)
    for tilt in (2 * (x * z - y * w), 2 * (y * z + x * w)):
        need(abs(tilt / size) <= 1e-6, 'a planar joint does not leave its plane')
    return near_angle(sine, cosine)


def transform(node, kind, before):
    only(node, 'translation', 'rotation')
    p, q = triple(node['translation']), triple(node['rotation'], 'xyzw')
    need(abs(math.sqrt(sum(x * x for x in q)) - 1) <= 1e-3, 'a quaternion is not of length 1')
    if kind == 'floating':
        return p + q
    need(abs(p[2]) <= 1e-6, 'a planar joint does not leave its plane')
    angle = planar_angle(*vec(q))
    if before is not None:  # the shorter way
        angle = angle + 2 * iv.pi * round(float(((before - angle) / (2 * iv.pi)).mid))
        need(abs(angle - before) < iv.pi, 'a planar joint turns by half a circle')
    return p[:2] + [angle]


def twist(node, kind):
    only(node, 'linear', 'angular')
    v, w = triple(node['linear']), triple(node['angular'])
    if kind == 'floating':
        return v + w + [0.0]
    need(v[2] == w[0] == w[1] == 0, 'a planar joint does not leave its plane')
    return v[:2] + w[2:]


def transform_points(node, joints):
    only(node, 'header', 'joint_names', 'points')
    found = [joints.find_placed(name, frame_id(node)) for name in node['joint_names']]
    names = [joint + suffix for joint, kind in found for suffix in SUFFIXES[kind]]

    def values(row, before):
        need(isinstance(row, list) and len(row) == len(found), 'as many transforms as joints are needed')
        read = []
        for given, (_, kind) in zip(row, found):
            last = before[-1][len(read) + 2] if before and kind == 'planar' else None
            read += transform(given, kind, last)
        return read

    def rates(row):
        need(isinstance(row, list) and len(row) == len(found), 'as many twists as joints are needed')
        return [x for given, (_, kind) in zip(row, found) for x in twist(given, kind)]
    result = read_points(node, 'transforms', names, values, rates)
    need(max(result.degrees, default=1) < 5 or all(kind == 'planar' for _, kind in found),
         'accelerations of a floating joint')
    return result


def robot_trajectory(root, joints):
    only(root, 'joint_trajectory', 'multi_dof_joint_trajectory')
    plain, moved = root.get('joint_trajectory') or {}, root.get('multi_dof_joint_trajectory') or {}
    halves = [joint_points(plain, joints)] if plain.get('points') or not moved.get('points') else []
    halves += [transform_points(moved, joints)] if moved.get('points') else []
    return halves[0] if len(halves) == 1 else halves[0].beside(halves[1])


def spline(points, joints):
    """The rows of all pieces."""
    columns = joints.columns(points.names)
    degree = max(points.degrees, default=1)
    by_column = dict(zip(columns, points.degrees))
    waypoints = [place(row, columns, joints.home) for row in points.values]
    for k in joints.balls:
        for q in waypoints:
            need(abs(math.sqrt(sum(x * x for x in q[k:k + 4])) - 1) <= 1e-3, 'a quaternion is not of length 1')
    if degree == 1:
        return points.times, [[a, b] for a, b in zip(waypoints, waypoints[1:])] or [[waypoints[0]] * 2]
    need(points.times, 'rates without times')
    need(len(waypoints) > 1 or not any(x for rows in points.rates for row in rows for x in row or []),
         'one point alone makes no curve')
    rates = [[place(row or [0.0] * len(columns), columns, [0.0] * len(joints.home)) for row in rows]
             for rows in points.rates]
    pieces = []
    for i, (a, b) in enumerate(zip(waypoints, waypoints[1:])):
        T = iv.mpf(points.times[i + 1]) - iv.mpf(points.times[i])
        need(1e-9 <= T <= 1e9, 'points of a curve are 1e-9 to 1e9 s apart')
        rows = [list(a)] + [[0.0] * len(a) for _ in range(degree - 1)] + [list(b)]
        v, w = rates[0][i:i + 2]
        for k in range(len(a)):
            if k in joints.quaternions:
                continue
            knots = [(a[k], v[k], rates[1][i][k]), (b[k], w[k], rates[1][i + 1][k])]
            control = hermite(*knots, T, by_column.get(k, 1)) if by_column.get(k, 1) > 1 else vec((a[k], b[k]))
            write(rows, k, raised([[x] for x in control], degree))
        for k in joints.balls:
            ends = vec(a[k:k + 4]), vec(b[k:k + 4])
            phi = turn_vector(*ends)
            need(phi is not None, 'a turn by half a circle in a curve')
            control = [[ZERO] * 3, phi]
            if by_column.get(k, 1) > 1:
                need(max(float((norm(vec(x[k:k + 3])) * T).a) for x in (v, w)) <= 4, 'more than 4 rad between two points')
                control = turn_hermite(ends[0], phi, vec(v[k:k + 3]), vec(w[k:k + 3]), T)
            write(rows, k, raised(control, degree))
        pieces.append(rows)
    return points.times, pieces or [[waypoints[0]] * 2]


def write(rows, k, control):
    for row, point in zip(rows[1:-1], control[1:-1]):
        row[k:k + len(point)] = point


# --- Files -----------------------------------------------------------------------------------------

def from_tree(root, joints):
    need(isinstance(root, dict), 'an object is expected')
    if 'joint_trajectory' in root or 'multi_dof_joint_trajectory' in root:
        return spline(robot_trajectory(root, joints), joints)
    if 'joint_names' in root and 'proven' not in root:
        return spline(joint_points(root, joints), joints)
    need(root.get('proven') == 1 and root['proven'] is not True, 'this is not format 1')
    if 'pieces' in root:
        return read_pieces(root, joints)
    only(root, 'proven', 'joints', 'waypoints', 'times')
    result, times = Points(root['joints']), root.get('times')
    need(times is None or len(times) == len(root['waypoints']), 'as many times as waypoints are needed')
    for i, row in enumerate(root['waypoints']):
        need(isinstance(row, list), 'a waypoint is no list; `proven verify` reads names of configurations')
        result.add(numbers(row, len(result.names), 'a waypoint'), None if times is None else times[i])
    return spline(result.done(), joints)


def number(text):
    need(NUMBER.fullmatch(text), f'{text!r} is no number')
    return float(text)


def from_csv(lines, joints):
    cells = [[cell.strip() for cell in line.split(',')] for line in lines]
    cells = [[c[1:-1] if len(c) >= 2 and c[0] == c[-1] == '"' else c for c in row] for row in cells]
    need(cells, 'the path is empty')
    header = cells[0]
    free = [i for i, c in enumerate(header) if not joints.fits(c)]
    times = [i for i in free if header[i] in ('time', 't', 'time_from_start')][:1]
    ends = ('.velocity', '.acceleration')
    rates = [[i for i in free if header[i].endswith(end)] for end in ends]
    columns = [i for i in range(len(header)) if i not in times + rates[0] + rates[1]]
    result = Points([header[i] for i in columns])
    for places, end in zip(rates, ends):
        named = [header[i].removesuffix(end) for i in places]
        need(not named or sorted(named) == sorted(result.names), 'rates are of all joints or of none')
        places.sort(key=lambda i: result.names.index(header[i].removesuffix(end)))
    for row in cells[1:]:
        need(len(row) == len(header), f'{len(row)} columns, not {len(header)}')
        values = [number(c) for c in row]
        result.add([values[i] for i in columns], values[times[0]] if times else None)
        for read, places in zip(result.rates, rates):
            read.append([values[i] for i in places] or None)
    need(not (rates[0] or rates[1]) or not any(set(joints.fits(name)) & joints.quaternions for name in result.names),
         'a part of a quaternion has no rate of its own')
    return spline(result.done(), joints)


def from_matrix(lines, joints):
    result = Points([name for i, name in enumerate(joints.coordinates) if i not in joints.timed])
    for line in lines:
        result.add([number(word) for word in line.split()])
    return spline(result.done(), joints)


def no_repeats(pairs):
    need(len(dict(pairs)) == len(pairs), 'a key is repeated')
    return dict(pairs)


def read_motion(file, joints):
    """The times of waypoints, perhaps none, and the rows of each piece."""
    try:
        with open(file, encoding='utf-8-sig') as stream:
            text, ending = stream.read(), os.path.splitext(file)[1].lower()
        lines = [line for line in text.split('\n') if line.strip()]
        if ending == '.json':
            return from_tree(json.loads(text, object_pairs_hook=no_repeats), joints)
        if ending in ('.yaml', '.yml'):
            return from_tree(read_yaml(text), joints)
        if ending == '.csv':
            return from_csv(lines, joints)
        need(ending in ('', '.txt', '.path', '.mat'), 'one path ends in .json, .yaml, .csv, .txt, .path or .mat')
        return from_matrix(lines, joints)
    except Unreadable as error:
        raise Unreadable(f'{file}: {error}') from None


def place(row, columns, others):
    need(all(abs(x) <= 1e9 for x in row if isinstance(x, float)), 'a value is beyond 1e9')
    q = list(others)
    for column, x in zip(columns, row):
        q[column] = x
    return q


def read_pieces(given, joints):
    need(set(given) == {'proven', 'joints', 'pieces'}, 'a motion has the keys proven, joints and pieces')
    columns = joints.columns(given['joints'])
    # Rotation vectors stand in the place of quaternions, between the ends: those of joints that are not named are 0.
    between = [0.0 if i in joints.quaternions else x for i, x in enumerate(joints.home)]
    need(isinstance(given['pieces'], list) and given['pieces'], 'the motion has no piece')
    need(all(isinstance(piece, dict) for piece in given['pieces']), 'a piece is no object')
    timed = 'begin' in given['pieces'][0]
    pieces, times = [], []
    for piece in given['pieces']:
        need(set(piece) == ({'begin', 'end', 'bezier'} if timed else {'bezier'}),
             'a piece has the keys begin, end and bezier; or all have bezier alone')
        if timed:
            begin, end = numbers([piece['begin'], piece['end']], 2, 'the times of a piece')
            need(begin < end and (not times or times[-1] == begin), 'times do not follow each other')
            times = times[:-1] + [begin, end]
        need(isinstance(piece['bezier'], list) and 2 <= len(piece['bezier']) <= 6, 'a piece has 2 to 6 rows')
        last = len(piece['bezier']) - 1
        rows = [place(numbers(row, len(columns), 'a row'), columns, joints.home if k in (0, last) else between)
                for k, row in enumerate(piece['bezier'])]
        need(all(abs(x) <= 1e9 for row in rows for x in row), 'a value is beyond 1e9')
        need(not pieces or pieces[-1][-1] == rows[0], 'a piece does not begin where the last one ends')
        pieces.append(rows)
    return times, pieces
