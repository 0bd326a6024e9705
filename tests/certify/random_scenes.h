// Random scenes as plain data, to be built, moved, scaled and mirrored, and random segments in
// them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "proven/base/random.h"
#include "proven/certify/verdict.h"
#include "proven/geometry/distance.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"
#include "proven/scene/scene.h"

namespace proven::test {

// Guards that both outcomes occur.
struct VerdictCounts {
  int free = 0, collision = 0, undecided = 0;
  void add(Verdict v) {
    ++(v == Verdict::free ? free : v == Verdict::collision ? collision : undecided);
  }
  void expect_both(int at_least) const {
    EXPECT_GE(free, at_least);
    EXPECT_GE(collision, at_least);
  }
};

struct RandomSceneOptions {
  int links = 4;
  int obstacles = 6;
  bool meshes_only = false;  // for FCL, whose primitives are not exact
  bool floating = false;     // the robot's first joint
};

// A closed block as a mesh of 12 triangles.
inline Shape block_mesh(const Vec3& half) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return std::make_shared<const TriangleMesh>(std::move(mesh));
}

inline Shape random_shape(Random& random, const Vec3& half, bool meshes_only) {
  switch (meshes_only ? 0 : random.index(6)) {
    case 1:
      return Box{half};
    case 2:
      return Capsule{half.y, half.z};
    case 3:
      return Cylinder{half.y, half.z};
    case 4:
      return Sphere{half.y};
    case 5: {
      ConvexHull hull;
      for (int i = 0; i < 10; ++i) {
        const Vec3 u = random.unit_vector();
        hull.points.push_back({half.x * u.x, half.y * u.y, half.z * u.z});
      }
      return std::make_shared<const ConvexHull>(std::move(hull));
    }
    default:
      return block_mesh(half);
  }
}

inline RobotJoint random_joint(Random& random, int i, const RandomSceneOptions& options) {
  RobotJoint joint;
  joint.name = "j" + std::to_string(i);
  joint.parent_link = "l" + std::to_string(i - 1);
  joint.child_link = "l" + std::to_string(i);
  joint.X_PJ = {random.rotation(), {i == 1 ? 0 : 0.3, 0, 0}};
  joint.axis = random.unit_vector();
  joint.type = JointType::revolute;
  joint.limits = {-3, 3, 1, 1};
  if (i == 1 && options.floating) joint.type = JointType::floating;
  if (i > 1 && random.index(4) == 0) {
    joint.type = JointType::prismatic;
    joint.limits = {-0.2, 0.2, 1, 1};
  } else if (i > 2 && random.index(4) == 0) {
    joint.mimic = Mimic{"j2", random.uniform(-1.5, 1.5), random.uniform(-0.5, 0.5)};
  }
  return joint;
}

// A chain with a link of about 0.3 m per joint among obstacles around it, some of them thin plates.
inline SceneSource random_scene(Random& random, const RandomSceneOptions& options) {
  Robot robot;
  robot.name = "arm";
  robot.links.push_back({"l0", {}, false, nullptr});
  bool second_turns = false;
  for (int i = 1; i <= options.links; ++i) {
    const Vec3 half{0.15, random.uniform(0.01, 0.05), random.uniform(0.02, 0.05)};
    const Pose X{Mat3{}, {0.15, 0, 0}};
    robot.links.push_back({"l" + std::to_string(i),
                           {{random_shape(random, half, options.meshes_only), X, "link"}},
                           false,
                           nullptr});
    RobotJoint joint = random_joint(random, i, options);
    if (i == 2) second_turns = joint.type == JointType::revolute;
    if (!second_turns) joint.mimic.reset();  // an angle follows an angle
    robot.joints.push_back(joint);
  }
  SceneSource source;
  source.robots.push_back({"arm", robot, Pose::translation({0.1, -0.2, 0.3})});
  for (int i = 0; i < options.obstacles; ++i) {
    Vec3 half{random.uniform(0.02, 0.2), random.uniform(0.02, 0.2), random.uniform(0.02, 0.2)};
    if (i % 3 == 0) half.z = 0.0005;
    const Vec3 place = random.uniform(0.25, 0.4 * options.links) * random.unit_vector();
    source.obstacles.push_back(
        {"o" + std::to_string(i),
         {{random_shape(random, half, options.meshes_only || half.z < 0.01), Pose{}, "obstacle"}},
         {random.rotation(), place}});
  }
  return source;
}

inline Scene build(const SceneSource& source) {
  auto scene = build_scene(source);
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return std::move(scene).value();
}

// From a random configuration by up to `reach` per coordinate. The values are multiples of 2^-20,
// so that dyadic points between them are exact.
inline std::vector<std::vector<double>> random_segment(const KinematicTree& tree, Random& random,
                                                       double reach) {
  const auto coarse = [](double x) { return std::round(x * 0x1p20) * 0x1p-20; };
  std::vector<double> from = random_configuration(tree, random, 0.3);
  std::vector<double> to = random_configuration(tree, random, 0.3);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Coordinate& c = tree.coordinates()[i];
    if (c.quaternion) continue;
    const double range = c.rotary ? reach : 0.2 * reach;
    from[i] = coarse(from[i]);
    to[i] = random.index(3) == 0 ? from[i] : coarse(from[i] + random.uniform(-range, range));
  }
  return {from, to};
}

// The smallest distance of any pair at steps + 1 configurations of a segment; 0 if any overlap.
inline double sampled_distance(const Scene& scene, const std::vector<std::vector<double>>& segment,
                               int steps) {
  double smallest = std::numeric_limits<double>::infinity();
  LinkPoses poses;
  DistanceScratch workspace;
  std::vector<double> q(segment[0].size());
  for (int i = 0; i <= steps; ++i) {
    interpolate(scene.tree(), segment[0], segment[1], static_cast<double>(i) / steps, q);
    compute_poses(scene.tree(), q, poses);
    for (const BodyPair& pair : scene.pairs()) {
      const Body &a = scene.body(pair.a), &b = scene.body(pair.b);
      const auto pose = [&](const Body& body) {
        return poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
      };
      const ExactDistance found = exact_distance(
          *a.geometry, *b.geometry, relative_pose(pose(a), pose(b)), {-1, -1}, workspace);
      smallest = std::fmin(smallest, found.distance);
    }
  }
  return smallest;
}

}  // namespace proven::test
