"""Audits of data sets, and plans of problem sets, on a cluster of Dask workers (docs/audit.md).

    from dask.distributed import Client
    from proven import scale
    with Client("scheduler:8786") as client:
        scale.audit(client, "set.json", results="audit.jsonl")

The files are byte for byte those of one machine, and are gone on with in the same way: those of an audit by this module or
by ``proven audit``. Workers read what the client reads from a file system that they share; each opens a data set, and
prepares its scenes, once, and refuses one whose contents are not those that the client sees.
"""

import hashlib
import json
import pathlib
import re
import time
import zlib
from collections import deque

from . import _core as _proven
from ._core import scale as _core

Audit = _core.Audit
Journal = _core.Journal
Archive = _core.Archive

__all__ = ["Archive", "Audit", "Journal", "audit", "find_problems", "plan"]

# What a worker process has open, by the contents: one audit, since a scene may be large.
_open = {}

# Client and scheduler need some milliseconds for a task (docs/audit.md): with this many workers they keep up with tasks of
# a second, with more the tasks are longer.
_WORKERS_FOR_A_SECOND = 50


def _judge(data_set, options, header, begin, end):
    """On a worker: rows (packed: a sixth of their bytes) and records of some paths, and the seconds that they took."""
    if header not in _open:
        opened = Audit(data_set, **options)
        if opened.header != header:
            raise RuntimeError(f"{data_set}: the contents that this worker sees are not those of the client")
        _open.clear()
        _open[header] = opened
    start = time.perf_counter()
    rows, records = _open[header].judge(begin, end)
    return zlib.compress(rows, 1), records, time.perf_counter() - start


class _Sizes:
    """How many paths make a task of about so many seconds: learned from those that are done."""

    def __init__(self, seconds, first):
        self.seconds, self.first, self.rate = seconds, first, None

    def learn(self, paths, seconds):
        rate = paths / max(seconds, 1e-6)
        self.rate = rate if self.rate is None else 0.7 * self.rate + 0.3 * rate

    def next(self, workers):
        seconds = self.seconds or max(1.0, workers / _WORKERS_FOR_A_SECOND)
        return self.first if self.rate is None else max(1, min(1 << 20, int(self.rate * seconds)))


def _in_order(client, begin, total, submit, sizes):
    """What tasks give for consecutive parts of all, in order: yields its end and the result, whose last is its seconds."""
    waiting, sent = deque(), begin
    while begin < total:
        # Twice as many tasks as threads: one in work and one in wait for each.
        workers = max(1, sum(client.nthreads().values()))
        while sent < total and len(waiting) < 2 * workers:
            end = min(total, sent + sizes.next(workers))
            waiting.append((sent, end, submit(sent, end)))
            sent = end
        begin, end, task = waiting.popleft()
        result = task.result()
        task.release()
        sizes.learn(end - begin, result[-1])
        yield end, result
        begin = end


def audit(client, data_set, *, results, certificates=None, task_seconds=None, retries=5, progress=None, **options):
    """Judges every path of a data set on the workers of a Dask client.

    ``options`` are those of :class:`Audit`: ``scene``, ``clearance``, ``tracking_error``, ``resolution``, ``max_cells``,
    ``least_clearance``, ``trust_srdf_never``, ``allow_empty``, ``ignore_limits``. Tasks take about ``task_seconds``, else a
    second, and more where there are many workers; one whose worker dies is done again by another, up to ``retries`` times.
    ``progress(done, total)`` is called now and then. Returns the number of paths.
    """
    options = {**options, "certificates": certificates is not None}
    whole = Audit(data_set, **options)
    header, total = whole.header, len(whole)
    journal = Journal(results, header)
    written = len(journal)
    archive = None if certificates is None else Archive(certificates, header, written)

    def submit(begin, end):
        return client.submit(_judge, str(data_set), options, header, begin, end, pure=False, retries=retries)

    for end, (rows, records, _) in _in_order(client, written, total, submit, _Sizes(task_seconds, 64)):
        if archive is not None:  # before the rows: a row that is there has its certificate
            archive.append(records)
            archive.sync()
        journal.append(zlib.decompress(rows))
        if progress is not None:
            progress(end, total)
    journal.sync()
    if archive is not None:
        archive.finish()
    return total


def find_problems(folder):
    """The problems of a folder of MotionBenchMaker: pairs of a scene and the request of the same number, by name."""
    pairs = []
    for scene in sorted(pathlib.Path(folder).rglob("*.yaml")):
        if match := re.fullmatch(r"(.*)scene(\d+)", scene.stem):
            request = scene.with_name(f"{match[1]}request{match[2]}.yaml")
            if request.exists():
                pairs.append((str(scene), str(request)))
    if not pairs:
        raise ValueError(f"{folder}: there is no scene0001.yaml with its request0001.yaml")
    return pairs


def _digest(file):
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()


def _plan_one(index, problem, seed, options):
    scene_file, query_file, *digests = problem
    for file, digest in zip((scene_file, query_file), digests):
        if _digest(file) != digest:
            raise RuntimeError(f"{file}: the contents that this worker sees are not those of the client")
    row = {"index": index, "scene": scene_file, "query": query_file}
    try:
        scene = _proven.load_scene(scene_file)
        query = _proven.load_query(query_file, scene)
        row["hash"] = scene.hash
        found = _proven.plan(scene, query.start, query.goal, seed=seed + index, **options)
        row["status"] = found.status
        if found.status == "solved":
            row["path"] = {"proven": 1, "joints": list(scene.joints), "waypoints": found.path.waypoints.tolist()}
        elif found.reason:
            row["reason"] = found.reason
    except _proven.Error as error:
        row.update(status="error", reason=str(error))
    return json.dumps(row) + "\n"


def _plan_some(begin, problems, seed, options):
    """On a worker: lines of some problems, and the seconds that they took."""
    start = time.perf_counter()
    lines = "".join(_plan_one(begin + i, problem, seed, options) for i, problem in enumerate(problems))
    return lines.encode(), time.perf_counter() - start


class _Here:
    """In the place of a client: all is done in this process."""

    class Done:
        def __init__(self, result):
            self.result, self.release = lambda: result, lambda: None

    def nthreads(self):
        return {"here": 1}

    def submit(self, function, *arguments, **_):
        return self.Done(function(*arguments))


def plan(client, problems, *, results, seed=1, task_seconds=None, retries=5, progress=None, **options):
    """Plans problems on the workers of a Dask client, or in this process if it is None: a line of JSON for each, in order.

    ``problems``: pairs of files, a scene and a query or request, as :func:`find_problems` lists them. ``options`` are those
    of :func:`proven.plan`: ``planner``, ``clearance``, ``max_seconds``, ``any_turn``, ``ignore_limits``, ``group``. A line
    has the ``status`` and the proved ``path``, or the ``reason`` why there is none. The same seed gives the same lines, but
    where ``max_seconds`` ends a plan; a file of the same problems and options is gone on with. Returns their number.
    """
    known = [(str(scene), str(query), _digest(scene), _digest(query)) for scene, query in problems]
    header = json.dumps({"proven": 1, "plans": _proven.__version__, "problems": len(known), "seed": seed,
                         "contents": hashlib.sha256(json.dumps(known).encode()).hexdigest(), "options": options})
    client = _Here() if client is None else client
    journal = Journal(results, header)

    def submit(begin, end):
        return client.submit(_plan_some, begin, known[begin:end], seed, options, pure=False, retries=retries)

    for end, (lines, _) in _in_order(client, len(journal), len(known), submit, _Sizes(task_seconds, 4)):
        journal.append(lines)
        if progress is not None:
            progress(end, len(known))
    journal.sync()
    return len(known)
