"""proven.scale: on a local cluster of worker processes, one of which is killed, audits and plans write the bytes of one machine."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy
import pytest

import proven
from proven import scale

PROGRAM = os.environ.get("PROVEN_PROGRAM", "")


def write_paths(file, count, seed):
    scene = proven.built_in_scene("demo")
    limits = numpy.asarray(scene.limits)
    generator = numpy.random.default_rng(seed)
    with open(file, "w", encoding="utf-8") as stream:
        for i in range(count):
            begin, end = (generator.uniform(limits[:, 0], limits[:, 1]) for _ in range(2))
            end = begin + (0.05 if i % 2 else 0.6) * (end - begin)
            path = {"proven": 1, "joints": list(scene.joints), "waypoints": [begin.tolist(), end.tolist()]}
            stream.write(json.dumps(path) + "\n")


def run_alone(data_set, results, certificates):
    """By the program."""
    done = subprocess.run([PROGRAM, "audit", data_set, "--scene", "demo", "-o", results, "--certificates", certificates,
                           "--quiet"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr  # some collide


def read(file):
    with open(file, "rb") as stream:
        return stream.read()


def test_parts_of_an_audit_are_those_of_the_program(tmp_path):
    paths = str(tmp_path / "paths.jsonl")
    write_paths(paths, 40, 1)
    run_alone(paths, str(tmp_path / "rows"), str(tmp_path / "proofs"))
    audit = scale.Audit(paths, "demo", certificates=True)
    assert len(audit) == 40
    rows = audit.header.encode() + b"\n" + b"".join(audit.judge(i, min(40, i + 7))[0] for i in range(0, 40, 7))
    assert rows == read(tmp_path / "rows")
    assert scale.audit(None, paths, scene="demo", results=tmp_path / "here", certificates=tmp_path / "here.proofs") == 40
    assert read(tmp_path / "here") == rows and read(tmp_path / "here.proofs") == read(tmp_path / "proofs")
    verdicts = {json.loads(line)["verdict"] for line in rows.splitlines()[1:]}
    assert verdicts >= {"free", "collision"}
    with pytest.raises(proven.Error):
        audit.judge(3, 41)
    with pytest.raises(proven.Error):
        scale.Audit(str(tmp_path / "none.jsonl"), "demo")


def test_a_cluster_with_a_killed_worker_writes_the_same_bytes(tmp_path):
    if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
        pytest.importorskip("distributed")
    import distributed  # pylint: disable=import-outside-toplevel
    paths = str(tmp_path / "paths.jsonl")
    write_paths(paths, 600, 2)
    run_alone(paths, str(tmp_path / "rows"), str(tmp_path / "proofs"))
    chance = random.Random(5)
    killed = []
    with distributed.Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        processes = list(client.run(os.getpid).values())
        assert len(set(processes)) == 2 and os.getpid() not in processes

        def progress(done, total):
            if not killed and done < total:
                time.sleep(chance.uniform(0, 0.05))
                killed.append(chance.choice(processes))
                os.kill(killed[0], signal.SIGKILL)

        count = scale.audit(client, paths, scene="demo", results=str(tmp_path / "rows2"),
                            certificates=str(tmp_path / "proofs2"), task_seconds=0.02, progress=progress)
        assert count == 600 and killed
        assert killed[0] not in client.run(os.getpid).values()
    assert read(tmp_path / "rows2") == read(tmp_path / "rows")
    assert read(tmp_path / "proofs2") == read(tmp_path / "proofs")


def write_problems(folder, count):
    """The demo's problem with other starts; the last one is beyond a joint's limits, and the one before is no query."""
    subprocess.run([PROGRAM, "scene", "demo", "-o", str(folder / "demo"), "--quiet"], check=True)
    query = json.loads((folder / "demo" / "query.json").read_text(encoding="utf-8"))
    generator = numpy.random.default_rng(4)
    pairs = []
    for i in range(count):
        start = numpy.asarray(query["start"]) + generator.uniform(-0.05, 0.05, len(query["start"]))
        if i == count - 1:
            start[0] = 100
        file = folder / f"query{i}.json"
        file.write_text(json.dumps({**query, "start": start.tolist()}), encoding="utf-8")
        pairs.append((str(folder / "demo" / "scene.json"), str(file)))
    (folder / f"query{count - 2}.json").write_text("{}", encoding="utf-8")
    return pairs


def test_plans_on_a_cluster_are_those_of_one_machine(tmp_path):
    if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
        pytest.importorskip("distributed")
    import distributed  # pylint: disable=import-outside-toplevel
    problems = write_problems(tmp_path, 25)
    assert scale.plan(None, problems, results=tmp_path / "alone") == 25
    rows = [json.loads(line) for line in read(tmp_path / "alone").splitlines()[1:]]
    assert [row["index"] for row in rows] == list(range(25))
    assert rows[-1]["status"] == "start_invalid" and "limit" in rows[-1]["reason"]
    assert rows[-2]["status"] == "error" and "query23.json" in rows[-2]["reason"]
    solved = [row for row in rows if row["status"] == "solved"]
    assert len(solved) >= 20
    scene = proven.load_scene(problems[0][0])
    for row in solved:
        path = numpy.asarray(row["path"]["waypoints"])
        assert proven.check(scene, path).verdict == "free"
        query = proven.load_query(row["query"], scene)
        assert numpy.array_equal(path[0], query.start) and numpy.array_equal(path[-1], query.goal)
    with distributed.Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        scale.plan(client, problems, results=tmp_path / "cluster", task_seconds=0.02)
    assert read(tmp_path / "cluster") == read(tmp_path / "alone")
    # Half a file is gone on with; one of other problems is refused, and so are other contents than the client's.
    half = read(tmp_path / "alone")
    (tmp_path / "half").write_bytes(half[:len(half) // 2])
    scale.plan(None, problems, results=tmp_path / "half")
    assert read(tmp_path / "half") == half
    with pytest.raises(proven.Error):
        scale.plan(None, problems[1:], results=tmp_path / "alone")
    with pytest.raises(RuntimeError, match="not those of the client"):
        scale.plan(Elsewhere(problems[0][1]), problems, results=tmp_path / "elsewhere")


def test_the_table_of_costs_tells_of_equal_bytes(tmp_path):
    if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
        pytest.importorskip("distributed")
    paths = str(tmp_path / "paths.jsonl")
    write_paths(paths, 400, 6)
    done = subprocess.run([sys.executable, "-m", "proven.scale_bench", paths, "--scene", "demo", "--workers", "2", "--kills", "1",
                           "--task-seconds", "0.02"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.splitlines() if line[:1] == "|"]
    assert [row[:2] for row in rows[2:]] == [["2", "0"], ["2", "1"]]
    assert rows[0][-1] == "same bytes" and {row[-1] for row in rows[2:]} == {"yes"}


def test_the_table_of_roadmaps_tells_of_equal_bytes():
    if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
        pytest.importorskip("distributed")
    done = subprocess.run([sys.executable, "-m", "proven.scale_bench", "demo", "--roadmap", "600", "--cell", "0.1", "--workers", "2",
                           "--kills", "1", "--task-seconds", "0.02"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.splitlines() if line[:1] == "|"]
    assert [row[:2] for row in rows[2:]] == [["2", "0"], ["2", "1"]]
    assert rows[0][-1] == "same bytes" and {row[-1] for row in rows[2:]} == {"yes"}
    assert "edge_cells" in done.stdout and "the client itself" in done.stdout


def test_problems_are_found_by_their_numbers(tmp_path):
    with pytest.raises(ValueError, match="there is no"):
        scale.find_problems(tmp_path)
    (tmp_path / "set").mkdir()
    for name in ["scene0001", "request0001", "scene0002", "arm_scene0003", "arm_request0003"]:
        (tmp_path / "set" / f"{name}.yaml").touch()
    found = scale.find_problems(tmp_path)
    assert [[os.path.basename(file) for file in pair] for pair in found] == [
        ["arm_scene0003.yaml", "arm_request0003.yaml"], ["scene0001.yaml", "request0001.yaml"]]


class Elsewhere:
    """Stands for a client whose workers see other files than it does: they are changed before the first task."""

    def __init__(self, file):
        self.file = file

    def nthreads(self):
        return {"worker": 1}

    def submit(self, function, *arguments, **_):
        with open(self.file, "a", encoding="utf-8") as stream:
            stream.write("{}\n")
        return function(*arguments)


def test_a_worker_that_sees_other_contents_refuses(tmp_path):
    paths = str(tmp_path / "paths.jsonl")
    write_paths(paths, 5, 3)
    with pytest.raises(RuntimeError, match="not those of the client"):
        scale.audit(Elsewhere(paths), paths, scene="demo", results=str(tmp_path / "rows"))
