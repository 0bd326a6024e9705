// Small problems for planners, and judges that are not the planners' own.
#pragma once

#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "certify/check_support.h"
#include "proven/plan/plan.h"
#include "proven/scene/scene.h"
#include "proven/scene/scene_source.h"
#include "proven/verify/verify.h"
#include "scenes/scenes.h"

namespace proven::test {

struct PlanCase {
  Scene scene;
  PlanProblem problem;
  SceneSource source = {};  // what the scene was built from, where the verifier needs it
};

inline PlanCase must_build_case(SceneSource source, PlanProblem problem) {
  auto scene = build_scene(source);
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return {std::move(scene).value(), std::move(problem), std::move(source)};
}

// The query that a built-in scene comes with.
inline PlanCase built_in_case(const std::string& name) {
  PlanCase c = must_build_case(make_scene(name).value(), {});
  const SceneQuery& query = find_scene(name)->query;
  c.problem.start = c.problem.goal = {c.scene.home().begin(), c.scene.home().end()};
  for (std::size_t k = 0; k < query.joints.size(); ++k) {
    const int coordinate = c.scene.tree().find_coordinate(query.joints[k]);
    c.problem.planned.push_back(coordinate);
    c.problem.start[static_cast<std::size_t>(coordinate)] = query.start[k];
    c.problem.goal[static_cast<std::size_t>(coordinate)] = query.goal[k];
  }
  return c;
}

// A planar arm of links of one metre that turn about z.
inline Robot planar_arm(int links, JointType type) {
  Robot robot;
  robot.name = "arm";
  robot.links.resize(static_cast<std::size_t>(links) + 1);
  robot.links[0].name = "base";
  for (int k = 1; k <= links; ++k) {
    RobotLink& link = robot.links[static_cast<std::size_t>(k)];
    link.name = "link_" + std::to_string(k);
    link.collision = box_elements({0.9, 0.05, 0.05}, Pose::translation({0.5, 0, 0}));
    RobotJoint joint;
    joint.name = "joint_" + std::to_string(k);
    joint.type = type;
    joint.parent_link = robot.links[static_cast<std::size_t>(k) - 1].name;
    joint.child_link = link.name;
    joint.axis = {0, 0, 1};
    joint.X_PJ = Pose::translation({k == 1 ? 0.0 : 1.0, 0, 0});
    if (type == JointType::revolute) {
      joint.limits.lower = -3;
      joint.limits.upper = 3;
    }
    robot.joints.push_back(joint);
  }
  return robot;
}

// Two links of which the second must fold to pass a post.
inline PlanCase post_case(JointType type = JointType::revolute) {
  SceneSource source;
  source.robots = {{"arm", planar_arm(2, type), Pose{}}};
  source.obstacles = {{"post", box_elements({0.1, 0.1, 1}), Pose::translation({1.5, 0, 0})}};
  return must_build_case(std::move(source), {{-0.5, 0.1}, {0.5, -0.1}, {}, {}});
}

// The independent verifier accepts the certificate for the path, and rejects it for the straight
// way, which must collide.
inline void expect_verified(const PlanCase& c, const Path& path,
                            const std::vector<std::uint8_t>& certificate,
                            const VerifyOptions& options = {}) {
  const VerifyReport report = verify(c.source, path, certificate, options);
  EXPECT_TRUE(report.accepted) << report.reason;
  EXPECT_EQ(report.segments, path.num_segments());
  Path straight = path;
  for (std::size_t i = 0; i < straight.waypoints.size(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(path.num_segments());
    for (std::size_t k = 0; k < c.problem.start.size(); ++k)
      straight.waypoints[i][k] = (1 - t) * c.problem.start[k] + t * c.problem.goal[k];
  }
  EXPECT_EQ(must_check(c.scene, straight.waypoints, {}).verdict, Verdict::collision);
  EXPECT_FALSE(verify(c.source, straight, certificate, options).accepted);
}

// Dense sampling by FCL finds nothing, and the ends are those of the problem.
inline void expect_free(const PlanCase& c, const Path& path, double step = 0.01) {
  ASSERT_GE(path.waypoints.size(), 2u);
  FclScene fcl(c.scene);
  for (std::size_t i = 1; i < path.waypoints.size(); ++i)
    EXPECT_EQ(sample_segment(fcl, c.scene.tree(), path.waypoints[i - 1], path.waypoints[i], step),
              -1);
  EXPECT_EQ(must_check(c.scene, path.waypoints, {}).verdict, Verdict::free);
  EXPECT_EQ(path.waypoints.front(), c.problem.start);
}

}  // namespace proven::test
