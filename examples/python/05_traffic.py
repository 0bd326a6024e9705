"""A car that turns left in front of another: candidates with other speeds, proved or refuted."""

import numpy as np

from proven import spacetime

RADIUS, QUARTER, RUN = 8.0, np.pi / 2, 20.0


def left_turn(speed):
    """Along x to the crossing at the origin, a quarter turn to the left, then along y."""
    s = np.arange(0, 2 * RUN + QUARTER * RADIUS + 1e-9, 0.5)
    turned = np.clip((s - RUN) / RADIUS, 0, QUARTER)
    after = np.maximum(s - RUN - QUARTER * RADIUS, 0)
    x = np.minimum(s, RUN) - RUN + RADIUS * np.sin(turned) - RADIUS
    y = RADIUS * (1 - np.cos(turned)) + after
    return s / speed, np.column_stack([x, y, turned])


car = spacetime.Footprint.box(4.5, 2.0)
oncoming = spacetime.Trajectory([0, 8], [[40, 4, np.pi], [-40, 4, np.pi]])
scene = spacetime.TrafficScene([spacetime.Obstacle("oncoming", car, motion=oncoming)])
print(scene)

for speed in (4.0, 6.0, 9.0):
    turn = spacetime.Trajectory(*left_turn(speed), between="arc")
    result = spacetime.check(scene, car, turn)
    clearance = spacetime.metrics(scene, car, turn)["clearance"]
    contact = f", contact after {result.contact['t']:.2f} s" if result.contact else ""
    print(f"{speed:.0f} m/s: {result.verdict}, distance {clearance[0]:.2f} m{contact}")

# Many candidates at once, with common times: one row each.
t = np.linspace(0, 8, 41)
drift = np.linspace(0, 4, 200)[:, None]
y = drift * t / 8
x = np.tile(-20 + 6 * t, (len(drift), 1))
verdicts = spacetime.verdicts(scene, car, t, x, y, np.zeros_like(x), clearance=0.5)
print(f"drifting by up to 4 m, half a metre to the side: {verdicts.count('free')} of {len(verdicts)} free")
