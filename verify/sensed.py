"""What a sensor saw: the pieces of clouds and voxel sets, their codes and their trees (format, section 12)."""
import itertools


class Grains(list):
    """Pieces with codes, one for each."""

    def __init__(self, pieces, codes):
        super().__init__(pieces)
        self.codes = codes


def interleaved(places):
    """The bits of three numbers below 2^21 in turn, those of the first highest."""
    code = 0
    for bit in reversed(range(21)):
        for place in places:
            code = code << 1 | (place >> bit & 1)
    return code


def codes_of_points(points):
    low = [min(x) for x in zip(*points)]
    width = max(max(x) - y for x, y in zip(zip(*points), low))
    factor = 2048.0 / width if width > 1e-300 else 0.0
    return [interleaved([int(min((x - y) * factor, 2047.0)) for x, y in zip(p, low)]) for p in points]


def code_of_box(box):
    return interleaved([first + 2 ** 20 for first, _ in box])


def boxes_of_cells(cells):
    """As ((first, end), (first, end), (first, end)), in the order of their first cells, last index first."""
    boxes = [tuple((i, i + 1) for i in cell) for cell in {tuple(cell) for cell in cells}]
    for axis in range(3):  # runs, plates of equal runs, boxes of equal plates
        def others(box, axis=axis):
            # What must be equal, and what orders the rest: the axes above are single cells still.
            return tuple(box[k] for k in range(3) if k != axis)
        boxes.sort(key=lambda box, axis=axis: (others(box), box[axis]))
        joined = []
        for box in boxes:
            last = joined[-1] if joined else None
            if last and others(last) == others(box) and last[axis][1] == box[axis][0]:
                joined[-1] = box[:axis] + ((last[axis][0], box[axis][1]),) + box[axis + 1:]
            else:
                joined.append(box)
        boxes = joined
    return sorted(boxes, key=lambda box: (box[2][0], box[1][0], box[0][0]))


def code_tree(codes, leaf, inner):
    """The tree over items with these codes, of what `leaf` makes of an item and `inner` of items and two children."""
    order = sorted(range(len(codes)), key=lambda i: (codes[i], i))
    keys = [codes[i] << 32 | place for place, i in enumerate(order)]

    def build(begin, end):
        if end - begin == 1:
            return leaf(order[begin])
        bit = (keys[begin] ^ keys[end - 1]).bit_length() - 1
        split = next(p for p in itertools.count(begin) if keys[p] >> bit & 1)
        return inner(order[begin:end], build(begin, split), build(split, end))
    return build(0, len(codes))
