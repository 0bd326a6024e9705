"""Motions of the second verifier: what each coordinate does on each piece, and all of them on one clock (format, sections
5 and 8 to 10)."""
import collections

from mpmath import iv

from curves import derivative, exponential, largest, part, quaternion_matrix, raised, rests, short_turn
from intervals import IDENTITY, ZERO, cross, norm, product, require, scale, sub, vec

# How a ball joint turns: from the rotation `start`, straight about an axis by an angle, or by control points of the
# rotation vector.
Turn = collections.namedtuple('Turn', 'start axis angle points')

# What coordinates do on a piece. `scalars`: control points, vectors of one number; `turns`: those of ball joints, by
# their first coordinate. By the clock it begins and lasts so many seconds.
Piece = collections.namedtuple('Piece', 'degree scalars turns begin seconds')

# Coordinates from `first` on that follow a motion: the times of its waypoints and its pieces. It may start so many
# seconds later.
Part = collections.namedtuple('Part', 'name first count times pieces late')


def read_turn(rows, k):
    a, b = vec(rows[0][k:k + 4]), vec(rows[-1][k:k + 4])
    axis, angle = short_turn(a, b)
    inner = [row[k:k + 4] for row in rows[1:-1]]
    require(all(x[3] == 0 for x in inner), 'a rotation vector is not followed by 0')
    require(all(norm(vec(x[:3])) <= 8 for x in inner), 'a rotation vector is longer than 8 rad')
    points = [[ZERO] * 3] + [vec(x[:3]) for x in inner] + [scale(angle, axis)]
    return Turn(quaternion_matrix(a), axis, angle, points)


def make_piece(rows, first, count, balls, begin=0.0, end=0.0):
    """Of the coordinates from `first` on, by rows that hold theirs alone."""
    inside = [k for k in balls if first <= k < first + count]
    of_turns = {k + i for k in inside for i in range(4)}
    scalars = {first + i: [vec([row[i]]) for row in rows] for i in range(count) if first + i not in of_turns}
    turns = {k: read_turn(rows, k - first) for k in inside}
    return Piece(len(rows) - 1, scalars, turns, iv.mpf(begin), iv.mpf(end) - iv.mpf(begin))


def make_pieces(times, pieces, first, count, balls):
    times = times if len(times) > 1 else [0.0] * (len(pieces) + 1)
    return [make_piece(rows, first, count, balls, *times[i:i + 2]) for i, rows in enumerate(pieces)]


def cut_turn(turn, a, b):
    if rests(turn.points):
        return turn
    last = turn.points[-1]
    require(all(norm(cross(p, last)) <= iv.mpf(2) ** -47 for p in turn.points[1:-1]),
            'a turn about a changing axis is cut by the time of another motion')
    before, *after = part(turn.points, a, b)
    return Turn(product(turn.start, exponential(before)), None, None, [[ZERO] * 3] + [sub(p, before) for p in after])


def cut(piece, a, b):
    """The stretch from a to b of a piece, both shares of it."""
    scalars = {k: points if rests(points) else part(points, a, b) for k, points in piece.scalars.items()}
    turns = {k: cut_turn(turn, a, b) for k, turn in piece.turns.items()}
    return piece._replace(degree=max(2, piece.degree), scalars=scalars, turns=turns)


def resting(piece, at):
    """As it is at one end of a piece, which is not cut."""
    scalars = {k: [points[at]] * 2 for k, points in piece.scalars.items()}
    turns = {}
    for k, turn in piece.turns.items():
        start = product(turn.start, exponential(turn.points[at])) if at else turn.start
        turns[k] = Turn(start, IDENTITY[0], ZERO, [[ZERO] * 3] * 2)
    return piece._replace(degree=1, scalars=scalars, turns=turns)


def stretch(part_, begin, end):
    """What a part does between two neighbouring times of the clock."""
    times, pieces = part_.times, part_.pieces
    if begin >= times[-1] or len(times) == 1:
        return resting(pieces[-1], 0 if begin < times[0] else -1)
    if begin < times[0]:
        return resting(pieces[0], 0)
    i = max(k for k, time in enumerate(times) if time <= begin)
    if (begin, end) == (times[i], times[i + 1]):
        return pieces[i]
    t0, T = iv.mpf(times[i]), iv.mpf(times[i + 1]) - iv.mpf(times[i])
    share = [(iv.mpf(x) - t0) / T if x != times[i + 1] else iv.mpf(1) for x in (begin, end)]
    return cut(pieces[i], *share)


def together(stretches, begin, end):
    degree = max(piece.degree for piece in stretches)
    scalars, turns = {}, {}
    for piece in stretches:
        for k, points in piece.scalars.items():
            scalars[k] = points if rests(points) else raised(points, degree)
        for k, turn in piece.turns.items():
            turns[k] = turn._replace(points=raised(turn.points, degree))
    return Piece(degree, scalars, turns, iv.mpf(begin), iv.mpf(end) - iv.mpf(begin))


def on_one_clock(own, parts):
    """The pieces of a motion together with everything that moves by itself."""
    if not parts:
        return own.pieces
    require(own.times, 'things move by the clock, but the motion has no times')
    first, last = own.times[0], own.times[-1]
    inside = {time for part_ in parts for time in part_.times if first < time < last}
    times = sorted(inside | set(own.times))
    if len(times) == 1:  # a motion that stays where it begins
        return [together([at_time(part_, first) for part_ in [own] + parts], first, first)]
    return [together([stretch(part_, a, b) for part_ in [own] + parts], a, b) for a, b in zip(times, times[1:])]


def all_runs(own, parts, slots):
    """The pieces of all runs: in each, what may be late is late by the middle of a slot."""
    late = [part_ for part_ in parts if part_.late > 0]
    require(bool(late) == (slots > 0), 'certificate and scene do not agree whether something may be late')
    require(slots ** len(late) <= 4096, 'lateness is cut into too many slots')
    pieces = []
    for run in range(slots ** len(late)):
        delayed = []
        for part_ in parts:
            delay = 0.0
            if part_.late > 0:
                delay, run = part_.late * ((2 * (run % slots) + 1) / (2 * slots)), run // slots
            delayed.append(part_._replace(times=[time + delay for time in part_.times]))
            require(sorted(set(delayed[-1].times)) == delayed[-1].times, 'times are too close to be late')
        pieces += on_one_clock(own, delayed)
    return pieces


def late_errors(parts, slots):
    """How far coordinates can be from those of their run, wherever in its slot their part starts: the way that they go
    in half a slot, and in what delays and times are rounded by, at their top speed."""
    errors = {}
    for part_ in parts:
        if not part_.late > 0:
            continue
        latest = iv.mpf(max(abs(part_.times[0]), abs(part_.times[-1])))
        slot = iv.mpf(part_.late) / (2 * slots) + iv.mpf(2) ** -51 * (latest + part_.late)
        for piece in part_.pieces:
            control = {**piece.scalars, **{k: turn.points for k, turn in piece.turns.items()}}
            for k, points in control.items():
                speed = ZERO if rests(points) else largest(size_of(v) for v in derivative(points)) / piece.seconds
                errors[k] = largest([errors.get(k, ZERO), slot * speed])
    return errors


def size_of(v):
    return norm(v) if len(v) == 3 else abs(v[0])


def at_time(part_, time):
    times = part_.times
    if time <= times[0] or time >= times[-1]:
        return resting(part_.pieces[0 if time <= times[0] else -1], 0 if time <= times[0] else -1)
    i = max(k for k, t in enumerate(times) if t <= time)
    return resting(part_.pieces[i] if times[i] == time else stretch(part_, time, times[i + 1]), 0)
