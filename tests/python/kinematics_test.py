"""Poses, Jacobians, inverse kinematics and distances of many configurations, against evaluators of their own."""

import itertools

import mpmath
import numpy as np
import pytest

import proven

mpmath.mp.dps = 50

# All kinds of joints: turning, sliding, mimic, and a base that floats.
URDF = """<robot name="r">
<link name="world"/>
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></collision></link>
<link name="slide"/>
<link name="hand"><collision><geometry><sphere radius="0.08"/></geometry></collision></link>
<link name="tip"/>
<joint name="float" type="floating"><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/><parent link="world"/><child link="base"/></joint>
<joint name="shoulder" type="revolute"><origin xyz="0 0 0.15" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0.5"/>
  <parent link="base"/><child link="upper"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="out" type="prismatic"><origin xyz="0 0 0.5" rpy="0 0.4 0"/><axis xyz="1 0 0"/>
  <parent link="upper"/><child link="slide"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
<joint name="wrist" type="continuous"><origin xyz="0.2 0 0"/><axis xyz="0 0 -1"/><parent link="slide"/><child link="hand"/></joint>
<joint name="follow" type="revolute"><origin xyz="0.1 0 0"/><axis xyz="1 0 0"/><parent link="hand"/><child link="tip"/>
  <limit lower="-9" upper="9" effort="1" velocity="1"/><mimic joint="shoulder" multiplier="-2" offset="0.25"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def scene():
    return proven.Scene(proven.parse_urdf(URDF))


# --- An evaluator of its own, in 50 digits, from the URDF's specification -------------------------


def translation(x, y, z):
    m = mpmath.eye(4)
    m[0, 3], m[1, 3], m[2, 3] = x, y, z
    return m


def about(axis, angle):
    axis = [mpmath.mpf(a) for a in axis]
    n = mpmath.sqrt(sum(a * a for a in axis))
    x, y, z = (a / n for a in axis)
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    v = 1 - c
    return mpmath.matrix([
        [x * x * v + c, x * y * v - z * s, x * z * v + y * s, 0],
        [x * y * v + z * s, y * y * v + c, y * z * v - x * s, 0],
        [x * z * v - y * s, y * z * v + x * s, z * z * v + c, 0],
        [0, 0, 0, 1]])


def rpy(r, p, y):
    return about((0, 0, 1), mpmath.mpf(y)) * about((0, 1, 0), mpmath.mpf(p)) * about((1, 0, 0), mpmath.mpf(r))


def quaternion(x, y, z, w):
    n = mpmath.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / n, y / n, z / n, w / n
    return mpmath.matrix([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0],
        [0, 0, 0, 1]])


def M(text):
    return mpmath.mpf(text)


def chain(q):
    """Poses of base, upper, slide, hand and tip; q: x, y, z, quaternion, shoulder, out, wrist."""
    q = [mpmath.mpf(v) for v in q]
    base = translation(M("0.1"), M("0.2"), M("0.3")) * rpy("0.3", "-0.2", "0.5") * translation(*q[:3]) * quaternion(*q[3:7])
    upper = base * translation(0, 0, M("0.15")) * rpy("0.1", "0.2", "0.3") * about((0, 1, M("0.5")), q[7])
    slide = upper * translation(0, 0, M("0.5")) * rpy(0, "0.4", 0) * translation(q[8], 0, 0)
    hand = slide * translation(M("0.2"), 0, 0) * about((0, 0, -1), q[9])
    tip = hand * translation(M("0.1"), 0, 0) * about((1, 0, 0), -2 * q[7] + M("0.25"))
    return {"r/base": base, "r/upper": upper, "r/slide": slide, "r/hand": hand, "r/tip": tip}


def configurations(scene, count, seed):
    random = np.random.default_rng(seed)
    q = random.uniform(-1, 1, (count, 10))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1)[:, None]
    q[:, 8] *= 0.5
    return q


def test_joints_are_in_the_order_of_the_twin(scene):
    assert [j.split("/")[1] for j in scene.joints] == [
        "float.x", "float.y", "float.z", "float.qx", "float.qy", "float.qz", "float.qw", "shoulder", "out", "wrist"]


def test_poses_of_every_link(scene):
    q = configurations(scene, 12, 1)
    assert set(chain(q[0])) <= set(scene.links)
    names = list(chain(q[0]))
    told = scene.poses(q.reshape(3, 4, 10), names).reshape(12, len(names), 4, 4)
    for row, poses in zip(q, told):
        for pose, true in zip(poses, chain(row).values()):
            assert np.abs(pose - np.array(true.tolist(), dtype=float)).max() < 1e-14
    assert scene.poses(q).shape == (12, len(scene.links), 4, 4)
    np.testing.assert_array_equal(scene.poses(q, "r/tip"), told[:, names.index("r/tip")])
    assert (scene.poses(q, "world") == np.eye(4)).all()


def test_jacobians_against_central_differences_in_50_digits(scene):
    h = mpmath.mpf(10) ** -15  # the error of the difference is h², far below a double's
    point = [mpmath.mpf(v) for v in (0.3, -0.2, 0.1)]
    q = configurations(scene, 2, 2)
    for frame in ("r/base", "r/slide", "r/tip"):
        told = scene.jacobian(q, frame, [float(p) for p in point])
        assert told.shape == (2, 6, 10)
        for row, J in zip(q, told):
            exact = [mpmath.mpf(v) for v in row]
            for k in range(10):
                if k == 6:
                    assert (J[:, k] == 0).all()  # the fourth of a quaternion is no velocity
                    continue

                def at(step):
                    moved = list(exact)
                    if 3 <= k < 6:  # an angular velocity in the frame above
                        axis = [int(k - 3 == i) for i in range(3)]
                        turned = about(axis, step)
                        return moved, turned
                    moved[k] += step
                    return moved, None

                def pose(step):
                    moved, turned = at(step)
                    if turned is None:
                        return chain(moved)[frame]
                    # The turn stands between the floating joint's slides and its own turn.
                    w, x, y, z = mpmath.cos(step / 2), *(mpmath.sin(step / 2) * int(k - 3 == i) for i in range(3))
                    a, b, c, d = exact[6], *exact[3:6]
                    moved[6] = w * a - x * b - y * c - z * d
                    moved[3] = w * b + x * a + y * d - z * c
                    moved[4] = w * c - x * d + y * a + z * b
                    moved[5] = w * d + x * c - y * b + z * a
                    return chain(moved)[frame]

                ahead, behind = pose(h), pose(-h)
                here = pose(mpmath.mpf(0))
                p = mpmath.matrix([*point, 1])
                velocity = (ahead * p - behind * p) / (2 * h)
                rate = (ahead[:3, :3] - behind[:3, :3]) / (2 * h) * here[:3, :3].T
                true = [velocity[0], velocity[1], velocity[2], rate[2, 1], rate[0, 2], rate[1, 0]]
                assert max(abs(float(t) - v) for t, v in zip(true, J[:, k])) < 1e-13, (frame, k)


def test_inverse_reaches_what_was_reached(scene):
    demo = proven.built_in_scene("demo")
    random = np.random.default_rng(3)
    q = random.uniform(-0.9, 0.9, (40, 6))
    targets = demo.poses(q, "arm/link_6")
    found_q, found = demo.inverse("arm/link_6", targets)
    assert found.shape == (40,) and found.sum() >= 36
    reached = demo.poses(found_q[found], "arm/link_6")
    assert np.abs(reached[:, :3, 3] - targets[found][:, :3, 3]).max() < 2e-6
    assert np.abs(reached[:, :3, :3] - targets[found][:, :3, :3]).max() < 4e-6
    low, high = demo.limits.T
    assert ((found_q[found] >= low) & (found_q[found] <= high)).all()
    far = targets[0].copy()
    far[:3, 3] = 100
    lost, none = demo.inverse("arm/link_6", far, restarts=2)
    assert not none and np.isnan(lost).all() and none.shape == ()
    places, there = demo.inverse("arm/palm", targets[:5, :3, 3], free="all", guess=q[:5])
    assert there.all()
    assert np.abs(demo.poses(places, "arm/palm")[:, :3, 3] - targets[:5, :3, 3]).max() < 2e-6
    turned, ok = demo.inverse("arm/link_6", targets[0], joints=["arm/joint_1"], restarts=1)
    if ok:
        assert (turned[1:] == demo.home[1:]).all()
    for wrong in (
        lambda: demo.inverse("table", targets),
        lambda: demo.inverse("arm/link_6", np.ones((4, 4))),
        lambda: demo.inverse("arm/link_6", targets * np.nan),
        lambda: demo.inverse("arm/link_6", targets, guess=q[:3]),
        lambda: demo.inverse("arm/link_6", targets, free="w"),
        lambda: demo.inverse("arm/link_6", targets, joints=["nobody"]),
    ):
        with pytest.raises(proven.Error):
            wrong()


def distance_of_triangles(P, Q):
    """Of two triangles, by brute force over vertices, edges and faces; 0 if an edge pierces a face."""

    def point_segment(p, a, b):
        t = np.clip(np.dot(p - a, b - a) / np.dot(b - a, b - a), 0, 1)
        return np.linalg.norm(p - a - t * (b - a))

    def point_face(p, T):
        n = np.cross(T[1] - T[0], T[2] - T[0])
        n /= np.linalg.norm(n)
        foot = p - np.dot(p - T[0], n) * n
        inside = all(np.dot(np.cross(T[(i + 1) % 3] - T[i], foot - T[i]), n) >= 0 for i in range(3))
        return abs(np.dot(p - T[0], n)) if inside else np.inf

    def segment_segment(a, b, c, d):
        best = min(point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b))
        u, v, w = b - a, d - c, a - c
        m = np.array([[u @ u, -(u @ v)], [-(u @ v), v @ v]])
        if abs(np.linalg.det(m)) > 1e-12:
            s, t = np.linalg.solve(m, [-(u @ w), v @ w])
            if 0 <= s <= 1 and 0 <= t <= 1:
                best = min(best, np.linalg.norm(w + s * u - t * v))
        return best

    edges = [(0, 1), (1, 2), (2, 0)]
    best = min(point_face(p, Q) for p in P)
    best = min(best, min(point_face(q, P) for q in Q))
    return min(best, min(segment_segment(P[i], P[j], Q[k], Q[l]) for i, j in edges for k, l in edges))


def overlap(A, B):
    """Whether two convex bodies overlap, by all axes that could separate them."""

    def edges(T):
        return [t[i] - t[i - 1] for t in T for i in range(3)]

    axes = [np.cross(t[1] - t[0], t[2] - t[0]) for t in A + B]
    axes += [np.cross(u, v) for u in edges(A) for v in edges(B)]
    a, b = np.concatenate(A), np.concatenate(B)
    return all(
        (a @ n).min() <= (b @ n).max() and (b @ n).min() <= (a @ n).max() for n in axes if np.linalg.norm(n) > 1e-9
    )


def test_distances_against_brute_force_over_triangles():
    tetra = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0], [0, 0, 0.5]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    arm = proven.Scene(proven.parse_urdf("""<robot name="r"><link name="base"/><link name="hand">
      <collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision></link>
      <joint name="x" type="prismatic"><axis xyz="1 0 0"/><parent link="base"/><child link="mid"/>
        <limit lower="-2" upper="2" effort="1" velocity="1"/></joint><link name="mid"/>
      <joint name="turn" type="continuous"><axis xyz="1 2 3"/><parent link="mid"/><child link="hand"/></joint></robot>"""))
    scene = arm.with_obstacle("tetra", [0.1, 0.2, -0.3], mesh=(tetra, faces))
    corners = np.array(list(itertools.product([-0.1, 0.1], [-0.15, 0.15], [-0.2, 0.2])))
    box = [corners[list(side)] for side in ([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                                            [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3])]
    random = np.random.default_rng(4)
    q = np.column_stack([random.uniform(-0.6, 0.6, 16), random.uniform(-3, 3, 16)])
    distance, points, direction = scene.closest(q, [("r/hand", "tetra")])
    again = scene.closest(q.reshape(4, 4, 2), [("r/hand", "tetra")], threads=1)
    np.testing.assert_array_equal(again[0].reshape(16, 1), distance)
    apart = together = 0
    poses = scene.poses(q, "r/hand")
    for i in range(16):
        moved = [T @ poses[i, :3, :3].T + poses[i, :3, 3] for T in box]
        brute = min(distance_of_triangles(T, tetra[f] + [0.1, 0.2, -0.3]) for T in moved for f in faces)
        if distance[i, 0] == 0:
            together += 1
            assert (direction[i, 0] == 0).all() and overlap(moved, [tetra[f] + [0.1, 0.2, -0.3] for f in faces])
            continue
        apart += 1
        assert abs(distance[i, 0] - brute) < 1e-9
        np.testing.assert_allclose(points[i, 0, 1] - points[i, 0, 0], distance[i, 0] * direction[i, 0], atol=1e-9)
        assert np.linalg.norm(direction[i, 0]) == pytest.approx(1, abs=1e-12)
        # The points lie on the bodies.
        in_box = (points[i, 0, 0] - poses[i, :3, 3]) @ poses[i, :3, :3]
        assert (np.abs(in_box) <= np.array([0.1, 0.15, 0.2]) + 1e-9).all()
        # The gap along the direction is the distance: nothing of either is between.
        reach = max((T @ direction[i, 0]).max() for T in moved)
        assert ((tetra + [0.1, 0.2, -0.3]) @ direction[i, 0]).min() - reach > distance[i, 0] - 1e-9
    assert apart >= 5 and together >= 2
    everything = scene.closest(q)
    assert everything[0].shape == (16, len(scene.pairs))
    singles = {(a, b): d for a, b, d in scene.distances(q[0])}
    for pair, d in zip(scene.pairs, everything[0][0]):
        assert singles[pair] == d


def test_wrong_configurations_are_refused(scene):
    for wrong in (np.zeros(9), np.zeros((3, 9)), np.full(10, np.nan), np.zeros(10), 1.0):
        for ask in (scene.poses, lambda q: scene.jacobian(q, "r/tip"), scene.closest):
            with pytest.raises(proven.Error):
                ask(wrong)
    q = configurations(scene, 1, 1)
    with pytest.raises(proven.Error, match="no link and no body"):
        scene.poses(q, "nobody")
    with pytest.raises(proven.Error, match="no body"):
        scene.closest(q, [("r/hand", "nobody")])
