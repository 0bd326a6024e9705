"""A depth camera on paper: casts a ray through every pixel at the boxes, spheres, cylinders and capsules of a scene.

    python3 depth_camera.py SCENE LOAD STREAM

writes one picture per tenth of a second into the folder STREAM: frame_000.png and so on, 16-bit PNG, millimetres
along the camera's axis, 0 where the sensor saw nothing, and stream.json, which says where the camera is. LOAD is a
file that says what a crane carries through the scene (docs/tutorials/depth_stream.md). Needs numpy alone.
"""

import json
import pathlib
import struct
import sys
import zlib

import numpy as np

RATE = 10.0           # pictures per second
NOISE = 0.005         # metres, standard deviation
DROPPED = 0.01        # of all pixels
CAMERA = {"width": 160, "height": 120, "fx": 80.0, "fy": 80.0, "cx": 79.5, "cy": 59.5}
EYE, TARGET = np.array([1.15, 0.55, 3.4]), np.array([1.15, 0.5501, 0.0])


def write_png(path, image):
    """16 bits and grey."""
    rows = b"".join(b"\0" + row.tobytes() for row in image.astype(">u2"))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 16, 0, 0, 0, 0)
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) +
                                   chunk(b"IEND", b""))


def read_png(path):
    """What write_png wrote."""
    data, at, packed = pathlib.Path(path).read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            if (depth, colours) != (16, 0):
                raise ValueError(f"{path}: not a grey image of 16 bits")
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 2 * width)
    if rows[:, 0].any():
        raise ValueError(f"{path}: rows are filtered; only what write_png wrote is read")
    return np.ascontiguousarray(rows[:, 1:]).view(">u2").astype(np.uint16)


def camera_pose():
    """Columns: x to the right, y down, z ahead; and the place."""
    ahead = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    return np.column_stack([right, np.cross(ahead, right), ahead]), EYE


def nearest_root(a, half_b, c):
    """The smaller root of a s² + 2 half_b s + c, or infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = half_b * half_b - a * c
        return np.where((inside >= 0) & (a > 1e-12), (-half_b - np.sqrt(np.maximum(inside, 0))) / a, np.inf)


def hit(solid, origin, rays):
    """How far along each ray it meets the solid: infinity where it does not. Solids stand upright or lie as boxes."""
    p = origin - np.asarray(solid["pose"]["xyz"], float)
    best = np.full(len(rays), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        if "box" in solid:
            half = np.asarray(solid["box"]) / 2
            one, two = (-half - p) / rays, (half - p) / rays
            first, last = np.minimum(one, two).max(axis=1), np.maximum(one, two).min(axis=1)
            best = np.where((first <= last) & (last > 0), np.maximum(first, 0), np.inf)
        elif "sphere" in solid:
            best = ball(p, rays, solid["sphere"])
        else:
            kind = "capsule" if "capsule" in solid else "cylinder"
            radius, half = solid[kind]["radius"], solid[kind]["length"] / 2
            side = nearest_root((rays[:, :2] ** 2).sum(axis=1), rays[:, :2] @ p[:2], p[:2] @ p[:2] - radius ** 2)
            best = np.where((side > 0) & (abs(p[2] + side * rays[:, 2]) <= half), side, np.inf)
            for end in (-half, half):
                if kind == "capsule":
                    cap = ball(p - [0, 0, end], rays, radius)
                else:
                    cap = (end - p[2]) / rays[:, 2]
                    at = p[:2] + cap[:, None] * rays[:, :2]
                    cap = np.where((cap > 0) & ((at ** 2).sum(axis=1) <= radius ** 2), cap, np.inf)
                best = np.minimum(best, cap)
    return best


def ball(p, rays, radius):
    s = nearest_root((rays ** 2).sum(axis=1), rays @ p, p @ p - radius ** 2)
    return np.where(s > 0, s, np.inf)


def load_at(load, time):
    """The load, where it is at that time: straight from place to place, at a constant speed."""
    places, left = [np.asarray(p, float) for p in load["places"]], load["speed"] * time
    at = places[0]
    for start, end in zip(places, places[1:]):
        length = np.linalg.norm(end - start)
        at = start + (end - start) * min(1.0, left / length)
        left = max(0.0, left - length)
    return {**load["shape"], "pose": {"xyz": at.tolist()}}


def depths(solids, camera, turn, eye):
    """What a camera without faults would see: metres along its axis."""
    v, u = np.mgrid[0:camera["height"], 0:camera["width"]]
    rays = np.stack([(u - camera["cx"]) / camera["fx"], (v - camera["cy"]) / camera["fy"], np.ones(u.shape)], axis=-1)
    rays = rays.reshape(-1, 3) @ np.transpose(turn)
    with np.errstate(divide="ignore"):
        depth = np.where(rays[:, 2] < 0, -eye[2] / rays[:, 2], np.inf)    # the floor at z = 0
    for solid in solids:
        depth = np.minimum(depth, hit(solid, eye, rays))
    return depth.reshape(u.shape)


def spoiled(depth, random):
    """The same in millimetres, with noise, and without some of the pixels."""
    depth = depth + random.normal(0, NOISE, depth.shape)
    depth[random.random(depth.shape) < DROPPED] = 0
    return np.clip(np.round(1000 * depth), 0, 65535).astype(np.uint16)


def main(scene_file, load_file, folder):
    scene, load = (json.loads(pathlib.Path(f).read_text()) for f in (scene_file, load_file))
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    turn, eye = camera_pose()
    frames = int(load["seconds"] * RATE) + 1
    for k in range(frames):
        seen = depths([*scene["obstacles"], load_at(load, k / RATE)], CAMERA, turn, eye)
        write_png(folder / f"frame_{k:03}.png", spoiled(seen, random))
    (folder / "stream.json").write_text(json.dumps(
        {"rate": RATE, "frames": frames, "scale": 0.001, "camera": CAMERA, "rotation": turn.tolist(), "place": eye.tolist()}))
    print(f"{frames} pictures of {CAMERA['width']} x {CAMERA['height']} pixels in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
