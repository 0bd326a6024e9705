"""proven.scale: an audit on a local cluster of worker processes, one of which is killed, writes the bytes of one machine."""

import json
import os
import random
import signal
import subprocess
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
