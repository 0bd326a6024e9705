"""proven.scale on a local cluster: roadmaps and benchmarks are those of one machine, and scenes travel once to each worker."""

import json
import os
import pickle
import signal
import subprocess

import numpy
import pytest

import proven
from proven import scale
from scale_test import read, run_alone, write_paths

PROGRAM = os.environ.get("PROVEN_PROGRAM", "")
ROADMAP = {"nodes": 600, "neighbours": 5, "cell": 0.1}


def make_cluster(workers=2, threads=1):
    if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
        pytest.importorskip("distributed")
    import distributed  # pylint: disable=import-outside-toplevel
    return distributed.Client(n_workers=workers, threads_per_worker=threads, processes=True, dashboard_address=None)


def arrivals():
    return dict(scale._arrivals)  # pylint: disable=protected-access


def build_by_program(file, **options):
    arguments = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    subprocess.run([PROGRAM, "roadmap", "build", "demo", str(file), "--empty", "--quiet", *arguments], check=True,
                   stdout=subprocess.DEVNULL)
    return read(file)


def test_a_roadmap_of_a_cluster_with_a_killed_worker_is_that_of_the_program(tmp_path):
    expected = build_by_program(tmp_path / "alone.roadmap", **ROADMAP)
    scene = proven.built_in_scene("demo").without_obstacles()
    killed, stages = [], set()
    with make_cluster() as client:
        processes = list(client.run(os.getpid).values())

        def progress(stage, done, total):
            stages.add(stage)
            if stage == "edge_cells" and done < total and not killed:
                killed.append(processes[0])
                os.kill(killed[0], signal.SIGKILL)

        model = scale.roadmap(client, scene, results=tmp_path / "cluster.roadmap", task_seconds=0.02, progress=progress, **ROADMAP)
        assert killed and stages == {"samples", "proofs", "node_cells", "edge_cells"}
        assert killed[0] not in client.run(os.getpid).values()
    assert read(tmp_path / "cluster.roadmap") == expected
    assert model.num_nodes == 600
    assert not (tmp_path / "cluster.roadmap.part").exists()


def test_a_roadmap_goes_on_where_it_was_ended(tmp_path):
    expected = build_by_program(tmp_path / "alone.roadmap", **ROADMAP)
    scene = proven.built_in_scene("demo").without_obstacles()
    file, seen = tmp_path / "here.roadmap", []

    def progress(stage, done, total):
        seen.append((stage, done, total))
        if stage == "edge_cells" and done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scale.roadmap(None, scene, results=file, progress=progress, task_seconds=0.02, **ROADMAP)
    assert not file.exists() and (tmp_path / "here.roadmap.part").exists()
    # Another roadmap does not take what was left; the program does.
    with pytest.raises(proven.Error, match="part"):
        scale.roadmap(None, scene, results=file, **{**ROADMAP, "seed": 2})
    said = subprocess.run([PROGRAM, "roadmap", "build", "demo", str(file), "--empty", "--nodes", "600", "--neighbours", "5",
                           "--cell", "0.1"], capture_output=True, text=True, check=True)
    assert f"goes on from {2 + sum_of_blocks(seen)} blocks" in said.stderr  # with joins and bounds
    assert read(file) == expected


def sum_of_blocks(seen):
    """Blocks that were given: of every call its last count."""
    total = 0
    for this, after in zip(seen, seen[1:] + [None]):
        if after is None or after[0] != this[0] or after[1] <= this[1]:
            total += this[1]
    return total


def test_a_worker_refuses_what_it_does_not_know(tmp_path):
    scene = proven.built_in_scene("demo").without_obstacles()
    with pytest.raises(TypeError):
        scale.roadmap(None, scene, results=tmp_path / "a.roadmap", threads=3)
    with pytest.raises(proven.Error, match="nodes"):
        scale.roadmap(None, scene, results=tmp_path / "a.roadmap", nodes=1)
    parcel = scale._Parcel(pickle.dumps(scene))  # pylint: disable=protected-access
    for version, stage, word in [("0.0.1", "proofs", "version"), (proven.__version__, "dreams", "dreams"),
                                 (proven.__version__, "proofs", "no such block")]:
        with pytest.raises((RuntimeError, proven.Error), match=word):
            scale._do_blocks(version, parcel, scale._Parcel(b""), ROADMAP, stage, [0])  # pylint: disable=protected-access
    with pytest.raises(proven.Error, match="rest on"):
        scale._do_blocks(proven.__version__, parcel, scale._Parcel(b"x" * 9), ROADMAP, "proofs", [0])  # pylint: disable=protected-access


def test_a_scene_travels_once_to_each_worker(tmp_path):
    points = numpy.random.default_rng(1).uniform([0.8, -1, 0.2], [0.9, 1, 0.3], (50000, 3))
    scene = proven.built_in_scene("demo").with_obstacle("seen", [0, 0, 0], cloud=(points, 0.01))
    other = scene.with_pose("table", [1.06, 0, 0.525])
    start = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69]
    problems = [((scene, other)[i % 2], (start, numpy.asarray(start) + 0.01 * i)) for i in range(60)]
    assert scale.plan(None, problems, results=tmp_path / "alone") == 60
    with make_cluster(workers=3) as client:
        scale.plan(client, problems, results=tmp_path / "cluster", task_seconds=0.01)
        came = client.run(arrivals)
        assert len(came) == 3 and sum(map(bool, came.values())) >= 2
        for counts in came.values():
            assert len(counts) <= 2 and set(counts.values()) <= {1}, counts
        # A roadmap's scene and graph, too, however many tasks need them.
        tasks = []
        still = scene.without_obstacles()
        scale.roadmap(client, still, results=tmp_path / "a.roadmap", task_seconds=0.01,
                      progress=lambda *_: tasks.append(1), **ROADMAP)
        assert len(tasks) > 12
        for counts in client.run(arrivals).values():
            assert len(counts) <= 6 and set(counts.values()) <= {1}, counts
    assert read(tmp_path / "cluster") == read(tmp_path / "alone")
    rows = [json.loads(line) for line in read(tmp_path / "alone").splitlines()[1:]]
    assert {row["scene"] for row in rows} == {row["hash"] for row in rows} == {scene.hash, other.hash}
    assert sum(row["status"] == "solved" for row in rows) > 50


def test_threads_of_a_worker_do_not_disturb_each_other(tmp_path):
    paths = str(tmp_path / "paths.jsonl")
    write_paths(paths, 600, 7)
    run_alone(paths, str(tmp_path / "rows"), str(tmp_path / "proofs"))
    with make_cluster(workers=1, threads=4) as client:
        scale.audit(client, paths, scene="demo", results=str(tmp_path / "rows2"), certificates=str(tmp_path / "proofs2"),
                    task_seconds=0.01)
    assert read(tmp_path / "rows2") == read(tmp_path / "rows")
    assert read(tmp_path / "proofs2") == read(tmp_path / "proofs")


def bench_alone(seed):
    said = subprocess.run([PROGRAM, "bench", "traffic-misses", "--cases", "100", "--seed", str(seed), "--json", "--quiet"],
                          capture_output=True, text=True, check=True)
    return [{"seed": seed, "cases": 100, **row} for row in json.loads(said.stdout)["rows"]]


def test_a_benchmark_in_parts_has_the_rows_of_its_parts(tmp_path):
    parts = [{"seed": seed, "cases": 100} for seed in range(1, 7)]
    expected = [row for seed in range(1, 7) for row in bench_alone(seed)]
    assert len({json.dumps(row["missed_by_hulls"]) for row in expected}) > 6, "seeds differ"
    options = {"results": tmp_path / "parts.jsonl", "program": PROGRAM}
    with make_cluster() as client:
        rows = scale.bench(client, "traffic-misses", parts, csv=tmp_path / "parts.csv", **options)
    assert rows == expected == scale.bench_rows(tmp_path / "parts.jsonl")
    whole = read(tmp_path / "parts.jsonl")
    # The program reads the merged table.
    subprocess.run([PROGRAM, "bench", "--compare", str(tmp_path / "parts.csv"), str(tmp_path / "parts.csv")], check=True,
                   stdout=subprocess.DEVNULL)
    # A file without all parts is refused, and gone on with.
    lines = whole.splitlines(keepends=True)
    for kept in (b"".join(lines[:4]), whole[:-20], b"".join(lines[:3] + lines[4:])):
        (tmp_path / "parts.jsonl").write_bytes(kept)
        with pytest.raises(ValueError, match=r"parts\.jsonl:\d: the part .* is missing"):
            scale.bench_rows(tmp_path / "parts.jsonl")
    (tmp_path / "parts.jsonl").write_bytes(b"".join(lines[:4]))
    scale.bench(None, "traffic-misses", parts, **options)
    assert read(tmp_path / "parts.jsonl") == whole
    with pytest.raises(proven.Error):
        scale.bench(None, "traffic-misses", parts[1:], **options)


def test_a_part_that_fails_is_no_result(tmp_path):
    options = {"results": tmp_path / "parts.jsonl", "program": PROGRAM}
    with pytest.raises(RuntimeError, match="no-such-bench"):
        scale.bench(None, "no-such-bench", [{"seed": 1}], **options)
    for part in ({"threads": 4}, {"seed": "1"}, {"quick": 1}):
        with pytest.raises(ValueError, match="is no option of a benchmark"):
            scale.bench(None, "traffic-misses", [part], **options)
    line = {"part": {"seed": 1}, "failed": True, "rows": [], "notes": []}
    (tmp_path / "failed.jsonl").write_text(json.dumps({"parts": [{"seed": 1}]}) + "\n" + json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="failed.jsonl:2: what must hold did not"):
        scale.bench_rows(tmp_path / "failed.jsonl")
