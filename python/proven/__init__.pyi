from os import PathLike
from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import notebook as notebook, roadmap as roadmap, spacetime as spacetime, task as task

__version__: str

class Error(ValueError): ...

class RobotJoint:
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def parent_link(self) -> str: ...
    @property
    def child_link(self) -> str: ...
    @property
    def axis(self) -> NDArray[np.float64]: ...
    @property
    def limits(self) -> tuple[float, float]: ...
    @property
    def velocity(self) -> float: ...
    @property
    def mimic(self) -> tuple[str, float, float] | None: ...

class Robot:
    @property
    def name(self) -> str: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def joints(self) -> list[RobotJoint]: ...
    @property
    def warnings(self) -> list[str]: ...

class Query:
    @property
    def start(self) -> NDArray[np.float64]: ...
    @property
    def goal(self) -> NDArray[np.float64]: ...

class Scene:
    def __init__(
        self, robot: Robot | None = None, name: str | None = None, pose: ArrayLike = ...
    ) -> None: ...
    @property
    def links(self) -> list[str]: ...
    def poses(
        self, configurations: ArrayLike, frames: str | Sequence[str] | None = None
    ) -> NDArray[np.float64]: ...
    def jacobian(
        self, configurations: ArrayLike, frame: str, point: Sequence[float] = ...
    ) -> NDArray[np.float64]: ...
    def inverse(
        self,
        frame: str,
        target: ArrayLike,
        guess: ArrayLike | None = None,
        *,
        free: str = "none",
        joints: Sequence[str] | None = None,
        position_tolerance: float = 1e-6,
        angle_tolerance: float = 1e-6,
        restarts: int = 100,
        seed: int = 1,
        threads: int = 0,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
    def closest(
        self,
        configurations: ArrayLike,
        pairs: Sequence[tuple[str, str]] | None = None,
        *,
        threads: int = 0,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def bodies(self) -> list[str]: ...
    @property
    def limits(self) -> NDArray[np.float64]: ...
    @property
    def pairs(self) -> list[tuple[str, str]]: ...
    @property
    def excluded(self) -> list[tuple[str, str, str]]: ...
    @property
    def home(self) -> NDArray[np.float64]: ...
    @property
    def clearance(self) -> dict[str, float]: ...
    @property
    def hash(self) -> str: ...
    @property
    def no_inside(self) -> list[str]: ...
    @property
    def sensed(self) -> dict[str, str]: ...
    @property
    def ignored(self) -> list[str]: ...
    @property
    def warnings(self) -> list[dict[str, str]]: ...
    def body_pose(self, body: str, configuration: ArrayLike) -> NDArray[np.float64]: ...
    def distances(self, configuration: ArrayLike) -> list[tuple[str, str, float]]: ...
    def with_pose(self, name: str, pose: ArrayLike) -> Scene: ...
    def with_robot(
        self, robot: Robot, name: str | None = None, pose: ArrayLike = ...
    ) -> Scene: ...
    def with_held(
        self,
        name: str,
        link: str,
        pose: ArrayLike,
        touch: Sequence[str] = ...,
        *,
        box: Sequence[float] = ...,
        sphere: float = ...,
        cylinder: Sequence[float] = ...,
        capsule: Sequence[float] = ...,
        mesh: tuple[ArrayLike, ArrayLike] = ...,
        cloud: ArrayLike | tuple[ArrayLike, float] = ...,
        voxels: tuple[ArrayLike, float] = ...,
    ) -> Scene: ...
    def with_exclusion(self, a: str, b: str, note: str = "") -> Scene: ...
    def without_exclusion(self, a: str, b: str) -> Scene: ...
    def with_clearance(self, clearance: float | dict[str, float]) -> Scene: ...
    def with_pair_clearance(self, a: str, b: str, clearance: float) -> Scene: ...
    def with_obstacle(
        self,
        name: str,
        pose: ArrayLike,
        *,
        box: Sequence[float] = ...,
        sphere: float = ...,
        cylinder: Sequence[float] = ...,
        capsule: Sequence[float] = ...,
        mesh: tuple[ArrayLike, ArrayLike] = ...,
        cloud: ArrayLike | tuple[ArrayLike, float] = ...,
        voxels: tuple[ArrayLike, float] = ...,
    ) -> Scene: ...
    def filter_cloud(
        self,
        points: ArrayLike,
        *,
        region: Sequence[Sequence[float]] | None = None,
        ground: float | None = None,
        configuration: ArrayLike | None = None,
        padding: float = 0.0,
    ) -> tuple[NDArray[np.float64], dict[str, int]]: ...
    def without(self, name: str) -> Scene: ...
    def with_attached(
        self, obstacle: str, link: str, configuration: ArrayLike, touch: Sequence[str] = ...
    ) -> Scene: ...
    def detached(self, name: str, configuration: ArrayLike) -> Scene: ...
    def with_home(self, joint: str, value: float) -> Scene: ...
    def without_obstacles(self) -> Scene: ...
    def description(self) -> dict[str, Any]: ...

class Motion:
    def __init__(
        self,
        scene: Scene,
        waypoints: ArrayLike,
        times: ArrayLike | None = None,
        *,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
    ) -> None: ...
    @staticmethod
    def bezier(
        scene: Scene, pieces: Iterable[ArrayLike], times: ArrayLike | None = None
    ) -> Motion: ...
    @staticmethod
    def bspline(scene: Scene, degree: int, knots: ArrayLike, points: ArrayLike) -> Motion: ...
    @staticmethod
    def load(
        scene: Scene,
        file: str | PathLike[str],
        *,
        ignore_limits: bool = False,
        interpolation: str = "as_given",
    ) -> Motion: ...
    def save(self, file: str | PathLike[str]) -> None: ...
    @property
    def waypoints(self) -> NDArray[np.float64]: ...
    @property
    def times(self) -> NDArray[np.float64]: ...
    @property
    def pieces(self) -> list[NDArray[np.float64]]: ...
    @property
    def degree(self) -> int: ...
    @property
    def duration(self) -> float | None: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def at_home(self) -> list[str]: ...
    def evaluate(self, t: ArrayLike) -> NDArray[np.float64]: ...
    def derivative(self, t: ArrayLike, order: int = 1) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...

Path = Motion

class CheckResult:
    @property
    def verdict(self) -> str: ...
    @property
    def collision(self) -> dict[str, Any] | None: ...
    @property
    def undecided(self) -> dict[str, Any] | None: ...
    @property
    def no_inside(self) -> list[str]: ...
    @property
    def sensed(self) -> dict[str, str]: ...
    @property
    def warnings(self) -> list[dict[str, str]]: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    @property
    def certificate(self) -> bytes: ...

class Model:
    def __init__(
        self,
        scene: Scene,
        *,
        checker: str = "directional",
        clearance: float | dict[str, float] = 0.0,
        resolution: float = 1e-6,
        first: bool = False,
        step: float = 0.01,
        tracking_error: float | dict[str, float] = 0.0,
        certificate: bool = False,
        limits: str = "refuse",
    ) -> None: ...
    @property
    def scene(self) -> Scene: ...
    def check(self, path: Motion | ArrayLike, *, max_seconds: float = ...) -> CheckResult: ...
    def check_configuration(
        self, configuration: ArrayLike, *, max_seconds: float = ...
    ) -> CheckResult: ...
    def check_segment(
        self, start: ArrayLike, end: ArrayLike, *, max_seconds: float = ...
    ) -> CheckResult: ...
    def check_all(
        self, paths: Iterable[Motion | ArrayLike], *, threads: int = 0
    ) -> list[CheckResult]: ...
    def is_free(
        self, start: ArrayLike, end: ArrayLike | None = None, *, threads: int = 0
    ) -> bool | NDArray[np.bool_]: ...
    def with_scene(self, scene: Scene) -> Model: ...

class VerifyReport:
    @property
    def accepted(self) -> bool: ...
    @property
    def reason(self) -> str: ...
    @property
    def theorem(self) -> list[str]: ...
    @property
    def no_inside(self) -> list[str]: ...
    @property
    def sensed(self) -> dict[str, str]: ...
    @property
    def leaves(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cells(self) -> list[dict[str, Any]]: ...

class PlanResult:
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def path(self) -> Motion: ...
    @property
    def goal(self) -> int | None: ...
    @property
    def proved(self) -> bool: ...
    @property
    def certificate(self) -> bytes: ...
    @property
    def seconds(self) -> float: ...

class ConstraintResult:
    @property
    def verdict(self) -> str: ...
    @property
    def constraint(self) -> int: ...
    @property
    def segment(self) -> int: ...
    @property
    def t(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def configuration(self) -> NDArray[np.float64]: ...
    @property
    def beyond(self) -> float: ...
    @property
    def text(self) -> str: ...

class SmoothResult:
    @property
    def verdict(self) -> str: ...
    @property
    def path(self) -> Motion: ...
    @property
    def length_before(self) -> float: ...
    @property
    def length_after(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    @property
    def certificate(self) -> bytes: ...
    @property
    def seconds(self) -> float: ...

class TimingResult:
    @property
    def motion(self) -> Motion | None: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def input(self) -> CheckResult | None: ...
    @property
    def proof(self) -> CheckResult | None: ...
    @property
    def certificate(self) -> bytes: ...
    @property
    def duration(self) -> float: ...
    @property
    def with_stops(self) -> float: ...
    @property
    def at_full_speed(self) -> float: ...
    @property
    def deviation(self) -> float: ...
    @property
    def corners(self) -> int: ...
    @property
    def stops(self) -> int: ...
    @property
    def tightened(self) -> int: ...
    @property
    def assumed(self) -> dict[str, list[str]]: ...

class ToolMotion:
    @property
    def motion(self) -> Motion: ...
    @property
    def assumed(self) -> dict[str, list[str]]: ...
    @property
    def duration(self) -> float: ...
    @property
    def at_full_speed(self) -> float: ...
    @property
    def deviation(self) -> tuple[float, float]: ...

def load_scene(
    file: str | PathLike[str],
    *,
    trust_srdf_never: bool = False,
    allow_empty: bool = False,
    ignore_elements: set[str] = ...,
) -> Scene: ...
def built_in_scene(name: str) -> Scene: ...
def load_urdf(
    file: str | PathLike[str],
    *,
    packages: dict[str, str | PathLike[str]] = ...,
    load_meshes: bool = True,
) -> Robot: ...
def parse_urdf(
    text: str,
    *,
    srdf: str | None = None,
    folder: str | PathLike[str] = "",
    packages: dict[str, str | PathLike[str]] = ...,
    load_meshes: bool = True,
) -> Robot: ...
def load_query(file: str | PathLike[str], scene: Scene) -> Query: ...
def load_path(
    file: str | PathLike[str], scene: Scene, *, ignore_limits: bool = False, linear: bool = False
) -> Motion: ...
def save_path(file: str | PathLike[str], path: Motion | ArrayLike, scene: Scene) -> None: ...
def check(
    scene: Scene,
    path: Motion | ArrayLike,
    *,
    checker: str = "directional",
    clearance: float | dict[str, float] = 0.0,
    resolution: float = 1e-6,
    first: bool = False,
    step: float = 0.01,
    tracking_error: float | dict[str, float] = 0.0,
    certificate: bool = False,
    limits: str = "refuse",
    max_seconds: float = ...,
) -> CheckResult: ...
def check_all(
    scene: Scene,
    paths: Iterable[Motion | ArrayLike],
    *,
    checker: str = "directional",
    clearance: float | dict[str, float] = 0.0,
    resolution: float = 1e-6,
    certificate: bool = False,
    limits: str = "refuse",
    threads: int = 0,
) -> list[CheckResult]: ...
def load_certificate(file: str | PathLike[str]) -> bytes: ...
def save_certificate(file: str | PathLike[str], certificate: bytes) -> None: ...
def verify(
    scene: Scene,
    path: Motion | ArrayLike,
    certificate: bytes,
    *,
    clearance: float | dict[str, float] = 0.0,
    tracking_error: float | dict[str, float] = 0.0,
    cells: bool = False,
    constraints: Sequence[dict[str, Any]] | None = None,
) -> VerifyReport: ...
def plan(
    scene: Scene,
    start: Sequence[float] | ArrayLike | str,
    goal: ArrayLike | str | dict[str, Any] | Sequence[ArrayLike | str | dict[str, Any]],
    *,
    planner: str = ...,
    seed: int = 1,
    clearance: float | dict[str, float] = 0.0,
    certificate: bool = False,
    max_seconds: float = ...,
    any_turn: bool = False,
    ignore_limits: bool = False,
    limits: str = "refuse",
    group: str = "",
    constraints: Sequence[dict[str, Any]] | None = None,
) -> PlanResult: ...
def plan_all(
    scene: Scene,
    queries: Iterable[
        tuple[
            Sequence[float] | ArrayLike | str,
            ArrayLike | str | dict[str, Any] | Sequence[ArrayLike | str | dict[str, Any]],
        ]
    ],
    *,
    planner: str = ...,
    seed: int = 1,
    clearance: float | dict[str, float] = 0.0,
    certificate: bool = False,
    max_seconds: float = ...,
    any_turn: bool = False,
    ignore_limits: bool = False,
    limits: str = "refuse",
    group: str = "",
    constraints: Sequence[dict[str, Any]] | None = None,
    prepare: bool = True,
    threads: int = 0,
    device: str = "threads",
) -> list[PlanResult]: ...
def check_constraints(
    scene: Scene,
    path: Motion | ArrayLike,
    constraints: Sequence[dict[str, Any]],
    *,
    tracking_error: float | dict[str, float] = 0.0,
    max_seconds: float = ...,
) -> ConstraintResult: ...
def planners() -> list[str]: ...
def smooth(
    scene: Scene,
    path: Motion | ArrayLike,
    *,
    seed: int = 1,
    clearance: float | dict[str, float] = 0.0,
    certificate: bool = False,
    max_steps: int = 1000,
    limits: str = "refuse",
    max_seconds: float = ...,
) -> SmoothResult: ...
def smooth_all(
    scene: Scene,
    paths: Iterable[Motion | ArrayLike],
    *,
    seed: int = 1,
    clearance: float | dict[str, float] = 0.0,
    certificate: bool = False,
    max_steps: int = 1000,
    limits: str = "refuse",
    max_seconds: float = ...,
    threads: int = 0,
    device: str = "threads",
) -> list[SmoothResult]: ...
def time_path(
    scene: Scene,
    path: Motion | ArrayLike,
    *,
    velocity: float = 1.0,
    acceleration: float = 4.0,
    jerk: float = ...,
    scale: float = 1.0,
    blend: float = 0.2,
    interval: float = 0.1,
    proof: bool = True,
    clearance: float | dict[str, float] = 0.0,
    tracking_error: float | dict[str, float] = 0.0,
    certificate: bool = False,
    limits: str = "refuse",
    max_seconds: float = ...,
) -> TimingResult: ...
def move_tool(
    scene: Scene,
    link: str,
    start: ArrayLike,
    *,
    to: ArrayLike | None = None,
    by: ArrayLike | None = None,
    via: ArrayLike | None = None,
    about: ArrayLike | None = None,
    frame: str = "world",
    tool_pose: ArrayLike | None = None,
    speed: float = 0.25,
    turn_speed: float = 1.0,
    tolerance: float = 1e-4,
    angle_tolerance: float = 1e-3,
    velocity: float = 1.0,
    acceleration: float = 4.0,
) -> ToolMotion: ...
def least_clearance(
    scene: Scene,
    path: Motion | ArrayLike,
    tolerance: float = 0.001,
    *,
    clearance: float | dict[str, float] = 0.0,
    resolution: float = 1e-6,
    tracking_error: float | dict[str, float] = 0.0,
    stretches: int = 64,
    max_seconds: float = ...,
) -> dict[str, Any]: ...
def clearance_over_time(
    found: dict[str, Any] | VerifyReport, samples_per_segment: int = 200
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
