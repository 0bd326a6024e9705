#!/usr/bin/env python3
"""Draws the pictures of the camera in docs/tutorials/depth_stream.md, from the folder that depth_camera.py wrote:

    python3 docs/images/depth_stream.py STREAM docs/images
"""

import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/python"))
from depth_camera import RATE, read_png

stream, folder = map(pathlib.Path, sys.argv[1:])
figure, axes = plt.subplots(1, 3, figsize=(10.6, 2.9), layout="constrained")
for axis, number in zip(axes, (0, 12, 24)):
    image = read_png(stream / f"frame_{number:03}.png") / 1000.0
    shown = axis.imshow(np.where(image > 0, image, np.nan), cmap="viridis_r", vmin=1.2, vmax=3.45, interpolation="nearest")
    axis.set_title(f"{number / RATE:.1f} s", fontsize=10)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set_facecolor("black")
figure.colorbar(shown, ax=axes, shrink=0.9, label="metres")
figure.savefig(folder / "depth-stream-pictures.png", dpi=100)
