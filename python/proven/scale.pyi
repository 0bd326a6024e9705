from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from . import Scene
from .roadmap import Model

class Audit:
    def __init__(
        self,
        data_set: str | PathLike[str],
        scene: str = "",
        *,
        clearance: float | dict[str, float] = 0.0,
        tracking_error: float | dict[str, float] = 0.0,
        resolution: float = 1e-6,
        max_cells: int = ...,
        certificates: bool = False,
        least_clearance: bool = False,
        trust_srdf_never: bool = False,
        allow_empty: bool = False,
        ignore_limits: bool = False,
    ) -> None: ...
    @property
    def header(self) -> str: ...
    def __len__(self) -> int: ...
    def judge(self, begin: int, end: int) -> tuple[bytes, bytes]: ...

class Journal:
    def __init__(self, file: str | PathLike[str], header: str) -> None: ...
    def __len__(self) -> int: ...
    def append(self, lines: bytes) -> None: ...
    def sync(self) -> None: ...

class Archive:
    def __init__(self, file: str | PathLike[str], header: str, next: int) -> None: ...
    def append(self, records: bytes) -> None: ...
    def sync(self) -> None: ...
    def finish(self) -> None: ...

def audit(
    client: Any,
    data_set: str | PathLike[str],
    *,
    results: str | PathLike[str],
    certificates: str | PathLike[str] | None = None,
    task_seconds: float | None = None,
    retries: int = 5,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> int: ...
def find_problems(folder: str | PathLike[str]) -> list[tuple[str, str]]: ...
def plan(
    client: Any,
    problems: Iterable[tuple[Scene | str | PathLike[str], str | PathLike[str] | tuple[ArrayLike, ArrayLike]]],
    *,
    results: str | PathLike[str],
    seed: int = 1,
    task_seconds: float | None = None,
    retries: int = 5,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> int: ...
def roadmap(
    client: Any,
    scene: Scene,
    *,
    results: str | PathLike[str],
    task_seconds: float | None = None,
    retries: int = 5,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Model: ...
def bench(
    client: Any,
    name: str,
    parts: Iterable[Mapping[str, int | str | bool]],
    *,
    results: str | PathLike[str],
    csv: str | PathLike[str] | None = None,
    program: str = "proven",
    task_seconds: float | None = None,
    retries: int = 5,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]: ...
def bench_rows(file: str | PathLike[str]) -> list[dict[str, Any]]: ...
