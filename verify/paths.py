"""Paths and motions for the second verifier: JSON, YAML, CSV, and matrices as OMPL prints them (docs/formats.md, Path)."""
import json
import math
import os

from meshes import Unreadable, need
from planning_scene import NUMBER, only, read_yaml


class Rows:
    """Named values, row by row, and times where there are any."""

    def __init__(self, names):
        self.names, self.rows, self.times = names, [], []

    def add(self, values, time=None):
        need(len(values) == len(self.names), f'{len(values)} values for {len(self.names)} joints')
        need(all(isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x) for x in values),
             'a waypoint holds something else than finite numbers')
        self.rows.append([float(x) for x in values])
        if time is not None:
            need(not self.times or time > self.times[-1], 'times must increase')
            self.times.append(time)

    def done(self):
        need(self.rows, 'the path has no waypoint')
        need(len(self.times) in (0, len(self.rows)), 'some waypoints have a time and some have none')
        return self


def seconds(time):
    if isinstance(time, dict):
        whole, part = ('secs', 'nsecs') if 'secs' in time else ('sec', 'nanosec')
        only(time, whole, part)
        return time[whole] + 1e-9 * time[part]
    return time


def trajectory(node):
    """A JointTrajectory of positions; rates make curves of it."""
    only(node, 'header', 'joint_names', 'points')
    result = Rows(node['joint_names'])
    for point in node['points']:
        only(point, 'positions', 'velocities', 'accelerations', 'effort', 'time_from_start')
        for rates in ('velocities', 'accelerations', 'effort'):
            need(not point.get(rates), f'{rates} are not read here; `proven verify` reads them')
        time = point.get('time_from_start')
        result.add(point['positions'], None if time is None else seconds(time))
    return result


def from_tree(root):
    need(isinstance(root, dict), 'an object is expected')
    if 'joint_trajectory' in root or 'multi_dof_joint_trajectory' in root:
        only(root, 'joint_trajectory', 'multi_dof_joint_trajectory')
        moved = root.get('multi_dof_joint_trajectory') or {}
        need(not moved.get('points'), 'transforms are not read here; `proven verify` reads them')
        return trajectory(root['joint_trajectory'])
    if 'joint_names' in root and 'proven' not in root:
        return trajectory(root)
    only(root, 'proven', 'joints', 'waypoints', 'times')
    need(root['proven'] == 1, 'this is not format 1')
    result, times = Rows(root['joints']), root.get('times')
    need(times is None or len(times) == len(root['waypoints']), 'as many times as waypoints are needed')
    for i, row in enumerate(root['waypoints']):
        need(isinstance(row, list), 'a waypoint is no list; `proven verify` reads names of configurations')
        result.add(row, None if times is None else times[i])
    return result


def number(text):
    need(NUMBER.fullmatch(text), f'{text!r} is no number')
    return float(text)


def from_csv(lines, known):
    cells = [[cell.strip() for cell in line.split(',')] for line in lines]
    cells = [[c[1:-1] if len(c) >= 2 and c[0] == c[-1] == '"' else c for c in row] for row in cells]
    need(cells, 'the path is empty')
    times = [i for i, c in enumerate(cells[0]) if c in ('time', 't', 'time_from_start') and not known(c)][:1]
    result = Rows([c for i, c in enumerate(cells[0]) if i not in times])
    for row in cells[1:]:
        need(len(row) == len(cells[0]), f'{len(row)} columns, not {len(cells[0])}')
        values = [number(c) for c in row]
        result.add([x for i, x in enumerate(values) if i not in times], values[times[0]] if times else None)
    return result


def from_matrix(lines, names):
    result = Rows(names)
    for line in lines:
        result.add([number(word) for word in line.split()])
    return result


def no_repeats(pairs):
    need(len(dict(pairs)) == len(pairs), 'a key is repeated')
    return dict(pairs)


def read_text(file):
    with open(file, encoding='utf-8-sig') as stream:
        return stream.read(), os.path.splitext(file)[1].lower()


def read_rows(file, model):
    text, ending = read_text(file)
    lines = [line for line in text.split('\n') if line.strip()]
    if ending == '.json':
        return from_tree(json.loads(text, object_pairs_hook=no_repeats))
    if ending in ('.yaml', '.yml'):
        return from_tree(read_yaml(text))
    if ending == '.csv':
        return from_csv(lines, lambda name: bool(fits(name, model)))
    need(ending in ('', '.txt', '.path', '.mat'), 'one path ends in .json, .yaml, .csv, .txt, .path or .mat')
    return from_matrix(lines, model.coordinates)


def fits(name, model):
    """The coordinates of that name: 'robot/joint', or 'joint' where one robot alone has it."""
    exact = [i for i, known in enumerate(model.coordinates) if known == name]
    return exact or [i for i, known in enumerate(model.coordinates) if known.endswith('/' + name)]


def columns_of(names, model):
    columns = []
    for name in names:
        found = fits(name, model)
        need(len(found) == 1, f'joint {name} is unknown, ambiguous or follows another')
        columns += found
    need(len(set(columns)) == len(columns), 'a joint is named twice')
    return columns


def read_motion(file, model):
    """The rows of each piece: control points, both ends included. A path has two rows a piece."""
    home = [model.home.get(name, 1.0 if name.endswith('.qw') else 0.0) for name in model.coordinates]
    try:
        text, ending = read_text(file)
        if ending == '.json' and 'pieces' in (root := json.loads(text, object_pairs_hook=no_repeats)):
            return read_pieces(root, model, columns_of(root['joints'], model), home)
        given = read_rows(file, model).done()
        columns = columns_of(given.names, model)
        waypoints = [read_row(row, columns, home) for row in given.rows]
    except Unreadable as error:
        raise Unreadable(f'{file}: {error}') from None
    return [[a, b] for a, b in zip(waypoints, waypoints[1:])] or [[waypoints[0]] * 2]


def read_row(row, columns, others):
    need(isinstance(row, list) and len(row) == len(columns), 'a row has not one value per joint')
    need(all(type(x) in (int, float) and abs(x) <= 1e9 for x in row), 'a value is not finite, or beyond 1e9')
    q = list(others)
    for column, x in zip(columns, row):
        q[column] = float(x)
    return q


def read_pieces(given, model, columns, home):
    need(set(given) == {'proven', 'joints', 'pieces'}, 'a motion has the keys proven, joints and pieces')
    need(given['proven'] == 1, 'this version of motions is not read')
    # Rotation vectors stand in the place of quaternions, between the ends: those of joints that are not named are 0.
    quaternions = [link.coordinate + k for link in model.links if link.kind == 'ball' for k in range(4)]
    for i in range(0, len(quaternions), 4):
        need(len(set(quaternions[i:i + 4]) & set(columns)) in (0, 4), 'a quaternion is named in part')
    between = [0.0 if i in quaternions else x for i, x in enumerate(home)]
    pieces, end = [], None
    for piece in given['pieces']:
        need(isinstance(piece, dict) and set(piece) == {'begin', 'end', 'bezier'},
             'a piece has the keys begin, end and bezier')
        need(all(type(piece[k]) in (int, float) and math.isfinite(piece[k]) for k in ('begin', 'end')),
             'a time is not a number')
        need(piece['begin'] < piece['end'] and end in (None, piece['begin']), 'times do not follow each other')
        rows, end = piece['bezier'], piece['end']
        need(isinstance(rows, list) and 2 <= len(rows) <= 6, 'a piece has 2 to 6 rows')
        read = [read_row(row, columns, between if 0 < k < len(rows) - 1 else home) for k, row in enumerate(rows)]
        need(not pieces or pieces[-1][-1] == read[0], 'a piece does not begin where the last one ends')
        pieces.append(read)
    need(pieces, 'the motion has no piece')
    return pieces
