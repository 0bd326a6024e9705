// What help() says. In the examples, which the tests run, `proven` and numpy as `np` are imported,
// and `scene` is proven.built_in_scene("demo").
#pragma once

namespace proven::python::doc {

// --- Robots and scenes ---------------------------------------------------------------------------

inline constexpr const char* robot =
    R"(A robot as its file describes it: links, and joints between them.

>>> bar = proven.parse_urdf('<robot name="bar"><link name="base"/></robot>')
>>> bar.name, bar.links, bar.joints
('bar', ['base'], [])
)";
inline constexpr const char* robot_joint = R"(A joint of a robot's file: type, links, axis, limits.

>>> text = '''<robot name="bar"><link name="base"/><link name="tip"/>
... <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>'''
>>> proven.parse_urdf(text).joints[0]
<proven.RobotJoint turn: continuous, base to tip>
)";
inline constexpr const char* load_urdf =
    R"(A robot from a URDF file; `packages` are folders by name, relative to the working directory. A package that
is mapped is there and nowhere else; one that the robot does not name is an error.

>>> proven.load_urdf("robot.urdf").name                     # doctest: +SKIP
'irb2400'
)";
inline constexpr const char* parse_urdf =
    R"(A robot from the text of a URDF, and of an SRDF if given.

Paths of meshes are relative to `folder`.

>>> text = '''<robot name="ball"><link name="body">
... <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>'''
>>> proven.Scene(proven.parse_urdf(text)).bodies
['ball/body']
)";
inline constexpr const char* scene =
    R"(Robots, obstacles and held objects, and which pairs of them are tested.

A scene never changes: each edit gives another, which shares what is the same. `Scene(robot, name, pose)`
is one robot and nothing else, `Scene()` is empty. Scenes pickle, and copies cost nothing.

>>> ball = scene.with_obstacle("ball", [2, 0, 1], sphere=0.1)
>>> "ball" in ball.bodies, "ball" in scene.bodies
(True, False)
)";
inline constexpr const char* load_scene =
    R"(A scene from a file: our JSON, a URDF alone, or a planning scene in YAML.

>>> proven.load_scene("cell.json")                          # doctest: +SKIP
<proven.Scene: 23 bodies, 6 joints, 150 pairs tested, 12 excluded>
)";
inline constexpr const char* built_in_scene =
    R"(One of the scenes that come with the package; an error lists their names.

>>> proven.built_in_scene("demo").joints[0]
'arm/joint_1'
)";
inline constexpr const char* query = R"(A start and a goal, from a file.

>>> proven.load_query("query.json", scene).goal.shape       # doctest: +SKIP
(6,)
)";
inline constexpr const char* load_query = R"(A start and a goal from a file.

>>> query = proven.load_query("query.json", scene)          # doctest: +SKIP
>>> proven.plan(scene, query.start, query.goal).status      # doctest: +SKIP
'solved'
)";
inline constexpr const char* body_pose = R"(Where a body is at a configuration: a 4 x 4 matrix.

>>> scene.body_pose("arm/base", scene.home)[:3, 3]
array([0., 0., 0.])
)";
inline constexpr const char* distances =
    R"(Distances of all tested pairs at a configuration, as (a, b, metres).

`closest` gives points and directions, too, for many configurations.

>>> a, b, metres = min(scene.distances(scene.home), key=lambda row: row[2])
>>> metres > 0
True
)";

// --- Kinematics ----------------------------------------------------------------------------------

inline constexpr const char* poses = R"(Where links and bodies are, as 4 x 4 matrices in the world.

Configurations have any shape whose last axis is the joints. `frames` are names of links or bodies: one
name, or several; all of `links` if none is given.

>>> scene.poses(scene.home, "arm/link_6").shape
(4, 4)
>>> scene.poses(np.zeros((100, 6)), ["arm/link_5", "arm/palm", "table"]).shape
(100, 3, 4, 4)
>>> scene.poses(np.zeros((100, 6))).shape == (100, len(scene.links), 4, 4)
True
)";
inline constexpr const char* jacobian =
    R"(How a frame moves with the joints: rows are the velocity of a point, then the angular velocity.

Both are in the world; `point` is in the frame. Configurations have any shape whose last axis is the
joints. In the columns of a quaternion stand the angular velocity in the frame above, and 0.

>>> J = scene.jacobian(np.zeros((100, 6)), "arm/link_6")
>>> J.shape
(100, 6, 6)
>>> J[0, 3:, 0]                                     # the first joint turns about z
array([0., 0., 1.])
)";
inline constexpr const char* inverse =
    R"(Configurations that bring a frame to poses in the world: (configurations, found).

`target` has the shape (..., 4, 4); where nothing was found stand nan and False, which proves nothing.
`free` is about which of its own axes the frame may be turned as it likes: 'none', 'x', 'y', 'z' or 'all'
(then (..., 3) will do). `guess`: where to start, one or one for each target. `joints`: those that may move.

>>> target = scene.poses(scene.home + 0.3, "arm/link_6")
>>> q, found = scene.inverse("arm/link_6", target)
>>> bool(found), bool(np.allclose(scene.poses(q, "arm/link_6"), target, atol=1e-5))
(True, True)
)";
inline constexpr const char* closest =
    R"(Distances with points and directions: (distance, points, direction).

For configurations of the shape (..., joints) and n pairs the shapes are (..., n), (..., n, 2, 3) and
(..., n, 3). Pairs are all of `pairs`, or those given. Points are in the world, on the first body and on the
second; the direction is the unit vector from one to the other, and 0 where bodies overlap or one holds the
other: then the distance is 0.

>>> ball = scene.with_obstacle("ball", [0, 0, 5], sphere=0.1)
>>> distance, points, direction = ball.closest(ball.home, [("ball", "table")])
>>> bool(np.isclose(np.linalg.norm(points[0, 1] - points[0, 0]), distance[0]))
True
)";

// --- Edits ---------------------------------------------------------------------------------------

inline constexpr const char* with_pose = R"(An obstacle, a held object or a robot elsewhere.

>>> moved = scene.with_pose("box", [1.5, 0, 0.5])
>>> moved.body_pose("box", moved.home)[0, 3]
1.5
)";
inline constexpr const char* with_robot = R"(One robot more.

>>> text = '''<robot name="ball"><link name="body">
... <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>'''
>>> scene.with_robot(proven.parse_urdf(text), "second", [3, 0, 0]).bodies[10]
'second/body'
)";
inline constexpr const char* with_obstacle =
    R"(One obstacle more, by one of box=(x, y, z), sphere=r, cylinder=(r, length), capsule=(r, length),
mesh=(vertices, triangles), cloud=points or (points, radius), voxels=(grid or indices, size).

>>> points = np.random.default_rng(1).uniform(2, 3, (1000, 3))
>>> scene.with_obstacle("seen", [0, 0, 0], cloud=(points, 0.01)).bodies[-1]
'seen'
)";
inline constexpr const char* with_held =
    R"(A new object in a hand: its pose is in the link, which it may touch, as it may those in `touch`.

>>> held = scene.with_held("part", "arm/palm", [0, 0, 0.2], box=(0.02, 0.02, 0.1))
>>> held.description()["attached"][0]["link"]
'arm/palm'
)";
inline constexpr const char* with_attached =
    R"(An obstacle becomes an object held by a link, where it stands at the configuration.

>>> held = scene.with_attached("box", "arm/palm", scene.home, touch=["table"])
>>> held.bodies[-1]
'box'
)";
inline constexpr const char* detached =
    R"(A held object becomes an obstacle, where it is at the configuration.

>>> held = scene.with_attached("box", "arm/palm", scene.home, touch=["table"])
>>> held.detached("box", held.home).description()["attached"]
[]
)";
inline constexpr const char* without = R"(Without an obstacle or a held object.

>>> "box" in scene.without("box").bodies
False
)";
inline constexpr const char* without_obstacles = R"(Robots and what they hold, alone.

>>> len(scene.without_obstacles().bodies)
10
)";
inline constexpr const char* with_home =
    R"(Another place where a joint rests that paths do not name.

>>> scene.with_home("arm/joint_1", 0.5).home[0]
0.5
)";
inline constexpr const char* with_clearance =
    R"(What pairs must keep, in metres: of the world and other robots, or a dict by class.

>>> scene.with_clearance({"world": 0.01, "self": 0.001}).clearance["self"]
0.001
)";
inline constexpr const char* with_pair_clearance =
    R"(What one pair must keep, in metres; negative: an allowed depth of overlap.

>>> strict = scene.with_pair_clearance("arm/palm", "table", 0.02)
>>> strict.hash == scene.hash
False
)";
inline constexpr const char* with_exclusion =
    R"(A pair that is not tested, with a note that says why.

>>> less = scene.with_exclusion("arm/jaw_1", "box", "it grasps it")
>>> len(scene.pairs) - len(less.pairs)
1
)";
inline constexpr const char* without_exclusion = R"(A pair that the scene excluded is tested again.

>>> less = scene.with_exclusion("arm/jaw_1", "box")
>>> less.without_exclusion("arm/jaw_1", "box").hash == scene.hash
True
)";
inline constexpr const char* filter_cloud =
    R"(What goes out of a cloud before it is an obstacle: the points that stay, and how many went why.

>>> points = np.array([[0.0, 0, -1], [2, 0, 1], [np.nan, 0, 0]])
>>> kept, gone = scene.filter_cloud(points, ground=0.0)
>>> len(kept), gone["ground"], gone["not_finite"]
(1, 1, 1)
)";
inline constexpr const char* description =
    R"(What is in the scene, where: robots, obstacles, held objects, clearance, home.

>>> scene.description()["obstacles"][0]["name"]
'table'
)";

// --- Motions -------------------------------------------------------------------------------------

inline constexpr const char* motion = R"(What moves: polynomial pieces, with times or without.

`Motion(scene, waypoints, times)` is straight between the rows; with `velocities` it is the cubics, with
`accelerations` too the quintics that a controller runs.

>>> motion = proven.Motion(scene, [scene.home, scene.home + 0.1], [0, 2])
>>> motion.duration, len(motion)
(2.0, 2)
)";
inline constexpr const char* bezier =
    R"(From control points in Bernstein form, one array for each piece.

>>> piece = np.linspace(scene.home, scene.home + 0.1, 4)
>>> proven.Motion.bezier(scene, [piece]).degree
3
)";
inline constexpr const char* bspline = R"(From the knots and control points of a B-spline.

>>> points = np.linspace(scene.home, scene.home + 0.1, 5)
>>> proven.Motion.bspline(scene, 3, [0, 0, 0, 0, 1, 2, 2, 2, 2], points).duration
2.0
)";
inline constexpr const char* load_motion = R"(From a file, by its ending.

>>> proven.Motion(scene, [scene.home, scene.home + 0.1]).save("motion.json")
>>> len(proven.Motion.load(scene, "motion.json"))
2
)";
inline constexpr const char* save_motion = R"(To a file, by its ending: .json, .yaml, .csv.

>>> proven.Motion(scene, [scene.home, scene.home + 0.1], [0, 1]).save("motion.yaml")
)";
inline constexpr const char* evaluate =
    R"(Configurations at times; before the first and after the last it rests.

>>> motion = proven.Motion(scene, [scene.home, scene.home + 1], [0, 2])
>>> motion.evaluate([0.5, 1.0])[:, 0]
array([0.25, 0.5 ])
)";
inline constexpr const char* derivative = R"(Derivatives by time, at times.

>>> motion = proven.Motion(scene, [scene.home, scene.home + 1], [0, 2])
>>> motion.derivative(1.0)[0]
0.5
)";
inline constexpr const char* load_path = R"(A motion from a file.

>>> proven.save_path("path.json", [scene.home, scene.home + 0.1], scene)
>>> proven.load_path("path.json", scene)
<proven.Motion: 2 waypoints>
)";
inline constexpr const char* save_path = R"(A motion, or an array of waypoints, to a file.

>>> proven.save_path("path.csv", proven.Motion(scene, [scene.home, scene.home + 0.1], [0, 1]), scene)
)";

// --- Checks and certificates ---------------------------------------------------------------------

inline constexpr const char* check_result = R"(A verdict with its evidence.

`verdict` is 'free', 'collision' or 'undecided'; `collision` and `undecided` say where and which pair,
`certificate` is what `verify` takes, `stats` what it cost. `sensed` says by name what the bodies are
that sensors saw, and what is unknown there counts as: the verdict is about these. `warnings` are those of
the scene: what a person should know before trusting it. It is no truth value.

>>> result = proven.check(scene, [scene.home, scene.home + 0.1])
>>> result.verdict, result.collision
('free', None)
)";
inline constexpr const char* check = R"(Is the whole continuous motion free of collision?

What is prepared of a scene is kept for the next call with the same options. Values beyond the limits
of joints are an error; with limits="ignore" they are checked as any others.

>>> result = proven.check(scene, [scene.home, scene.home + 0.1], certificate=True)
>>> proven.verify(scene, [scene.home, scene.home + 0.1], result.certificate).accepted
True
)";
inline constexpr const char* check_all =
    R"(Many motions in one call, on several threads (0: all); results in order.

>>> paths = [[scene.home, scene.home + d] for d in (0.05, 0.1)]
>>> [result.verdict for result in proven.check_all(scene, paths)]
['free', 'free']
)";
inline constexpr const char* model =
    R"(A scene prepared once, with the options of `check`, and asked often.

>>> model = proven.Model(scene, clearance=0.001)
>>> model.check_segment(scene.home, scene.home + 0.1).verdict
'free'
)";
inline constexpr const char* model_check = R"(Is the whole continuous motion free of collision?

>>> proven.Model(scene).check([scene.home, scene.home + 0.1]).verdict
'free'
)";
inline constexpr const char* model_check_all =
    R"(Many motions in one call, on several threads (0: all); results in order.

>>> [r.verdict for r in proven.Model(scene).check_all([[scene.home, scene.home + 0.1]])]
['free']
)";
inline constexpr const char* check_configuration = R"(Is one configuration free?

>>> proven.Model(scene).check_configuration(scene.home).verdict
'free'
)";
inline constexpr const char* check_segment =
    R"(Is the straight motion between two configurations free?

>>> proven.Model(scene).check_segment(scene.home, scene.home + 0.1).verdict
'free'
)";
inline constexpr const char* is_free =
    R"(Whether a configuration, or the straight motion to another, is proved free.

For arrays with a configuration in each row the answer is an array, computed on several threads (0: all).

>>> model = proven.Model(scene)
>>> model.is_free(scene.home), model.is_free(scene.home, scene.home + 0.1)
(True, True)
>>> model.is_free(scene.home + np.linspace(0, 0.1, 5)[:, None]).sum()
5
)";
inline constexpr const char* with_scene = R"(The model of an edited scene: it costs what changed.

>>> model = proven.Model(scene)
>>> model.with_scene(scene.without("box")).is_free(scene.home)
True
)";
inline constexpr const char* verify_report =
    R"(What the independent verifier says: `accepted`, or the `reason` why not.

>>> report = proven.verify(scene, [scene.home], b"nonsense")
>>> report.accepted, len(report.reason) > 0
(False, True)
)";
inline constexpr const char* verify =
    R"(Checks a certificate with the independent verifier; with `cells` every leaf of the proof. Of `constraints`, as
those of check_constraints, it finds a proof of its own: certificates say nothing of them.

>>> path = [scene.home, scene.home + 0.1]
>>> report = proven.verify(scene, path, proven.check(scene, path, certificate=True).certificate, cells=True)
>>> report.accepted, len(report.cells) == report.leaves
(True, True)
)";
inline constexpr const char* least_clearance =
    R"(How near things come along a motion, as a dict. `at_least` is proved by the search, with that much
required; `at_most` is a distance measured at `segment` and `t` between the bodies of `pair`.
They are within `tolerance` metres or 5 %, whichever is more, if `tight`; else `note` says why not.
`classes`, `segments` and `pairs` (the nearest) hold the same of each; `stretches` are tuples of
segment, begin, end, at_least and at_most. Of a motion that is not free both bounds are None.

>>> found = proven.least_clearance(scene, [scene.home, scene.home + 0.1])
>>> found["tight"], 0 < found["at_least"] <= found["at_most"]
(True, True)
)";
inline constexpr const char* load_certificate = R"(The bytes of a certificate file.

>>> path = [scene.home, scene.home + 0.1]
>>> proven.save_certificate("path.cert", proven.check(scene, path, certificate=True).certificate)
>>> proven.verify(scene, path, proven.load_certificate("path.cert")).accepted
True
)";
inline constexpr const char* save_certificate = R"(A certificate to a file.

>>> result = proven.check(scene, [scene.home, scene.home + 0.1], certificate=True)
>>> proven.save_certificate("path.cert", result.certificate)
)";

// --- Planning ------------------------------------------------------------------------------------

inline constexpr const char* plan_result =
    R"(A path and whether it is proved, or the `reason` why there is none.

>>> result = proven.plan(scene, scene.home, scene.home + 0.1)
>>> result.status, result.proved, len(result.path) >= 2
('solved', True, True)
)";
inline constexpr const char* plan = R"(A path from start to goal whose every segment is proved free.

>>> start, goal = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69], [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
>>> planned = proven.plan(scene, start, goal, certificate=True)
>>> planned.status, proven.verify(scene, planned.path, planned.certificate).accepted
('solved', True)

A goal is a configuration, the name of one (SRDF), a pose of a frame, or several of these, any of
which will do; `goal` of the result says which. Constraints are kept all along the path, by proof.

>>> there = {"link": "arm/link_6", "xyz": scene.poses(goal, "arm/link_6")[:3, 3], "free": "all"}
>>> proven.plan(scene, start, [goal, there]).goal in (0, 1)
True
>>> inside = [{"link": "arm/link_6", "box": [4, 4, 4]}]
>>> proven.plan(scene, start, goal, constraints=inside).status
'solved'
)";
inline constexpr const char* plan_all =
    R"(Many pairs of a start and a goal, as `plan` takes them, on several threads (0: all); results in order.

The scene is prepared once, which takes up to seconds for a robot that is new and is made up for by
some hundred queries; paths are proved as those of `plan`, and may be others. With `prepare=False`
they are the same. `max_seconds` is for each. With `device="automatic"` a GPU, if there is one, is
asked about an edge of each query at once, which is worth it for thousands.

>>> start, goal = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69], [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
>>> [planned.status for planned in proven.plan_all(scene, [(start, goal), (goal, start)])]
['solved', 'solved']
)";
inline constexpr const char* constraint_result =
    R"(Whether constraints are kept all along a motion, or where they are not.

>>> path = [scene.home, scene.home + 0.1]
>>> proven.check_constraints(scene, path, [{"link": "arm/link_6", "box": [4, 4, 4]}]).verdict
'kept'
)";
inline constexpr const char* check_constraints =
    R"(Proves constraints along a motion, at every time: `kept`, `broken` with a moment, or `undecided`.

>>> path = [scene.home, scene.home + 0.1]
>>> upright = {"link": "arm/link_6", "cone": 0.01, "axis": [0, 0, 1], "direction": [0, 0, -1]}
>>> proven.check_constraints(scene, path, [upright]).verdict
'broken'
)";
inline constexpr const char* planners =
    R"(Names for `plan`; those of OMPL begin with 'ompl:', where OMPL is part of the build.

>>> "rrt-connect" in proven.planners()
True
)";
inline constexpr const char* smooth_result =
    R"(A shorter path, proved; of a path that is not free the `verdict` says so, and it stays as it is.

>>> proven.smooth(scene, [scene.home, scene.home + 0.1]).verdict
'free'
)";
inline constexpr const char* smooth = R"(Shortens a path by proved shortcuts.

>>> corner = [scene.home, scene.home + [0.2, 0, 0, 0, 0, 0], scene.home + [0.2, 0.2, 0, 0, 0, 0]]
>>> shorter = proven.smooth(scene, corner)
>>> shorter.length_after < shorter.length_before
True
)";
inline constexpr const char* smooth_all =
    R"(Many paths of one scene, as `smooth` shortens each, on several threads (0: all); results in order.

With `device="automatic"` a GPU, if there is one, is asked about a shortcut of each path at once,
which is worth it for thousands. `max_seconds` is for all of them.

>>> corner = [scene.home, scene.home + [0.2, 0, 0, 0, 0, 0], scene.home + [0.2, 0.2, 0, 0, 0, 0]]
>>> [shorter.converged for shorter in proven.smooth_all(scene, [corner, corner[::-1]])]
[True, True]
)";
inline constexpr const char* timing_result = R"(A timed `motion`, and what is proved of it.

>>> timed = proven.time_path(scene, [scene.home, scene.home + 0.1])
>>> timed.verdict, timed.duration == timed.motion.duration
('free', True)
)";
inline constexpr const char* time_path =
    R"(A motion along a path within limits of velocity, acceleration and jerk, proved as it is run.

>>> path = [scene.home, scene.home + 0.1]
>>> proven.time_path(scene, path, scale=0.5).duration > proven.time_path(scene, path).duration
True
)";
inline constexpr const char* tool_motion =
    R"(A motion of a tool on a line or an arc, and how far from it the tool may be: proved.

>>> moved = proven.move_tool(scene, "arm/link_6", scene.home + 0.3, by=[0, 0, -0.02])
>>> moved.deviation[0] <= 1e-4
True
)";
inline constexpr const char* move_tool =
    R"(Moves a tool on a line (`to`, `by`) or an arc (`via`, `about`), from rest to rest.

>>> moved = proven.move_tool(scene, "arm/link_6", scene.home + 0.3, by=[0, 0, -0.02], speed=0.1)
>>> moved.duration > 0.2
True
)";

}  // namespace proven::python::doc
