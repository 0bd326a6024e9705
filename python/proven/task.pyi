from os import PathLike
from typing import Sequence

class PlannedAction:
    @property
    def start(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> list[str]: ...

class TaskResult:
    @property
    def outcome(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def plan(self) -> list[PlannedAction]: ...
    @property
    def makespan(self) -> float: ...
    @property
    def metric(self) -> float: ...
    @property
    def seconds(self) -> float: ...

class Validation:
    @property
    def valid(self) -> bool: ...
    @property
    def reason(self) -> str: ...
    @property
    def actions(self) -> int: ...
    @property
    def makespan(self) -> float: ...

def plan_task(
    domain: str | PathLike[str],
    problem: str | PathLike[str],
    *,
    max_seconds: float = ...,
    anytime: bool = False,
    separation: float = 0.001,
    modules: Sequence[str] = ...,
) -> TaskResult: ...
def validate_plan(
    domain: str | PathLike[str],
    problem: str | PathLike[str],
    plan: TaskResult | str,
    *,
    separation: float = 0.001,
    modules: Sequence[str] = ...,
) -> Validation: ...
