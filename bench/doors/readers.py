#!/usr/bin/env python3
"""readers.py KIND: for each file named on standard input a line of JSON: what the verifiers in Python read in it.

{"read": ...} or {"error": "..."}. Kinds: traffic, packages, data_set.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'verify'))


def middle(x):
    return float(x.mid) if hasattr(x, 'mid') else float(x)


def traffic(file):
    import traffic_files as reader  # pylint: disable=import-outside-toplevel
    return [[name, [[part.begin, part.end,
                     [[[[middle(x), middle(y)] for x, y in shape.corners], middle(shape.radius)] for shape in part.shapes],
                     [[s.t, middle(s.x), middle(s.y), middle(s.heading), middle(s.deviation), middle(s.turn)]
                      for s in part.samples]] for part in parts]]
            for name, parts in reader.read_scene(file)]


def packages(file):
    from scene_model import Model  # pylint: disable=import-outside-toplevel
    model = Model(file, options())
    return [[body.name, sum(v[0] + 2 * v[1] + 3 * v[2] for piece in body.pieces for v in piece.data)]
            for body in model.bodies]


def data_set(file):
    from archive import of_set  # pylint: disable=import-outside-toplevel
    from scene_model import Model  # pylint: disable=import-outside-toplevel
    answer = []
    for scene, read in of_set(file, os.path.join(os.path.dirname(os.path.dirname(file)), 'usual.json')):
        times, pieces = read(Model(scene, options()).joint_names())
        rows = [piece[0] for piece in pieces] + [pieces[-1][-1]]
        inner = [[[middle(x) for x in row] for row in piece[1:-1]] for piece in pieces]
        answer.append([times, [[middle(x) for x in row] for row in rows], inner])
    return answer


def options():
    return argparse.Namespace(robot='', clearance='0', tracking_error='0', trust_srdf_never=False, require_solid=False,
                              constraints='')


KINDS = {'traffic': traffic, 'packages': packages, 'data_set': data_set}


def main():
    read = KINDS[sys.argv[1]]
    for line in sys.stdin:
        try:
            answer = {'read': read(line.rstrip('\n'))}
        except (Exception, SystemExit) as error:  # pylint: disable=broad-exception-caught
            answer = {'error': f'{type(error).__name__}: {error}'}
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
