"""The package for Python, built on sweeps whose stages are broken: nothing is called free that is not."""

import numpy as np
import proven
import pytest


@pytest.fixture(scope="module")
def colliding():
    """Edges of the demo between free configurations, each of which collides: by dense samples, a configuration at a time."""
    scene = proven.built_in_scene("demo")
    model = proven.Model(scene)
    random = np.random.default_rng(4)
    low, high = np.clip(scene.limits, -np.pi, np.pi).T
    found = []
    while len(found) < 12:
        a, b = random.uniform(low, high), random.uniform(low, high)
        samples = np.linspace(a, b, 60)
        hits = [model.check_configuration(q).verdict == "collision" for q in samples]
        if any(hits) and not hits[0] and not hits[-1]:
            found.append((a, b))
    return scene, found


def test_nothing_is_called_free(colliding):
    scene, edges = colliding
    model = proven.Model(scene)
    for a, b in edges:
        path = [a, b]
        assert proven.check(scene, path).verdict == "collision"
        assert model.check_segment(a, b).verdict == "collision"
        assert model.check(path).verdict == "collision"
    assert not np.any(model.is_free(np.array([a for a, _ in edges]), np.array([b for _, b in edges])))


def test_plans_are_free(colliding):
    scene, edges = colliding
    solved = 0
    results = [proven.plan(scene, a, b, max_seconds=5) for a, b in edges[:4]]
    results += proven.plan_all(scene, edges[:4], max_seconds=20)
    for planned in results:
        if planned.status != "solved":
            continue
        solved += 1
        assert planned.proved
        certified = proven.check(scene, planned.path, certificate=True)
        assert certified.verdict == "free"
        assert proven.verify(scene, planned.path, certified.certificate).accepted
        smoothed = proven.smooth(scene, planned.path)
        assert proven.check(scene, smoothed.path).verdict == "free"
    assert solved >= 4
