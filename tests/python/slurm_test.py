"""The script for Slurm on a real Slurm of one node, which is started here: its shards and its merge make the rows of one run,
and a shard that is killed keeps the merge from making any until it was submitted again."""

import getpass
import json
import os
import shutil
import socket
import subprocess
import time

import numpy
import pytest

import proven

PROGRAM = os.environ.get("PROVEN_PROGRAM", "")
TOOLS = ["slurmctld", "slurmd", "sbatch", "squeue", "sinfo"]

# Neither munge nor a database: everybody on this machine is who they say.
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
SlurmdPort={other_port}
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(holds, what, log):
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what}\n" + "\n".join(file.read_text(errors="replace") for file in log))


@pytest.fixture(name="slurm")
def start_slurm(tmp_path):
    """The environment in which the commands of Slurm speak to it, and a function that waits for all jobs."""
    os.environ["PATH"] += ":/usr/sbin"
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
            pytest.skip(f"skipped: no {' '.join(missing)}")
        pytest.fail(f"no {' '.join(missing)}: install slurmctld, slurmd and slurm-client")
    folder = tmp_path / "slurm"
    (folder / "spool").mkdir(parents=True)
    port, other_port = free_ports(2)
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(
        host=socket.gethostname().split(".")[0], user=getpass.getuser(), port=port, other_port=other_port, folder=folder,
        cores=os.cpu_count()))
    environment = {**os.environ, "SLURM_CONF": str(configuration), "PROVEN": PROGRAM}
    logs = [folder / "slurmctld.log", folder / "slurmd.log"]
    daemons = []

    def said(*words):
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout.strip()

    try:
        for name, log in zip(["slurmctld", "slurmd"], logs):
            with open(log, "wb") as stream:
                daemons.append(subprocess.Popen([name, "-D", "-c"], env=environment, stdout=stream, stderr=stream))
        wait_until(lambda: said("sinfo", "-h", "-o", "%T") == "idle", "the node did not come up", logs)
        yield environment, lambda: wait_until(lambda: not said("squeue", "-h"), "jobs do not end", logs)
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(20)


def write_paths(file, count):
    scene = proven.built_in_scene("demo")
    limits = numpy.asarray(scene.limits)
    generator = numpy.random.default_rng(7)
    with open(file, "w", encoding="utf-8") as stream:
        for i in range(count):
            begin, end = (generator.uniform(limits[:, 0], limits[:, 1]) for _ in range(2))
            end = begin + (0.05 if i % 2 else 0.6) * (end - begin)
            path = {"proven": 1, "joints": list(scene.joints), "waypoints": [begin.tolist(), end.tolist()]}
            stream.write(json.dumps(path) + "\n")


# In the place of the program: its first third shard dies in the middle of a write, as by a kill.
DIES_ONCE = """#!/bin/bash
case "$*" in *"--shard 3/4"*) if mkdir {folder}/died 2>/dev/null; then ulimit -c 0 -f 2; fi ;; esac
exec {program} "$@"
"""


def test_shards_and_merge_make_the_rows_of_one_run(slurm, tmp_path):
    environment, wait_for_jobs = slurm
    paths = tmp_path / "paths.jsonl"
    write_paths(paths, 200)

    def run(*words, **settings):
        return subprocess.run([str(word) for word in words], env=environment, cwd=tmp_path, capture_output=True, text=True,
                              check=False, **settings)

    judged = ["audit", paths, "--scene", "demo", "--quiet"]
    assert run(PROGRAM, *judged, "-o", "whole", "--certificates", "whole.proofs").returncode == 1
    written = run(PROGRAM, *judged, "-o", "rows", "--certificates", "proofs", "--slurm", "audit.sh", "--shards", "4",
                  "--threads", "1")
    assert written.returncode == 0, written.stderr
    dies_once = tmp_path / "dies_once"
    dies_once.write_text(DIES_ONCE.format(folder=tmp_path, program=PROGRAM))
    dies_once.chmod(0o755)
    environment["PROVEN"] = str(dies_once)
    submitted = run("bash", "audit.sh")
    assert submitted.returncode == 0, submitted.stderr
    wait_for_jobs()
    assert (tmp_path / "died").exists()
    assert not (tmp_path / "rows").exists()  # the merge refused
    logs = tmp_path / "rows.shards"
    assert "3.jsonl: is not finished" in (logs / "merge.log").read_text()
    assert run("bash", "audit.sh").returncode == 0
    wait_for_jobs()
    assert (tmp_path / "rows").read_bytes() == (tmp_path / "whole").read_bytes(), (logs / "merge.log").read_text()
    assert (tmp_path / "proofs").read_bytes() == (tmp_path / "whole.proofs").read_bytes()
    assert not list(tmp_path.glob("slurm-*.out"))  # what jobs say stands beside the shards
