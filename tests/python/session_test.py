"""Recordings of a server, and the page that follows one: what is told, to whom, and what is refused."""

import base64
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import jsonschema
import numpy
import pytest

from proven.client import Client

PROGRAM = os.environ["PROVEN_PROGRAM"]
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/serve.schema.json").read_text())
BALL = {"name": "ball", "sphere": 0.4, "pose": {"xyz": [0, 0, 1.2]}}


def fits(line):
    schema = {"$ref": "#/$defs/recorded", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(line)


def act(server):
    """A motion that falls and stands again, a cloud that moves, and a body that goes."""
    server.edit({"clear": True})
    scene = server.scene()
    start = scene["home"]
    path = {"proven": 1, "joints": scene["joints"],
            "waypoints": [start, [start[0] + 1] + start[1:], [start[0] + 0.5] + start[1:]]}
    server.monitor("job", path)
    server.edit({"add": BALL})
    server.status("job")
    server.advance("job", 0, 0.25)
    server.edit({"remove": "ball"})
    server.status("job")
    points = numpy.random.default_rng(1).uniform(-0.3, 0.3, (700, 3)) + [3, 0, 1]
    server.edit({"put": {"name": "seen", "cloud": {"points": points, "radius": 0.01}}})
    server.edit({"move": {"name": "seen", "pose": {"xyz": [0, 1, 0]}}})
    server.check(path)
    server.drop("job")
    return start, points


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("session") / "job.session"
    with Client.start("demo", PROGRAM, ["--record", str(path)]) as server:
        start, points = act(server)
        final = server.scene()
    return path, [json.loads(line) for line in path.read_text().splitlines()], start, points, final


def view(path, html):
    return subprocess.run([PROGRAM, "view", str(path), "--html", str(html)], capture_output=True, text=True, timeout=120)


def test_a_recording_tells_what_happened(recording):
    _, lines, start, points, final = recording
    for line in lines:
        fits(line)
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
    edits = [line for line in lines if line.get("event") == "edit"]
    assert [edit["version"] for edit in edits] == [1, 2, 3, 4, 5]
    assert edits[-1]["hash"] == final["hash"] and edits[1]["hash"] != edits[0]["hash"]
    assert "table" in edits[0]["gone"] and [b["name"] for b in edits[1]["bodies"]] == ["ball"] and edits[2]["gone"] == ["ball"]
    # Moved, not sent again; and for drawing the points are where they were to a 65,535th of their extent.
    assert "mesh" not in edits[4]["bodies"][0] and edits[4]["bodies"][0]["pose"][9:] == [0, 1, 0]
    grains = edits[3]["bodies"][0]["mesh"]["grains"]
    low, high = numpy.array(grains["low"]), numpy.array(grains["high"])
    steps = numpy.frombuffer(base64.b64decode(grains["centres"]), "<u2").reshape(-1, 3)
    drawn = low + steps / 65535 * (high - low)
    nearest = [abs(drawn - p).max(axis=1).min() for p in points]
    assert len(drawn) == len(points) and max(nearest) <= (high - low).max() / 65535
    stands = [line for line in lines if line.get("event") == "stands"]
    assert [s["verdict"] for s in stands] == ["free", "collision", "collision", "free"]
    assert stands[1]["fell"][0]["pair"][1] == "ball" and stands[1]["version"] == 2
    assert stands[2]["place"][0] == pytest.approx(start[0] + 0.25)
    asked = [line for line in lines if line.get("event") == "asked"]
    assert [a["do"] for a in asked] == ["check"] and asked[0]["verdict"] == "free"
    assert lines[-2]["event"] == "drop" and lines[-1] == {"time": lines[-1]["time"], "event": "end", "reason": "the server ended"}


def test_a_killed_server_leaves_what_it_wrote(tmp_path):
    path, html = tmp_path / "killed.session", tmp_path / "page.html"
    process = subprocess.Popen([PROGRAM, "serve", "demo", "--port", "0", "--record", str(path)], stdout=subprocess.PIPE)
    said = json.loads(process.stdout.readline())
    with Client.connect(said["port"], said["token"]) as server:
        server.edit({"add": BALL})
        for _ in range(600):
            if path.read_text().count("\n") >= 2:
                break
            time.sleep(0.05)
    process.kill()
    process.wait()
    text = path.read_text()
    assert json.loads(text.splitlines()[1])["event"] == "edit"
    assert view(path, html).returncode == 0
    # And if it was killed in the middle of a line.
    path.write_text(text[:-40])
    assert view(path, html).returncode == 0 and "in the middle of a line" in html.read_text()


@pytest.mark.parametrize("over", ["standard", "socket"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_ended_server_has_written_all_it_answered(tmp_path, how, over):
    path, address = tmp_path / "ended.session", tmp_path / "socket"
    where = ["--socket", str(address)] if over == "socket" else []
    process = subprocess.Popen([PROGRAM, "serve", "demo", "--record", str(path), *where], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if over == "socket":
        json.loads(process.stdout.readline())  # it listens
        server = Client.connect(str(address))
    else:
        server = Client(process.stdout, process.stdin, lambda: None)
    # So large that lines are written long after the edits were answered.
    points = numpy.random.default_rng(3).uniform(-1, 1, (100_000, 3)) + [9, 0, 0]
    home = server.scene()["home"]
    motion = {"proven": 1, "joints": server.scene()["joints"], "waypoints": [home, home]}
    server.monitor("job", motion)
    checks = 12
    for i in range(checks):
        answer = server.edit({"put": {"name": "seen", "cloud": {"points": points + i, "radius": 0.01}}})
        verdict = server.check(motion)["verdict"]
    final = server.scene()
    process.send_signal(how)
    # A client hears that it is over.
    rest = process.stdout if over == "standard" else server._reader
    assert rest.read() == b""
    server.close()
    assert process.wait(timeout=120) == (130 if how == signal.SIGINT else -how)
    assert not address.exists()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        fits(line)
    asked = [line for line in lines if line.get("event") == "asked"]
    assert len(asked) == checks and asked[-1]["verdict"] == verdict
    last = [line for line in lines if line.get("event") == "edit"][-1]
    assert last["version"] == answer["version"] and last["hash"] == final["hash"]
    assert [line["event"] for line in lines[-2:]] == ["left", "end"]


def test_a_recording_is_bounded(tmp_path):
    path = tmp_path / "bounded.session"
    points = numpy.random.default_rng(2).uniform(-1, 1, (60_000, 3)) + [9, 0, 0]
    with Client.start("demo", PROGRAM, ["--record", str(path), "--record-limit", "1"]) as server:
        for _ in range(4):
            server.edit({"put": {"name": "seen", "cloud": {"points": points, "radius": 0.01}}})
            points = points + 0.01
        assert server.scene()["version"] == 4
    lines = path.read_text().splitlines()
    assert path.stat().st_size < (1 << 20) + 200
    assert "limit of 1 MB" in json.loads(lines[-1])["reason"] and len(lines) < 6
    assert view(path, tmp_path / "page.html").returncode == 0


def broken(change):
    def make(lines):
        lines = json.loads(json.dumps(lines))
        change(lines)
        return "\n".join(json.dumps(line) for line in lines) + "\n"
    return make


def event(lines, name):
    return next(line for line in lines if line.get("event") == name)


BROKEN = [
    (lambda lines: json.dumps(lines[0]) + "\nnothing\n", ":2:"),
    (broken(lambda lines: lines[0].update(proven_session=2)), "version 1"),
    (broken(lambda lines: event(lines, "edit").update(verson=3)), "unknown key 'verson'"),
    (broken(lambda lines: event(lines, "edit").update(version=0)), "versions grow"),
    (broken(lambda lines: event(lines, "edit")["gone"].append("nobody")), "no such body"),
    (broken(lambda lines: lines[3].update(time=0)), "time goes back"),
    (broken(lambda lines: event(lines, "stands").update(event="stand")), "stands"),
    (broken(lambda lines: event(lines, "stands").update(name="other")), "nothing was said"),
    (broken(lambda lines: event(lines, "stands").update(segments=7)), "its motion has 2"),
    (broken(lambda lines: event(lines, "stands")["place"].pop()), "expected 6 numbers"),
    (broken(lambda lines: lines.append(lines[-1])), "nothing follows the end"),
    (broken(lambda lines: event(lines, "edit").pop("hash")), "hash"),
]


@pytest.mark.parametrize("make,words", BROKEN)
def test_recordings_are_read_strictly(recording, tmp_path, make, words):
    path = tmp_path / "bad.session"
    # As the server writes them: without spaces before the first key's value.
    path.write_text(make(recording[1]).replace('"proven_session": ', '"proven_session":', 1))
    done = view(path, tmp_path / "page.html")
    assert done.returncode == 4 and words in done.stderr and "bad.session" in done.stderr, done.stderr


# --- the page -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def port():
    process = subprocess.Popen([PROGRAM, "serve", "demo", "--port", "0"], stdout=subprocess.PIPE)
    said = json.loads(process.stdout.readline())
    yield said
    process.kill()
    process.wait()


def ask(said, request, close=True):
    with socket.create_connection(("127.0.0.1", said["port"]), timeout=30) as connection:
        connection.sendall(request)
        if close:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while data := connection.recv(1 << 16):
            answer += data
    return answer


def head(said, target, *more, method="GET", host=None, version="HTTP/1.1"):
    lines = [f"{method} {target} {version}", f"Host: {host or '127.0.0.1:%d' % said['port']}", *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def test_the_page_is_for_this_machine_and_its_token(port):
    page = f"/?token={port['token']}"
    assert port["page"] == f"http://127.0.0.1:{port['port']}{page}"
    good = ask(port, head(port, page))
    assert good.startswith(b"HTTP/1.1 200 ") and b"connect-src 'self'" in good and b"<!doctype html>" in good
    assert ask(port, head(port, page, host=f"localhost:{port['port']}")).startswith(b"HTTP/1.1 200 ")
    assert ask(port, head(port, page, f"Origin: http://127.0.0.1:{port['port']}")).startswith(b"HTTP/1.1 200 ")
    for request, status in [
            (head(port, "/"), 403), (head(port, "/?token=" + "0" * 32), 403), (head(port, "/events"), 403),
            (head(port, page, host="evil.example"), 403), (head(port, page, host=f"127.0.0.1.evil.example:{port['port']}"), 403),
            (head(port, page, "Origin: http://evil.example"), 403), (head(port, page, "Origin: null"), 403),
            (head(port, page, "Sec-Fetch-Site: cross-site"), 403), (head(port, "/../etc/passwd" + page[1:]), 404),
            (head(port, page, method="POST"), 405), (head(port, page, "Content-Length: 3") + b"abc", 400),
            (head(port, page + "&more=1"), 400), (head(port, page, "Host: 127.0.0.1"), 400), (head(port, page, "no header"), 400),
            (head(port, page, "A\x01: b"), 400), (head(port, page, version="HTTP/3"), 505), (b"GET\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET /" + b"x" * 40_000, 400), (b"GET / HT", 400),
            (head(port, page) + head(port, page), 400)]:
        answer = ask(port, request)
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (request[:80], answer[:200])
    with Client.connect(port["port"], port["token"]) as client:
        assert client.scene()["version"] == 0


def test_a_page_may_ask_for_distances(port, tmp_path):
    with Client.connect(port["port"], port["token"]) as client:
        scene = client.scene()
    q = [0.3, 0.2, -0.1, 0.4, 0.5, 0.6]
    where = f"/distances?token={port['token']}"
    answer = ask(port, head(port, f"{where}&q={','.join(map(str, q))}"))
    assert answer.startswith(b"HTTP/1.1 200 ") and b"application/json" in answer
    told = json.loads(answer.split(b"\r\n\r\n", 1)[1])
    assert told["hash"] == scene["hash"]
    # The same as the program says that measures one configuration.
    (tmp_path / "q.json").write_text(json.dumps({"proven": 1, "joints": scene["joints"], "waypoints": [q]}))
    done = subprocess.run([PROGRAM, "distance", "demo", str(tmp_path / "q.json"), "--json"], capture_output=True, text=True, timeout=120)
    assert told["pairs"] == json.loads(done.stdout)["pairs"] and len(told["pairs"]) == scene["pairs"]
    distances = [row["distance"] for row in told["pairs"]]
    assert distances == sorted(distances) and distances[-1] > distances[0] >= 0
    assert all(0 <= row["lower"] <= row["distance"] for row in told["pairs"])
    for target, status in [
            (where, 400), (f"{where}&q=", 400), (f"{where}&q=1,2,3,4,5", 400), (f"{where}&q=1,2,3,4,5,6,7", 400), (f"{where}&q=1,2,3,4,5,nan", 400),
            (f"{where}&q=1,2,3,4,5,inf", 400), (f"{where}&q=1,2,3,4,5,1e999", 400), (f"{where}&q=1,2,3,4,5,", 400), (f"{where}&q=1,2,3,4,5,0x1", 400),
            (f"{where}&q=1,2,3,4,5,6&q=1", 400), (f"{where}&p=1", 400), ("/distances?q=1,2,3,4,5,6", 400), ("/distances", 403),
            (f"/distances?token={'0' * 32}&q=1,2,3,4,5,6", 403), (f"/events?token={port['token']}&q=1", 400)]:
        answer = ask(port, head(port, target))
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (target, answer[:200])


def test_what_happens_is_told_to_a_page(port):
    with socket.create_connection(("127.0.0.1", port["port"]), timeout=60) as connection:
        connection.sendall(head(port, f"/events?token={port['token']}"))
        stream = connection.makefile("rb")
        while stream.readline().strip():
            pass

        def told():
            while True:
                line = stream.readline()
                if line.startswith(b"data: "):
                    told = json.loads(line[6:])
                    fits(told)
                    return told

        first = told()
        with Client.connect(port["port"], port["token"]) as client:
            version = client.scene()["version"]
            assert first["version"] == version and first["document"]["proven_view"] == 1
            client.edit({"add": {"name": "crate", "box": [0.1, 0.1, 0.1], "pose": {"xyz": [2, 2, 2]}}})
            line = told()
            assert (line["event"], line["version"], line["bodies"][0]["name"]) == ("edit", version + 1, "crate")
            scene = client.scene()
            client.monitor("job", {"proven": 1, "joints": scene["joints"], "waypoints": [scene["home"], scene["home"]]})
            assert [told()["event"] for _ in range(2)] == ["motion", "stands"]
        assert told()["event"] == "left"


def test_a_socket_speaks_no_http(tmp_path):
    path = str(tmp_path / "s")
    process = subprocess.Popen([PROGRAM, "serve", "demo", "--socket", path], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        raw = socket.socket(socket.AF_UNIX)
        raw.connect(path)
        raw.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert not json.loads(raw.makefile().readline())["ok"]
    finally:
        process.kill()
        process.wait()
