"""Scenes, motions and proofs inline in a notebook.

    from proven import notebook
    notebook.view(scene, path)              # the last line of a cell

The page is the one of ``proven view``: it holds the viewer and what it shows, and loads nothing. It stands in a
frame of its own that may run its script and nothing else.
"""

import html
import os

from . import _core


class View:
    """A page of the viewer; notebooks show it in a frame.

    >>> page = proven.notebook.view(scene)
    >>> page._repr_html_().startswith("<iframe")
    True
    """

    def __init__(self, page, height=600):
        self.page = page
        self.height = height

    def _repr_html_(self):
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {int(self.height)}px; border: 0"></iframe>'
        )

    def save(self, file):
        """Writes the page to a file, for a browser.

        >>> proven.notebook.view(scene).save("scene.html")
        """
        with open(os.fspath(file), "w", encoding="utf-8") as out:
            out.write(self.page)

    def __repr__(self):
        return f"<proven.notebook.View: {len(self.page)} bytes>"


def view(scene, path=None, certificate=None, *, clearance=0.0, tracking_error=0.0, height=600, title="scene"):
    """The scene, and a motion with its proof: a certificate is verified, without one the motion is checked.

    >>> page = proven.notebook.view(scene, [scene.home, scene.home + 0.1])
    >>> len(page.page) > 100000
    True
    """
    return View(_core._page(scene, path, certificate, clearance, tracking_error, title), height)


__all__ = ["View", "view"]
