"""An obstacle that moves in a loop: one edit of the scene and one question per step."""

import time

import numpy as np
import proven

scene = proven.built_in_scene("demo")
start = np.array([1.61, 0.38, 0.61, -0.43, -0.69, -0.69])
end = start + [0.4, 0, 0, 0, 0, 0]
scene = scene.with_obstacle("ball", [3, 0, 0], sphere=0.05)
model = proven.Model(scene)
tool = scene.body_pose(scene.bodies[6], start)[:3, 3]
steps, counts = 500, {"free": 0, "collision": 0, "undecided": 0}
begin = time.perf_counter()
for i in range(steps):
    angle = 2 * np.pi * i / steps
    place = tool + [0.6 + 0.6 * np.cos(angle), 0.6 * np.sin(angle), 0]
    model = model.with_scene(model.scene.with_pose("ball", place))
    counts[model.check_segment(start, end).verdict] += 1
spent = (time.perf_counter() - begin) / steps
print(f"{steps} steps: free {counts['free']}, collision {counts['collision']}; "
      f"{1e6 * spent:.1f} us each, edit and proof")
