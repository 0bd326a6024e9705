"""A client of `proven serve`: see docs/serve.md.

    with Client.start("cell.json") as server:
        server.edit({"put": {"name": "seen", "cloud": {"points": points, "radius": 0.01}}})
        server.check(path)["verdict"]

One object serves one thread. An answer with "ok": false is raised as Refused.
"""

import json
import socket
import subprocess


class Refused(Exception):
    """The server did not do what it was asked; nothing of the message took effect."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.answer = answer


class Client:
    """A connection to a server; `start` one or `connect` to one."""

    def __init__(self, reader, writer, close):
        self._reader, self._writer, self._close = reader, writer, close
        self._next_id = 1
        self._events = []

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
        stream = connection.makefile("rwb")

        def close():
            try:
                stream.close()
            finally:
                connection.close()

        client = cls(stream, stream, close)
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
        return number

    def wait(self, number):
        """The answer to a message; events that come before it are kept for `events`."""
        while True:
            answer = self._read()
            if "event" in answer:
                self._events.append(answer)
            elif answer["id"] == number:
                if not answer["ok"]:
                    raise Refused(answer)
                return answer

    def ask(self, do, frame=b"", **keys):
        """Sends a message and waits for its answer."""
        return self.wait(self.send(do, frame, **keys))

    def _read(self):
        line = self._reader.readline()
        if not line:
            raise ConnectionError("the server has ended the connection")
        answer = json.loads(line)
        if answer.get("bytes"):
            answer["frame"] = self._reader.read(answer["bytes"])
        return answer

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

    def events(self):
        """What monitors have said since the last call; `status` waits until they are up to date."""
        events, self._events = self._events, []
        return events


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
