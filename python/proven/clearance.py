"""Clearance along a path, proved."""

import numpy as np


def clearance_over_time(found, samples_per_segment=200):
    """Proved lower bounds on the distance of the nearest pair.

    ``found`` is what ``least_clearance`` returned: the bounds are then as large as the search could
    prove them, constant over each of its stretches. With what ``verify(..., cells=True)`` returned they
    are those of the certificate's cells, which bound no more than the proof needed: often far
    less than the clearance. Gives (t, clearance): t counts segments.

    >>> t, clearance = proven.clearance_over_time(proven.least_clearance(scene, [scene.home, scene.home + 0.1]))
    >>> bool(clearance.min() > 0)
    True
    """
    if isinstance(found, dict):
        return _of_stretches(found, samples_per_segment)
    return _of_cells(found.cells, samples_per_segment)


def _times(segments, samples_per_segment):
    return np.linspace(0, segments, segments * samples_per_segment + 1)


def _of_stretches(found, samples_per_segment):
    if found["verdict"] != "free":
        raise ValueError("only of a motion that is free clearances are proved; this one is " + found["verdict"])
    t = _times(len(found["segments"]), samples_per_segment)
    clearance = np.full(t.shape, np.inf)
    for segment, begin, end, at_least, _ in found["stretches"]:
        inside = (t >= segment + begin) & (t <= segment + end)
        clearance[inside] = np.minimum(clearance[inside], at_least)
    return t, clearance


# Between samples the bound of each cell is the straight line between its ends and its anchor, so
# the samples are bounds, not estimates.
def _of_cells(cells, samples_per_segment):
    t = _times(1 + max((c["segment"] for c in cells), default=-1), samples_per_segment)
    clearance = np.full(t.shape, np.inf)
    for c in cells:
        begin, end = c["segment"] + c["begin"], c["segment"] + c["end"]
        inside = (t >= begin) & (t <= end)
        times = [begin, c["segment"] + c["anchor"], end]
        bound = np.interp(t[inside], times, c["lower"])
        clearance[inside] = np.minimum(clearance[inside], bound)
    return t, clearance
