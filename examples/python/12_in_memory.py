"""A scene from text and arrays, kinematics of many configurations, and four processes that share the work."""

import multiprocessing

import numpy as np

import proven

ROBOT = """<robot name="arm"><link name="base"/>
<link name="upper"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.08 0.08"/></geometry></collision></link>
<link name="lower"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
<link name="tool"/>
<joint name="shoulder" type="revolute"><axis xyz="0 0 1"/><parent link="base"/><child link="upper"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="elbow" type="revolute"><origin xyz="0.55 0 0"/><axis xyz="0 0 1"/><parent link="upper"/><child link="lower"/>
<limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
<joint name="hand" type="fixed"><origin xyz="0.4 0 0"/><parent link="lower"/><child link="tool"/></joint></robot>"""


def free_of(scene, q):
    return scene.hash, proven.Model(scene).is_free(q, threads=1)


def main():
    random = np.random.default_rng(1)
    # What a camera saw: a wall of points, beside a post.
    wall = np.column_stack([random.uniform(-1, 1, 2000), np.full(2000, 0.8), random.uniform(-0.3, 0.3, 2000)])
    scene = (
        proven.Scene(proven.parse_urdf(ROBOT))
        .with_obstacle("wall", [0, 0, 0], cloud=(wall, 0.03))
        .with_obstacle("post", [0.5, -0.5, 0], cylinder=(0.1, 1))
        .with_clearance(0.005)
    )
    q = random.uniform(*scene.limits.T, (4000, 2))
    free = proven.Model(scene).is_free(q)
    print(f"free {free.sum()} of {len(q)}")

    distance, points, direction = scene.closest(q[free][:100])
    pose, pair = np.unravel_index(distance.argmin(), distance.shape)
    print("nearest of 100:", *scene.pairs[pair], f"{distance[pose, pair]:.3f} m, along", direction[pose, pair].round(2))

    tool = scene.poses(q, "arm/tool")[:, :3, 3]
    speed = np.linalg.norm(scene.jacobian(q, "arm/tool")[:, :3] @ [1.0, 1.0], axis=1)
    print(f"the tool reaches {np.linalg.norm(tool, axis=1).max():.3f} m, at up to {speed.max():.3f} m/s")
    there, found = scene.inverse("arm/tool", [0.6, 0.3, 0], free="all")
    print("reached", found, there.round(3))

    with multiprocessing.get_context("spawn").Pool(4) as pool:
        answers = pool.starmap(free_of, [(scene, part) for part in np.array_split(q, 4)])
    same = {name for name, _ in answers} == {scene.hash} and (np.concatenate([a for _, a in answers]) == free).all()
    print("4 processes:", "the same" if same else "other answers")


if __name__ == "__main__":
    main()
