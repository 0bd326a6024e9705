"""What a call from Python costs beyond the search itself, by the kind of question."""

import time

import numpy as np

import proven

CALLS = 2000

scene = proven.built_in_scene("demo")
model = proven.Model(scene)
path = np.array([scene.home, scene.home + 0.05])
motion = proven.Motion(scene, path)


def overhead(ask):
    """Microseconds beyond the search: the median, as other programs disturb some calls."""
    spent = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        result = ask()
        spent.append(time.perf_counter() - begin - result.stats["seconds"])
    return 1e6 * np.median(spent)


for name, ask in (
    ("check(scene, array)", lambda: proven.check(scene, path)),
    ("check(scene, motion)", lambda: proven.check(scene, motion)),
    ("model.check(array)", lambda: model.check(path)),
    ("model.check_segment(a, b)", lambda: model.check_segment(path[0], path[1])),
    ("model.check_configuration(q)", lambda: model.check_configuration(path[0])),
):
    print(f"{name:30} {overhead(ask):5.1f} us beyond the search")

many = scene.home + np.random.default_rng(1).uniform(-0.05, 0.05, (CALLS, 6))
begin = time.process_time()
free = model.is_free(many, threads=1)
together = time.process_time() - begin
begin = time.process_time()
single = [model.is_free(q) for q in many]
alone = time.process_time() - begin
assert list(free) == single
print(f"{CALLS} configurations: {1e3 * together:.1f} ms in one call, {1e3 * alone:.1f} ms in {CALLS}")
