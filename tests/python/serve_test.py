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

    def _take(self):
        answer = super()._take()
        if answer is not None:
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


def test_warnings_are_those_of_the_scene_as_it_is(server):
    assert server.scene()["warnings"] == []
    server.edit({"add": {"name": "car", "box": [4500, 1, 1], "pose": {"xyz": [0, 0, 9]}}})
    warnings = server.scene()["warnings"]
    assert [(warning["code"], warning["where"]) for warning in warnings] == [("size", "car")]
    server.edit({"remove": "car"})
    assert server.scene()["warnings"] == []


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


BALL = {"name": "ball", "sphere": 0.4, "pose": {"xyz": [0, 0, 1.2]}}  # where the arm goes


def test_events_come_without_any_request(tmp_path):
    """The loop of a robot: it asks for nothing, and another edits."""
    path = str(tmp_path / "s")
    process, _ = listening("--socket", path)
    try:
        with Checked.connect(path) as robot, Client.connect(path) as sensor:
            robot.edit({"clear": True})
            robot.monitor("job", straight(robot.scene()))
            assert robot.events() == []  # nothing has happened, and it does not wait
            version = sensor.edit({"add": BALL})["version"]
            told, deadline = [], time.monotonic() + 60
            while not told and time.monotonic() < deadline:
                told = robot.events()
                time.sleep(0.01)
            assert [event["version"] for event in told] == [version]
            assert told[0]["verdict"] == "collision" and told[0]["fell"][0]["pair"][1] == "ball"
            assert robot.events() == []  # each event is given once
            version = sensor.edit({"remove": "ball"})["version"]
            told = robot.events(timeout=60)  # waits for the first
            assert [(event["version"], event["verdict"]) for event in told] == [(version, "free")]
            process.kill()
            with pytest.raises(ConnectionError):
                robot.events(timeout=None)
    finally:
        process.kill()
        process.wait()


def test_answers_and_events_wait_for_who_wants_them():
    """Half a line, and half a frame, are not taken; what is not asked about yet is kept."""
    (out, said), (heard, into) = os.pipe(), os.pipe()
    with open(out, "rb") as reader, open(into, "wb") as writer:
        client = Client(reader, writer, lambda: None)
        first, second, third = client.send("check"), client.send("check"), client.send("stats")

        def say(text):
            os.write(said, text)

        say(b'{"event":"monitor","version":1')
        assert client.events() == []
        say(b'}\n{"id":%d,"ok":true,"do":"check","bytes":4}\nab' % second)
        assert [event["version"] for event in client.events()] == [1]
        assert client.events() == []
        say(b'cd{"id":%d,"ok":true,"do":"check","of":"first"}\n{"event":"monitor","version":2}\n' % first)
        assert client.wait(first)["of"] == "first"
        assert client.wait(second)["frame"] == b"abcd"
        assert [event["version"] for event in client.events()] == [2]
        with pytest.raises(ValueError):
            client.wait(first)  # its answer was given
        say(b'{"id":%d,"ok":false,"error":"no"}\n{"event":"monitor","version":3}\n' % third)
        os.close(said)
        with pytest.raises(Refused, match="no"):
            client.wait(third)
        assert [event["version"] for event in client.events()] == [3]
        with pytest.raises(ConnectionError):
            client.events()
    os.close(heard)


def silent(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(60)
    return connection


@pytest.mark.parametrize("begin", [b"", b"{", b"GET / HTTP/1.1\r\n"])
def test_connections_without_a_token_keep_nobody_out(begin):
    process, said = listening("--port", "0", "--hello-within", "86400")
    strangers = []
    try:
        with Client.connect(said["port"], said["token"]) as first:
            for _ in range(100):
                strangers.append(silent(said["port"]))
                strangers[-1].sendall(begin)
            with Client.connect(said["port"], said["token"]) as second:
                assert second.scene()["ok"]
            assert first.scene()["ok"]
            # Those that have waited longest had to go, and are told why.
            heard = strangers[0].makefile("rb").read()
            assert b"waited longest" in heard, heard
    finally:
        for stranger in strangers:
            stranger.close()
        process.kill()
        process.wait()


def test_idle_connections_to_a_socket_keep_nobody_out(tmp_path):
    path = str(tmp_path / "s")
    process, _ = listening("--socket", path)
    idle = []
    try:
        for _ in range(100):
            idle.append(socket.socket(socket.AF_UNIX))
            idle[-1].connect(path)
        with Client.connect(path) as client:
            assert client.scene()["ok"]
    finally:
        for one in idle:
            one.close()
        process.kill()
        process.wait()


@pytest.mark.parametrize("begin", [b"", b"{", b"GET / HTTP/1.1\r\n"])
def test_the_token_has_a_deadline(begin):
    process, said = listening("--port", "0", "--hello-within", "0.5")
    try:
        with Client.connect(said["port"], said["token"]) as client:
            stranger = silent(said["port"])
            stranger.sendall(begin)
            heard = stranger.makefile("rb").read()  # until it is ended
            assert b"400 Bad Request" in heard if begin[:1] == b"G" else b"in time" in heard, heard
            stranger.close()
            time.sleep(1)  # who has said the token may be as slow as it likes
            assert client.scene()["ok"]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("begin", [b'{"do": "edit", "edits": [{"clear": true}], "bytes": 1000000000}\n',
                                   b'{"do": "hello", "token": "' + b"x" * 70_000], ids=["frame", "line"])
def test_nothing_large_is_read_of_a_stranger(begin):
    process, said = listening("--port", "0", "--hello-within", "86400")
    try:
        stranger = silent(said["port"])
        stranger.sendall(begin)
        try:
            assert b"hello with the token" in stranger.makefile("rb").readline()
        except ConnectionResetError:
            pass  # ended before all was read
        stranger.close()
    finally:
        process.kill()
        process.wait()


def test_there_is_room_for_so_many_clients(tmp_path):
    process, said = listening("--port", "0")
    clients = []
    try:
        for _ in range(64):
            clients.append(Client.connect(said["port"], said["token"]))
        with pytest.raises((Refused, ConnectionError), match="64 clients|ended"):
            Client.connect(said["port"], said["token"])
        clients.pop().close()
        deadline = time.monotonic() + 60
        while len(clients) < 64 and time.monotonic() < deadline:  # its place is free soon
            try:
                clients.append(Client.connect(said["port"], said["token"]))
            except (Refused, ConnectionError):
                time.sleep(0.05)
        assert len(clients) == 64
    finally:
        for client in clients:
            client.close()
        process.kill()
        process.wait()
