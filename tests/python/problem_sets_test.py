"""Problem sets end to end by one command, and large sets of planned motions: what is kept is an audit like any other, and the
figures are those of the files."""

import json
import os
import pathlib
import subprocess

import pytest

PROGRAM = os.environ.get("PROVEN_PROGRAM", "")
DATA = pathlib.Path(os.environ.get("PROVEN_DATA") or pathlib.Path(__file__).parents[3] / "shared" / "data")


def run(*words):
    return subprocess.run([PROGRAM, *[str(word) for word in words]], capture_output=True, text=True, check=False)


def test_planned_audited_repaired_verified(tmp_path):
    if not (DATA / "motionbenchmaker/panda/problems.json").exists():
        pytest.skip("skipped: no data folder motionbenchmaker")
    done = run("bench", "problem-sets", "--robot", "panda", "--cases", "8", "--keep", tmp_path, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    if "built without OMPL" in done.stdout:
        pytest.skip("skipped: built without OMPL or FCL")
    row = told["rows"][0]
    kept = tmp_path / "panda"
    with open(kept / "audit.jsonl", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream][1:]
    verdicts = [one["verdict"] for one in rows]
    assert row["solved"] == len(rows) > 0
    assert row["free"] == verdicts.count("free") and row["collide"] == verdicts.count("collision")
    assert row["certificates accepted"] == row["free"] + row["collide"] and row["rejected"] == 0
    assert row["repaired, accepted"] == row["repaired"] <= row["collide"]
    # Sets are spread over: groups say which.
    assert len({one["group"].split("/")[0] for one in rows}) >= 4
    # The program finds nothing left to judge, and its verifier, with readers of its own, accepts all.
    again = run("audit", kept / "set.json", "-o", kept / "audit.jsonl", "--certificates", kept / "audit.proofs", "--json",
                "--quiet")
    assert json.loads(again.stdout)["resumed"] == len(rows), again.stderr
    verified = run("verify", kept / "set.json", kept / "audit.proofs", "--json", "--quiet")
    assert verified.returncode == 0, verified.stderr
    counts = json.loads(verified.stdout.splitlines()[-1])
    assert counts["free"] == row["free"] and counts["collision"] == row["collide"]
    assert "By set" in (kept / "audit.html").read_text(encoding="utf-8")
    assert len((kept / "audit.csv").read_text(encoding="utf-8").splitlines()) == len(rows) + 1
    # Files are not written over.
    assert "there is a data set already" in run("bench", "problem-sets", "--robot", "panda", "--keep", tmp_path).stderr
    assert "has no files to keep" in run("bench", "fig5", "--keep", tmp_path).stderr


def test_planned_motions_are_a_data_set_and_kills_change_nothing(tmp_path):
    if not (DATA / "motionbenchmaker/panda/problems.json").exists():
        pytest.skip("skipped: no data folder motionbenchmaker")

    def million(threads, folder):
        done = run("bench", "million", "--robot", "panda", "--quick", "--cases", "600", "--threads", threads, "--keep", folder,
                   "--json", "--quiet")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["rows"][0]

    row = million(2, tmp_path / "a")
    kept = tmp_path / "a" / "panda"
    assert row["same bytes"] == "yes" and row["errors"] == 0 and 500 < row["paths"] <= 600
    with open(kept / "audit.jsonl", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream][1:]
    assert len(rows) == row["paths"]
    # Sampling passes what collides.
    verdicts = [one["verdict"] for one in rows]
    assert verdicts.count("collision") == row["collide"] > 0 and verdicts.count("free") == row["free"] > 400
    # The same files on any number of threads.
    million(1, tmp_path / "b")
    for name in ["set.json", "audit.jsonl", "cage/0051/paths.npy"]:
        assert (kept / name).read_bytes() == (tmp_path / "b" / "panda" / name).read_bytes()
    # What is there is taken.
    again = million(2, tmp_path / "a")
    assert "s to make" not in again and again["paths"] == row["paths"]
