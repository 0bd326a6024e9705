// Random segments of random scenes, for tests of sweeps: what is true of them is sampled.
#pragma once

#include "any_values.h"
#include "certify/random_scenes.h"
#include "certify/sweep.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven::test {

// Links and obstacles that balls fit exactly, or all but.
inline SceneSource round_scene(Random& random) {
  SceneSource source = random_scene(random, {.links = 4, .obstacles = 5, .meshes_only = false});
  for (RobotLink& link : source.robots[0].robot.links)
    for (CollisionElement& element : link.collision)
      element.shape = Sphere{random.uniform(0.02, 0.08)};
  for (ObstacleSource& obstacle : source.obstacles)
    for (CollisionElement& element : obstacle.elements) {
      const double r = random.uniform(0.03, 0.2), h = random.uniform(0.01, 0.3);
      switch (random.index(4)) {
        case 0:
          element.shape = Sphere{r};
          break;
        case 1:
          element.shape = Box{{r, h, random.uniform(0.001, 0.2)}};
          break;
        case 2:
          element.shape = Cylinder{r, h};
          break;
        default:
          element.shape = Capsule{r, h};
      }
    }
  return source;
}

struct SweepCase {
  Scene scene;
  std::vector<std::vector<double>> rows;  // ends, and control points between
  SegmentMotion motion() const {
    SegmentMotion motion;
    static_cast<MotionPiece&>(motion) = {
        rows.front(), rows.back(),
        std::span<const std::vector<double>>(rows).subspan(1, rows.size() - 2)};
    return motion;
  }
};

inline SweepCase random_case(Random& random, bool round, bool curved) {
  RandomSceneOptions options;
  options.floating = random.index(3) == 0;
  SweepCase c{build(round ? round_scene(random) : random_scene(random, options)), {}};
  c.rows = random_segment(c.scene.tree(), random, std::pow(10, random.uniform(-1.5, 0.5)));
  const auto coordinates = c.scene.tree().coordinates();
  for (int i = curved ? 1 + random.index(4) : 0; i > 0; --i) {
    std::vector<double> row = c.rows.front();
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = coordinates[k].quaternion ? random.uniform(-0.5, 0.5)
                                         : row[k] + random.uniform(-0.3, 0.3);
    for (std::size_t k = 3; k < row.size(); ++k)
      if (coordinates[k].quaternion && coordinates[k - 3].quaternion &&
          (k == 3 || !coordinates[k - 4].quaternion || k % 4 == 3))
        row[k] = coordinates[k].name.ends_with(".qw") ? 0 : row[k];
    c.rows.insert(c.rows.end() - 1, row);
  }
  return c;
}

inline double distance_at(const SweepCase& c, int pair, double t) {
  std::vector<double> q(c.rows[0].size());
  interpolate(c.scene.tree(), c.motion(), t, q);
  LinkPoses poses;
  compute_poses(c.scene.tree(), q, poses);
  const BodyPair& bodies = c.scene.pairs()[static_cast<std::size_t>(pair)];
  const Body &a = c.scene.body(bodies.a), &b = c.scene.body(bodies.b);
  const auto pose = [&](const Body& body) {
    return poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
  };
  DistanceScratch scratch;
  return exact_distance(*a.geometry, *b.geometry, relative_pose(pose(a), pose(b)), {-1, -1},
                        scratch)
      .distance;
}

// The smallest distance of the pair on a chord of a part, at samples that close in on it.
inline double least_on_chord(const SweepCase& c, int pair, const SegmentPart& part, int chord) {
  constexpr int kSamples = 12;
  const double parts = std::ldexp(1.0, part.level);
  double begin = (part.index + static_cast<double>(chord) / kChords) / parts;
  double end = (part.index + (chord + 1.0) / kChords) / parts;
  double least = INFINITY;
  for (int round = 0; round < 3; ++round) {
    double best = begin;
    for (int i = 0; i <= kSamples; ++i) {
      const double t = std::min(1.0, begin + (end - begin) * i / kSamples);
      const double d = distance_at(c, pair, t);
      if (d < least) least = d, best = t;
    }
    const double width = (end - begin) / kSamples;
    begin = std::max(begin, best - width), end = std::min(end, best + width);
  }
  return least;
}

inline CheckModel model_of(const SweepCase& c, double clearance) {
  CheckOptions options = test::any_values();
  options.clearance = Clearances::everywhere(clearance);
  CheckModel model = CheckModel::build(c.scene, options).value();
  for (const auto& row : c.rows) model = model.covering(row, row);
  return model;
}

// A link with this shape, if any, and the joint that carries it; the first one has no parent.
inline void add_link(Robot& robot, const std::string& name, const std::string& parent,
                     JointType type, const Vec3& axis, std::vector<CollisionElement> collision = {},
                     double limit = 5) {
  robot.links.emplace_back();
  robot.links.back().name = name;
  robot.links.back().collision = std::move(collision);
  if (parent.empty()) return;
  RobotJoint joint;
  joint.name = "to_" + name, joint.type = type;
  joint.parent_link = parent, joint.child_link = name;
  joint.axis = axis;
  joint.limits = {-limit, limit, 1, 1};
  robot.joints.push_back(joint);
}

}  // namespace proven::test
