"""Motions from Python: values against evaluators of numpy's polynomials, files against the program, trajectories against
the readers of the second verifier."""

import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import proven

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(proven.__file__).resolve().parents[2] / "tools" / "proven"


@pytest.fixture(scope="module")
def demo():
    return proven.built_in_scene("demo")


@pytest.fixture(scope="module")
def drone(tmp_path_factory):
    """A body that floats, and a continuous joint with a rod on it."""
    folder = tmp_path_factory.mktemp("drone")
    (folder / "drone.urdf").write_text("""<robot name="drone"><link name="world_"/><link name="body"><collision><geometry>
<box size="0.3 0.2 0.1"/></geometry></collision></link><link name="rod"><collision><origin xyz="0.4 0 0"/><geometry>
<box size="0.4 0.02 0.02"/></geometry></collision></link>
<joint name="fly" type="floating"><parent link="world_"/><child link="body"/></joint>
<joint name="turn" type="continuous"><parent link="body"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>""")
    (folder / "scene.json").write_text(json.dumps({
        "proven": 1, "robots": [{"name": "drone", "urdf": "drone.urdf"}],
        "obstacles": [{"name": "wall", "box": [0.1, 2, 2], "pose": {"xyz": [1.5, 0, 0]}}]}))
    return proven.load_scene(folder / "scene.json")


def random_points(random, scene, count, rates):
    n = len(scene.joints)
    times = np.cumsum(random.uniform(0.1, 1, count))
    return times, [random.uniform(-1, 1, (count, n)) for _ in range(1 + rates)]


def hermite_polynomials(times, rows):
    """Of each piece, powers of the time from its begin: solved from values and rates at both ends."""
    order = len(rows)
    pieces = []
    for i in range(len(times) - 1):
        T = times[i + 1] - times[i]
        system, right = [], []
        for t, at in ((0.0, i), (T, i + 1)):
            for d in range(order):
                system.append([math.perm(k, d) * t ** (k - d) if k >= d else 0.0 for k in range(2 * order)])
                right.append(rows[d][at])
        pieces.append(np.linalg.solve(np.array(system), np.array(right)))
    return pieces


def polynomial_value(coefficients, t, order):
    derived = np.polynomial.polynomial.polyder(coefficients, order)
    return np.polynomial.polynomial.polyval(t, derived)


@pytest.mark.parametrize("rates", [0, 1, 2])
def test_values_and_derivatives_are_those_of_the_polynomial(demo, rates):
    random = np.random.default_rng(rates)
    for _ in range(10):
        times, rows = random_points(random, demo, 5, rates)
        motion = proven.Motion(demo, rows[0], times, **dict(zip(("velocities", "accelerations"), rows[1:])))
        assert motion.degree == 2 * rates + 1 and motion.joints == demo.joints
        assert motion.duration == times[-1] - times[0]
        polynomials = hermite_polynomials(times, rows)
        for i, coefficients in enumerate(polynomials):
            t = times[i] + (times[i + 1] - times[i]) * random.random((3, 4))
            for order in range(1, 7):
                expected = np.moveaxis(polynomial_value(coefficients, t - times[i], order), 0, -1)
                got = motion.derivative(t, order)
                assert got.shape == (3, 4, len(demo.joints))
                np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-7 * 10.0 ** order)
            expected = np.moveaxis(polynomial_value(coefficients, t - times[i], 0), 0, -1)
            np.testing.assert_allclose(motion.evaluate(t), expected, atol=1e-10)
        np.testing.assert_array_equal(motion.evaluate(times), rows[0])
        # Outside it rests.
        np.testing.assert_array_equal(motion.evaluate([times[0] - 1, times[-1] + 1]), rows[0][[0, -1]])
        assert not np.any(motion.derivative([times[0] - 1, times[-1] + 1]))


def test_paths_without_times_count_pieces(demo):
    waypoints = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    motion = proven.Motion(demo, waypoints)
    assert motion.degree == 1 and motion.duration is None and len(motion.times) == 0
    np.testing.assert_allclose(motion.evaluate(1.25), 0.75 * waypoints[1] + 0.25 * waypoints[2], atol=1e-15)
    np.testing.assert_allclose(motion.derivative(0.5), waypoints[1] - waypoints[0], atol=1e-15)
    assert proven.Path is proven.Motion
    one = proven.Motion(demo, waypoints[:1])
    np.testing.assert_array_equal(one.evaluate([0, 3]), waypoints[[0, 0]])
    assert not np.any(one.derivative([0, 3]))


def test_bezier_pieces(demo):
    random = np.random.default_rng(2)
    pieces = [random.uniform(-1, 1, (k, 6)) for k in (2, 4, 6, 3)]
    for a, b in zip(pieces, pieces[1:]):
        b[0] = a[-1]
    motion = proven.Motion.bezier(demo, pieces, [0, 1, 3, 3.5, 4])
    assert motion.degree == 5
    for given, kept in zip(pieces, motion.pieces):
        np.testing.assert_array_equal(given, kept)
    for i, (begin, end) in enumerate(zip(motion.times, motion.times[1:])):
        n, s = len(pieces[i]) - 1, random.random(5)
        weights = np.array([math.comb(n, k) * s**k * (1 - s) ** (n - k) for k in range(n + 1)])
        np.testing.assert_allclose(motion.evaluate(begin + s * (end - begin)), weights.T @ pieces[i], atol=1e-12)


def basis(k, degree, knots, t):
    """Cox and de Boor's recursion."""
    if degree == 0:
        return ((knots[k] <= t) & (t < knots[k + 1])).astype(float)
    total = np.zeros_like(t)
    if knots[k + degree] > knots[k]:
        total += (t - knots[k]) / (knots[k + degree] - knots[k]) * basis(k, degree - 1, knots, t)
    if knots[k + degree + 1] > knots[k + 1]:
        total += (knots[k + degree + 1] - t) / (knots[k + degree + 1] - knots[k + 1]) * basis(k + 1, degree - 1, knots, t)
    return total


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_bsplines(demo, degree):
    random = np.random.default_rng(degree)
    points = random.uniform(-1, 1, (degree + 4, 6))
    inner = np.sort(random.uniform(0, 2, 3))
    knots = np.concatenate([np.zeros(degree + 1), inner, np.full(degree + 1, 2.0)])
    motion = proven.Motion.bspline(demo, degree, knots, points)
    assert motion.degree == degree and motion.duration == 2
    t = random.uniform(0, 2, 50)
    weights = np.array([basis(k, degree, knots, t) for k in range(len(points))])
    np.testing.assert_allclose(motion.evaluate(t), weights.T @ points, atol=1e-11)


def matrix(q):
    x, y, z, w = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def test_ball_joints_turn_with_the_velocities_that_were_given(drone):
    random = np.random.default_rng(3)
    n = len(drone.joints)
    q = random.uniform(-1, 1, (4, n))
    q[:, 3:7] = [0, 0, 0, 1] + 0.3 * random.standard_normal((4, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1)[:, None]
    v = random.uniform(-1, 1, (4, n))
    v[:, 6] = 0
    motion = proven.Motion(drone, q, [0, 1, 2.5, 3], velocities=v)
    np.testing.assert_allclose(motion.derivative(motion.times[:-1]), v[:-1], atol=1e-12)
    # At any time the angular velocity is that of rotations nearby: R' = [w] R.
    h = 1e-6
    for t in random.uniform(0.01, 2.99, 20):
        if min(abs(t - motion.times)) < 1e-3:
            continue
        before, here, after = (matrix(motion.evaluate(t + d)[3:7]) for d in (-h, 0, h))
        skew = (after - before) / (2 * h) @ here.T
        w = motion.derivative(t)[3:6]
        np.testing.assert_allclose([skew[2, 1], skew[0, 2], skew[1, 0]], w, atol=1e-7)
        change = (motion.derivative(t + h) - motion.derivative(t - h)) / (2 * h)
        np.testing.assert_allclose(motion.derivative(t, 2), change, atol=1e-6)
    with pytest.raises(proven.Error, match="order 1 or 2"):
        motion.derivative(0.5, 3)
    with pytest.raises(proven.Error, match="ball joint"):
        proven.Motion(drone, q, [0, 1, 2.5, 3], velocities=v, accelerations=v)
    with pytest.raises(proven.Error, match="B-spline"):
        proven.Motion.bspline(drone, 1, [0, 0, 1, 1], q[:2])


def random_curves(scene, count, seed):
    random = np.random.default_rng(seed)
    for _ in range(count):
        q = random.uniform(-1, 1, 6) + 0.3 * random.standard_normal((3, 6))
        v = random.uniform(-1, 1, (3, 6))
        yield proven.Motion(scene, q, [0, 0.5, 1], velocities=v)


def test_verdicts_and_certificates_are_those_of_the_program(demo, tmp_path):
    """Of the same motion in a file; and of many together."""
    folder = tmp_path
    motions = list(random_curves(demo, 12, 4))
    together = proven.check_all(demo, motions, certificate=True, limits="ignore")
    seen = set()
    for motion, among in zip(motions, together):
        result = proven.check(demo, motion, certificate=True, limits="ignore")
        assert among.verdict == result.verdict and among.certificate == result.certificate
        assert proven.Model(demo, certificate=True, limits="ignore").check(motion).certificate == result.certificate
        motion.save(folder / "m.json")
        (folder / "m.proof").unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, "check", "demo", folder / "m.json", "--ignore-limits", "--json", "--certificate",
                               folder / "m.proof"], capture_output=True, text=True, check=False)
        assert json.loads(done.stdout)["verdict"] == result.verdict, done.stderr
        seen.add(result.verdict)
        if result.verdict == "undecided":
            continue
        assert proven.load_certificate(folder / "m.proof") == result.certificate
        report = proven.verify(demo, motion, result.certificate)
        assert report.accepted, report.reason
        moved = proven.Motion.bezier(demo, [p + 0.5 for p in motion.pieces], motion.times)
        assert not proven.verify(demo, moved, result.certificate).accepted
    assert {"free", "collision"} <= seen


def test_files_by_their_ending(demo, tmp_path):
    for i, motion in enumerate(random_curves(demo, 4, 5)):
        for ending in ("json", "yaml", "csv"):
            file = tmp_path / f"m.{ending}"
            motion.save(file)
            back = proven.Motion.load(demo, file, ignore_limits=True)
            np.testing.assert_allclose(back.times, motion.times, rtol=0, atol=0)
            for a, b in zip(motion.pieces, back.pieces):
                np.testing.assert_array_equal(a, b)
        straight = proven.Motion.load(demo, tmp_path / "m.yaml", ignore_limits=True, interpolation="linear")
        assert straight.degree == 1
    with pytest.raises(proven.Error, match="written as"):
        motion.save(tmp_path / "m.xyz")
    with pytest.raises(proven.Error, match="no interpolation"):
        proven.Motion.load(demo, tmp_path / "m.yaml", interpolation="spline")


def test_time_path_is_the_program(demo, tmp_path):
    start = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69]
    goal = [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
    planned = proven.plan(demo, start, goal, seed=3)
    for jerk in (math.inf, 60.0):
        timed = proven.time_path(demo, planned.path, jerk=jerk, scale=0.5, clearance=0.002, certificate=True)
        assert timed.verdict == "free" and timed.input.verdict == timed.proof.verdict == "free"
        assert timed.duration == timed.motion.duration <= timed.with_stops + 1e-6
        assert proven.verify(demo, timed.motion, timed.certificate, clearance=0.002).accepted
        if jerk < math.inf:
            t = np.linspace(0, timed.duration, 500)
            assert np.max(np.abs(timed.motion.derivative(t, 3))) <= 30 * (1 + 1e-7)
        planned.path.save(tmp_path / "path.json")
        options = ["--scale", "0.5", "--clearance", "0.002"] + (["--jerk", "60"] if jerk < math.inf else [])
        subprocess.run([PROGRAM, "time", "demo", tmp_path / "path.json", "-o", tmp_path / "timed.yaml", "--certificate",
                        tmp_path / "timed.proof", *options], check=True, capture_output=True)
        again = proven.Motion.load(demo, tmp_path / "timed.yaml")
        np.testing.assert_array_equal(again.times, timed.motion.times)
        for a, b in zip(again.pieces, timed.motion.pieces):
            np.testing.assert_array_equal(a, b)
        assert proven.load_certificate(tmp_path / "timed.proof") == timed.certificate
    unproved = proven.time_path(demo, planned.path, proof=False)
    assert unproved.verdict is None and unproved.input is None and unproved.motion.degree == 3
    blocked = proven.time_path(demo, [start, goal])
    assert blocked.verdict == "collision" and blocked.motion is None and blocked.proof is None
    with pytest.raises(proven.Error, match="curved already"):
        proven.time_path(demo, unproved.motion)
    with pytest.raises(TypeError, match="result.verdict"):
        bool(unproved)


def test_a_tool_follows_its_line(demo):
    link = [b for b in demo.bodies if "/" in b][-1]
    q = demo.home + 0.4
    start = demo.body_pose(link, q)
    step = np.array([0.03, -0.02, 0.04])
    moved = proven.move_tool(demo, link, q, by=step, speed=0.1)
    same = proven.move_tool(demo, link, q, to=start[:3, 3] + step, speed=0.1)
    np.testing.assert_array_equal(moved.motion.times, same.motion.times)
    np.testing.assert_allclose(demo.body_pose(link, moved.motion.waypoints[-1])[:3, 3], start[:3, 3] + step, atol=1e-4)
    for q_t in moved.motion.evaluate(np.linspace(0, moved.duration, 50)):
        pose = demo.body_pose(link, q_t)
        along = np.clip((pose[:3, 3] - start[:3, 3]) @ step / (step @ step), 0, 1)
        assert np.linalg.norm(pose[:3, 3] - start[:3, 3] - along * step) <= moved.deviation[0] + 1e-12
        assert np.max(np.abs(pose[:3, :3] - start[:3, :3])) <= moved.deviation[1] + 1e-12
    assert moved.deviation[0] <= 1e-4
    with pytest.raises(proven.Error, match="`to`"):
        proven.move_tool(demo, link, q)
    with pytest.raises(proven.Error, match="no link"):
        proven.move_tool(demo, "nothing", q, by=step)


def test_roadmaps_may_end_whole_turns_away(tmp_path):
    (tmp_path / "arm.urdf").write_text("""<robot name="arm"><link name="base"/><link name="rod"><collision><origin
xyz="0.5 0 0"/><geometry><box size="0.8 0.05 0.05"/></geometry></collision></link><joint name="turn" type="continuous">
<parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>""")
    (tmp_path / "scene.json").write_text(json.dumps({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}]}))
    scene = proven.load_scene(tmp_path / "scene.json")
    planner = proven.roadmap.Planner(proven.roadmap.build(scene, nodes=40, cell=0.1), scene)
    ends = {turn: planner.plan([3.0], [-3.0], any_turn=turn).path.waypoints[-1, 0] for turn in (False, True)}
    assert ends[False] == -3.0
    assert ends[True] == pytest.approx(2 * np.pi - 3)


def test_errors_say_what_is_wrong(demo, drone):
    q, t = np.zeros((3, 6)), [0, 1, 2]
    for text, make in {
        "6 columns": lambda: proven.Motion(demo, np.zeros((2, 5))),
        "as many times": lambda: proven.Motion(demo, q, [0, 1]),
        "increase": lambda: proven.Motion(demo, q, [0, 2, 1]),
        "need times": lambda: proven.Motion(demo, q, velocities=q),
        "as many velocities": lambda: proven.Motion(demo, q, t, velocities=q[:2]),
        "without velocities": lambda: proven.Motion(demo, q, t, accelerations=q),
        "1e-60 to 1e60": lambda: proven.Motion(demo, q, t, velocities=q + np.nan),
        "finite": lambda: proven.Motion(demo, q + np.inf),
        "2 to 6 rows": lambda: proven.Motion.bezier(demo, [np.zeros((7, 6))]),
        "begin where": lambda: proven.Motion.bezier(demo, [np.zeros((2, 6)), np.ones((2, 6))]),
        "at least one": lambda: proven.Motion.bezier(demo, []),
        "knots": lambda: proven.Motion.bspline(demo, 3, [0, 1], q),
        "not a number": lambda: proven.Motion(demo, q, t).evaluate(np.nan),
        "at least 1": lambda: proven.Motion(demo, q, t).derivative(0, 0),
        "other joints": lambda: proven.check(drone, proven.Motion(demo, q)),
        "nowhere.json": lambda: proven.Motion.load(demo, "nowhere.json"),
    }.items():
        with pytest.raises(proven.Error, match=text):
            make()


TRAJECTORIES = {
    "cubic.csv": "time,arm/j,arm/j.velocity,base.x,base.x.velocity,base.y,base.y.velocity,base.angle,base.angle.velocity\n"
                 "0.25,0.1,0.2,0,1,0.5,0,0,0.1\n0.7,0.2,-0.1,0.3,1,0.4,0.2,0.1,0\n7,0.2,0.7,1,1,1,1,1,1\n",
    "quintic.yaml": """joint_names: [j]
points:
  - {positions: [0.1], velocities: [0.5], accelerations: [3], time_from_start: {sec: 1, nanosec: 3}}
  - {positions: [0.7], velocities: [-0.5], accelerations: [0], effort: [0], time_from_start: {sec: 1, nanosec: 700000001}}
  - {positions: [0.7], velocities: [0], accelerations: [0], effort: [0], time_from_start: {secs: 3, nsecs: 1}}
""",
    "both.yaml": """joint_trajectory:
  joint_names: [j]
  points:
    - {positions: [0.1], velocities: [0.5], accelerations: [1], time_from_start: 0}
    - {positions: [0.3], velocities: [0.5], accelerations: [1], time_from_start: 0.5}
    - {positions: [0.2], velocities: [0], accelerations: [1], time_from_start: 1.75}
multi_dof_joint_trajectory:
  header: {frame_id: odom}
  joint_names: [base]
  points:
    - {transforms: [{translation: [0, 1, 0], rotation: [0, 0, 0.6, 0.8]}], time_from_start: 0,
       velocities: [{linear: [1, 2, 0], angular: [0, 0, 0.5]}]}
    - {transforms: [{translation: {x: 0, y: 2, z: 0}, rotation: {x: 0, y: 0, z: -0.6, w: 0.8}}], time_from_start: 0.5,
       velocities: [{linear: [1, 2, 0], angular: [0, 0, 0.5]}]}
    - {transforms: [{translation: [0, 3, 0], rotation: [0, 0, -0.6, -0.8]}], time_from_start: 1.75,
       velocities: [{linear: {x: 1, y: 2, z: 0}, angular: [0, 0, 0.5]}]}
""",
    "flight.json": json.dumps({"multi_dof_joint_trajectory": {"joint_names": ["fly"], "points": [
        {"transforms": [{"translation": [0, 1, i], "rotation": q}], "time_from_start": i * 0.7,
         "velocities": [{"linear": [1, 2, 3], "angular": w}]}
        for i, (q, w) in enumerate([([0, 0, 0, 1], [0.1, 1, 0.2]), ([0.48, 0.36, 0, 0.8], [0, 0, 0]),
                                    ([0.48, 0.36, 1e-9, 0.8], [1e-9, 0, 1]), ([0, 0, 0.6, -0.8], [-1, 2, 0.5])])]}}),
    "straight.yaml": """multi_dof_joint_trajectory:
  joint_names: [base]
  points:
    - {transforms: [{translation: [0, 1, 0], rotation: [0, 0, 0.6, 0.8]}]}
    - {transforms: [{translation: [0, 2, 0], rotation: [0, 0, 0.96, -0.28]}]}
""",
}


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_the_second_verifier_reads_the_same_trajectories(name, tmp_path):
    """Its control points are intervals around the exact ones; those of the library are within 2^-45 of these."""
    sys.path.insert(0, str(SOURCE / "verify"))
    from paths import read_motion
    from scene_model import Model

    (tmp_path / "arm.urdf").write_text("""<robot name="arm"><link name="foot"/><link name="a"><collision><geometry>
<sphere radius="0.1"/></geometry></collision></link><link name="b"><collision><geometry><sphere radius="0.1"/></geometry>
</collision></link><joint name="j" type="revolute"><parent link="foot"/><child link="a"/><limit lower="-9" upper="9"/></joint>
<joint name="fly" type="floating"><parent link="a"/><child link="b"/></joint></robot>""")
    (tmp_path / "arm.srdf").write_text("""<robot name="arm"><virtual_joint name="base" type="planar" parent_frame="odom"
child_link="foot"/></robot>""")
    (tmp_path / "scene.json").write_text(json.dumps({"proven": 1, "robots": [
        {"name": "arm", "urdf": "arm.urdf", "srdf": "arm.srdf", "virtual_joints": True}]}))
    (tmp_path / name).write_text(TRAJECTORIES[name])
    scene = proven.load_scene(tmp_path / "scene.json")
    motion = proven.Motion.load(scene, tmp_path / name)

    class Options:
        clearance, trust_srdf_never, robot = "0", False, ""
    joints = Model(str(tmp_path / "scene.json"), Options).joint_names()
    assert joints.coordinates == scene.joints
    times, pieces = read_motion(str(tmp_path / name), joints)
    assert list(times) == list(motion.times) and len(pieces) == len(motion.pieces)
    for rows, expected in zip(pieces, motion.pieces):
        assert len(rows) == len(expected)
        for k in range(expected.shape[1]):
            column = expected[:, k]
            largest = 1 if k in joints.quaternions else np.max(np.abs(column))
            for row, x in zip(rows, column):
                low, high = (float(row[k].a), float(row[k].b)) if hasattr(row[k], "a") else (row[k], row[k])
                assert high - low <= 1e-15 * (1 + abs(high))
                assert low - 2**-45 * largest <= x <= high + 2**-45 * largest
