#!/usr/bin/env python3
"""readers.py KIND: for each file named on standard input a line of JSON: what the verifiers in Python read in it.

{"read": ...} or {"error": "..."}. Kinds: traffic.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'verify'))


def middle(x):
    return float(x.mid) if hasattr(x, 'mid') else float(x)


def traffic(file):
    import traffic as reader  # pylint: disable=import-outside-toplevel
    return [[name, [[part.begin, part.end,
                     [[[[middle(x), middle(y)] for x, y in shape.corners], middle(shape.radius)] for shape in part.shapes],
                     [[s.t, middle(s.x), middle(s.y), middle(s.heading), middle(s.deviation), middle(s.turn)]
                      for s in part.samples]] for part in parts]]
            for name, parts in reader.read_scene(file)]


KINDS = {'traffic': traffic}


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
