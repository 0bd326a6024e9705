from os import PathLike
from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Footprint:
    @staticmethod
    def box(
        length: float, width: float, centre: Sequence[float] = ..., orientation: float = 0.0
    ) -> Footprint: ...
    @staticmethod
    def circle(radius: float, centre: Sequence[float] = ...) -> Footprint: ...
    @staticmethod
    def polygon(outline: ArrayLike) -> Footprint: ...
    @staticmethod
    def compound(parts: Sequence[Footprint]) -> Footprint: ...

class Trajectory:
    def __init__(
        self,
        t: ArrayLike,
        poses: ArrayLike,
        *,
        between: str = "linear",
        max_acceleration: float = 0.0,
        max_angular_acceleration: float = 0.0,
    ) -> None: ...
    @property
    def t(self) -> NDArray[np.float64]: ...
    @property
    def poses(self) -> NDArray[np.float64]: ...
    def pose_at(self, t: float) -> tuple[float, float, float]: ...
    def __len__(self) -> int: ...

class Obstacle:
    def __init__(
        self,
        name: str,
        footprint: Footprint,
        *,
        motion: Trajectory | None = None,
        pose: Sequence[float] = ...,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def footprint(self) -> Footprint: ...
    @property
    def motion(self) -> Trajectory | None: ...

class TrafficScene:
    def __init__(self, obstacles: Sequence[Obstacle]) -> None: ...
    @property
    def obstacles(self) -> list[Obstacle]: ...
    @property
    def t_begin(self) -> float: ...
    @property
    def t_end(self) -> float: ...

class TrafficResult:
    @property
    def verdict(self) -> str: ...
    @property
    def contact(self) -> dict[str, Any] | None: ...
    @property
    def doubt(self) -> dict[str, Any] | None: ...

def load_traffic(
    file: str | PathLike[str], *, after: str = "continue", seconds: float = 60.0
) -> TrafficScene: ...
def check(
    scene: TrafficScene,
    footprint: Footprint,
    trajectory: Trajectory,
    *,
    clearance: float = 0.0,
    resolution: float = 1e-6,
    first: bool = True,
) -> TrafficResult: ...
def verdicts(
    scene: TrafficScene,
    footprint: Footprint,
    t: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    heading: ArrayLike,
    *,
    between: str = "linear",
    clearance: float = 0.0,
    resolution: float = 1e-6,
    threads: int = 1,
) -> list[str]: ...
def metrics(
    scene: TrafficScene,
    footprint: Footprint,
    trajectory: Trajectory,
    *,
    tolerance: float = 1e-3,
    time_tolerance: float = 1e-3,
    horizon: float = 10.0,
) -> dict[str, tuple[float, float]]: ...
