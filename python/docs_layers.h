// What help() says of proven.roadmap, proven.spacetime and proven.task; see docs.h.
#pragma once

namespace proven::python::doc {

// --- proven.roadmap ------------------------------------------------------------------------------

inline constexpr const char* roadmap_model =
    R"(A roadmap with the cells that each of its arcs needs.

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=50, cell=0.2)
>>> model.num_nodes
50
)";
inline constexpr const char* roadmap_build =
    R"(Samples a roadmap and finds, by proof, the cells of space that each arc sweeps.

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=50, cell=0.2, seed=2)
>>> model.nodes.shape
(50, 6)
)";
inline constexpr const char* cell_box = R"(The corners of a cell: (lower, upper).

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=20, cell=0.2)
>>> lower, upper = model.cell_box(0)
>>> bool(np.allclose(upper - lower, 0.2))
True
)";
inline constexpr const char* voxelise = R"(The cells that the scene's obstacles touch.

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=20, cell=0.2)
>>> len(proven.roadmap.voxelise(model, scene)) > 0
True
)";
inline constexpr const char* voxelise_points =
    R"(The cells that balls around points touch.

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=20, cell=0.2)
>>> len(proven.roadmap.voxelise_points(model, [[0.5, 0, 0.5]], 0.01)) > 0
True
)";
inline constexpr const char* load_roadmap = R"(A roadmap from a file.

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=20, cell=0.2)
>>> proven.roadmap.save_roadmap("arm.roadmap", model)
>>> proven.roadmap.load_roadmap("arm.roadmap").num_nodes
20
)";
inline constexpr const char* save_roadmap = R"(A roadmap to a file.

>>> model = proven.roadmap.build(scene.without_obstacles(), nodes=20, cell=0.2)
>>> proven.roadmap.save_roadmap("arm.roadmap", model)
)";
inline constexpr const char* roadmap_planner =
    R"(Plans on a roadmap whose arcs are closed by occupied cells.

>>> still = scene.without_obstacles()
>>> planner = proven.roadmap.Planner(proven.roadmap.build(still, nodes=50, cell=0.2), still)
>>> planner.plan(still.home, still.home + 0.1).status
'solved'
)";
inline constexpr const char* set_occupied = R"(Says which cells are occupied now.

>>> still = scene.without_obstacles()
>>> model = proven.roadmap.build(still, nodes=50, cell=0.2)
>>> planner = proven.roadmap.Planner(model, still)
>>> planner.set_occupied(proven.roadmap.voxelise(model, scene))
>>> len(planner.occupied) > 0
True
)";
inline constexpr const char* roadmap_plan =
    R"(A path over arcs whose cells are free; proved in `truth`, if that is given.
Cells and arcs keep the clearances of the scene of the build: a larger `clearance` needs `truth`.

>>> still = scene.without_obstacles()
>>> planner = proven.roadmap.Planner(proven.roadmap.build(still, nodes=50, cell=0.2), still)
>>> len(planner.plan(still.home, still.home + 0.1, truth=scene).path) >= 2
True
)";
inline constexpr const char* roadmap_result =
    R"(A path, or the `reason` why there is none.

>>> still = scene.without_obstacles()
>>> planner = proven.roadmap.Planner(proven.roadmap.build(still, nodes=50, cell=0.2), still)
>>> planner.plan(still.home, still.home + 0.1).length > 0
True
)";

// --- proven.spacetime ----------------------------------------------------------------------------

inline constexpr const char* footprint =
    R"(The outline of an object in the plane, in its own frame (x forward, y to the left).

>>> proven.spacetime.Footprint.box(4.5, 2.0)
<proven.spacetime.Footprint: 1 convex pieces, 4.5 x 2 m>
)";
inline constexpr const char* footprint_box = R"(A box by its full length and width.

>>> proven.spacetime.Footprint.box(4.5, 2.0, centre=(1.2, 0))
<proven.spacetime.Footprint: 1 convex pieces, 4.5 x 2 m>
)";
inline constexpr const char* footprint_circle = R"(A disc.

>>> proven.spacetime.Footprint.circle(0.5)
<proven.spacetime.Footprint: 1 convex pieces, 1 x 1 m>
)";
inline constexpr const char* footprint_polygon =
    R"(A simple polygon, convex or not.

>>> proven.spacetime.Footprint.polygon([[0, 0], [2, 0], [0, 1]])
<proven.spacetime.Footprint: 1 convex pieces, 2 x 1 m>
)";
inline constexpr const char* footprint_compound = R"(Several at once.

>>> car, mirror = proven.spacetime.Footprint.box(4, 2), proven.spacetime.Footprint.circle(0.1, (1, 1))
>>> proven.spacetime.Footprint.compound([car, mirror])
<proven.spacetime.Footprint: 2 convex pieces, 4 x 2.1 m>
)";
inline constexpr const char* trajectory =
    R"(Samples of x, y and heading in time, and what is promised between them.

>>> proven.spacetime.Trajectory([0, 1], [[0, 0, 0], [5, 0, 0]])
<proven.spacetime.Trajectory: 2 samples, 0 to 1 s, linear>
)";
inline constexpr const char* pose_at = R"(The pose (x, y, heading) at a time.

>>> proven.spacetime.Trajectory([0, 1], [[0, 0, 0], [5, 0, 0]]).pose_at(0.5)
(2.5, 0.0, 0.0)
)";
inline constexpr const char* traffic_obstacle =
    R"(Something that moves along a trajectory, or stands at a pose.

>>> disc = proven.spacetime.Footprint.circle(0.5)
>>> proven.spacetime.Obstacle("post", disc, pose=(3, 0, 0))
<proven.spacetime.Obstacle post: stands>
)";
inline constexpr const char* traffic_scene = R"(Obstacles in time.

>>> disc = proven.spacetime.Footprint.circle(0.5)
>>> post = proven.spacetime.Obstacle("post", disc, pose=(3, 0, 0))
>>> len(proven.spacetime.TrafficScene([post]).obstacles)
1
)";
inline constexpr const char* traffic_result =
    R"(A verdict with the `contact` or the `doubt`. It is no truth value.

>>> post = proven.spacetime.Obstacle("post", proven.spacetime.Footprint.circle(0.5), pose=(3, 0, 0))
>>> drive = proven.spacetime.Trajectory([0, 1], [[0, 0, 0], [5, 0, 0]])
>>> traffic = proven.spacetime.TrafficScene([post])
>>> proven.spacetime.check(traffic, proven.spacetime.Footprint.box(1, 1), drive).contact["obstacle"]
'post'
)";
inline constexpr const char* load_traffic =
    R"(Obstacles from a file: CommonRoad, or our JSON.

What ends is taken to follow: it "continue"s straight on as in its last step, "rest"s or is "gone";
for `seconds` after the last of all samples.

>>> proven.spacetime.load_traffic("scenario.xml").t_end     # doctest: +SKIP
64.0
)";
inline constexpr const char* traffic_check =
    R"(Is a trajectory free among moving obstacles, in continuous time?

>>> post = proven.spacetime.Obstacle("post", proven.spacetime.Footprint.circle(0.5), pose=(3, 2, 0))
>>> drive = proven.spacetime.Trajectory([0, 1], [[0, 0, 0], [5, 0, 0]])
>>> traffic = proven.spacetime.TrafficScene([post])
>>> proven.spacetime.check(traffic, proven.spacetime.Footprint.box(1, 1), drive).verdict
'free'
)";
inline constexpr const char* traffic_verdicts =
    R"(Verdicts of many candidates in one call: rows of x, y and heading, columns are times.

>>> post = proven.spacetime.Obstacle("post", proven.spacetime.Footprint.circle(0.5), pose=(3, 0, 0))
>>> traffic = proven.spacetime.TrafficScene([post])
>>> x, y, heading = [[0, 5], [0, 5]], [[0, 0], [2, 2]], np.zeros((2, 2))
>>> proven.spacetime.verdicts(traffic, proven.spacetime.Footprint.box(1, 1), [0, 1], x, y, heading)
['collision', 'free']
)";
inline constexpr const char* metrics =
    R"(Clearance, time to collision and time gap, each as an interval that holds the true value.

>>> post = proven.spacetime.Obstacle("post", proven.spacetime.Footprint.circle(0.5), pose=(3, 2, 0))
>>> drive = proven.spacetime.Trajectory([0, 1], [[0, 0, 0], [5, 0, 0]])
>>> traffic = proven.spacetime.TrafficScene([post])
>>> least, most = proven.spacetime.metrics(traffic, proven.spacetime.Footprint.box(1, 1), drive)["clearance"]
>>> least <= 1.0 <= most
True
)";

// --- proven.task ---------------------------------------------------------------------------------

inline constexpr const char* planned_action =
    R"(An action of a plan: start, duration, name, arguments.

>>> proven.task.plan_task("domain.pddl", "problem.pddl").plan[0].name   # doctest: +SKIP
'pick'
)";
inline constexpr const char* module_reply =
    R"(What a module answered to a call, over all states in which it was asked: how often search met
the answer, what the module took for it, and the latest reason that it gave.

>>> proven.task.plan_task("domain.pddl", "problem.pddl").replies[0].answer   # doctest: +SKIP
'no'
)";
inline constexpr const char* plan_found =
    R"(A plan that was found on the way, better than the one before it, and when.

>>> proven.task.plan_task("domain.pddl", "problem.pddl").found[0].metric   # doctest: +SKIP
21.0
)";
inline constexpr const char* task_result =
    R"(A plan, or the `reason` why there is none. It is no truth value.

>>> proven.task.plan_task("domain.pddl", "problem.pddl").outcome        # doctest: +SKIP
'solved'
)";
inline constexpr const char* validation =
    R"(What the independent validator says of a plan.

>>> plan = proven.task.plan_task("domain.pddl", "problem.pddl")         # doctest: +SKIP
>>> proven.task.validate_plan("domain.pddl", "problem.pddl", plan).valid   # doctest: +SKIP
True
)";
inline constexpr const char* plan_task = R"(Plans for a PDDL problem.

>>> proven.task.plan_task("domain.pddl", "problem.pddl").makespan       # doctest: +SKIP
4.0
)";
inline constexpr const char* validate_plan =
    R"(Validates a plan, or the text of one, by an independent validator.

>>> plan = proven.task.plan_task("domain.pddl", "problem.pddl")         # doctest: +SKIP
>>> proven.task.validate_plan("domain.pddl", "problem.pddl", plan).valid   # doctest: +SKIP
True
)";

}  // namespace proven::python::doc
