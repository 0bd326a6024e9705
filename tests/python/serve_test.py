"""The server as its clients see it, message by message, and against its schema."""

import json
import os
import socket
import subprocess
import time
from pathlib import Path

import jsonschema
import numpy
import pytest

from proven.client import Client, Refused

PROGRAM = os.environ["PROVEN_PROGRAM"]
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/serve.schema.json").read_text())
BOX = {"name": "crate", "box": [0.1, 0.1, 0.1], "pose": {"xyz": [2, 2, 2]}}


def fits(value, part):
    schema = {"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(value)


class Checked(Client):
    """Holds every message, answer and event to the schema."""

    def send(self, do, frame=b"", **keys):
        message = {"id": self._next_id, "do": do, **keys}
        if frame:
            message["bytes"] = len(frame)
        fits(message, "message")
        return super().send(do, frame, **keys)

    def _read(self):
        answer = super()._read()
        plain = {key: value for key, value in answer.items() if key != "frame"}
        fits(plain, "event" if "event" in answer else "answer")
        return answer


@pytest.fixture
def server():
    with Checked.start("demo", PROGRAM) as client:
        yield client


def straight(scene, share=1.0):
    """From home by one radian of the first joint."""
    start = scene["home"]
    return {"proven": 1, "joints": scene["joints"],
            "waypoints": [start, [start[0] + share] + start[1:], [start[0] + share / 2] + start[1:]]}


def listening(*options):
    process = subprocess.Popen([PROGRAM, "serve", "demo", *options], stdout=subprocess.PIPE)
    return process, json.loads(process.stdout.readline())


def test_versions_grow_by_edits_alone(server):
    assert server.scene()["version"] == 0
    assert server.edit({"add": BOX})["version"] == 1
    assert server.edit({"remove": "crate"}, {"add": BOX})["version"] == 2
    assert server.edit({"clear": True}, if_version=2)["version"] == 3
    with pytest.raises(Refused, match="version 3, not 2"):
        server.edit({"add": BOX}, if_version=2)
    assert server.scene()["version"] == 3


BROKEN = [
    ("{", ""), ("nothing", ""), ("[]", "object"), ('{"do": "edit"', ""),
    ('{"do": "scene", "verbose": true}', "unknown key 'verbose'"),
    ('{"do": "skene"}', "did you mean 'scene'"),
    ('{"do": "edit", "edits": [{"add": {"name": "x", "box": [1, 1, 1], "poze": {}}}]}', "'pose'"),
    ('{"do": "edit", "edits": [{"add": {"name": "x", "box": [1, 1, 1], "pose": {"quaternion": [0, 0, 1, 1]}}}]}',
     "unit quaternion"),
    ('{"do": "edit", "edits": [{"add": {"name": "x", "box": [1, 1, 1]}}, {"remove": "nobody"}]}', "nobody"),
    ('{"do": "edit", "edits": [{"add": {"name": "x", "box": [1, 1, NaN]}}]}', ""),
    ('{"do": "edit", "edits": [{"add": {"name": "x", "box": [1, 1, 1e400]}}]}', ""),
    ('{"do": "edit", "edits": []}', "is empty"),
    ('{"do": "check", "path": {"proven": 1, "joints": [], "waypoints": [[]]}, "budgett": 1}', "'budget'"),
    ('{"do": "status", "name": "nobody"}', "no monitor 'nobody'"),
]


@pytest.mark.parametrize("line,words", BROKEN)
def test_what_is_broken_is_refused_and_nothing_is_done(server, line, words):
    before = server.scene()
    server._writer.write(line.encode() + b"\n")
    server._writer.flush()
    answer = server._read()
    assert not answer["ok"] and words in answer["error"], answer
    after = server.scene()
    assert after["version"] == before["version"] and after["hash"] == before["hash"]
    # What the server refuses the schema does not describe, but for names that it cannot know.
    try:
        message = json.loads(line)
    except ValueError:
        return
    if "nobody" not in line and "quaternion" not in line and "NaN" not in line and "1e400" not in line:
        with pytest.raises(jsonschema.ValidationError):
            fits(message, "message")


def test_half_a_message_is_not_applied(tmp_path):
    path = str(tmp_path / "s")
    process, said = listening("--socket", path)
    try:
        assert said["socket"] == path and os.stat(path).st_mode & 0o077 == 0
        with Client.connect(path) as other:
            for half in (b'{"do": "edit", "edits": [{"add": {"name": "x", "sphere": 1}}]}',
                         b'{"do": "edit", "bytes": 12, "edits": [{"put": {"name": "x", "cloud": {"radius": 1, '
                         b'"points": {"type": "float32", "count": 1}}}}]}\n1234'):
                raw = socket.socket(socket.AF_UNIX)
                raw.connect(path)
                raw.sendall(half)
                raw.shutdown(socket.SHUT_WR)
                answer = json.loads(raw.makefile().readline())
                assert not answer["ok"] and "nothing" in answer["error"]
                raw.close()
            assert other.scene()["version"] == 0
        # A killed server leaves its socket behind, which the next one takes; a living one does not.
        assert subprocess.run([PROGRAM, "serve", "demo", "--socket", path], capture_output=True,
                              timeout=60).returncode == 4
        process.kill()
        process.wait()
        assert os.path.exists(path)
        process, said = listening("--socket", path)
        with Client.connect(path) as again:
            assert again.scene()["version"] == 0
    finally:
        process.kill()
        process.wait()


def test_a_port_asks_for_the_token():
    process, said = listening("--port", "0")
    try:
        with pytest.raises((Refused, ConnectionError)):
            with Client.connect(said["port"], "wrong") as client:
                client.scene()
        with pytest.raises((Refused, ConnectionError)):
            with Client.connect(said["port"]) as client:
                client.scene()
        with Client.connect(said["port"], said["token"]) as client:
            assert client.scene()["ok"]
    finally:
        process.kill()
        process.wait()


def test_arrays_go_as_frames(server):
    scene = server.scene()
    points = numpy.random.default_rng(1).uniform(-0.1, 0.1, (500, 3)) + [9, 0, 0]
    cells = numpy.array([[0, 0, 90], [1, 0, 90]])
    answer = server.edit({"put": {"name": "seen", "cloud": {"points": points, "radius": 0.01}}},
                         {"put": {"name": "grid", "voxels": {"cells": cells, "size": 0.1}}})
    assert answer["bodies"] == len(scene["bodies"]) + 2
    hash_of = server.scene()["hash"]
    server.edit({"put": {"name": "seen", "cloud": {"points": points.tolist(), "radius": 0.01}}},
                {"put": {"name": "grid", "voxels": {"cells": cells.tolist(), "size": 0.1}}})
    assert server.scene()["hash"] == hash_of


def test_checks_plans_and_monitors(server):
    server.edit({"clear": True})
    scene = server.scene()
    path = straight(scene)
    verdict = server.check(path, certificate=True)
    assert verdict["verdict"] == "free" and len(verdict["frame"]) == verdict["bytes"]
    assert server.configuration(scene["home"])["verdict"] == "free"
    assert server.configuration({scene["joints"][0]: 0.1})["verdict"] == "free"
    state = server.monitor("job", path)
    assert state["verdict"] == "free" and state["segments"] == 2
    # Where the arm goes: a ball around the tool of its middle.
    inside = {"name": "ball", "sphere": 0.4, "pose": {"xyz": [0, 0, 1.2]}}
    version = server.edit({"add": inside})["version"]
    state = server.status("job")
    assert state["version"] == version and state["verdict"] == "collision"
    events = server.events()
    assert [event["version"] for event in events] == [version]
    assert events[0]["fell"] and events[0]["fell"][0]["pair"][1] == "ball"
    assert server.check(path)["verdict"] == "collision"
    repaired = server.repair("job", budget=0.5)
    assert repaired["status"] != "solved" or repaired["proved"]
    server.edit({"remove": "ball"})
    assert server.status("job")["verdict"] == "free"
    planned = server.plan({"proven": 1, "joints": path["joints"], "start": path["waypoints"][0],
                           "goal": path["waypoints"][1]}, smooth=True, certificate=True)
    assert planned["status"] == "solved" and planned["proved"] and planned["frame"]
    assert server.check(planned["path"])["verdict"] == "free"
    assert server.advance("job", 1, 0.5)["ahead"] == {"segment": 1, "t": 0.5}
    server.drop("job")
    with pytest.raises(Refused, match="no monitor"):
        server.status("job")


def test_latency_is_end_to_end_with_its_parts(server):
    times = server.check(straight(server.scene()))["ms"]
    parts = sum(times[part] for part in ("read", "parse", "wait", "work", "write"))
    assert parts <= times["total"] + 0.01
    # What is read slowly counts.
    text = json.dumps({"id": 99, "do": "stats"}).encode() + b"\n"
    server._writer.write(text[:10])
    server._writer.flush()
    time.sleep(0.6)
    server._writer.write(text[10:])
    server._writer.flush()
    # A busy machine may see the first byte late.
    assert server._read()["ms"]["read"] >= 200


def test_a_request_can_be_cancelled(server):
    scene = server.scene()
    start = scene["home"]
    turns = [[start[0] + (0.3 if i % 2 else 0)] + start[1:] for i in range(20_000)]
    number = server.send("check", path={"proven": 1, "joints": scene["joints"], "waypoints": turns})
    stop = server.send("cancel", request=number)
    answers = {}
    while len(answers) < 2:
        answer = server._read()
        answers[answer["id"]] = answer
    assert answers[stop]["found"]
    if answers[number]["verdict"] != "free":
        assert answers[number]["undecided"]["reason"] == "cancelled"
