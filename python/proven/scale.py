"""Audits, plans, roadmaps and benchmarks on a cluster of Dask workers (docs/audit.md).

    from dask.distributed import Client
    from proven import scale
    with Client("scheduler:8786") as client:
        scale.audit(client, "set.json", results="audit.jsonl")
        scale.roadmap(client, proven.load_scene("cell.json").without_obstacles(), results="arm.roadmap", nodes=20000)

The files are byte for byte those of one machine, and are gone on with in the same way: those of an audit or a roadmap by this
module or by the program. Data sets and files of problems are read by workers from a file system that they share with the
client: each opens a data set, and prepares its scenes, once, and refuses one whose contents are not those that the client
sees. A :class:`proven.Scene` is sent, once to each worker process, and so is the graph of a roadmap.
"""

import csv as _csv
import hashlib
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections import Counter, deque

from . import _core as _proven
from ._core import roadmap as _roadmap
from ._core import scale as _core

Audit = _core.Audit
Journal = _core.Journal
Archive = _core.Archive

__all__ = ["Archive", "Audit", "Journal", "audit", "bench", "bench_rows", "find_problems", "plan", "roadmap"]

# Client and scheduler need some milliseconds for a task (docs/audit.md): with this many workers they keep up with tasks of
# a second, with more the tasks are longer.
_WORKERS_FOR_A_SECOND = 50


class _Kept(threading.local):
    """What a thread of a worker has made of some contents. It keeps the last few, since they may be large."""

    def __init__(self, most):
        super().__init__()
        self.most, self.things = most, {}

    def get(self, key, make):
        if key not in self.things:
            made = make()
            while len(self.things) >= self.most:
                del self.things[next(iter(self.things))]
            self.things[key] = made
        return self.things[key]


_audits, _builders, _scenes = _Kept(1), _Kept(1), _Kept(8)

# How often which contents came to this process.
_arrivals = Counter()


class _Parcel:
    """Contents on their way to workers, in a task whose key is their hash. The first worker that needs them gets them from
    the scheduler, others from each other; Dask keeps them there for all tasks, and sends them again if they are lost."""

    def __init__(self, contents):
        self.contents, self.digest = contents, hashlib.sha256(contents).hexdigest()

    def __reduce__(self):
        return _arrive, (self.contents,)

    def __sizeof__(self):
        return sys.getsizeof(self.contents)


def _arrive(contents):
    parcel = _Parcel(contents)
    _arrivals[parcel.digest] += 1
    return parcel


def _carry(parcel):
    return parcel


class _Post:
    """Sends contents to the workers of a client: the same only once while it is there."""

    def __init__(self, client, retries):
        self.client, self.retries, self.sent = client, retries, {}

    def send(self, contents):
        parcel = _Parcel(contents)
        if parcel.digest not in self.sent:
            with warnings.catch_warnings():  # that this task is large
                warnings.simplefilter("ignore", UserWarning)
                key = f"proven-{parcel.digest}"
                self.sent[parcel.digest] = self.client.submit(_carry, parcel, key=key, retries=self.retries)
        return self.sent[parcel.digest]


def _require_version(version):
    if version != _proven.__version__:
        raise RuntimeError(f"this worker has version {_proven.__version__} of proven, the client {version}")


def _open_audit(data_set, options, header):
    opened = Audit(data_set, **options)
    if opened.header != header:
        raise RuntimeError(f"{data_set}: the contents that this worker sees are not those of the client")
    return opened


def _judge(data_set, options, header, begin, end):
    """On a worker: rows (packed: a sixth of their bytes) and records of some paths, and the seconds that they took."""
    audit_here = _audits.get(header, lambda: _open_audit(data_set, options, header))
    start = time.perf_counter()
    rows, records = audit_here.judge(begin, end)
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
    """Judges every path of a data set on the workers of a Dask client, or in this process if it is None.

    ``options`` are those of :class:`Audit`: ``scene``, ``clearance``, ``tracking_error``, ``resolution``, ``max_cells``,
    ``least_clearance``, ``trust_srdf_never``, ``allow_empty``, ``ignore_limits``. Tasks take about ``task_seconds``, else a
    second, and more where there are many workers; one whose worker dies is done again by another, up to ``retries`` times.
    ``progress(done, total)`` is called now and then. Returns the number of paths.
    """
    options = {**options, "certificates": certificates is not None}
    whole = Audit(data_set, **options)
    header, total = whole.header, len(whole)
    client = _Here() if client is None else client
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


def _describe(problem):
    """A problem as workers are told it: scene and query as files or as what stands for them, and the hashes of files."""
    scene, query = problem
    if isinstance(scene, _proven.Scene):
        scene = {"hash": scene.hash}
    if not isinstance(query, (str, os.PathLike)):
        start, goal = query
        query = {"start": [float(v) for v in start], "goal": [float(v) for v in goal]}
    told = [thing if isinstance(thing, dict) else str(thing) for thing in (scene, query)]
    return told + [None if isinstance(thing, dict) else _digest(thing) for thing in told]


def _plan_one(index, problem, parcels, seed, options):
    scene_told, query_told, *digests = problem
    for file, digest in zip((scene_told, query_told), digests):
        if digest is not None and _digest(file) != digest:
            raise RuntimeError(f"{file}: the contents that this worker sees are not those of the client")
    row = {"index": index, "scene": scene_told, "query": query_told}
    try:
        if digests[0] is None:
            row["scene"] = scene_hash = scene_told["hash"]
            scene = _scenes.get(scene_hash, lambda: pickle.loads(parcels[scene_hash].contents))
        else:
            scene = _proven.load_scene(scene_told)
        row["hash"] = scene.hash
        if digests[1] is None:
            start, goal = query_told["start"], query_told["goal"]
        else:
            query = _proven.load_query(query_told, scene)
            start, goal = query.start, query.goal
        found = _proven.plan(scene, start, goal, seed=seed + index, **options)
        row["status"] = found.status
        if found.status == "solved":
            row["path"] = {"proven": 1, "joints": list(scene.joints), "waypoints": found.path.waypoints.tolist()}
        elif found.reason:
            row["reason"] = found.reason
    except _proven.Error as error:
        row.update(status="error", reason=str(error))
    return json.dumps(row) + "\n"


def _plan_some(version, begin, problems, parcels, seed, options):
    """On a worker: lines of some problems, and the seconds that they took."""
    _require_version(version)
    start = time.perf_counter()
    lines = "".join(_plan_one(begin + i, problem, parcels, seed, options) for i, problem in enumerate(problems))
    return lines.encode(), time.perf_counter() - start


class _Here:
    """In the place of a client: all is done in this process."""

    class Done:
        def __init__(self, result):
            self.result, self.release = lambda: result, lambda: None

    def nthreads(self):
        return {"here": 1}

    def submit(self, function, *arguments, **_):
        def given(argument):
            if isinstance(argument, dict):
                return {key: given(value) for key, value in argument.items()}
            return argument.result() if isinstance(argument, self.Done) else argument

        return self.Done(function(*map(given, arguments)))


def plan(client, problems, *, results, seed=1, task_seconds=None, retries=5, progress=None, **options):
    """Plans problems on the workers of a Dask client, or in this process if it is None: a line of JSON for each, in order.

    ``problems``: pairs of a scene and a query. A scene is a file, or a :class:`proven.Scene`, which is sent to each worker
    once; a query is a file, as :func:`find_problems` lists them, or a pair of configurations. ``options`` are those
    of :func:`proven.plan`: ``planner``, ``clearance``, ``max_seconds``, ``any_turn``, ``ignore_limits``, ``group``. A line
    has the ``status`` and the proved ``path``, or the ``reason`` why there is none. The same seed gives the same lines, but
    where ``max_seconds`` ends a plan; a file of the same problems and options is gone on with. Returns their number.
    """
    problems = list(problems)
    known = [_describe(problem) for problem in problems]
    header = json.dumps({"proven": 1, "plans": _proven.__version__, "problems": len(known), "seed": seed,
                         "contents": hashlib.sha256(json.dumps(known).encode()).hexdigest(), "options": options})
    client = _Here() if client is None else client
    journal = Journal(results, header)
    post, parcels = _Post(client, retries), {}

    def sent(problem):
        scene = problem[0]
        if not isinstance(scene, _proven.Scene):
            return {}
        if scene.hash not in parcels:
            parcels[scene.hash] = post.send(pickle.dumps(scene))
        return {scene.hash: parcels[scene.hash]}

    def submit(begin, end):
        needed = {}
        for problem in problems[begin:end]:
            needed.update(sent(problem))
        return client.submit(_plan_some, _proven.__version__, begin, known[begin:end], needed, seed, options, pure=False,
                             retries=retries)

    for end, (lines, _) in _in_order(client, len(journal), len(known), submit, _Sizes(task_seconds, 4)):
        journal.append(lines)
        if progress is not None:
            progress(end, len(known))
    journal.sync()
    return len(known)


def _do_blocks(version, scene, known, options, stage, blocks):
    """On a worker: blocks of a roadmap, packed, and the seconds that they took."""
    _require_version(version)

    def make():
        return {"worker": _roadmap.BlockWorker(pickle.loads(scene.contents), **options), "knows": None}

    builder = _builders.get((scene.digest, json.dumps(options)), make)
    start = time.perf_counter()
    if builder["knows"] != known.digest:
        builder["worker"].learn(known.contents)
        builder["knows"] = known.digest
    done = [zlib.compress(builder["worker"].do_block(stage, block), 1) for block in blocks]
    return done, time.perf_counter() - start


def roadmap(client, scene, *, results, task_seconds=None, retries=5, progress=None, **options):
    """Builds a dynamic roadmap on the workers of a Dask client, or in this process if it is None.

    Samples, proofs and cells are done by workers; what joins the parts of the graph, and the tables, by the client. ``options``
    are those of :func:`proven.roadmap.build` but for ``threads``: ``nodes``, ``neighbours``, ``cell``, ``planar``, ``seed``.
    The file ``results`` is to the byte that of ``proven roadmap build`` with the same scene, and so is ``results`` with
    ``.part`` behind it, which holds what is done until all is: either goes on where the other was ended.
    ``progress(stage, done, total)`` is called now and then. Returns the :class:`proven.roadmap.Model`.
    """
    client = _Here() if client is None else client
    post, sizes = _Post(client, retries), {}
    packed = post.send(pickle.dumps(scene))

    def work(stage, known, blocks, give):
        told = post.send(known)

        def submit(begin, end):
            return client.submit(_do_blocks, _proven.__version__, packed, told, options, stage, blocks[begin:end], pure=False,
                                 retries=retries)

        for end, (done, _) in _in_order(client, 0, len(blocks), submit, sizes.setdefault(stage, _Sizes(task_seconds, 1))):
            for block in done:
                if not give(zlib.decompress(block)):
                    return
            if progress is not None:
                progress(stage, end, len(blocks))

    return _roadmap.build_file(scene, results, work, **options)


_BENCH_OPTIONS = {"seed": int, "cases": int, "robot": str, "set": str, "quick": bool}


def _run_program(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # 1: what must hold did not, which the line tells.
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done


def _bench_one(program, name, part):
    command = [program, "bench", name, "--json", "--quiet", "--threads", "1"]
    for option, value in part.items():
        command += [f"--{option}"] * value if isinstance(value, bool) else [f"--{option}", str(value)]
    done = _run_program(command)
    told = json.loads(done.stdout)
    return json.dumps({"part": part, "failed": done.returncode == 1, "rows": told["rows"], "notes": told["notes"]}) + "\n"


def _bench_some(version, program, name, parts):
    """On a worker: lines of some parts of a benchmark, and the seconds that they took."""
    said = _run_program([program, "--version"]).stdout.split()
    if version not in said:
        raise RuntimeError(f"{program} of this worker is {' '.join(said)}, the client has {version}")
    start = time.perf_counter()
    lines = "".join(_bench_one(program, name, part) for part in parts)
    return lines.encode(), time.perf_counter() - start


def bench(client, name, parts, *, results, csv=None, program="proven", task_seconds=None, retries=5, progress=None):
    """Runs parts of a benchmark on the workers of a Dask client, or in this process if it is None.

    ``parts`` are dictionaries with options of ``proven bench``: ``seed``, ``cases``, ``robot``, ``set``, ``quick``; for instance
    ``[{"seed": s} for s in range(1, 101)]``. Each is run by ``program`` on one thread and gives a line of JSON in the file
    ``results``, in order; a file of the same parts is gone on with. Returns all rows, as :func:`bench_rows` reads them, and writes
    them to the file ``csv``. Whoever measures times uses workers that have a core each.
    """
    parts = [dict(part) for part in parts]
    for part in parts:
        for option, value in part.items():
            if option not in _BENCH_OPTIONS or type(value) is not _BENCH_OPTIONS[option]:
                raise ValueError(f"{option}={value!r} is no option of a benchmark; there are {_named_types(_BENCH_OPTIONS)}")
    header = json.dumps({"proven": 1, "bench": name, "version": _proven.__version__, "parts": parts})
    client = _Here() if client is None else client
    journal = Journal(results, header)

    def submit(begin, end):
        return client.submit(_bench_some, _proven.__version__, program, name, parts[begin:end], pure=False, retries=retries)

    for end, (lines, _) in _in_order(client, len(journal), len(parts), submit, _Sizes(task_seconds, 1)):
        journal.append(lines)
        if progress is not None:
            progress(end, len(parts))
    journal.sync()
    rows = bench_rows(results)
    if csv is not None:
        columns = list(dict.fromkeys(column for row in rows for column in row))
        with open(csv, "w", encoding="utf-8", newline="") as stream:
            writer = _csv.DictWriter(stream, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return rows


def _named_types(types):
    return ", ".join(f"{name} ({kind.__name__})" for name, kind in types.items())


def bench_rows(file):
    """The rows of a benchmark that was run in parts: what tells the parts apart stands in front of each.

    A file that lacks parts is refused, and so is one with a part in which something that must hold did not.
    """
    whole = pathlib.Path(file).read_text(encoding="utf-8").split("\n")[:-1]  # without a line whose end is not there yet
    lines = [json.loads(line) for line in whole]
    if not lines:
        raise ValueError(f"{file}: this is no file of a benchmark")
    parts = lines[0]["parts"]
    for number, part in enumerate(parts):
        if number + 1 >= len(lines) or lines[number + 1]["part"] != part:
            raise ValueError(f"{file}:{number + 2}: the part {part} is missing: run the benchmark again, it goes on there")
        if lines[number + 1]["failed"]:
            raise ValueError(f"{file}:{number + 2}: what must hold did not in the part {part}")
    return [{**line["part"], **row} for line in lines[1:] for row in line["rows"]]
