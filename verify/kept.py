"""What frames must keep at every time, besides: cones and boxes of docs/formats.md."""
import collections
import json
import math

from mpmath import iv

from clock import size_of
from curves import largest
from intervals import ZERO, compose, dot, norm, require, scale, sub, times, transpose, upper, vec
from meshes import need
from paths import no_repeats
from scene_model import json_pose

MOST_PARTS, LEAST_PART = 1 << 20, 2.0 ** -40
QUERY = {'joints', 'group', 'start', 'goal', 'goals'}  # for planners

# A point of a link, as Segment.reaches takes bodies.
Point = collections.namedtuple('Point', 'name link pose centre radius')


def unit(v):
    return scale(1 / norm(vec(v)), vec(v))


class Kept:
    def __init__(self, node, number, model):
        need(set(node) <= {'link', 'frame', 'cone', 'axis', 'direction', 'box', 'pose'}, 'an unknown key of a constraint')
        need(('cone' in node) != ('box' in node), 'a constraint has one of cone and box')
        need('pose' not in node if 'cone' in node else not {'axis', 'direction'} & set(node), 'a key of the other kind')
        links = [link.name for link in model.links]
        need(node['link'] in links, f'there is no link {node["link"]}')
        self.name, self.link = node['link'], links.index(node['link'])
        frame = json_pose({'pose': node.get('frame', {})})
        self.frame, self.cone = frame.exact, node.get('cone')
        self.point = Point(('kept', number), self.link, frame, [ZERO] * 3, ZERO)
        if self.cone is not None:
            need(0 < self.cone < math.inf, 'a cone has an angle above 0')
            self.axis, self.direction = (unit(node.get(key, (0, 0, 1))) for key in ('axis', 'direction'))
        else:
            need(len(node['box']) == 3 and all(0 < x < math.inf for x in node['box']), 'a box has three extents above 0')
            self.box, self.X_WB = vec(node['box']), json_pose(node).exact

    def slack(self, segment, t):
        """Not negative where it is kept."""
        R, p = compose(segment.link_pose(t, self.link), self.frame)
        segment.frames.clear()
        if self.cone is not None:
            return dot(times(R, self.axis), self.direction) - iv.cos(iv.mpf(self.cone))
        p = times(transpose(self.X_WB[0]), sub(p, self.X_WB[1]))
        spare = [size / 2 - abs(x) for size, x in zip(self.box, p)]
        return iv.mpf([min(x.a for x in spare), min(x.b for x in spare)])

    def check(self, segment, number):
        """How many parts it takes."""
        if self.cone is not None and self.cone > math.pi:
            return 0  # no two directions are farther apart; the double is less than the number, the next is more
        reach, rate, tube = segment.reaches(self.point), ZERO, ZERO
        for index in segment.model.chain(0, self.link):
            link, state = segment.model.links[index], segment.state[index]
            if state is None or (self.cone is not None and link.kind == 'slide'):
                continue
            arm = iv.mpf(1) if self.cone is not None else reach[index]
            rate = upper(rate + arm * largest(size_of(v) for v in state.rate))
            tube = upper(tube + arm * segment.error[index])
        parts, still = 0, [(0.0, 1.0)]
        while still:
            begin, end = still.pop()
            middle, h = (begin + end) / 2, (end - begin) / 2
            slack = self.slack(segment, middle)
            parts += 1
            if slack - rate * h - tube > 0:
                continue
            require(h >= LEAST_PART and parts < MOST_PARTS and not slack < 0,
                    f'{self.name} is not proved to keep its constraint at segment {number}, t = {middle}')
            still += [(middle, end), (begin, middle)]
        return parts


def read_constraints(file, model):
    with open(file, encoding='utf-8') as stream:
        root = json.load(stream, object_pairs_hook=no_repeats)
    need(root.get('proven') == 1 and set(root) <= {'proven', 'constraints'} | QUERY, 'this is no file of constraints')
    need(root['constraints'], 'there is no constraint')
    return [Kept(node, number, model) for number, node in enumerate(root['constraints'])]
