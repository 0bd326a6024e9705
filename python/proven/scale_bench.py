"""What Dask costs an audit: ``python3 -m proven.scale_bench set.json`` (docs/audit.md).

Audits a data set in this process alone, then on local clusters of 1, 2 and 4 worker processes, then on one of which
workers are killed, and prints a table. All must write the same bytes. Tasks without paths tell what a task costs by itself.
``--roadmap 20000`` builds a roadmap of so many nodes in the same way, of a scene or of a built-in one without its obstacles.
"""

import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

from . import _core as _proven
from . import scale


def _some_bytes(number, count):
    return number.to_bytes(8, "little") * (count // 8)


def _needs():
    """The most that this process ever held, in MB, and what it has read from files, in MB."""
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    read = pathlib.Path("/proc/self/io").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3, int(read.split()[1]) / 1e6


def _cluster(workers):
    import distributed  # pylint: disable=import-outside-toplevel
    return distributed.Client(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


def _cost_of_a_task(client, size, count):
    """Seconds of this process (client and scheduler) per task that does nothing but give so many bytes."""
    start = time.process_time()
    for task in client.map(_some_bytes, range(count), count=size, pure=False):
        task.result()
    return (time.process_time() - start) / count


def _run(client, data_set, rows, options, task_seconds, kills):
    """An audit on a cluster: what it took, and how many workers were killed meanwhile."""
    chance, killed, moments = random.Random(1), [], []  # moments: processor time of this process after each task

    def progress(done, total):
        moments.append(time.process_time())
        if len(killed) < kills and done > total * (len(killed) + 1) / (kills + 1):
            killed.append(chance.choice(list(client.run(os.getpid).values())))
            os.kill(killed[-1], signal.SIGKILL)

    start = time.perf_counter()
    paths = scale.audit(client, data_set, results=rows, progress=progress, task_seconds=task_seconds, **options)
    return {"paths": paths, "seconds": time.perf_counter() - start, "tasks": len(moments),
            "here": (moments[-1] - moments[0]) / max(1, len(moments) - 1), "killed": len(killed)}


def _alone(data_set, rows, options):
    start = time.perf_counter()
    audit = scale.Audit(data_set, **options)
    opened = time.perf_counter() - start
    journal = scale.Journal(rows, audit.header)
    start = time.perf_counter()
    for begin in range(0, len(audit), 1000):
        journal.append(audit.judge(begin, min(len(audit), begin + 1000))[0])
    return {"opened": opened, "seconds": time.perf_counter() - start, "paths": len(audit)}


def _print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def _measure(data_set, options, workers, task_seconds, kills):
    same = True
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "alone"
        alone = _alone(data_set, whole, options)
        print(f"alone, one thread: {alone['paths']} paths in {alone['seconds']:.1f} s; {alone['opened']:.2f} s to open; "
              f"{whole.stat().st_size / alone['paths']:.0f} bytes per row\n")
        _print_row(["workers", "killed", "s", "paths / s", "tasks", "ms of client and scheduler per task",
                    "ms per empty task", "ms per MB", "MB of a worker", "MB that it read", "same bytes"])
        _print_row(["---"] * 11)
        for count, deaths in [(count, 0) for count in workers] + [(max(workers), kills)]:
            rows = pathlib.Path(folder) / f"{count}-{deaths}"
            with _cluster(count) as client:
                empty, full = _cost_of_a_task(client, 0, 500), _cost_of_a_task(client, 1_000_000, 50)
                before = client.run(_needs)
                run = _run(client, data_set, rows, options, task_seconds, deaths)
                after = client.run(_needs)
            needs = [(after[w][0], after[w][1] - before[w][1]) for w in after if w in before]
            equal = rows.read_bytes() == whole.read_bytes()
            same = same and equal and run["killed"] == deaths
            _print_row([str(count), str(run["killed"]), f"{run['seconds']:.1f}", f"{run['paths'] / run['seconds']:.0f}",
                        str(run["tasks"]), f"{1e3 * run['here']:.1f}", f"{1e3 * empty:.2f}", f"{1e3 * (full - empty):.1f}",
                        f"{max((need[0] for need in needs), default=0):.0f}",
                        f"{max((need[1] for need in needs), default=0):.0f}", "yes" if equal else "no"])
    return same


class _CountingPost(scale._Post):  # pylint: disable=protected-access
    """Knows how much was sent."""

    total = 0

    def send(self, contents):
        before = len(self.sent)
        sent = super().send(contents)
        if len(self.sent) > before:
            _CountingPost.total += len(contents)
        return sent


def _roadmap_alone(scene, file, options):
    """Builds by one thread, but for what a client does itself; seconds of a core of the blocks of each stage, and of that."""
    worker = _proven.roadmap.BlockWorker(scene, **options)
    stages = {}

    def work(stage, known, blocks, give):
        start = time.process_time()
        worker.learn(known)
        done = [worker.do_block(stage, block) for block in blocks]
        stages[stage] = stages.get(stage, 0) + time.process_time() - start
        for block in done:
            give(block)

    start = time.process_time()
    model = _proven.roadmap.build_file(scene, file, work, **options)
    stages["the client itself"] = time.process_time() - start - sum(stages.values())
    return model, stages


def _measure_roadmap(scene, options, workers, task_seconds, kills):
    scale._Post = _CountingPost  # pylint: disable=protected-access
    same = True
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "alone"
        model, stages = _roadmap_alone(scene, whole, options)
        print(f"alone, one thread: {model.num_nodes} nodes, {model.num_arcs} arcs, {whole.stat().st_size / 1e6:.1f} MB; seconds of "
              "a core: " + ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in stages.items()) + "\n")
        _print_row(["workers", "killed", "s", "tasks", "s of client and scheduler", "MB sent to a worker", "MB of a worker",
                    "same bytes"])
        _print_row(["---"] * 8)
        for count, deaths in [(count, 0) for count in workers] + [(max(workers), kills)]:
            file = pathlib.Path(folder) / f"{count}-{deaths}"
            with _cluster(count) as client:
                run = _run_roadmap(client, scene, file, options, task_seconds, deaths)
                held = max(need[0] for need in client.run(_needs).values())
            equal = file.read_bytes() == whole.read_bytes()
            same = same and equal and run["killed"] == deaths
            _print_row([str(count), str(run["killed"]), f"{run['seconds']:.1f}", str(run["tasks"]), f"{run['here']:.1f}",
                        f"{run['sent'] / 1e6:.2f}", f"{held:.0f}", "yes" if equal else "no"])
    return same


def _run_roadmap(client, scene, file, options, task_seconds, kills):
    """A roadmap on a cluster: what it took, and how many workers were killed meanwhile."""
    chance, killed, tasks = random.Random(1), [], []

    def progress(stage, done, total):
        tasks.append(stage)
        if stage == "edge_cells" and len(killed) < kills and done > total * (len(killed) + 1) / (kills + 1):
            killed.append(chance.choice(list(client.run(os.getpid).values())))
            os.kill(killed[-1], signal.SIGKILL)

    _CountingPost.total = 0
    start, here = time.perf_counter(), time.process_time()
    scale.roadmap(client, scene, results=file, task_seconds=task_seconds, progress=progress, **options)
    return {"seconds": time.perf_counter() - start, "here": time.process_time() - here, "tasks": len(tasks),
            "sent": _CountingPost.total, "killed": len(killed)}


def main():
    parser = argparse.ArgumentParser(prog="python3 -m proven.scale_bench", description="What Dask costs an audit, or a roadmap.")
    parser.add_argument("data_set", help="or, for a roadmap, a scene: a file or the name of a built-in one")
    parser.add_argument("--scene", default="", help="of groups that name none")
    parser.add_argument("--roadmap", type=int, metavar="NODES", help="build a roadmap of so many nodes instead")
    parser.add_argument("--cell", type=float, default=0.05, help="size of its cells in metres")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kills", type=int, default=3, help="workers that are killed in the last run")
    parser.add_argument("--task-seconds", type=float, default=1.0)
    chosen = parser.parse_args()
    rest = (chosen.workers, chosen.task_seconds, chosen.kills)
    if chosen.roadmap is None:
        return 0 if _measure(chosen.data_set, {"scene": chosen.scene}, *rest) else 1
    if chosen.scene:
        parser.error("--scene is of audits; a roadmap's scene stands alone")
    load = _proven.load_scene if os.path.exists(chosen.data_set) else _proven.built_in_scene
    options = {"nodes": chosen.roadmap, "cell": chosen.cell}
    return 0 if _measure_roadmap(load(chosen.data_set).without_obstacles(), options, *rest) else 1


if __name__ == "__main__":
    sys.exit(main())
