"""What Dask costs an audit: ``python3 -m proven.scale_bench set.json`` (docs/audit.md).

Audits a data set in this process alone, then on local clusters of 1, 2 and 4 worker processes, then on one of which
workers are killed, and prints a table. All must write the same bytes. Tasks without paths tell what a task costs by itself.
"""

import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

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


def main():
    parser = argparse.ArgumentParser(prog="python3 -m proven.scale_bench", description="What Dask costs an audit.")
    parser.add_argument("data_set")
    parser.add_argument("--scene", default="", help="of groups that name none")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kills", type=int, default=3, help="workers that are killed in the last run")
    parser.add_argument("--task-seconds", type=float, default=1.0)
    chosen = parser.parse_args()
    options = {"scene": chosen.scene}
    return 0 if _measure(chosen.data_set, options, chosen.workers, chosen.task_seconds, chosen.kills) else 1


if __name__ == "__main__":
    sys.exit(main())
