// Small scenes with known answers, and an independent look at a path by dense sampling.
#pragma once

#include <fcl/fcl.h>

#include <cmath>
#include <memory>
#include <vector>

#include "proven/certify/session.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"
#include "support.h"

namespace proven::test {

inline Scene must_build(SceneBuilder builder) {
  auto scene = std::move(builder).build();
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return std::move(scene).value();
}

inline std::vector<CollisionElement> box_elements(const Vec3& size, const Pose& X = {}) {
  return {{Box{0.5 * size}, X, "box"}};
}

// A closed box as a mesh of 12 triangles.
inline std::vector<CollisionElement> box_mesh(const Vec3& size, const Pose& X = {}) {
  auto mesh = std::make_shared<TriangleMesh>();
  for (int i = 0; i < 8; ++i)
    mesh->vertices.push_back({(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                              (i & 4 ? 0.5 : -0.5) * size.z});
  mesh->triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return {{std::shared_ptr<const TriangleMesh>(mesh), X, "box mesh"}};
}

// A session for configurations whose values stay below `reach`.
inline CheckSession make_session(const Scene& scene, CheckOptions options, double reach = 20) {
  options.limits = Limits::ignore;
  const std::vector<Interval> ranges(scene.home().size(), Interval{-reach, reach});
  return CheckSession(CheckModel::build(scene, options, ranges).value());
}

inline CheckResult must_check(const Scene& scene, const std::vector<std::vector<double>>& waypoints,
                              CheckOptions options, const Budget& budget = {}) {
  options.limits = Limits::ignore;
  Scratch scratch;
  auto result = check(scene, Path{waypoints, {}, {}}, options, scratch, budget);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : CheckResult{};
}

// FCL's view of a scene of meshes and primitives: a static test of our poses by other code.
class FclScene {
 public:
  explicit FclScene(const Scene& scene) : scene_(scene) {
    for (const Body& body : scene.bodies()) bodies_.push_back(model_of(*body.geometry));
  }

  // The first pair (index into scene.pairs()) that overlaps at q, or -1. Surfaces only, but for
  // convex pieces.
  int first_collision(std::span<const double> q) {
    compute_poses(scene_.tree(), q, poses_);
    for (std::size_t i = 0; i < scene_.pairs().size(); ++i)
      if (collides(scene_.pairs()[i])) return static_cast<int>(i);
    return -1;
  }

 private:
  using Object = std::pair<std::shared_ptr<fcl::CollisionGeometryd>, Pose>;  // with its X_BS

  static fcl::Transform3d transform(const Pose& X) {
    fcl::Transform3d T = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) T.linear()(i, j) = X.R(i, j);
      T.translation()(i) = X.p[i];
    }
    return T;
  }

  static std::vector<Object> model_of(const BodyGeometry& geometry) {
    std::vector<Object> objects;
    if (!geometry.triangles().empty()) {
      auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
      model->beginModel();
      const auto v = [](const Vec3& p) { return fcl::Vector3d(p.x, p.y, p.z); };
      for (const Triangle& t : geometry.triangles()) model->addTriangle(v(t.a), v(t.b), v(t.c));
      model->endModel();
      objects.emplace_back(model, Pose{});
    }
    for (const Convex& c : geometry.convexes()) {
      std::shared_ptr<fcl::CollisionGeometryd> shape;
      const Vec3& h = c.half_extents;
      if (c.kind == ConvexKind::box) shape = std::make_shared<fcl::Boxd>(2 * h.x, 2 * h.y, 2 * h.z);
      if (c.kind == ConvexKind::sphere) shape = std::make_shared<fcl::Sphered>(c.radius);
      if (c.kind == ConvexKind::cylinder) shape = std::make_shared<fcl::Cylinderd>(h.x, 2 * h.z);
      if (c.kind == ConvexKind::capsule) shape = std::make_shared<fcl::Capsuled>(c.radius, 2 * h.z);
      if (shape) objects.emplace_back(shape, c.X_BS);
    }
    return objects;
  }

  bool collides(const BodyPair& pair) const {
    const Body& a = scene_.body(pair.a);
    const Body& b = scene_.body(pair.b);
    const Pose X_WA = poses_.X_WL[static_cast<std::size_t>(a.link)] * a.X_LB;
    const Pose X_WB = poses_.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB;
    for (const Object& x : bodies_[static_cast<std::size_t>(pair.a)])
      for (const Object& y : bodies_[static_cast<std::size_t>(pair.b)]) {
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        if (fcl::collide(x.first.get(), transform(X_WA * x.second), y.first.get(),
                         transform(X_WB * y.second), request, result))
          return true;
      }
    return false;
  }

  const Scene& scene_;
  std::vector<std::vector<Object>> bodies_;
  LinkPoses poses_;
};

// Samples a segment at steps of at most `step` in any coordinate; the first pair found colliding,
// or -1.
inline int sample_segment(FclScene& fcl, const KinematicTree& tree, const std::vector<double>& from,
                          const std::vector<double>& to, double step) {
  double longest = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    longest = std::fmax(longest, std::fabs(to[i] - from[i]));
  const int n = std::max(1, static_cast<int>(std::ceil(longest / step)));
  std::vector<double> q(from.size());
  for (int k = 0; k <= n; ++k) {
    interpolate(tree, from, to, static_cast<double>(k) / n, q);
    if (const int pair = fcl.first_collision(q); pair >= 0) return pair;
  }
  return -1;
}

// The checkers that find the earliest contact, with all their ways to cover a segment.
inline std::vector<std::pair<Checker, Cover>> ways_to_find_first() {
  return {{Checker::directional, Cover::midpoint},
          {Checker::classic, Cover::midpoint},
          {Checker::classic, Cover::uncovered},
          {Checker::classic, Cover::forward}};
}

// A block of 0.2 m that slides along x, starting at x = 0.
inline SceneBuilder slider(std::vector<CollisionElement> block = box_elements({0.2, 0.2, 0.2})) {
  Robot robot;
  robot.name = "slider";
  robot.links = {{"base", {}, false, nullptr}, {"block", std::move(block), false, nullptr}};
  RobotJoint joint;
  joint.name = "x";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "block";
  joint.limits = {-10, 10, 1, 1};
  robot.joints = {joint};
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "slider", Pose{}).ok());
  return builder;
}

// A bar of length 1 along x that turns about z at the origin.
inline SceneBuilder turning_bar(std::vector<CollisionElement> bar =
                                    box_elements({1, 0.02, 0.02}, Pose::translation({0.5, 0, 0}))) {
  Robot robot;
  robot.name = "bar";
  robot.links = {{"base", {}, false, nullptr}, {"bar", std::move(bar), false, nullptr}};
  RobotJoint joint;
  joint.name = "turn";
  joint.type = JointType::continuous;
  joint.parent_link = "base";
  joint.child_link = "bar";
  joint.axis = {0, 0, 1};
  robot.joints = {joint};
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "bar", Pose{}).ok());
  return builder;
}

}  // namespace proven::test
