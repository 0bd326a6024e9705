"""A part is grasped, carried and put down: the scene changes, the proofs follow."""

import numpy as np
import proven

scene = proven.built_in_scene("gantry")
model = proven.Model(scene)
home = scene.home
hand = [body for body in scene.bodies if "/" in body][-1]
# A part just below the hand.
place = scene.body_pose(hand, home)
place[:3, 3] -= [0, 0, 0.6]
scene = scene.with_obstacle("part", place, box=(0.05, 0.05, 0.3))
print("part stands:", "part" in scene.bodies)

held = scene.with_attached("part", hand, home, touch=[b for b in scene.bodies if "/" in b])
before = scene.body_pose("part", home)
after = held.body_pose("part", home)
assert np.allclose(before, after)
print("held by:", held.description()["attached"][0]["link"])

limits = scene.limits
rng = np.random.default_rng(1)
carrying = model.with_scene(held)
counts = {"free": 0, "collision": 0, "undecided": 0}
for _ in range(50):
    to = rng.uniform(np.maximum(limits[:, 0], -3), np.minimum(limits[:, 1], 3))
    counts[carrying.check_segment(home, home + 0.2 * (to - home)).verdict] += 1
print("motions with the part:", counts["free"], "free,", counts["collision"], "collide")

put_down = held.detached("part", home + 0.1)
print("put down again:", put_down.description()["attached"] == [])
