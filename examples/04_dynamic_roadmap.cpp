// Builds a roadmap once, without obstacles; then plans for boxes that come and go.
#include <cstdio>

#include "proven/roadmap/planner.h"

using namespace proven;

// Three bars of half a metre that turn about z.
Robot planar_arm() {
  Robot robot;
  robot.name = "arm";
  robot.links.resize(4);
  robot.links[0].name = "base";
  for (std::size_t k = 1; k <= 3; ++k) {
    robot.links[k].name = "link_" + std::to_string(k);
    robot.links[k].collision = {{Box{{0.2, 0.02, 0.02}}, Pose::translation({0.25, 0, 0}), "bar"}};
    RobotJoint joint;
    joint.name = "joint_" + std::to_string(k);
    joint.type = JointType::revolute;
    joint.parent_link = robot.links[k - 1].name;
    joint.child_link = robot.links[k].name;
    joint.axis = {0, 0, 1};
    joint.X_PJ = Pose::translation({k == 1 ? 0.0 : 0.5, 0, 0});
    joint.limits.lower = -2.8;
    joint.limits.upper = 2.8;
    robot.joints.push_back(joint);
  }
  return robot;
}

int main() {
  SceneBuilder builder;
  if (!builder.add_robot(planar_arm(), "arm", Pose{}).ok()) return 4;
  const Result<Scene> scene = std::move(builder).build();
  if (!scene.ok()) return 4;

  roadmap::BuildOptions options;
  options.nodes = 300;
  options.cell = 0.06;
  options.planar = true;
  const auto model = roadmap::build(scene.value(), {}, scene.value().home(), options);
  if (!model.ok()) return 4;
  std::printf("%d nodes, %d arcs, %d cells\n", model.value().graph.num_nodes(),
              model.value().graph.num_edges(), model.value().grid.num_cells());

  auto planner = roadmap::Planner::create(model.value(), scene.value());
  if (!planner.ok()) return 4;
  const std::vector<double> start = {-1.0, 0.2, 0.2}, goal = {1.0, 0.2, 0.2};
  for (const double x : {5.0, 1.0, 0.4}) {
    roadmap::CellMask occupied(model.value().grid);
    if (!roadmap::mark_obstacle(model.value().grid, {{{Box{{0.05, 0.05, 0.1}}, Pose{}, "box"}}},
                                Pose::translation({x, 0, 0}), occupied)
             .ok())
      return 4;
    planner.value().set_occupied(occupied);
    const auto found = planner.value().plan(start, goal, nullptr, {});
    if (!found.ok()) return 4;
    std::printf("box at x = %.1f: %s, length %.2f\n", x,
                roadmap::to_string(found.value().status).data(), found.value().length);
  }
}
