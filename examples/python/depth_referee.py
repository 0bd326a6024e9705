"""Did the arm touch anything? Judges what was driven by the true scene, which the robot never saw.

    python3 depth_referee.py SCENE LOAD DRIVEN

Points all over the arm's meshes, two centimetres apart, are moved as the URDF says and held against the solids of
the scene and of the load, at every time that was written down. Uses nothing of Proven. Exit code 1: a contact.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as xml

import numpy as np
from depth_camera import load_at

SPACING = 0.02


def numbers(text):
    return np.array([float(x) for x in text.split()])


def turn_about(axis, angles):
    """One 4 x 4 matrix per angle."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.tile(np.eye(4), (len(angles), 1, 1))
    turn[:, :3, :3] += np.sin(angles)[:, None, None] * cross + (1 - np.cos(angles))[:, None, None] * (cross @ cross)
    return turn


def pose_of(element):
    """Of an <origin>, or of nothing."""
    pose = np.eye(4)
    if element is not None:
        roll, pitch, yaw = numbers(element.get("rpy", "0 0 0"))
        for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll)):
            pose = pose @ turn_about(np.array(axis, float), [angle])[0]
        pose[:3, 3] = numbers(element.get("xyz", "0 0 0"))
    return pose


def surface_points(file):
    """Points on the triangles of an OBJ file, at most SPACING from each other along a triangle's sides."""
    vertices, triangles = [], []
    for line in pathlib.Path(file).read_text().splitlines():
        words = line.split()
        if words and words[0] == "v":
            vertices.append([float(w) for w in words[1:4]])
        elif words and words[0] == "f":
            corners = [int(w.split("/")[0]) - 1 for w in words[1:]]
            triangles += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    points = []
    for a, b, c in np.array(vertices)[np.array(triangles)]:
        steps = int(np.ceil(max(np.linalg.norm(b - a), np.linalg.norm(c - a), np.linalg.norm(c - b)) / SPACING))
        i, j = np.nonzero(np.tri(steps + 1)[::-1])
        points.append(a + np.outer(i / steps, b - a) + np.outer(j / steps, c - a))
    rounded = np.round(np.concatenate(points) / (SPACING / 4)).astype(int)     # one of those that nearly coincide
    return np.concatenate(points)[np.unique(rounded, axis=0, return_index=True)[1]]


def moved_links(urdf, joints, values):
    """For every link its points, and where its frame is: one matrix per row of values."""
    robot = xml.parse(urdf).getroot()
    above = {j.find("child").get("link"): j for j in robot.findall("joint")}
    known = {}

    def frame(link):
        if link not in known:
            joint = above.get(link)
            if joint is None:
                known[link] = np.tile(np.eye(4), (len(values), 1, 1))
            else:
                known[link] = frame(joint.find("parent").get("link")) @ pose_of(joint.find("origin"))
                if joint.get("type") != "fixed":
                    known[link] = known[link] @ turn_about(numbers(joint.find("axis").get("xyz")), values[:, joints.index(joint.get("name"))])
        return known[link]

    for link in robot.findall("link"):
        for collision in link.findall("collision"):
            points = surface_points(pathlib.Path(urdf).parent / collision.find("geometry/mesh").get("filename"))
            yield link.get("name"), points, frame(link.get("name")) @ pose_of(collision.find("origin"))


def distance(solid, points):
    """From points in the world to a solid; below zero: inside."""
    p = points - np.asarray(solid["pose"]["xyz"])
    if "box" in solid:
        beyond = abs(p) - np.asarray(solid["box"]) / 2
        return np.linalg.norm(np.maximum(beyond, 0), axis=-1) + np.minimum(beyond.max(axis=-1), 0)
    kind = "capsule" if "capsule" in solid else "cylinder"
    radius, half = solid[kind]["radius"], solid[kind]["length"] / 2
    out, up = np.hypot(p[..., 0], p[..., 1]), abs(p[..., 2]) - half
    if kind == "capsule":
        return np.hypot(out, np.maximum(up, 0)) - radius
    out = out - radius
    return np.hypot(np.maximum(out, 0), np.maximum(up, 0)) + np.minimum(np.maximum(out, up), 0)


def main(scene_file, load_file, driven_file):
    scene, load, driven = (json.loads(pathlib.Path(f).read_text()) for f in (scene_file, load_file, driven_file))
    rows = np.array(driven["driven"])
    joints = [name.split("/")[-1] for name in driven["joints"]]
    urdf = pathlib.Path(scene_file).parent / scene["robots"][0]["urdf"]
    touched, least = set(), (np.inf, 0.0, "")
    for link, points, frames in moved_links(urdf, joints, rows[:, 1:]):
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        radius = np.linalg.norm(points - middle, axis=1).max()
        for row, X in zip(rows, frames):
            carried, world = {**load_at(load, row[0]), "name": "the load"}, None
            for solid in [carried, *scene["obstacles"]] if link != "base" else [carried]:      # the base stands where it stands
                away = distance(solid, X[:3, :3] @ middle + X[:3, 3]) - radius   # at least so far
                if away > (least[0] if solid is carried else 0):
                    continue
                world = points @ X[:3, :3].T + X[:3, 3] if world is None else world
                away = distance(solid, world).min()
                if solid is carried:
                    least = min(least, (away, row[0], link))
                if away <= 0:
                    touched.add((link, solid["name"]))
    print(f"{len(rows)} moments; nearest to the load: {least[2]}, {least[0]:.2f} m at {least[1]:.1f} s")
    for link, other in sorted(touched):
        print(f"  {link} touches {other}")
    return 1 if touched else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
