from os import PathLike

from numpy.typing import ArrayLike

from . import Motion, Scene

class View:
    page: str
    height: int
    def __init__(self, page: str, height: int = 600) -> None: ...
    def _repr_html_(self) -> str: ...
    def save(self, file: str | PathLike[str]) -> None: ...

def view(
    scene: Scene,
    path: Motion | ArrayLike | None = None,
    certificate: bytes | None = None,
    *,
    clearance: float | dict[str, float] = 0.0,
    tracking_error: float | dict[str, float] = 0.0,
    height: int = 600,
    title: str = "scene",
) -> View: ...
