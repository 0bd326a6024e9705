"""Audits of data sets on a cluster of Dask workers (docs/audit.md).

    from dask.distributed import Client
    from proven import scale
    with Client("scheduler:8786") as client:
        scale.audit(client, "set.json", results="audit.jsonl")

The files are byte for byte those of ``proven audit`` on one machine, and are gone on with in the same way: by this
module or by the program. Workers read the data set where the client reads it (a shared file system); each opens it,
and prepares its scenes, once, and refuses one whose contents are not those that the client sees.
"""

import time
from collections import deque

from ._core import scale as _core

Audit = _core.Audit
Journal = _core.Journal
Archive = _core.Archive

__all__ = ["Archive", "Audit", "Journal", "audit"]

# What a worker process has open, by the contents: one audit, since a scene may be large.
_open = {}


def _judge(data_set, options, header, begin, end):
    """On a worker: rows and records of some paths, and the seconds that they took."""
    if header not in _open:
        opened = Audit(data_set, **options)
        if opened.header != header:
            raise RuntimeError(f"{data_set}: the contents that this worker sees are not those of the client")
        _open.clear()
        _open[header] = opened
    start = time.perf_counter()
    rows, records = _open[header].judge(begin, end)
    return rows, records, time.perf_counter() - start


class _Sizes:
    """How many paths make a task of about a second: learned from those that are done."""

    def __init__(self, seconds):
        self.seconds, self.rate = seconds, None

    def learn(self, paths, seconds):
        rate = paths / max(seconds, 1e-6)
        self.rate = rate if self.rate is None else 0.7 * self.rate + 0.3 * rate

    def next(self):
        return 64 if self.rate is None else max(1, min(65536, int(self.rate * self.seconds)))


def audit(client, data_set, *, results, certificates=None, task_seconds=1.0, retries=5, progress=None, **options):
    """Judges every path of a data set on the workers of a Dask client.

    ``options`` are those of :class:`Audit`: ``scene``, ``clearance``, ``tracking_error``, ``resolution``, ``max_cells``,
    ``least_clearance``, ``trust_srdf_never``, ``allow_empty``, ``ignore_limits``. Tasks take about ``task_seconds``; one
    whose worker dies is done again by another, up to ``retries`` times. ``progress(done, total)`` is called now and then.
    Returns the number of paths.
    """
    options = {**options, "certificates": certificates is not None}
    whole = Audit(data_set, **options)
    header, total = whole.header, len(whole)
    journal = Journal(results, header)
    written = len(journal)
    archive = None if certificates is None else Archive(certificates, header, written)
    sizes, waiting, sent = _Sizes(task_seconds), deque(), written
    while written < total:
        # Twice as many tasks as threads: one in work and one in wait for each.
        room = 2 * max(1, sum(client.nthreads().values()))
        while sent < total and len(waiting) < room:
            end = min(total, sent + sizes.next())
            task = client.submit(_judge, str(data_set), options, header, sent, end, pure=False, retries=retries)
            waiting.append((sent, end, task))
            sent = end
        begin, end, task = waiting.popleft()
        rows, records, seconds = task.result()
        task.release()
        sizes.learn(end - begin, seconds)
        if archive is not None:  # before the rows: a row that is there has its certificate
            archive.append(records)
            archive.sync()
        journal.append(rows)
        written = end
        if progress is not None:
            progress(written, total)
    journal.sync()
    if archive is not None:
        archive.finish()
    return total
