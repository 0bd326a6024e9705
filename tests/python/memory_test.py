"""Scenes without files, edits of them, and pickles: in other processes everything is the same."""

import copy
import multiprocessing
import os
import pathlib
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import proven

URDF = """<robot name="arm"><link name="base"/>
<link name="bar"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<link name="tip"><collision><geometry><sphere radius="0.06"/></geometry></collision></link>
<joint name="turn" type="revolute"><axis xyz="0 0 1"/><parent link="base"/><child link="bar"/>
<limit lower="-6.5" upper="6.5" effort="1" velocity="1"/></joint>
<joint name="end" type="revolute"><origin xyz="1.1 0 0"/><axis xyz="0 0 1"/><parent link="bar"/><child link="tip"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def arm():
    return proven.Scene(proven.parse_urdf(URDF))


def test_a_scene_from_text_is_that_of_the_file(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    assert arm().hash == proven.load_scene(tmp_path / "arm.urdf").hash
    assert proven.Scene().bodies == [] and proven.Scene().joints == []
    named = proven.Scene(proven.parse_urdf(URDF), "left", [1, 0, 0])
    assert named.joints == ["left/turn", "left/end"] and named.body_pose("left/bar", [0, 0])[0, 3] == 1
    both = named.with_robot(proven.parse_urdf(URDF), "right", [-3, 0, 0])
    assert len(both.joints) == 4 and ("left/bar", "right/bar") in both.pairs
    srdf = '<robot name="arm"><disable_collisions link1="bar" link2="tip" reason="User"/></robot>'
    assert ("arm/bar", "arm/tip", "the SRDF says User") in proven.Scene(proven.parse_urdf(URDF, srdf=srdf)).excluded or any(
        {a, b} == {"arm/bar", "arm/tip"} for a, b, _ in proven.Scene(proven.parse_urdf(URDF, srdf=srdf)).excluded)


def test_texts_that_are_wrong_name_the_line():
    with pytest.raises(proven.Error, match="URDF text:2: "):
        proven.parse_urdf('<robot name="r">\n<lnk name="a"/></robot>')
    with pytest.raises(proven.Error, match="SRDF text"):
        proven.parse_urdf(URDF, srdf="<nonsense/>")
    with pytest.raises(proven.Error, match="mesh"):
        proven.parse_urdf('<robot name="r"><link name="a"><collision><geometry><mesh filename="no.stl"/></geometry></collision></link></robot>')


def test_edits_change_what_they_say_and_verdicts_follow():
    scene = arm().with_obstacle("post", [0, 1, 0], box=(0.2, 0.2, 1))
    sweep = [[0.0, 0.0], [3.0, 0.0]]
    assert proven.check(scene, sweep).verdict == "collision"
    assert proven.check(scene.with_pose("post", [0, 3, 0]), sweep).verdict == "free"
    assert proven.check(scene.without("post"), sweep).verdict == "free"
    kept = scene.with_exclusion("arm/bar", "post", "known").with_exclusion("arm/tip", "post")
    assert ("arm/bar", "post", "known") in kept.excluded
    assert proven.check(kept, sweep).verdict == "free"
    assert kept.without_exclusion("post", "arm/bar").without_exclusion("arm/tip", "post").hash == scene.hash
    near = scene.with_pose("post", [0, 1.4, 0])
    assert proven.check(near, sweep).verdict == "free"
    assert proven.check(near.with_clearance(0.2), sweep).verdict == "collision"
    assert proven.check(near.with_clearance({"self": 0.0, "world": 0.2}), sweep).verdict == "collision"
    assert proven.check(near.with_pair_clearance("arm/tip", "post", 0.2), sweep).verdict == "collision"
    held = near.with_held("rod", "arm/tip", [0.2, 0, 0], box=(0.4, 0.05, 0.05))
    assert proven.check(held, sweep).verdict == "collision"
    assert proven.check(held.without("rod"), sweep).verdict == "free"
    for wrong in (
        lambda: scene.with_exclusion("arm/bar", "nobody"),
        lambda: scene.without_exclusion("arm/bar", "post"),
        lambda: scene.with_pair_clearance("nobody", "post", 1),
        lambda: scene.with_clearance(float("nan")),
        lambda: scene.with_clearance(-1),
        lambda: scene.with_robot(proven.parse_urdf(URDF)),  # the name is taken
        lambda: scene.with_held("rod", "nobody", [0, 0, 0], sphere=1),
    ):
        with pytest.raises(proven.Error):
            wrong()


def all_shapes():
    """A scene with every shape, held objects, exclusions, clearances, a home, and a clock-free cloud."""
    random = np.random.default_rng(1)
    vertices = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0], [0, 0, 0.5]])
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    return (
        proven.built_in_scene("demo")
        .with_obstacle("ball", [1 / 3, 2, 0.1], sphere=0.1)
        .with_obstacle("can", [2, 0.7, 0.1], cylinder=(0.1, 0.3))
        .with_obstacle("pill", [2, -0.7, 0.1], capsule=(0.1, 0.3))
        .with_obstacle("mesh", [-2, 0.7, 0.1], mesh=(vertices, triangles))
        .with_obstacle("cloud", [0, 0, 0], cloud=(random.uniform(2, 3, (500, 3)), 0.01))
        .with_obstacle("cells", [-3, 0, 0], voxels=(random.random((5, 6, 7)) > 0.5, 0.1))
        .with_held("part", "arm/palm", [0, 0, 0.15], ["arm/jaw_1", "arm/jaw_2"], box=(0.02, 0.02, 0.1))
        .with_exclusion("arm/jaw_1", "ball", "as a test")
        .with_clearance({"world": 0.002, "self": 0.0})
        .with_pair_clearance("arm/link_6", "table", 0.01)
        .with_home("arm/joint_2", 0.1)
    )


def test_pickled_scenes_are_the_same_and_shared():
    for scene in (proven.Scene(), arm(), all_shapes(), proven.built_in_scene("cage-a"),
                  proven.built_in_scene("free-flyer"), proven.built_in_scene("lever")):
        again = pickle.loads(pickle.dumps(scene))
        assert again.hash == scene.hash
        for name in ("joints", "bodies", "pairs", "excluded", "clearance", "warnings", "links", "no_inside"):
            assert getattr(again, name) == getattr(scene, name), name
        np.testing.assert_array_equal(again.limits, scene.limits)
        np.testing.assert_array_equal(again.home, scene.home)
    scene = all_shapes()
    assert copy.copy(scene) is scene and copy.deepcopy(scene) is scene
    results = [proven.check(scene, [scene.home, scene.home + d]) for d in (0.01, 0.02)]
    alone = len(pickle.dumps(results[0]))
    assert len(pickle.dumps(results)) < 1.1 * alone  # the scene is in it once


def test_moving_obstacles_and_regression_scenes_pickle():
    folder = pathlib.Path(__file__).parents[1] / "regression"
    seen = 0
    for file in sorted(folder.glob("*.json")):
        try:
            scene = proven.load_scene(file, allow_empty=True)
        except proven.Error:
            continue  # paths, and scenes that are to be refused
        seen += 1
        assert pickle.loads(pickle.dumps(scene)).hash == scene.hash, file.name
    assert seen >= 3


def test_damaged_pickles_are_refused():
    state = arm().__getstate__()
    for damaged in (state[0][:-1], state[0] + b"x", b"\x07" + state[0][1:], b"", state[0][:40]):
        fresh = proven.Scene.__new__(proven.Scene)
        with pytest.raises(proven.Error, match="pickle"):
            fresh.__setstate__((damaged, state[1]))
    with pytest.raises(proven.Error, match="another scene"):
        proven.Scene.__new__(proven.Scene).__setstate__((state[0], "0" * 32))


def test_old_protocols_are_refused():
    for thing in (arm(), proven.Motion(arm(), [arm().home]), proven.Model(arm())):
        for protocol in (0, 1):
            with pytest.raises(TypeError, match="protocol of 2 or later"):
                pickle.dumps(thing, protocol)
        assert type(pickle.loads(pickle.dumps(thing, 2))) is type(thing)


def test_odd_waypoints_and_requirements_are_refused():
    scene = arm()
    path = np.array([scene.home, scene.home])
    with pytest.raises(proven.Error, match="real numbers"):
        proven.check(scene, path.astype(complex))
    with pytest.raises(proven.Error, match="masked"):
        proven.check(scene, np.ma.masked_array(path, mask=path > 9))
    with pytest.raises(TypeError, match="clearance of world: expected a number"):
        proven.check(scene, path, clearance={"world": "1 cm"})
    with pytest.raises(TypeError, match="expected a number"):
        proven.check(scene, path, tracking_error={scene.joints[0]: None})


def test_the_verifier_proves_constraints_anew():
    scene = proven.built_in_scene("demo")
    path = [scene.home, scene.home + 0.1]
    proof = proven.check(scene, path, certificate=True).certificate
    tip = scene.links[-1]
    accepted = proven.verify(scene, path, proof, constraints=[{"link": tip, "box": [9, 9, 9]}])
    assert accepted.accepted and "stays in a box" in accepted.theorem[-1]
    rejected = proven.verify(scene, path, proof, constraints=[{"link": tip, "box": [0.01, 0.01, 0.01]}])
    assert not rejected.accepted and "is not in its box" in rejected.reason
    with pytest.raises(proven.Error, match="no link 'arm/tail'"):
        proven.verify(scene, path, proof, constraints=[{"link": "arm/tail", "cone": 1}])


def told(result):
    """All that a result tells, for comparison."""
    values = {}
    for name, member in vars(type(result)).items():
        if not name.startswith("_") and isinstance(member, property):
            value = getattr(result, name)
            ours = type(value).__module__.startswith("proven")
            values[name] = told(value) if ours else repr(value) if name == "joints" else value
    return values


def test_all_results_pickle():
    scene = proven.built_in_scene("demo")
    start = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69]
    goal = [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
    planned = proven.plan(scene, start, goal, certificate=True)
    found = [
        proven.check(scene, [start, goal]),
        proven.check(scene, planned.path, certificate=True),
        proven.check(scene, [start, goal], max_seconds=0),
        planned,
        planned.path,
        proven.Motion(scene, [start, goal], [0, 1], velocities=np.zeros((2, 6))),
        proven.verify(scene, planned.path, planned.certificate, cells=True),
        proven.smooth(scene, planned.path),
        proven.time_path(scene, planned.path, certificate=True),
        proven.move_tool(scene, "arm/link_6", scene.home + 0.3, by=[0, 0, -0.02]),
        proven.parse_urdf(URDF),
        proven.parse_urdf(URDF).joints[0],
    ]
    assert {r.verdict for r in found if isinstance(r, proven.CheckResult)} >= {"free", "collision"}
    for result in found:
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and repr(again) == repr(result)
        np.testing.assert_equal(told(again), told(result))
    certificate = found[1].certificate
    assert proven.verify(scene, planned.path, pickle.loads(pickle.dumps(certificate))).accepted
    model = pickle.loads(pickle.dumps(proven.Model(scene, clearance=0.001, certificate=True)))
    asked = model.check(planned.path)
    assert asked.certificate == proven.check(scene, planned.path, clearance=0.001, certificate=True).certificate
    assert asked.certificate


def answers(scene, paths):
    return os.getpid(), scene.hash, [proven.check(scene, path, certificate=True).certificate for path in paths]


def test_spawned_processes_give_the_same_verdicts_and_hashes():
    scene = all_shapes()
    random = np.random.default_rng(2)
    paths = [random.uniform(-1, 1, (2, 6)) for _ in range(20)]
    verdicts = {proven.check(scene, path).verdict for path in paths}
    assert {"free", "collision"} <= verdicts
    here = answers(scene, paths)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        there = pool.starmap(answers, [(scene, paths)] * 4, chunksize=1)
    assert os.getpid() not in {pid for pid, _, _ in there}
    assert all((name, found) == here[1:] for _, name, found in there)


def test_arrays_are_answered_like_single_questions():
    scene = proven.built_in_scene("demo")
    model = proven.Model(scene, limits="ignore")
    random = np.random.default_rng(3)
    q = random.uniform(-1.5, 1.5, (60, 6))
    free = model.is_free(q)
    assert free.dtype == bool and free.shape == (60,) and 0 < free.sum() < 60
    assert list(free) == [model.is_free(row) for row in q] == list(model.is_free(q, threads=1))
    moves = model.is_free(q[:-1], q[1:])
    assert list(moves) == [model.is_free(a, b) for a, b in zip(q, q[1:])] and 0 < moves.sum() < 59
    assert list(model.is_free(scene.home, q)) == [model.is_free(scene.home, row) for row in q]
    paths = [np.stack(pair) for pair in zip(q, q[1:])]
    assert [r.verdict for r in model.check_all(paths)] == [model.check(p).verdict for p in paths]
    for wrong in (lambda: model.is_free(q[:, :5]), lambda: model.is_free(q, q[:7]), lambda: model.is_free(q * np.nan),
                  lambda: model.is_free(np.zeros((2, 2, 6)))):
        with pytest.raises(proven.Error):
            wrong()


def test_what_check_keeps_does_not_outlive_its_options():
    scene = proven.built_in_scene("demo").with_obstacle("near", [0, 0, 0], box=(0.01, 0.01, 0.01)).without("near")
    path = [scene.home, scene.home + 0.1]
    least = min(d for q in np.linspace(*path, 5) for _, b, d in scene.distances(q) if "/" not in b)
    for _ in range(2):  # by turns, so that a model that is kept too long would answer for the other
        assert proven.check(scene, path).verdict == "free"
        assert proven.check(scene, path, clearance=least + 0.001).verdict == "collision"
        assert proven.check(scene, path, certificate=True).certificate
        assert not proven.check(scene, path).certificate


def test_results_are_no_truth_values():
    scene = proven.built_in_scene("demo")
    path = [scene.home, scene.home + 0.1]
    result = proven.check(scene, path, certificate=True)
    for value, word in ((result, "verdict"), (proven.plan(scene, *path), "status"),
                        (proven.verify(scene, path, result.certificate), "accepted")):
        with pytest.raises(TypeError, match=f"result.{word}"):
            if value:
                pass


def interrupted(work):
    """Ctrl-C comes after a tenth of the work, and most of the rest is not done: by processor time, which a loaded
    machine does not stretch. work(n) takes about n times as long as work(1)."""
    whole, count = 0, 1
    while whole < 0.3:
        count *= 2
        begin = time.process_time()
        work(count)
        whole = time.process_time() - begin
    begin = time.process_time()

    def interrupt():
        while time.process_time() - begin < 0.1 * whole:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    watch = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        watch.start()
        work(count)
        watch.join()
    spent = time.process_time() - begin
    watch.join()
    assert spent < 0.7 * whole, (spent, whole)


def test_ctrl_c_ends_verify():
    scene = proven.built_in_scene("demo")
    waypoints = scene.home + 0.1 * np.random.default_rng(1).uniform(-1, 1, (20000, 6))

    def work(count, proofs={}):
        path = waypoints[:300 * count]
        if count not in proofs:
            proofs[count] = proven.check(scene, path, certificate=True).certificate
        assert proven.verify(scene, path, proofs[count]).accepted

    interrupted(work)


def test_ctrl_c_ends_traffic():
    space = proven.spacetime
    car = space.Footprint.box(4.5, 2)

    def line(speed, y):
        return space.Trajectory(np.arange(50), np.column_stack([speed * np.arange(50), np.full(50, y), np.zeros(50)]))

    traffic = space.TrafficScene([space.Obstacle(str(i), car, motion=line(1.1 + 0.1 * i, 3.0 + i)) for i in range(20)])
    t = np.arange(50)

    def work(count):
        x = np.outer(np.linspace(0.9, 1.1, 4000 * count), t)
        y = np.broadcast_to(0.999 + 1e-4 * np.arange(50), x.shape)
        space.verdicts(traffic, car, t, x, y, np.zeros(x.shape))

    interrupted(work)


def test_ctrl_c_ends_batches():
    scene = proven.built_in_scene("cage-a")
    model = proven.Model(scene)
    interrupted(lambda count: model.is_free(np.zeros((1000 * count, 6)), threads=1))


def test_notebook_shows_the_page():
    scene = proven.built_in_scene("demo")
    path = [scene.home, scene.home + 0.1]
    try:
        shown = proven.notebook.view(scene, path, height=400)
    except proven.Error as error:
        assert "viewer" in str(error)  # a build without npm
        pytest.skip("built without the viewer")
    text = shown._repr_html_()
    assert text.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in text and "height: 400px" in text
    # Nothing of the page ends the attribute, or the frame.
    inside = text[len('<iframe srcdoc="'):text.index('" sandbox=')]
    assert '"' not in inside and "<" not in inside
    assert "arm/link_6" in shown.page and "free" in shown.page
    certificate = proven.check(scene, path, certificate=True).certificate
    assert "accepted" in proven.notebook.view(scene, path, certificate).page
    with pytest.raises(proven.Error):
        proven.notebook.view(scene, [[0, 0]])


def test_traffic_pickles():
    space = proven.spacetime
    car = space.Footprint.compound([space.Footprint.box(4.5, 2, (0.3, 0.1)), space.Footprint.circle(0.1, (1 / 3, 1))])
    bent = space.Footprint.polygon([[0, 0], [4, 0], [4, 3], [3.9, 0.3], [0, 0.3]])  # cut into convex pieces
    turned = space.Footprint.box(2, 1, (0.1, 0.2), 0.7)
    t = np.arange(5) / 3
    drive = space.Trajectory(t, np.column_stack([3 * t, t / 7, t / 5]), between="arc")
    traffic = space.TrafficScene([space.Obstacle("post", bent, pose=(3, 0.1, 0.3)), space.Obstacle("box", turned, motion=drive)])
    results = [space.check(traffic, car, space.Trajectory(t, np.column_stack([4 * t, 0 * t + y, 0 * t]))) for y in (0, 50)]
    assert [r.verdict for r in results] == ["collision", "free"]
    again = pickle.loads(pickle.dumps((car, drive, traffic, results)))
    assert repr(again) == repr((car, drive, traffic, results))
    np.testing.assert_equal([told(r) for r in again[3]], [told(r) for r in results])
    same = space.check(again[2], again[0], space.Trajectory(t, np.column_stack([4 * t, 0 * t, 0 * t])))
    np.testing.assert_equal(told(same), told(results[0]))
    np.testing.assert_array_equal(again[1].poses, drive.poses)
