"""What lies inside the meshes of a body (docs/inside.md)."""
import collections
import itertools
import math

from mpmath import iv

from intervals import ZERO, cross, dot, hull, interval, norm, sub, vec

ALMOST_WHOLE = 1 - 2 ** -10
RAYS = ((31337, 7919, 104729), (-48611, 66841, 15485), (27644, -95089, -60013))


def sign(x):
    return 1 if x > 0 else -1 if x < 0 else 0


def edges_of(corners):
    return list(zip(corners, corners[1:] + corners[:1]))


def weld(vertices):
    """Each vertex, in order, goes to the first one that stays within the tolerance along every axis."""
    tolerance = 2 ** -23 * max(max(x) - min(x) for x in zip(*vertices)) if vertices else 0
    cells, stays = {}, {}
    for v in vertices:
        if tolerance <= 1e-200:
            stays[v] = v
            continue
        near = [range(math.floor((x - 2 * tolerance) / (50 * tolerance)),
                      math.floor((x + 2 * tolerance) / (50 * tolerance)) + 1) for x in v]
        fits = [entry for cell in itertools.product(*near) for entry in cells.get(cell, ())
                if max(abs(a - b) for a, b in zip(entry[1], v)) <= tolerance]
        stays[v] = min(fits)[1] if fits else v
        if not fits:
            cells.setdefault(tuple(math.floor(x / (50 * tolerance)) for x in v), []).append((len(stays), v))
    return stays


def without_open(triangles):
    """What is left when triangles with an edge of their own are taken off until there are none."""
    users = collections.defaultdict(set)
    for i, corners in triangles.items():
        for edge in edges_of(corners):
            users[frozenset(edge)].add(i)
    waiting, left = [next(iter(u)) for u in users.values() if len(u) == 1], dict(triangles)
    while waiting:
        i = waiting.pop()
        for edge in edges_of(left.pop(i, [])):
            users[frozenset(edge)].discard(i)
            waiting += list(users[frozenset(edge)]) if len(users[frozenset(edge)]) == 1 else []
    return left


def without_cancelled(triangles, even):
    """Triangles that were written an even number of times count if an edge at which all others are
    settled asks for them; the cancelled ones."""
    left, unsettled = dict(triangles), set(even) & set(triangles)
    while True:
        users, asked = collections.defaultdict(list), {}
        for i, corners in left.items():
            for edge in edges_of(corners):
                users[frozenset(edge)].append(i)
        for at_edge in users.values():
            waiting = [i for i in at_edge if i in unsettled]
            if len(waiting) == 1:
                asked[waiting[0]] = asked.get(waiting[0], False) or len(at_edge) % 2 == 0
        if not asked:
            return left
        unsettled -= set(asked)
        for i, wanted in asked.items():
            if not wanted:
                del left[i]


def groups(triangles, keys):
    """Lists of triangles that hang together by equal keys, each in order."""
    at, group = {}, {}
    for i, corners in triangles.items():
        group[i] = [i]
        for key in keys(corners):
            a, b = group[i], group[at.setdefault(key, i)]
            if a is not b:
                a, b = (a, b) if len(a) > len(b) else (b, a)
                a += b
                for j in b:
                    group[j] = a
    return sorted((sorted(g) for g in {id(g): g for g in group.values()}.values()))


Shell = collections.namedtuple('Shell', 'triangles directed box')


class Inside:
    """`corners` are the computed corners of the triangles, `exact` gives their enclosures."""

    def __init__(self, corners, exact):
        self.exact = exact
        given = {i: [tuple(x + 0.0 for x in v) for v in c] for i, c in enumerate(corners)}
        self.parts = [g[0] for g in groups(given, lambda c: c)]
        self.welded, self.weld_error = given, 0.0
        self.find_shells()
        if self.open:
            stays = weld(list(dict.fromkeys(v for c in given.values() for v in c)))
            ways = [norm(sub(vec(a), vec(b))).b for a, b in stays.items() if a != b]
            self.weld_error = float(max(ways)) * (1 + 2 ** -52) if ways else 0.0
            self.welded = {i: [stays[v] for v in c] for i, c in given.items()}
            self.find_shells()
        self.weights = self.weigh()

    def find_shells(self):
        same = {}
        for i, c in self.welded.items():
            if len(set(c)) == 3:
                same.setdefault(frozenset(c), []).append(i)
        proper = {s[0]: self.welded[s[0]] for s in same.values()}
        self.shells = []
        whole = without_open(proper)
        left = without_cancelled(whole, [s[0] for s in same.values() if len(s) % 2 == 0])
        cancelled = set(whole) - set(left)
        left = without_open(left)
        for group in groups(left, lambda c: [frozenset(e) for e in edges_of(c)]):
            uses = collections.Counter(e for i in group for e in edges_of(left[i]))
            if all((uses[e] + uses[e[::-1]]) % 2 == 0 for e in list(uses)):
                directed = all(uses[e] == uses[e[::-1]] for e in list(uses))
                self.shells.append(Shell(group, directed, self.box(group)))
        closed = {i for shell in self.shells for i in shell.triangles}
        self.open = [i for i in proper if i not in closed and i not in cancelled]

    def box(self, triangles):
        axes = list(zip(*(v for i in triangles for v in self.welded[i])))
        return [min(x) for x in axes], [max(x) for x in axes]

    def may_hold(self):
        return bool(self.shells) or len(self.open) > 2

    def seen(self, i, p):
        return [sub([hull(a, iv.mpf(b)) for a, b in zip(x, v)], p) for x, v in zip(self.exact(i), self.welded[i])]

    def crossings(self, triangles, p, d):
        """Signed and plain number of crossings of a ray; None if one cannot be decided."""
        winding = count = 0
        for i in triangles:
            a, b, c = self.seen(i, p)
            sides = [sign(dot(d, cross(x, y))) for x, y in ((a, b), (b, c), (c, a))]
            if 1 in sides and -1 in sides:
                continue
            ahead = sign(dot(a, cross(b, c)))
            if 0 in sides or ahead == 0:
                return None
            if ahead == sides[0]:
                winding, count = winding + ahead, count + 1
        return winding, count

    def around(self, p, shells):
        """How often each of these shells goes around p; None if no ray can be decided."""
        for ray in RAYS:
            answers = [self.crossings(self.shells[s].triangles, p, vec(ray)) for s in shells]
            if None not in answers:
                return {s: abs(winding) if self.shells[s].directed else count % 2
                        for s, (winding, count) in zip(shells, answers)}
        return None

    def direction(self, shell):
        if not shell.directed:
            return 0
        origin, volume = vec(self.welded[shell.triangles[0]][0]), ZERO
        for i in shell.triangles:
            a, b, c = (sub(vec(v), origin) for v in self.welded[i])
            volume += dot(a, cross(b, c))
        return sign(volume)

    def weigh(self):
        """-1 for cavities: all outermost shells around them have the other direction."""
        directions = [self.direction(shell) for shell in self.shells]
        weights, holders = [1] * len(self.shells), {}
        if 1 not in directions or -1 not in directions:
            return weights
        for s, shell in enumerate(self.shells):
            lo, hi = shell.box
            larger = [t for t, other in enumerate(self.shells) if t != s and
                      all(a >= b for a, b in zip(lo, other.box[0])) and
                      all(a <= b for a, b in zip(hi, other.box[1]))]
            found = self.around(vec(self.welded[shell.triangles[0]][0]), larger)
            holders[s] = None if found is None else [t for t, times in found.items() if times]
        for s, found in holders.items():
            if not found or any(holders[t] is None for t in found) or directions[s] == 0:
                continue
            outermost = [t for t in found if not holders[t]]
            if outermost and all(directions[t] == -directions[s] for t in outermost):
                weights[s] = -1
        return weights

    def in_open(self, p):
        if len(self.open) <= 2 or any(x.b < lo or x.a > hi for x, lo, hi in zip(p, *self.box(self.open))):
            return False
        up = self.crossings(self.open, p, vec((0, 0, 1)))
        if up is not None and up[0] == 0:
            return False
        total = ZERO
        for i in self.open:
            a, b, c = self.seen(i, p)
            la, lb, lc = norm(a), norm(b), norm(c)
            y, x = dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
            may_touch = sign(y) == 0 and not x > 0
            total += interval(-3.2, 3.2) if may_touch else iv.atan2(y, x)
        winding = abs(total / (2 * iv.pi))
        if winding < ALMOST_WHOLE:
            return False
        return True if winding >= ALMOST_WHOLE else None

    def holds(self, p):
        """Whether p is inside; None: unknown."""
        around = self.around(p, list(range(len(self.shells))))
        if around is None:
            return None
        if sum(self.weights[s] * times for s, times in around.items()) != 0:
            return True
        return self.in_open(p)
