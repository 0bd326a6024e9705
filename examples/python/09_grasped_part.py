"""A part is grasped, carried and put down: the scene changes, the proofs follow."""

import numpy as np
import proven

scene = proven.built_in_scene("demo")
model = proven.Model(scene)
q = np.array([1.61, 0.38, 0.61, -0.43, -0.69, -0.69])
links = [body for body in scene.bodies if "/" in body]
hand = links[-1]
# A part before the hand.
place = scene.body_pose(hand, q)
place[:3, 3] += place[:3, :3] @ [0, 0, 0.3]
scene = scene.with_obstacle("part", place, box=(0.05, 0.05, 0.05))
print("part stands:", "part" in scene.bodies)

held = scene.with_attached("part", hand, q, touch=links)
assert np.allclose(scene.body_pose("part", q), held.body_pose("part", q))
print("held by:", held.description()["attached"][0]["link"])

rng = np.random.default_rng(1)
carrying = model.with_scene(held)
counts = {"free": 0, "collision": 0, "undecided": 0}
for _ in range(50):
    counts[carrying.check_segment(q, q + rng.uniform(-0.4, 0.4, len(q))).verdict] += 1
print("motions with the part:", counts["free"], "free,", counts["collision"], "collide")

put_down = held.detached("part", q)
print("put down again:", put_down.description()["attached"] == [])
