"""A client of `proven serve`: see docs/serve.md.

    with Client.start("cell.json") as server:
        server.edit({"put": {"name": "seen", "cloud": {"points": points, "radius": 0.01}}})
        server.check(path)["verdict"]
        for event in server.events(timeout=0.01):
            print(event["version"], event["fell"])

One object serves one thread. An answer with "ok": false is raised as Refused.
"""

import json
import os
import select
import socket
import subprocess
import time


class Refused(Exception):
    """The server did not do what it was asked; nothing of the message took effect."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.answer = answer


class Client:
    """A connection to a server; `start` one or `connect` to one."""

    def __init__(self, reader, writer, close):
        """`reader` has a descriptor and is read by this object alone; `writer` takes bytes."""
        self._reader, self._writer, self._close = reader, writer, close
        self._next_id = 1
        self._events = []
        self._answers = {}  # by id: those that came before somebody waited for them
        self._open = set()  # ids of messages whose answers nobody has had
        self._received = bytearray()  # what has come and is not taken yet
        self._ended = False

    @classmethod
    def start(cls, scene, program="proven", options=()):
        """Starts a server of its own, which ends with the client."""
        process = subprocess.Popen([program, "serve", str(scene), *options], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)

        def close():
            process.stdin.close()
            process.stdout.close()
            process.wait()

        client = cls(process.stdout, process.stdin, close)
        client.process = process
        return client

    @classmethod
    def connect(cls, address, token=None):
        """`address`: the path of a Unix socket, or a port of this machine with its token."""
        if isinstance(address, int):
            connection = socket.create_connection(("127.0.0.1", address))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        else:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(address))
        reader, writer = connection.makefile("rb", buffering=0), connection.makefile("wb")

        def close():
            try:
                writer.close()
            finally:
                reader.close()
                connection.close()

        client = cls(reader, writer, close)
        if token is not None:
            client.ask("hello", token=token)
        return client

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Ends the connection, and a server that was started with it."""
        self._close()

    # --- any message ------------------------------------------------------------------------------

    def send(self, do, frame=b"", **keys):
        """Sends a message without waiting for its answer; returns its id, for `wait` and `cancel`."""
        number = self._next_id
        self._next_id += 1
        message = {"id": number, "do": do, **keys}
        if frame:
            message["bytes"] = len(frame)
        self._writer.write(json.dumps(message).encode() + b"\n" + frame)
        self._writer.flush()
        self._open.add(number)
        return number

    def wait(self, number):
        """The answer to a message; what else comes before it is kept: events for `events`, other
        answers for their own `wait`."""
        if number not in self._open:
            raise ValueError(f"no message {number} is waiting for its answer")
        while number not in self._answers:
            self._keep(self._read())
        self._open.discard(number)
        answer = self._answers.pop(number)
        if not answer["ok"]:
            raise Refused(answer)
        return answer

    def ask(self, do, frame=b"", **keys):
        """Sends a message and waits for its answer."""
        return self.wait(self.send(do, frame, **keys))

    def _keep(self, answer):
        if "event" in answer:
            self._events.append(answer)
        elif answer["id"] in self._open:
            self._answers[answer["id"]] = answer

    def _read(self):
        """The next answer or event, however long it takes."""
        while (answer := self._take()) is None:
            self._fill(None)
            if self._ended and not self._complete():
                raise ConnectionError("the server has ended the connection")
        return answer

    def _complete(self):
        """The lengths of the first line and of its frame, if both have come whole."""
        end = self._received.find(b"\n") + 1
        if not end:
            return None
        frame = json.loads(self._received[:end]).get("bytes", 0)
        return (end, frame) if len(self._received) >= end + frame else None

    def _take(self):
        """The first answer or event of what has come; None where it has not come whole."""
        lengths = self._complete()
        if lengths is None:
            return None
        end, frame = lengths
        answer = json.loads(self._received[:end])
        if frame:
            answer["frame"] = bytes(self._received[end:end + frame])
        del self._received[:end + frame]
        return answer

    def _fill(self, seconds):
        """Waits so long for bytes (None: without end) and takes those that are there."""
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        if not self._ended and poll.poll(None if seconds is None else 1e3 * seconds):
            some = os.read(self._reader.fileno(), 1 << 20)
            self._received += some
            self._ended = not some
            return bool(some)
        return False

    # --- the messages -----------------------------------------------------------------------------

    def scene(self):
        """What is in the scene, and its version."""
        return self.ask("scene")

    def edit(self, *edits, if_version=None):
        """All of the edits or none. Arrays of numpy in "points" and "cells" go as a frame."""
        frame = bytearray()
        keys = {"edits": [_packed(edit, frame) for edit in edits]}
        if if_version is not None:
            keys["if_version"] = if_version
        return self.ask("edit", bytes(frame), **keys)

    def configuration(self, q, ignore_limits=False):
        """Is a configuration free? Values, or a name. Beyond joint limits only if they are ignored."""
        more = {"ignore_limits": True} if ignore_limits else {}
        return self.ask("configuration", q=q if isinstance(q, (str, dict)) else list(map(float, q)), **more)

    def check(self, path, **options):
        """Is a motion free?"""
        return self.ask("check", path=path, **options)

    def plan(self, query, **options):
        """A proved path for a query."""
        return self.ask("plan", query=query, **options)

    def monitor(self, name, path, **options):
        """Keeps a proved motion under watch while the scene changes."""
        return self.ask("monitor", name=name, path=path, **options)

    def advance(self, name, segment, t=0.0):
        """Says how far a watched motion has been run."""
        return self.ask("advance", name=name, segment=segment, t=t)

    def status(self, name):
        """What stands of a watched motion."""
        return self.ask("status", name=name)

    def repair(self, name, **options):
        """A proved way around what fell of a watched motion."""
        return self.ask("repair", name=name, **options)

    def drop(self, name):
        """Ends the watch of a motion."""
        return self.ask("drop", name=name)

    def cancel(self, number):
        """Ends the work on a message that `send` gave this id."""
        return self.ask("cancel", request=number)

    def stats(self):
        """What the server did, and how long it took."""
        return self.ask("stats")

    def events(self, timeout=0.0):
        """What monitors have said since the last call, oldest first.

        Reads what has arrived. Without any event it waits up to `timeout` seconds for one (None:
        without end); 0 never waits. Events come soon after the edit that caused them; `status` waits
        until a monitor is up to date. Raises ConnectionError when the server is gone and all of its
        events have been given."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            more = self._fill(0)
            while (answer := self._take()) is not None:
                self._keep(answer)
            if more:
                continue
            if self._events:
                events, self._events = self._events, []
                return events
            if self._ended:
                raise ConnectionError("the server has ended the connection")
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return []
            self._fill(left)


def _packed(value, frame, key=None):
    """The edit with arrays of points and cells moved into the frame."""
    if isinstance(value, dict):
        return {name: _packed(item, frame, name) for name, item in value.items()}
    if key not in ("points", "cells") or not hasattr(value, "astype"):
        return value
    if value.ndim != 2 or value.shape[1] != 3:
        raise ValueError(f"{key} must be an array of rows of three, not of shape {value.shape}")
    if key == "cells":
        kind, data = "int32", value.astype("<i4", casting="same_kind")
    elif value.dtype.itemsize == 4:
        kind, data = "float32", value.astype("<f4")
    else:
        kind, data = "float64", value.astype("<f8")
    if not len(value):
        return []  # no frame: the server says what it thinks of that
    place = {"type": kind, "count": len(value), "offset": len(frame)}
    frame += data.tobytes()
    return place


__all__ = ["Client", "Refused"]
