#!/usr/bin/env python3
"""Draws the pictures of docs/tutorials/certificate_explained.md from a real certificate:

    PYTHONPATH=build/release/python python3 docs/images/certificate.py docs/images
"""

import json
import pathlib
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle, Polygon

import proven

URDF = """
<robot name="bar">
  <link name="base"/>
  <link name="bar">
    <collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""
POST, RADIUS = np.array([-0.45, 0.78]), 0.03
END = 2.03
INK, BLUE, ORANGE, GREY = "#1d2730", "#2a6f97", "#d1603d", "#9aa7b0"


def make_scene():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bar.urdf").write_text(URDF)
        post = {"name": "post", "cylinder": {"radius": RADIUS, "length": 1}, "pose": {"xyz": [*POST, 0]}}
        cell = {"proven": 1, "robots": [{"name": "bar", "urdf": "bar.urdf"}], "obstacles": [post]}
        (folder / "cell.json").write_text(json.dumps(cell))
        return proven.load_scene(folder / "cell.json")


def corners(angle):
    box = np.array([[0, -0.01], [1, -0.01], [1, 0.01], [0, 0.01]])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return box @ turn.T


def draw_bar(axes, angle, colour, **style):
    axes.add_patch(Polygon(corners(angle), closed=True, color=colour, **style))


def plain(axes):
    axes.set_aspect("equal")
    axes.set_xlim(-0.75, 1.1)
    axes.set_ylim(-0.12, 1.1)
    axes.axis("off")
    axes.add_patch(Circle(POST, RADIUS, color=ORANGE))
    axes.annotate("post", POST, (-0.68, 0.62), color=ORANGE, fontsize=10)


def motion_picture(file):
    figure, axes = plt.subplots(figsize=(7, 4.6), constrained_layout=True)
    plain(axes)
    for t in np.linspace(0, 1, 14):
        draw_bar(axes, t * END, BLUE, alpha=0.12 + 0.5 * (t in (0, 1)))
    axes.annotate("t = 0", (1.02, -0.02), color=INK)
    axes.annotate("t = 1", corners(END)[1] + [-0.09, 0.04], color=INK)
    figure.savefig(file, dpi=120)


def cell_picture(file, cell):
    """One cell: the plane between the two at the anchor, and where the bar is at the cell's ends."""
    figure, axes = plt.subplots(figsize=(7, 4.6), constrained_layout=True)
    plain(axes)
    for t, alpha in ((cell["begin"], 0.18), (cell["end"], 0.18), (cell["anchor"], 0.8)):
        draw_bar(axes, t * END, BLUE, alpha=alpha)
    n = cell["direction"][:2] / np.linalg.norm(cell["direction"][:2])
    side = n if cell["pair"][0].startswith("bar") else -n
    tip = max(corners(cell["anchor"] * END) @ side)
    near = POST @ side - RADIUS
    along = np.array([-side[1], side[0]])
    foot = side * tip + along * (POST @ along)
    for place, colour in ((tip, BLUE), (near, ORANGE)):
        line = np.array([side * place + along * s for s in (-1.4, 1.4)])
        axes.plot(*line.T, color=colour, linewidth=1, linestyle="--")
    axes.annotate("", side * near + along * (POST @ along), foot,
                  arrowprops={"arrowstyle": "<->", "color": INK, "shrinkA": 0, "shrinkB": 0})
    axes.annotate(f"gap at the anchor\n{1e3 * (near - tip):.0f} mm", foot + [0.06, -0.02], color=INK)
    axes.annotate(f"anchor, t = {cell['anchor']:.3f}", corners(cell["anchor"] * END)[2] + [0.04, 0.03], color=BLUE)
    figure.savefig(file, dpi=120)


def bounds_picture(file, scene, cells):
    """The straight lines of all cells under the true distance."""
    figure, (top, lanes) = plt.subplots(2, 1, figsize=(8, 5), height_ratios=[5, 1], sharex=True,
                                        constrained_layout=True)
    t = np.linspace(0, 1, 800)
    true = [scene.distances([s * END])[0][2] for s in t]
    top.plot(t, 1e3 * np.array(true), color=INK, label="distance, sampled")
    for i, c in enumerate(cells):
        x, y = [c["begin"], c["anchor"], c["end"]], 1e3 * np.array(c["lower"])
        top.plot(x, y, color=BLUE, linewidth=2, label="" if i else "bound, proved")
        top.fill_between(x, y, color=BLUE, alpha=0.15, linewidth=0)
        slack = np.clip((np.log10(max(min(c["lower"]), 1e-6)) + 6) / 6, 0, 1)
        lanes.axvspan(c["begin"], c["end"], color=plt.cm.coolwarm(1 - slack), linewidth=0)
        lanes.axvline(c["begin"], color="white", linewidth=1.5)
        lanes.plot([c["anchor"]], [0.5], marker="o", markersize=4, color=INK)
    top.set(ylabel="bar to post, mm", ylim=(0, None), xlim=(0, 1))
    top.legend(frameon=False)
    top.grid(alpha=0.3)
    lanes.set(yticks=[], xlabel="t", ylim=(0, 1))
    figure.savefig(file, dpi=120)


def main():
    output = pathlib.Path(sys.argv[1])
    scene = make_scene()
    path = [[0.0], [END]]
    result = proven.check(scene, path, certificate=True)
    report = proven.verify(scene, path, result.certificate, cells=True)
    cells = sorted(report.cells, key=lambda c: c["begin"])
    print(result, report, f"{len(result.certificate)} bytes")
    for c in cells:
        print(f"  t {c['begin']:.5f} to {c['end']:.5f}, anchor {c['anchor']:.5f}, bounds",
              ", ".join(f"{1e3 * b:.2f} mm" for b in c["lower"]))
    motion_picture(output / "certificate-motion.png")
    cell_picture(output / "certificate-cell.png", cells[len(cells) // 2])
    bounds_picture(output / "certificate-bounds.png", scene, cells)


if __name__ == "__main__":
    main()
