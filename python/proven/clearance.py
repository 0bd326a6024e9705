"""Proved clearance along a path, from the cells of a certificate."""

import numpy as np


def clearance_over_time(report, samples_per_segment=200):
    """Proved lower bounds on the distance of the nearest pair.

    ``report`` is what ``verify(..., cells=True)`` returned. Gives (t, clearance): t counts segments,
    clearance is the least of all cells that cover t. Between samples the bound of each cell is the
    straight line between its ends and its anchor, so the samples are bounds, not estimates.

    >>> path = [scene.home, scene.home + 0.1]
    >>> report = proven.verify(scene, path, proven.check(scene, path, certificate=True).certificate, cells=True)
    >>> t, clearance = proven.clearance_over_time(report)
    >>> bool(clearance.min() > 0)
    True
    """
    cells = report.cells
    segments = 1 + max((c["segment"] for c in cells), default=-1)
    t = np.linspace(0, segments, segments * samples_per_segment + 1)
    clearance = np.full(t.shape, np.inf)
    for c in cells:
        begin, end = c["segment"] + c["begin"], c["segment"] + c["end"]
        inside = (t >= begin) & (t <= end)
        times = [begin, c["segment"] + c["anchor"], end]
        bound = np.interp(t[inside], times, c["lower"])
        clearance[inside] = np.minimum(clearance[inside], bound)
    return t, clearance
