"""Trajectories in the plane among moving obstacles, proved in continuous time.

    scene = spacetime.load_traffic("scenario.xml")
    car = spacetime.Footprint.box(4.5, 2.0)
    drive = spacetime.Trajectory(t, poses)                  # rows x, y, heading
    spacetime.check(scene, car, drive).verdict
    spacetime.metrics(scene, car, drive)["clearance"]       # an interval that holds the true value
"""

from ._core import spacetime as _core

Footprint = _core.Footprint
Obstacle = _core.Obstacle
TrafficResult = _core.TrafficResult
TrafficScene = _core.TrafficScene
Trajectory = _core.Trajectory
check = _core.check
load_traffic = _core.load_traffic
metrics = _core.metrics
verdicts = _core.verdicts

__all__ = [
    "Footprint",
    "Obstacle",
    "TrafficResult",
    "TrafficScene",
    "Trajectory",
    "check",
    "load_traffic",
    "metrics",
    "verdicts",
]
