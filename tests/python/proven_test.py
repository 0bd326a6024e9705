"""The Python package against the command line's world: the same verdicts, proofs that verify, errors
that say what is wrong."""

import json
import os
import pathlib
import pickle
import shutil
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import proven


@pytest.fixture(scope="module")
def cage():
    return proven.built_in_scene("cage-a")


def random_paths(scene, count, seed, reach=1.0):
    random = np.random.default_rng(seed)
    low, high = np.clip(scene.limits, -np.pi, np.pi).T
    paths = []
    while len(paths) < count:
        ends = low + (high - low) * random.random((2, len(low)))
        ends[1] = ends[0] + reach * (ends[1] - ends[0])
        if all(min(d for _, _, d in scene.distances(q)) > 0 for q in ends):
            paths.append(ends)
    return paths


def test_scene_tells_what_is_in_it(cage):
    assert len(cage.joints) == 6 and cage.limits.shape == (6, 2)
    assert len(cage.pairs) > 50 and all(len(p) == 3 for p in cage.excluded)
    assert set(a for a, _ in cage.pairs) <= set(cage.bodies)
    assert "6 joints" in repr(cage)


def test_free_paths_have_certificates_and_the_verifier_takes_them(cage):
    verdicts = {"free": 0, "collision": 0, "undecided": 0}
    for path in random_paths(cage, 30, seed=1, reach=0.4):
        result = proven.check(cage, path, certificate=True)
        verdicts[result.verdict] += 1
        with pytest.raises(TypeError, match="result.verdict"):
            bool(result)
        if result.verdict == "undecided":
            continue
        report = proven.verify(cage, path, result.certificate)
        assert report.accepted, report.reason
        assert not proven.verify(cage, path, result.certificate[:-3]).accepted
    assert verdicts["free"] >= 3 and verdicts["collision"] >= 3


def test_open_meshes_are_named():
    folder = pathlib.Path(__file__).parent.parent / "regression"
    scene = proven.load_scene(folder / "shell_open.json")
    assert scene.no_inside == ["shell"]
    result = proven.check(scene, [[0.0], [1.9]], certificate=True)
    assert result.verdict == "free" and result.no_inside == ["shell"]
    assert proven.verify(scene, [[0.0], [1.9]], result.certificate).no_inside == ["shell"]
    assert proven.load_scene(folder / "room.json").no_inside == []


def test_collision_is_where_the_distance_is_zero(cage):
    seen = 0
    for path in random_paths(cage, 20, seed=2):
        result = proven.check(cage, path)
        if result.collision is None:
            continue
        seen += 1
        at = result.collision["configuration"]
        t = result.collision["t"]
        np.testing.assert_allclose(at, (1 - t) * path[0] + t * path[1], atol=1e-12)
        nearest = {(a, b): d for a, b, d in cage.distances(at)}
        assert nearest[tuple(result.collision["pair"])] == 0
    assert seen > 5


def test_checkers_agree_and_batches_answer_like_single_calls(cage):
    paths = random_paths(cage, 20, seed=3, reach=0.5)
    together = [r.verdict for r in proven.check_all(cage, paths)]
    assert together == [proven.check(cage, p).verdict for p in paths]
    for path, verdict in zip(paths, together):
        other = proven.check(cage, path, checker="classic").verdict
        assert {verdict, other} != {"free", "collision"}


def test_proved_clearance_never_exceeds_the_true_one(cage):
    checked = 0
    for path in random_paths(cage, 12, seed=4, reach=0.2):
        result = proven.check(cage, path, certificate=True)
        if result.verdict != "free":
            continue
        checked += 1
        report = proven.verify(cage, path, result.certificate, cells=True)
        assert report.leaves == len(report.cells)
        t, clearance = proven.clearance_over_time(report, samples_per_segment=20)
        for time_, bound in zip(t, clearance):
            q = (1 - time_) * path[0] + time_ * path[1]
            assert bound <= min(d for _, _, d in cage.distances(q)) + 1e-9
    assert checked >= 3


def test_least_clearance_holds_and_is_tight(cage):
    checked = 0
    for path in random_paths(cage, 12, seed=4, reach=0.2):
        found = proven.least_clearance(cage, path)
        if found["verdict"] != "free":
            assert found["at_least"] is None and not found["tight"]
            with pytest.raises(ValueError):
                proven.clearance_over_time(found)
            continue
        checked += 1
        assert found["tight"], found["note"]
        assert 0 <= found["at_most"] - found["at_least"] <= max(1e-3, 0.05 * found["at_most"])
        t, clearance = proven.clearance_over_time(found, samples_per_segment=40)
        assert clearance.min() >= found["at_least"]
        for time_, bound in zip(t, clearance):
            q = (1 - time_) * path[0] + time_ * path[1]
            assert bound <= min(d for _, _, d in cage.distances(q)) + 1e-9
        at = (1 - found["t"]) * path[0] + found["t"] * path[1]
        nearest = min(d for _, _, d in cage.distances(at))
        assert found["at_most"] == pytest.approx(nearest, abs=1e-6)
    assert checked >= 3


def test_plan_smooth_time_and_files(tmp_path):
    scene = proven.built_in_scene("demo")
    start = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69]
    goal = [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
    assert proven.check(scene, [start, goal]).verdict == "collision"
    planned = proven.plan(scene, start, goal, seed=3, certificate=True)
    assert planned.status == "solved" and planned.proved and planned.seconds > 0
    assert proven.verify(scene, planned.path, planned.certificate).accepted
    again = proven.plan(scene, start, goal, seed=3)
    np.testing.assert_array_equal(planned.path.waypoints, again.path.waypoints)
    smoothed = proven.smooth(scene, planned.path, seed=3)
    assert smoothed.length_after <= smoothed.length_before
    assert proven.check(scene, smoothed.path).verdict == "free"
    timed = proven.time_path(scene, smoothed.path, velocity=1, acceleration=2).motion
    assert len(timed.times) == len(timed) and np.all(np.diff(timed.times) > 0)
    file = tmp_path / "path.json"
    proven.save_path(file, timed, scene)
    np.testing.assert_array_equal(proven.load_path(file, scene).waypoints, timed.waypoints)
    assert json.loads(file.read_text())["proven"] == 1


FOLD = os.path.join(os.path.dirname(__file__), "..", "regression", "fold.json")


def test_goals_by_name_pose_and_several():
    scene = proven.load_scene(FOLD)  # the tip is at 1 + out - back
    far = proven.plan(scene, "near", "far")
    assert far.goal == 0
    np.testing.assert_array_equal(far.path.waypoints[[0, -1]], [[0, 0.25], [1, 0]])
    tip = {"link": "fold/tip", "xyz": np.array([1.5, 0, 0]), "free": "all"}
    posed = proven.plan(scene, [0, 0], tip)
    out, back = posed.path.waypoints[-1]
    assert abs(1 + out - back - 1.5) < 1e-6
    # Any of several, the first of which is beyond its limits.
    several = proven.plan(scene, scene.home, [[50, 0], "far", tip])
    assert several.status == "solved" and several.goal in (1, 2)
    assert proven.plan(scene, scene.home, np.array([[50, 0], [0.5, 0.25]])).goal == 1
    assert pickle.loads(pickle.dumps(several)).goal == several.goal
    nowhere = proven.plan(scene, scene.home, dict(tip, xyz=[40, 0, 0]))
    assert nowhere.status == "unreachable" and nowhere.goal is None and nowhere.reason
    held = proven.plan(scene, scene.home, [0.5, 0], group="both")
    assert held.status == "solved"
    for wrong in ({"link": "fold/tip"}, {"link": "nothing", "xyz": [1, 0, 0], "free": "all"}, "nowhere", []):
        with pytest.raises(proven.Error):
            proven.plan(scene, scene.home, wrong)
    with pytest.raises(proven.Error, match="both"):
        proven.plan(scene, scene.home, [0.5, 0], group="neither")


def test_constraints_along_a_path():
    scene = proven.load_scene(FOLD)
    slit = {"link": "fold/tip", "box": [0.02, 1, 1], "pose": {"xyz": [1, 0, 0]}}
    planned = proven.plan(scene, [0, 0], [0.25, 0.25], constraints=[slit])
    assert planned.status == "solved" and planned.proved
    kept = proven.check_constraints(scene, planned.path, [slit])
    assert kept.verdict == "kept"
    broken = proven.check_constraints(scene, [[0, 0], [0.25, 0], [0.25, 0.25]], [slit])
    assert broken.verdict == "broken" and broken.beyond > 0 and "fold/tip" in broken.text
    out, back = broken.configuration
    assert abs(out - back) > 0.01
    assert pickle.loads(pickle.dumps(broken)).t == broken.t
    with pytest.raises(TypeError, match="verdict"):
        bool(kept)
    outside = proven.plan(scene, [0.5, 0], [0.25, 0.25], constraints=[slit])
    assert outside.status == "start_invalid" and "fold/tip" in outside.reason
    for wrong in ([], [{"link": "fold/tip"}], [dict(slit, box=[1, 1])], [dict(slit, cones=1)]):
        with pytest.raises(proven.Error):
            proven.check_constraints(scene, planned.path, wrong)


def test_poses_are_rigid_and_move(cage):
    body = cage.pairs[0][0]
    pose = cage.body_pose(body, cage.home)
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    assert tuple(pose[3]) == (0, 0, 0, 1)


def test_errors_say_what_is_wrong(cage, tmp_path):
    with pytest.raises(proven.Error, match="6 columns"):
        proven.check(cage, [[0, 0], [1, 1]])
    with pytest.raises(proven.Error, match="no checker 'magic'"):
        proven.check(cage, np.zeros((2, 6)), checker="magic")
    with pytest.raises(proven.Error, match="nowhere.json"):
        proven.load_scene(tmp_path / "nowhere.json")
    with pytest.raises(proven.Error, match="no body"):
        cage.body_pose("nobody", cage.home)
    with pytest.raises(ValueError):
        proven.plan(cage, np.full(6, np.nan), cage.home)


def test_many_queries_are_planned_in_one_call():
    scene = proven.built_in_scene("demo")
    start = np.array([1.61, 0.38, 0.61, -0.43, -0.69, -0.69])
    goal = np.array([-0.41, 0.41, 0.26, 0.57, 0.77, -0.21])
    queries = [(start, goal), (goal, start), (start, [goal, scene.home]), (start, start + 0.05)]
    assert proven.check(scene, [start, goal]).verdict == "collision"
    one = proven.plan_all(scene, queries, seed=3, certificate=True, threads=1)
    many = proven.plan_all(scene, iter(queries), seed=3, threads=3)
    for (begin, end), a, b in zip(queries, one, many, strict=True):
        assert a.status == "solved" and a.proved and b.proved
        np.testing.assert_array_equal(a.path.waypoints, b.path.waypoints)
        np.testing.assert_array_equal(a.path.waypoints[0], begin)
        assert proven.check(scene, a.path).verdict == "free"
        assert proven.verify(scene, a.path, a.certificate).accepted
    np.testing.assert_array_equal(one[1].path.waypoints[-1], start)
    assert one[0].goal == 0 and one[2].goal in (0, 1)
    # Without preparing they are those of plan.
    for (begin, end), planned in zip(queries, proven.plan_all(scene, queries, prepare=False)):
        alone = proven.plan(scene, begin, end)
        np.testing.assert_array_equal(planned.path.waypoints, alone.path.waypoints)
    assert proven.plan_all(scene, []) == []
    # What cannot be planned is told of that query; what makes no sense ends the call.
    collides = proven.plan_all(scene, [(start, goal), (start, np.full(6, 9.0))])
    assert [planned.status for planned in collides] == ["solved", "goal_invalid"]
    with pytest.raises(ValueError):
        proven.plan_all(scene, [(start, goal[:5])])
    with pytest.raises(proven.Error, match="no planner"):
        proven.plan_all(scene, queries, planner="magic")


def test_many_paths_are_smoothed_in_one_call():
    scene = proven.built_in_scene("demo")
    start = np.array([1.61, 0.38, 0.61, -0.43, -0.69, -0.69])
    goal = np.array([-0.41, 0.41, 0.26, 0.57, 0.77, -0.21])
    paths = [proven.plan(scene, start, goal, seed=seed).path for seed in (1, 2, 3)]
    paths.append([start, goal])
    for device in ("threads", "automatic"):
        many = proven.smooth_all(scene, iter(paths), seed=5, certificate=True, threads=2, device=device)
        for path, shorter in zip(paths, many, strict=True):
            alone = proven.smooth(scene, path, seed=5, certificate=True)
            assert shorter.verdict == alone.verdict and shorter.certificate == alone.certificate
            np.testing.assert_array_equal(shorter.path.waypoints, alone.path.waypoints)
        assert [shorter.verdict for shorter in many] == ["free", "free", "free", "collision"]
        assert many[0].length_after < many[0].length_before
    assert proven.smooth_all(scene, []) == []
    queries = [(start, goal), (goal, start), (start, [goal, scene.home])]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        together = proven.plan_all(scene, queries, seed=3, device="automatic")
    # Who asks for a GPU is told if there is none.
    assert all("threads do the work" in str(one.message) for one in said)
    assert said or shutil.which("nvidia-smi")
    for alone, planned in zip(proven.plan_all(scene, queries, seed=3), together, strict=True):
        assert planned.goal == alone.goal
        np.testing.assert_array_equal(planned.path.waypoints, alone.path.waypoints)
    with pytest.raises(proven.Error, match="device"):
        proven.smooth_all(scene, paths, device="magic")
    with pytest.raises(proven.Error, match="max_seconds"):
        proven.plan_all(scene, queries, device="automatic", max_seconds=1)


def test_ctrl_c_stops_many_plans():
    scene = proven.built_in_scene("car-a")
    queries = [(scene.home, scene.home + 0.01)] * 200_000
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        proven.plan_all(scene, queries, prepare=False, threads=1)
    # Without the stop the call takes a multiple of this.
    assert time.monotonic() - begin < 10


def test_ctrl_c_stops_a_long_check():
    scene = proven.built_in_scene("lattice-9")
    random = np.random.default_rng(5)
    paths = [0.02 * random.standard_normal((2, 180)) for _ in range(5000)]
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            proven.check_all(scene, paths, threads=1)
    # Without the stop the first call alone takes a multiple of this.
    assert time.monotonic() - begin < 5


def test_models_are_asked_often_and_follow_edits():
    scene = proven.built_in_scene("demo")
    model = proven.Model(scene, certificate=True)
    start, end = scene.home, scene.home + 0.1
    alone = proven.check(scene, [start, end], certificate=True)
    asked = model.check([start, end])
    assert asked.verdict == alone.verdict
    assert asked.certificate == alone.certificate
    assert model.is_free(start) == (model.check_configuration(start).verdict == "free")
    assert model.is_free(start, end) == (asked.verdict == "free")
    verdicts = set()
    for z in np.linspace(-1, 2, 40):
        edited = scene.with_obstacle("ball", [0.6, 0.1, z], sphere=0.2)
        followed = model.with_scene(edited).check([start, end])
        assert followed.certificate == proven.check(edited, [start, end], certificate=True).certificate
        verdicts.add(followed.verdict)
    assert {"free", "collision"} <= verdicts
    assert "ball" not in scene.bodies


def test_edits_of_scenes():
    scene = proven.built_in_scene("demo").with_obstacle("part", np.eye(4), box=(0.1, 0.2, 0.3))
    link = [b for b in scene.bodies if "/" in b][-1]
    q = scene.home + 0.2
    held = scene.with_attached("part", link, q, touch=[link])
    assert np.allclose(held.body_pose("part", q), np.eye(4), atol=1e-12)
    assert held.description()["attached"][0]["link"] == link
    down = held.detached("part", q)
    assert down.description()["attached"] == []
    assert "part" not in down.without("part").bodies
    joint = scene.joints[0]
    assert scene.with_home(joint, 0.3).home[0] == 0.3
    for wrong in (
        lambda: scene.without("nobody"),
        lambda: scene.with_pose("part", np.ones((4, 4))),
        lambda: scene.with_pose("part", [1, 2]),
        lambda: scene.with_obstacle("part", [0, 0, 0], sphere=1),
        lambda: scene.with_obstacle("ball", [0, 0, 0], spere=1),
        lambda: scene.with_obstacle("ball", [0, 0, 0]),
        lambda: scene.with_attached("part", "arm/nothing", q),
        lambda: scene.with_home("nothing", 0),
    ):
        with pytest.raises(proven.Error):
            wrong()


def test_clouds_and_voxels_are_obstacles():
    scene = proven.built_in_scene("demo")
    here = scene.home
    grid = np.zeros((3, 4, 5), dtype=bool)
    grid[1, 2, 3] = True
    far = scene.with_obstacle("cells", [3, 0, 0], voxels=(grid, 0.1))
    distances = {(a, b): d for a, b, d in far.distances(here)}
    same = scene.with_obstacle("cube", [3.15, 0.25, 0.35], box=(0.1, 0.1, 0.1))
    boxes = {(a, b): d for a, b, d in same.distances(here)}
    pairs = [pair for pair in distances if pair[1] == "cells"]
    assert pairs
    for a, _ in pairs:
        assert distances[a, "cells"] == pytest.approx(boxes[a, "cube"], abs=1e-9)
    listed = scene.with_obstacle("cells", [3, 0, 0], voxels=(np.argwhere(grid), 0.1))
    assert listed.hash == far.hash
    for kind in (np.int32, np.uint8):    # converted on the way
        assert scene.with_obstacle("cells", [3, 0, 0], voxels=(np.argwhere(grid).astype(kind), 0.1)).hash == far.hash
    points = np.array([[x, y, 2.0] for x in np.arange(0, 1, 0.1) for y in np.arange(0, 1, 0.1)])
    stated = scene.with_obstacle("cloud", [2, 0, 0], cloud=(points, 0.05))
    # What the verdict is about is part of it.
    assert stated.sensed == {"cloud": "100 points, radius 0.05 m"} and scene.sensed == {}
    result = proven.check(stated, [here, here], certificate=True)
    assert result.sensed == stated.sensed and "cloud is 100 points, radius 0.05 m" in repr(result)
    assert proven.verify(stated, [here, here], result.certificate).sensed == stated.sensed
    ball = scene.with_obstacle("ball", [2, 0, 2], sphere=0.05)
    cloud_least = min(d for _, b, d in stated.distances(here) if b == "cloud")
    assert cloud_least <= min(d for _, b, d in ball.distances(here) if b == "ball")
    spaced = scene.with_obstacle("cloud", [2, 0, 0], cloud=points)
    assert min(d for _, b, d in spaced.distances(here) if b == "cloud") == pytest.approx(cloud_least - (0.1 / 2 ** 0.5 - 0.05))
    for bad in (dict(cloud=(points[:, :2], 0.1)), dict(cloud=(points, -1)), dict(cloud=points[:1]), dict(voxels=(grid.astype(float), 0.1)),
                dict(cloud=(points * np.nan, 0.1)), dict(voxels=(np.array([[1 << 21, 0, 0]]), 0.1)), dict(voxels=(grid, 0))):
        with pytest.raises((ValueError, proven.Error)):
            scene.with_obstacle("bad", [0, 0, 0], **bad)


def test_clouds_are_filtered():
    scene = proven.built_in_scene("demo")
    points = np.random.default_rng(1).uniform(-1, 1, (5000, 3))
    points[7] = np.nan
    kept, gone = scene.filter_cloud(points, region=[[-1, -1, -0.5], [1, 1, 1]], ground=-0.1, configuration=scene.home, padding=0.05)
    assert gone["not_finite"] == 1 and gone["outside"] > 500 and gone["ground"] > 500 and gone["robot"] > 0
    assert len(kept) + sum(gone.values()) == 5000
    assert kept[:, 2].min() > -0.1
    # What is left keeps clear of the robot by the padding.
    cloud = scene.with_obstacle("cloud", [0, 0, 0], cloud=(kept, 1e-6))
    assert min(d for _, b, d in cloud.distances(scene.home) if b == "cloud") > 0.05 - 1e-5
    with pytest.raises((ValueError, proven.Error)):
        scene.filter_cloud(points, padding=0.1)


def test_long_questions_to_a_model_can_be_limited():
    scene = proven.built_in_scene("workshop")
    model = proven.Model(scene)
    limits = scene.limits
    result = model.check([limits[:, 0], limits[:, 1]], max_seconds=0)
    assert result.verdict in ("undecided", "collision")


def test_what_a_person_should_know_of_a_scene(tmp_path):
    good = proven.built_in_scene("demo")
    assert good.warnings == [] and proven.check(good, [good.home]).warnings == []
    (tmp_path / "arm.urdf").write_text("""<robot name="r"><link name="base"/><link name="rod"><collision>
<geometry><box size="1 0.02 0.02"/></geometry></collision></link><joint name="turn" type="revolute">
<parent link="base"/><child link="rod"/><axis xyz="0 0 1"/><limit lower="-170" upper="170" velocity="1" effort="1"/>
</joint></robot>""")
    (tmp_path / "cell.json").write_text("""{"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}],
"obstacles": [{"name": "car", "box": [4500, 1, 1], "pose": {"xyz": [0, 0, 9]}}]}""")
    scene = proven.load_scene(tmp_path / "cell.json")
    assert [(w["code"], w["where"]) for w in scene.warnings] == [("size", "car"), ("degrees", "arm/turn")]
    assert all(w["text"] for w in scene.warnings)
    assert proven.check(scene, [[0.0], [0.5]]).warnings == scene.warnings
    assert [w["code"] for w in scene.without("car").warnings] == ["degrees"]


def test_a_pose_that_is_proved_out_of_reach():
    scene = proven.built_in_scene("demo")
    link = next(name for name in reversed(scene.links) if name.startswith("arm/"))
    far = {"link": link, "xyz": [50, 0, 0], "free": "all"}
    planned = proven.plan(scene, scene.home, far)
    assert planned.status == "unreachable" and "farther away" in planned.reason


LIMITED = """<robot name="r"><link name="base"/><link name="bar"><collision><origin xyz="0.5 0 0"/><geometry>
<box size="1 0.1 0.1"/></geometry></collision></link><joint name="turn" type="revolute"><axis xyz="0 0 1"/>
<parent link="base"/><child link="bar"/><limit lower="-1" upper="1" velocity="0"/></joint></robot>"""


def test_values_beyond_limits_are_refused_unless_they_are_ignored():
    scene = proven.Scene(proven.parse_urdf(LIMITED)).with_obstacle("post", [-0.8, 0, 0], box=[0.2, 0.2, 1])
    words = "r/turn is 3.*beyond its limits -1 and 1.*limits=\"ignore\""
    model, ignoring = proven.Model(scene), proven.Model(scene, limits="ignore")
    asks = [
        lambda **more: proven.check(scene, [[0], [3]], **more).verdict,
        lambda **more: proven.check_all(scene, [[[0], [3]]], **more)[0].verdict,
        lambda **more: proven.smooth(scene, [[0], [3]], **more).verdict,
        lambda **more: proven.time_path(scene, [[0], [3]], **more).verdict,
    ]
    for ask in asks:
        with pytest.raises(proven.Error, match=words):
            ask()
        assert ask(limits="ignore") == "collision"
        with pytest.raises(proven.Error, match="refuse"):
            ask(limits="honour")
    for ask in (lambda m: m.check_configuration([3]), lambda m: m.check_segment([0], [3]), lambda m: m.check([[0], [3]]),
                lambda m: m.is_free([3]), lambda m: m.is_free([0], [3]), lambda m: m.is_free([[0], [3]])):
        with pytest.raises(proven.Error, match=words):
            ask(model)
        ask(ignoring)
    assert list(ignoring.is_free([[0], [3]])) == [True, False]
    again = pickle.loads(pickle.dumps(ignoring))
    assert again.check_configuration([3]).verdict == "collision"
    assert proven.plan(scene, [0], [1.5]).status == "goal_invalid"
    assert proven.plan(scene, [0], [1.5], limits="ignore").proved
    assert proven.plan(scene, [0], [1.5], ignore_limits=True).proved
    assert proven.time_path(scene, [[0], [1]]).assumed == {"velocity": ["r/turn"], "acceleration": ["r/turn"]}
