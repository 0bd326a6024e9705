"""An obstacle that moves in a loop: one edit of the scene and one question per step."""

import time

import numpy as np
import proven

scene = proven.built_in_scene("demo")
scene = scene.with_obstacle("ball", [3, 0, 0], sphere=0.05)
model = proven.Model(scene)
start = scene.home
end = start + 0.5
steps, counts = 500, {"free": 0, "collision": 0, "undecided": 0}
begin = time.perf_counter()
for i in range(steps):
    angle = 2 * np.pi * i / steps
    place = [0.5 + 0.8 * np.cos(angle), 0.8 * np.sin(angle), 0.6]
    model = model.with_scene(model.scene.with_pose("ball", place))
    counts[model.check_segment(start, end).verdict] += 1
spent = (time.perf_counter() - begin) / steps
print(f"{steps} steps: free {counts['free']}, collision {counts['collision']}; "
      f"{1e6 * spent:.1f} us each, edit and proof")
