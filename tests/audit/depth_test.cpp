// How deep bodies are in each other, against all points at all moments.
#include "audit/depth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"

namespace proven::test {
namespace {

constexpr int kMoments = 16;  // as audit/depth.cpp has them

// A ball of triangles with bumps, so that which corner is the deepest is not plain.
std::shared_ptr<const TriangleMesh> bumpy_ball(Random& random) {
  TriangleMesh mesh;
  constexpr std::uint32_t kRings = 20, kSides = 30;
  for (std::uint32_t i = 0; i <= kRings; ++i)
    for (std::uint32_t k = 0; k < kSides; ++k) {
      const double polar = M_PI * i / kRings, turn = 2 * M_PI * k / kSides;
      mesh.vertices.push_back(random.uniform(0.2, 0.3) * Vec3{std::sin(polar) * std::cos(turn),
                                                              std::sin(polar) * std::sin(turn),
                                                              std::cos(polar)});
    }
  for (std::uint32_t i = 0; i < kRings; ++i)
    for (std::uint32_t k = 0; k < kSides; ++k) {
      const std::uint32_t next = (k + 1) % kSides;
      mesh.triangles.push_back({i * kSides + k, i * kSides + next, (i + 1) * kSides + k});
      mesh.triangles.push_back({i * kSides + next, (i + 1) * kSides + next, (i + 1) * kSides + k});
    }
  return std::make_shared<const TriangleMesh>(std::move(mesh));
}

double depth_in(const Shape& shape, const Vec3& p) {
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_extents;
    return std::min({h.x - std::fabs(p.x), h.y - std::fabs(p.y), h.z - std::fabs(p.z)});
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius - norm(p);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape))
    return std::min(cylinder->radius - std::hypot(p.x, p.y),
                    cylinder->half_length - std::fabs(p.z));
  const auto& capsule = std::get<Capsule>(shape);
  const double beyond = std::max(0.0, std::fabs(p.z) - capsule.half_length);
  return capsule.radius - std::sqrt(p.x * p.x + p.y * p.y + beyond * beyond);
}

TEST(Depth, IsThatOfTheDeepestCornerOfAllMoments) {
  Random random(3);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    const auto mesh = bumpy_ball(random);
    const double a = random.uniform(0.05, 0.4), b = random.uniform(0.05, 0.4);
    const Shape shapes[] = {Box{{a, b, 0.2}}, Sphere{a}, Cylinder{a, b}, Capsule{b, a}};
    const Shape& shape = shapes[round % 4];
    const Pose X_BS = {random.rotation(), 0.1 * random.unit_vector()};
    const Pose X_AM = {random.rotation(), 0.1 * random.unit_vector()};
    Robot robot;
    robot.name = "robot";
    robot.links.resize(2);
    robot.links[0].name = "base";
    robot.links[1].name = "ball";
    robot.links[1].collision = {{mesh, X_AM, ""}};
    RobotJoint joint;
    joint.name = "slide";
    joint.type = JointType::prismatic;
    joint.parent_link = "base";
    joint.child_link = "ball";
    joint.axis = {1, 0, 0};
    joint.limits = {-2, 2, 1, 1};
    robot.joints.push_back(joint);
    SceneSource source;
    source.robots.push_back({"robot", robot, Pose{}});
    ObstacleSource obstacle;
    obstacle.name = "thing";
    obstacle.elements.push_back({shape, X_BS, ""});
    obstacle.X_WB = {random.rotation(), {0, random.uniform(-0.5, 0.5), 0}};
    source.obstacles.push_back(obstacle);
    const auto scene = build_scene(source);
    ASSERT_TRUE(scene.ok()) << scene.error().text();
    Motion motion;
    motion.waypoints = {{random.uniform(-1, 0)}, {random.uniform(0, 1)}};
    Witness witness;
    witness.segment = 0;
    witness.bodies = {scene.value().find_body("robot/ball"), scene.value().find_body("thing")};
    witness.configuration = {random.uniform(-0.3, 0.3)};
    witness.kind = ContactKind::overlap;

    double deepest = 0;
    for (int i = -1; i <= kMoments; ++i) {
      const double t = static_cast<double>(i) / kMoments;
      const double x =
          i < 0 ? witness.configuration[0]
                : motion.waypoints[0][0] + t * (motion.waypoints[1][0] - motion.waypoints[0][0]);
      const Pose X_SW = inverse(obstacle.X_WB * X_BS);
      for (const Vec3& vertex : mesh->vertices)
        deepest = std::max(deepest, depth_in(shape, X_SW * (X_AM * vertex + Vec3{x, 0, 0})));
    }
    const auto depth = audit::depth_of(scene.value(), motion, witness);
    EXPECT_NEAR(depth.value_or(0), deepest, 1e-12);
    EXPECT_EQ(depth.has_value(), deepest > 0);
    found += depth.has_value();
  }
  EXPECT_GE(found, 20);
  EXPECT_LE(found, 58);
}

}  // namespace
}  // namespace proven::test
