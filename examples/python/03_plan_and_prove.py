"""Plans around what is in the way, proves the path, verifies the proof, and plots how far apart
everything is proved to stay. Give a file name to save the plot."""

import sys

import numpy as np

import proven

scene = proven.built_in_scene("demo")
start = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69]
goal = [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
print("straight from start to goal:", proven.check(scene, [start, goal]))

planned = proven.plan(scene, start, goal, seed=1, clearance=0.005)
smoothed = proven.smooth(scene, planned.path, seed=1, clearance=0.005, certificate=True)
print(planned, smoothed, sep="\n")

report = proven.verify(scene, smoothed.path, smoothed.certificate, clearance=0.005, cells=True)
print(report)
for sentence in report.theorem:
    print("  " + sentence)

t, clearance = proven.clearance_over_time(report)
print(f"at every moment everything is proved at least {1e3 * np.min(clearance):.2f} mm apart")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 3.5), constrained_layout=True)
    axes.fill_between(t, 1e3 * clearance, color="#2a6f97", alpha=0.25, linewidth=0)
    axes.plot(t, 1e3 * clearance, color="#2a6f97")
    axes.set(xlabel="segment of the path", ylabel="proved clearance, mm", xlim=(0, t[-1]), ylim=(0, None))
    axes.grid(alpha=0.3)
    figure.savefig(sys.argv[1], dpi=130)
