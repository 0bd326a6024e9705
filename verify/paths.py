"""Paths for the second verifier: JSON, YAML, CSV, and matrices as OMPL prints them (docs/formats.md, Path)."""
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


def is_zero(rates):
    if isinstance(rates, (list, dict)):
        return all(map(is_zero, rates if isinstance(rates, list) else rates.values()))
    return not rates


def seconds(time):
    if isinstance(time, dict):
        whole, part = ('secs', 'nsecs') if 'secs' in time else ('sec', 'nanosec')
        only(time, whole, part)
        return time[whole] + 1e-9 * time[part]
    return time


def trajectory(node):
    """A JointTrajectory; rates bend the lines between its points, unless all of them are zero."""
    only(node, 'header', 'joint_names', 'points')
    result = Rows(node['joint_names'])
    for point in node['points']:
        only(point, 'positions', 'velocities', 'accelerations', 'effort', 'time_from_start')
        for rates in ('velocities', 'accelerations', 'effort'):
            need(is_zero(point.get(rates)), f'{rates} make a curve of it, which is not the straight line that is checked')
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


def read_rows(file, model):
    with open(file, encoding='utf-8-sig') as stream:
        text = stream.read()
    ending, lines = os.path.splitext(file)[1].lower(), [line for line in text.split('\n') if line.strip()]
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


def read_path(file, model):
    """Waypoints as configurations of the model."""
    try:
        given = read_rows(file, model).done()
        columns = []
        for name in given.names:
            found = fits(name, model)
            need(len(found) == 1, f'joint {name} is unknown, ambiguous or follows another')
            columns += found
        need(len(set(columns)) == len(columns), 'a joint is named twice')
    except Unreadable as error:
        raise Unreadable(f'{file}: {error}') from None
    home = [model.home.get(name, 1.0 if name.endswith('.qw') else 0.0) for name in model.coordinates]
    waypoints = []
    for row in given.rows:
        q = list(home)
        for column, value in zip(columns, row):
            q[column] = value
        waypoints.append(q)
    return waypoints
