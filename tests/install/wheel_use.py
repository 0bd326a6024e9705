"""What someone does with the wheel: import it, check, verify, plan, pickle to four processes that are started
anew, and run the examples. The argument is the source tree, for the examples."""

import importlib.metadata
import multiprocessing
import pathlib
import re
import subprocess
import sys

import numpy as np

import proven


def verdicts(scene, paths):
    return scene.hash, [result.verdict for result in proven.check_all(scene, paths, threads=1)]


def main(root):
    assert proven.__version__ == importlib.metadata.version("proven")
    assert proven.__file__.startswith(sys.prefix)
    scene = proven.built_in_scene("demo").with_obstacle("ball", [0.9, 0, 1.2], sphere=0.1)
    path = [scene.home, scene.home + 0.1]
    result = proven.check(scene, path, certificate=True)
    assert proven.verify(scene, path, result.certificate).accepted
    random = np.random.default_rng(1)
    paths = [random.uniform(-1, 1, (2, 6)) for _ in range(40)]
    here = verdicts(scene, paths)
    assert {"free", "collision"} <= set(here[1])
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert pool.starmap(verdicts, [(scene, paths)] * 4) == [here] * 4
    # All but those that need a library of their own, for plots and for C.
    for example in sorted((root / "examples" / "python").glob("[0-9]*.py")):
        if example.stem in ("03_plan_and_prove", "10_from_ctypes"):
            continue
        said = subprocess.run([sys.executable, "-B", example], check=True, stdout=subprocess.PIPE, text=True).stdout
        if example.stem == "11_overhead":
            print(said, end="")
            costs = [float(cost) for cost in re.findall(r"([\d.]+) us beyond the search", said)]
            assert len(costs) == 5 and max(costs) <= 10, costs
    print(proven.__version__, "of", pathlib.Path(proven.__file__).parent)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
