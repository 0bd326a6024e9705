"""Proofs that robot motion is free of collision.

    import proven
    scene = proven.load_scene("cell.json")
    result = proven.check(scene, [[0, 0], [1, 1]], certificate=True)
    result.verdict                      # "free", "collision" or "undecided"
    proven.verify(scene, path, result.certificate).accepted

What moves is a :class:`Motion`: polynomial pieces, with times or without. An array with one row per
waypoint and one column per entry of ``scene.joints`` stands for straight lines between the rows. Lengths are metres, angles radians. Errors
are :class:`Error`, a ValueError. ``proven.roadmap`` plans among changing obstacles, ``proven.spacetime``
checks vehicles among moving ones, ``proven.task`` plans for PDDL problems, ``proven.notebook`` shows scenes and
proofs inline, ``proven.scale`` (imported by itself) audits data sets on a cluster. Long calls can be stopped with Ctrl-C and let other threads run.

In the examples of help texts ``proven`` and numpy as ``np`` are imported, and ``scene`` is ``proven.built_in_scene("demo")``.
"""

from . import notebook, roadmap, spacetime, task
from ._core import (
    CheckResult,
    ConstraintResult,
    Error,
    Model,
    Motion,
    Path,
    PlanResult,
    Query,
    Robot,
    RobotJoint,
    Scene,
    SmoothResult,
    TimingResult,
    ToolMotion,
    VerifyReport,
    __version__,
    built_in_scene,
    check,
    check_all,
    check_constraints,
    least_clearance,
    load_certificate,
    load_path,
    load_query,
    load_scene,
    load_urdf,
    move_tool,
    parse_urdf,
    plan,
    plan_all,
    planners,
    save_certificate,
    save_path,
    smooth,
    smooth_all,
    time_path,
    verify,
)
from .clearance import clearance_over_time

__all__ = [
    "CheckResult",
    "ConstraintResult",
    "Error",
    "Model",
    "Motion",
    "Path",
    "PlanResult",
    "Query",
    "Robot",
    "RobotJoint",
    "Scene",
    "SmoothResult",
    "TimingResult",
    "ToolMotion",
    "VerifyReport",
    "__version__",
    "built_in_scene",
    "check",
    "check_all",
    "check_constraints",
    "clearance_over_time",
    "least_clearance",
    "load_certificate",
    "load_path",
    "load_query",
    "load_scene",
    "load_urdf",
    "move_tool",
    "notebook",
    "parse_urdf",
    "plan",
    "plan_all",
    "planners",
    "roadmap",
    "save_certificate",
    "save_path",
    "smooth",
    "smooth_all",
    "spacetime",
    "task",
    "time_path",
    "verify",
]
