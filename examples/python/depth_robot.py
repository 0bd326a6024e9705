"""A robot that follows a proved motion while a camera watches, and finds another way when something comes into it.

    python3 depth_robot.py SCENE QUERY STREAM DRIVEN [--blind] [--record FILE]

reads the pictures that depth_camera.py wrote, plays them to `proven serve` and writes what the arm really drove into
DRIVEN: times and configurations. With --blind it looks at nothing. docs/tutorials/depth_stream.md says what happens.
"""

import argparse
import itertools
import json
import pathlib

import numpy as np
import proven
from depth_camera import depths, read_png
from proven.client import Client

CELL = 0.05                                       # metres
REGION = ((0.5, -0.3, 0.65), (1.9, 1.45, 2.0))    # where loads may come, above the table
MARGIN = 0.03                                     # metres that a pixel may be wrong by: six deviations
SPEED = 0.5                                       # rad/s of the fastest joint
SLICES = 10                                       # steps between two pictures that are written down


class Eyes:
    """Which cells were not seen to be free? A cell is free if every pixel that it may cover sees beyond it."""

    def __init__(self, folder, known):
        self.folder = pathlib.Path(folder)
        self.stream = json.loads((self.folder / "stream.json").read_text())
        self.camera = self.stream["camera"]
        # What the scene file says is there is no news, nor is what hides behind it: nobody is inside the table.
        self.expected = depths(known, self.camera, self.stream["rotation"], np.array(self.stream["place"]))
        low, high = np.array(REGION)
        self.first = np.round(low / CELL).astype(int)
        self.shape = tuple(np.round((high - low) / CELL).astype(int))
        corners = np.moveaxis(np.indices((2, 2, 2)), 0, -1).reshape(-1, 3)
        places = (np.moveaxis(np.indices(self.shape), 0, -1)[..., None, :] + self.first + corners) * CELL
        x, y, z = np.moveaxis((places - self.stream["place"]) @ np.array(self.stream["rotation"]), -1, 0)   # the camera's
        u = self.camera["fx"] * x / z + self.camera["cx"]
        v = self.camera["fy"] * y / z + self.camera["cy"]
        self.far = z.max(axis=-1)
        # A cell's picture lies between those of its corners.
        self.left, self.top = np.floor(u.min(axis=-1)).astype(int), np.floor(v.min(axis=-1)).astype(int)
        self.width = np.ceil(u.max(axis=-1)).astype(int) + 1 - self.left
        self.height = np.ceil(v.max(axis=-1)).astype(int) + 1 - self.top
        self.inside = ((self.left >= 0) & (self.left + self.width <= self.camera["width"]) &
                       (self.top >= 0) & (self.top + self.height <= self.camera["height"]))
        self.last = []

    def look(self, number):
        """The cells of picture `number` that may be occupied, and their neighbours: rows of three numbers."""
        image = read_png(self.folder / f"frame_{number:03}.png") * self.stream["scale"]
        self.last = [*self.last[-2:], np.where(image > 0, image, np.nan)]
        nearest = np.fmin.reduce(self.last)              # a pixel that was dropped was seen a moment ago
        nearest[np.isnan(nearest)] = 0                   # or is not known to be free
        nearest[nearest > self.expected - MARGIN] = np.inf
        blocked = np.pad(self.any_nearer(nearest) | ~self.inside, 1)
        # What moves comes less than a cell nearer until the next picture: all neighbours count, too.
        around = np.lib.stride_tricks.sliding_window_view(blocked, (3, 3, 3)).any(axis=(3, 4, 5))
        return (np.argwhere(around) + self.first).astype(np.int64)

    def any_nearer(self, image):
        """Whether a pixel of a cell's picture is nearer than the cell's far side: pictures of one size at a time."""
        least = np.zeros(self.shape)
        for height, width in np.unique(np.stack([self.height, self.width], axis=-1)[self.inside], axis=0):
            cells = self.inside & (self.height == height) & (self.width == width)
            windows = np.lib.stride_tricks.sliding_window_view(image, (height, width)).min(axis=(2, 3))
            least[cells] = windows[self.top[cells], self.left[cells]]
        return least < self.far + MARGIN


class Arm:
    """Where the robot is on its motion."""

    def __init__(self, path):
        self.driven, self.time, self.t = [], 0.0, 0.0
        self.follow(path)

    def follow(self, path):
        """A new way begins here, or with the segment that the arm is on."""
        way = np.array(path["waypoints"])
        here = self.driven and np.allclose(way[0], self.place, atol=1e-9)
        self.way, self.segment, self.t = way, 0, 0.0 if here else self.t

    @property
    def arrived(self):
        return self.segment == len(self.way) - 1

    @property
    def place(self):
        if self.arrived:
            return self.way[-1]
        return self.way[self.segment] + self.t * (self.way[self.segment + 1] - self.way[self.segment])

    def pass_time(self, seconds, drives):
        """Writes down where the arm is, step by step; if it drives, at the speed of its fastest joint."""
        for _ in range(SLICES):
            left = SPEED * seconds / SLICES if drives else 0.0
            while left > 0 and not self.arrived:
                length = abs(self.way[self.segment + 1] - self.way[self.segment]).max()
                step = min(left, (1 - self.t) * length)
                self.t, left = self.t + step / length, left - step
                if self.t >= 1 - 1e-9:
                    self.segment, self.t = self.segment + 1, 0.0
            self.time += seconds / SLICES
            self.driven.append([self.time, *self.place.tolist()])


def verified(scene, cells, answer, served):
    """Whether the independent verifier accepts the certificate, on a scene that we make of the cells ourselves."""
    twin = scene.with_obstacle("seen", [0, 0, 0], voxels=(cells, CELL))
    return twin.hash == served["hash"] and proven.verify(twin, answer["path"]["waypoints"], answer["frame"]).accepted


def put(server, cells, before):
    """What was seen replaces what was seen before."""
    if len(cells):
        server.edit({"put": {"name": "seen", "voxels": {"cells": cells, "size": CELL}}})
    elif before:
        server.edit({"remove": "seen"})


def drive(arguments, server, scene):
    known = json.loads(pathlib.Path(arguments.scene).read_text())["obstacles"]
    eyes, query = Eyes(arguments.stream, known), json.loads(pathlib.Path(arguments.query).read_text())
    planned = server.plan(query, seed=1)
    arm, interval = Arm(planned["path"]), 1 / eyes.stream["rate"]
    server.monitor("job", planned["path"])
    repairs, waits, cells, drives = 0, 0, (), arguments.blind
    for number in itertools.count():
        if arm.arrived or number > 10 * eyes.stream["frames"]:
            break
        if number < eyes.stream["frames"] and not arguments.blind:      # then nothing moves any more
            before, cells = cells, eyes.look(number)
            if number >= 2:                        # pixels that were dropped are known after three pictures
                put(server, cells, len(before) and number > 2)
                state = server.advance("job", arm.segment, arm.t)
                if state["verdict"] != "free":
                    answer = server.repair("job", seed=1, take=True, certificate=True, budget=5)
                    fallen = sorted({" and ".join(f["pair"]) for f in state["fell"]})
                    print(f"{arm.time:.1f} s, version {state['version']}: {', '.join(fallen)}: {answer['status']}")
                    if answer["status"] == "solved":
                        assert answer["proved"] and verified(scene, cells, answer, server.scene())
                        arm.follow(answer["path"])
                        state, repairs = answer["monitor"], repairs + 1
                    else:
                        waits += 1
                drives = state["verdict"] == "free"
        else:
            server.advance("job", arm.segment, arm.t)
        arm.pass_time(interval, drives)
    print(f"{'arrived' if arm.arrived else 'on the way'} after {arm.time:.1f} s, {repairs} new ways, {waits} waits")
    pathlib.Path(arguments.driven).write_text(json.dumps({"joints": planned["path"]["joints"], "driven": arm.driven}))
    return 0 if arm.arrived else 1


def main():
    parser = argparse.ArgumentParser()
    for name in ("scene", "query", "stream", "driven"):
        parser.add_argument(name)
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--record")
    arguments = parser.parse_args()
    options = ["--record", arguments.record] if arguments.record else []
    with Client.start(arguments.scene, options=options) as server:
        return drive(arguments, server, proven.load_scene(arguments.scene))


if __name__ == "__main__":
    raise SystemExit(main())
