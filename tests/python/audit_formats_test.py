"""Data sets as archives of numpy and HDF5: the same rows as from lines of JSON, whole files or none, in little memory."""

import csv
import io
import json
import os
import random
import signal
import subprocess
import time
import zipfile

import numpy
import pytest

PROGRAM = os.environ.get("PROVEN_PROGRAM", "")


def h5py():
    if os.environ.get("PROVEN_ALLOW_MISSING") == "1":
        return pytest.importorskip("h5py")
    import h5py as module  # pylint: disable=import-outside-toplevel
    return module


def joints_and_limits():
    told = subprocess.run([PROGRAM, "doctor", "demo", "--json"], capture_output=True, text=True, check=False)
    joints = json.loads(told.stdout)["joints"]
    return [j["name"] for j in joints], numpy.array([(j["lower"], j["upper"]) for j in joints])


def make_paths(count, waypoints=3, seed=1):
    """Short and long motions: free ones and colliding ones."""
    _, limits = joints_and_limits()
    generator = numpy.random.default_rng(seed)
    starts = generator.uniform(limits[:, 0], limits[:, 1], (count, len(limits)))
    steps = generator.uniform(limits[:, 0], limits[:, 1], (count, waypoints, len(limits))) - starts[:, None, :]
    scale = numpy.where(numpy.arange(count) % 2 == 0, 0.03, 0.5)
    steps[:, 0, :] = 0
    return starts[:, None, :] + scale[:, None, None] * steps


def write_lines(file, paths, joints):
    with open(file, "w", encoding="utf-8") as stream:
        for path in paths:
            rows = path[~numpy.isnan(path).all(axis=1)]
            stream.write(json.dumps({"proven": 1, "joints": joints, "waypoints": rows.tolist()}) + "\n")


def audit(data_set, results, *more, check=True):
    done = subprocess.run([PROGRAM, "audit", str(data_set), "--scene", "demo", "-o", str(results), "--quiet",
                           *[str(word) for word in more]], capture_output=True, text=True, check=False)
    if check:
        assert done.returncode in (0, 1, 2), done.stderr
    return done


def rows_of(results):
    with open(results, encoding="utf-8") as stream:
        return [json.loads(line) for line in stream][1:]


def same_but_for_names(a, b):
    strip = lambda rows: [{k: v for k, v in row.items() if k not in ("name", "group")} for row in rows]
    assert strip(a) == strip(b)


def test_archives_say_what_lines_say(tmp_path):
    joints, _ = joints_and_limits()
    paths = make_paths(300)
    filled = numpy.concatenate([paths, numpy.full((300, 2, len(joints)), numpy.nan)], axis=1)
    write_lines(tmp_path / "paths.jsonl", paths, joints)
    audit(tmp_path / "paths.jsonl", tmp_path / "lines")
    wanted = rows_of(tmp_path / "lines")
    assert {row["verdict"] for row in wanted} >= {"free", "collision"}
    # Columns in another order, said by the file; two arrays one after the other.
    turned = joints[::-1]
    np_texts = numpy.array(turned)
    forms = {}
    for name, save in (("stored", numpy.savez), ("packed", numpy.savez_compressed)):
        forms[name + ".npz"] = lambda file, save=save: save(
            file, joints=np_texts, first=filled[:100, :, ::-1], second=paths[100:, :, ::-1])
        forms["plain_" + name + ".npz"] = lambda file, save=save: save(file, filled)
    forms["bytes.npz"] = lambda file: numpy.savez(file, a=paths[..., ::-1], joints=np_texts.astype("S"))
    hdf5 = h5py()

    def write_hdf5(file, **options):
        with hdf5.File(file, "w") as out:
            out.attrs["joints"] = turned
            out.create_dataset("a/first", data=filled[:100, :, ::-1], **options)
            late = out.create_dataset("b", data=paths[100:], **options)
            late.attrs["joints"] = np_texts[::-1].astype("S")
    forms["plain.h5"] = write_hdf5
    forms["packed.hdf5"] = lambda file: write_hdf5(file, chunks=(64, 3, 1), compression="gzip", shuffle=True)
    for name, write in forms.items():
        write(tmp_path / name)
        audit(tmp_path / name, tmp_path / (name + ".rows"))
        same_but_for_names(rows_of(tmp_path / (name + ".rows")), wanted)
    assert rows_of(tmp_path / "packed.npz.rows")[100]["name"] == "packed.npz:second:0"
    assert rows_of(tmp_path / "plain.h5.rows")[7]["name"] == "plain.h5:a/first:7"
    # Single precision is what it is.
    write_lines(tmp_path / "single.jsonl", paths.astype("f4").astype("f8"), joints)
    numpy.savez_compressed(tmp_path / "single.npz", paths.astype(">f4"))
    for name in ("single.jsonl", "single.npz"):
        audit(tmp_path / name, tmp_path / (name + ".rows"))
    same_but_for_names(rows_of(tmp_path / "single.npz.rows"), rows_of(tmp_path / "single.jsonl.rows"))


def test_a_manifest_says_which_arrays_count(tmp_path):
    joints, _ = joints_and_limits()
    paths = make_paths(40)
    hdf5 = h5py()
    with hdf5.File(tmp_path / "set.h5", "w") as out:
        for i in range(40):
            out.create_dataset(f"data/demo_{i:02}/joint_positions", data=paths[i])
            out.create_dataset(f"data/demo_{i:02}/rewards", data=numpy.zeros(9))
            out.create_dataset(f"data/demo_{i:02}/labels", data=numpy.arange(3))
        out["elsewhere"] = hdf5.ExternalLink("/etc/passwd", "/x")
    write_lines(tmp_path / "paths.jsonl", paths, joints)
    audit(tmp_path / "paths.jsonl", tmp_path / "lines")

    def manifest(**more):
        group = {"scene": "demo", "paths": "set.h5", "joints": joints, **more}
        (tmp_path / "set.json").write_text(json.dumps({"proven": 1, "groups": [group]}), encoding="utf-8")
        audit(tmp_path / "set.json", tmp_path / "rows", check=False)
        rows = rows_of(tmp_path / "rows")
        (tmp_path / "rows").unlink()
        return rows
    same_but_for_names(manifest(arrays="data/*/joint_positions"), rows_of(tmp_path / "lines"))
    # Without it nothing is passed over: what is no path is an error, by its name.
    rows = manifest()
    assert len(rows) == 121
    errors = {row["name"]: row["error"] for row in rows if row["verdict"] == "error"}
    assert len(errors) == 81
    assert "floating-point" in errors["set.h5:data/demo_07/labels"]
    assert "shape" in errors["set.h5:data/demo_07/rewards"]
    assert "link" in errors["set.h5:elsewhere"]
    assert "no array whose name fits" in manifest(arrays=["nothing*"])[0]["error"]


def broken(tmp_path, name, change):
    paths = make_paths(6)
    numpy.savez_compressed(tmp_path / "good.npz", paths=paths)
    data = bytearray((tmp_path / "good.npz").read_bytes())
    change(data)
    (tmp_path / name).write_bytes(bytes(data))
    audit(tmp_path / name, tmp_path / (name + ".rows"), check=False)
    return rows_of(tmp_path / (name + ".rows"))


def test_what_is_damaged_is_refused_by_name(tmp_path):
    joints, _ = joints_and_limits()
    rows = broken(tmp_path, "cut.npz", lambda data: data.__delitem__(slice(len(data) // 2, None)))
    assert "zip archive" in rows[0]["error"]

    def flip(data):
        data[len(data) // 2] ^= 16
    rows = broken(tmp_path, "flipped.npz", flip)
    assert rows[0]["verdict"] == "error" and "'paths.npy' is damaged" in rows[0]["error"]
    stored = io.BytesIO()
    numpy.savez(stored, make_paths(6))
    data = bytearray(stored.getvalue())
    data[-400] ^= 1  # a number: only the checksum tells
    (tmp_path / "stored.npz").write_bytes(bytes(data))
    audit(tmp_path / "stored.npz", tmp_path / "r", check=False)
    assert "damaged" in rows_of(tmp_path / "r")[0]["error"]
    with zipfile.ZipFile(tmp_path / "other.npz", "w", zipfile.ZIP_BZIP2) as out:
        out.writestr("a.npy", b"x")
    audit(tmp_path / "other.npz", tmp_path / "r2", check=False)
    assert "packed in a way" in rows_of(tmp_path / "r2")[0]["error"]
    numpy.savez(tmp_path / "wrong.npz", joints=numpy.array(joints[:-1]), a=make_paths(2))
    audit(tmp_path / "wrong.npz", tmp_path / "r3", check=False)
    assert "columns" in rows_of(tmp_path / "r3")[0]["error"]
    for text in (b"", b"\x89HDF\r\n\x1a\n", b"no file of HDF5"):
        (tmp_path / "bad.h5").write_bytes(text)
        (tmp_path / "r4").unlink(missing_ok=True)
        audit(tmp_path / "bad.h5", tmp_path / "r4", check=False)
        assert "HDF5" in rows_of(tmp_path / "r4")[0]["error"]
    # The manifest and the file must agree.
    numpy.savez(tmp_path / "named.npz", joints=numpy.array(joints), a=make_paths(2))
    group = {"scene": "demo", "paths": "named.npz", "joints": joints[::-1]}
    (tmp_path / "set.json").write_text(json.dumps({"proven": 1, "groups": [group]}), encoding="utf-8")
    audit(tmp_path / "set.json", tmp_path / "r5", check=False)
    assert "names others" in rows_of(tmp_path / "r5")[0]["error"]


def test_no_flipped_bit_gives_other_paths(tmp_path):
    """Wherever a bit of an archive is wrong, its paths are the same or errors; nothing ends badly."""
    joints, _ = joints_and_limits()
    paths = make_paths(2)
    write_lines(tmp_path / "paths.jsonl", paths, joints)
    audit(tmp_path / "paths.jsonl", tmp_path / "lines")
    wanted = [{k: row[k] for k in ("verdict", "length", "segments")} for row in rows_of(tmp_path / "lines")]
    chance = random.Random(11)
    outcomes = set()
    for save in (numpy.savez, numpy.savez_compressed):
        buffer = io.BytesIO()
        save(buffer, paths=paths)
        good = buffer.getvalue()
        for _ in range(12):
            data = bytearray(good)
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            (tmp_path / "flipped.npz").write_bytes(bytes(data))
            (tmp_path / "rows").unlink(missing_ok=True)
            done = audit(tmp_path / "flipped.npz", tmp_path / "rows", check=False)
            assert 0 <= done.returncode < 100, done.stderr
            rows = rows_of(tmp_path / "rows")
            same = [{k: row.get(k) for k in ("verdict", "length", "segments")} for row in rows] == wanted
            assert same or all(row["verdict"] == "error" for row in rows), rows
            outcomes.add(same)
    assert outcomes == {True, False}


@pytest.mark.parametrize("form", ["npz", "h5"])
def test_a_killed_audit_goes_on(tmp_path, form):
    paths = make_paths(700)
    data_set = tmp_path / ("set." + form)
    if form == "npz":
        numpy.savez_compressed(data_set, a=paths[:333], b=paths[333:])
    else:
        with h5py().File(data_set, "w") as out:
            out.create_dataset("a", data=paths[:333], chunks=(50, 3, paths.shape[2]), compression="gzip")
            out.create_dataset("b", data=paths[333:])
    whole, proofs = tmp_path / "whole", tmp_path / "whole.proofs"
    audit(data_set, whole, "--certificates", proofs)
    assert len(rows_of(whole)) == 700
    # As it may be left at any byte.
    chance = random.Random(3)
    rows, archive = tmp_path / "rows", tmp_path / "rows.proofs"
    text, bytes_of_proofs = whole.read_bytes(), proofs.read_bytes()
    head = text.index(b"\n") + 1
    for _ in range(2):
        cut = chance.randrange(head, len(text))
        rows.write_bytes(text[:cut])
        archive.write_bytes(bytes_of_proofs)
        audit(data_set, rows, "--certificates", archive)
        assert rows.read_bytes() == text
        assert archive.read_bytes() == bytes_of_proofs
    # And truly killed, when some rows are there.
    rows.unlink()
    archive.unlink()
    with subprocess.Popen([PROGRAM, "audit", data_set, "--scene", "demo", "-o", rows, "--certificates", archive,
                           "--quiet", "--threads", "1"]) as running:
        while running.poll() is None and not (rows.exists() and rows.stat().st_size > head):
            time.sleep(0.001)
        running.send_signal(signal.SIGKILL)
    audit(data_set, rows, "--certificates", archive)
    assert rows.read_bytes() == text
    assert archive.read_bytes() == bytes_of_proofs
    verified = subprocess.run([PROGRAM, "verify", "demo", data_set, archive, "--quiet"],
                              capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stderr + verified.stdout


def peak_memory(data_set, results):
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen([PROGRAM, "audit", data_set, "--scene", "demo", "-o", results, "--sample", "5"],
                                   stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), process.returncode
    return used.ru_maxrss * 1024


@pytest.mark.parametrize("form", ["npz", "h5"])
def test_memory_does_not_grow_with_the_data_set(tmp_path, form):
    joints, _ = joints_and_limits()
    one = make_paths(1, 40)[0]
    peaks = []
    for count in (2_500, 120_000_000 // (40 * 8 * len(joints))):
        data_set = tmp_path / f"{count}.{form}"
        if form == "npz":
            numpy.savez_compressed(data_set, numpy.broadcast_to(one, (count, *one.shape)))
        else:
            with h5py().File(data_set, "w") as out:
                made = out.create_dataset("a", (count, *one.shape), "f8", chunks=(100, *one.shape), compression="gzip")
                for begin in range(0, count, 10_000):
                    made[begin:begin + 10_000] = one
        peaks.append(peak_memory(data_set, tmp_path / f"{count}.rows"))
    # 120 MB of numbers; the chunk cache of HDF5 may hold 16 MB of them.
    assert peaks[1] - peaks[0] < 40 * 1_000_000, peaks


def test_rows_as_a_table(tmp_path):
    joints, _ = joints_and_limits()
    paths = make_paths(60)
    write_lines(tmp_path / "a, b.jsonl", paths, joints)
    with open(tmp_path / "a, b.jsonl", "a", encoding="utf-8") as out:
        out.write('{"proven": 1, "joints": ["no \\"such\\" joint"], "waypoints": [[0]]}\n')
    done = audit(tmp_path / "a, b.jsonl", tmp_path / "rows", "--csv", tmp_path / "rows.csv", "--least-clearance",
                 check=False)
    rows = rows_of(tmp_path / "rows")
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    assert len(table) == len(rows) == 61, done.stderr
    for row, line in zip(rows, table):
        for key in ("index", "group", "name", "verdict"):
            assert line[key] == str(row[key])
        place = row.get("collision") or row.get("undecided") or {}
        for key in ("segment", "t", "distance", "depth"):
            assert line[key] == "" if place.get(key) is None else float(line[key]) == place[key]
        if place.get("pair"):
            assert [line["body_a"], line["body_b"]] == place["pair"]
            assert [float(line[axis + "_b"]) for axis in "xyz"] == place["points"][1]
        if "length" in row:
            assert float(line["length"]) == row["length"]
        if "clearance" in row:
            assert float(line["clearance_at_least"]) == row["clearance"]["at_least"]
        assert line["error"] == row.get("error", "")
    assert {line["verdict"] for line in table} >= {"free", "collision", "error"}
    # A table is remade whole, also when nothing is left to judge.
    (tmp_path / "rows.csv").unlink()
    audit(tmp_path / "a, b.jsonl", tmp_path / "rows", "--csv", tmp_path / "rows.csv", "--least-clearance", check=False)
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as stream:
        assert list(csv.DictReader(stream)) == table
