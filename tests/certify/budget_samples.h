// Robots, configurations and motions on which the error budget is measured, in double and exact.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "certify/anchor.h"
#include "certify/exact_motion.h"
#include "kinematics/random_robot.h"
#include "proven/io/urdf.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven::budget {

using exact::ExactMotion;
using exact::Real;
using exact::RPose;
using exact::RVec;

// Robots with geometry of our own on every link, so that any scale is cheap.

inline Shape bumpy_mesh(Random& random, double size, int triangles) {
  TriangleMesh mesh;
  for (int i = 0; i < triangles; ++i) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    const Vec3 place = size * random.unit_vector();
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(place + 0.3 * size * random.unit_vector());
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return std::make_shared<const TriangleMesh>(std::move(mesh));
}

inline Shape any_shape(Random& random, double size) {
  const double a = size * random.uniform(0.1, 1), b = size * random.uniform(0.1, 1);
  switch (random.index(6)) {
    case 0:
      return Box{{a, b, size}};
    case 1:
      return Sphere{a};
    case 2:
      return Cylinder{a, b};
    case 3:
      return Capsule{a, b};
    case 4: {
      ConvexHull hull;
      for (int i = 0; i < 12; ++i) hull.points.push_back(size * random.unit_vector());
      return std::make_shared<const ConvexHull>(std::move(hull));
    }
    default:
      return bumpy_mesh(random, size, 1 + random.index(40));
  }
}

inline std::vector<CollisionElement> any_elements(Random& random, double size) {
  std::vector<CollisionElement> elements;
  for (int i = 1 + random.index(3); i > 0; --i)
    elements.push_back({any_shape(random, size), test::random_pose(random, 2 * size), "dress"});
  return elements;
}

inline Robot dressed(Robot robot, Random& random, double scale) {
  for (RobotJoint& joint : robot.joints) {
    joint.X_PJ.p *= scale;
    if (joint.type != JointType::prismatic) continue;
    joint.limits.lower *= scale;
    joint.limits.upper *= scale;
    if (joint.mimic) joint.mimic->offset *= scale;
  }
  for (RobotLink& link : robot.links) {
    link.collision = any_elements(random, 0.1 * scale);
    link.geometry = nullptr;
  }
  return robot;
}

struct Subject {
  std::string name;
  double scale = 1;
  double turn = 3;  // |q| of rotary coordinates
  Scene scene;
  std::unique_ptr<ModelData> model;
  std::vector<double> lower, upper;
};

inline void add_subject(std::vector<std::unique_ptr<Subject>>& subjects, const std::string& name,
                        const std::vector<std::pair<Robot, Pose>>& robots, Random& random,
                        double scale, double turn) {
  SceneBuilder builder;
  int index = 0;
  for (const auto& [robot, X] : robots) {
    const Pose X_WR{X.R, scale * X.p};
    ASSERT_TRUE(
        builder.add_robot(dressed(robot, random, scale), fmt::format("r{}", index++), X_WR).ok());
  }
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(builder
                    .add_obstacle(fmt::format("o{}", i), any_elements(random, 0.3 * scale),
                                  test::random_pose(random, 2 * scale))
                    .ok());
  auto scene = std::move(builder).build();
  ASSERT_TRUE(scene.ok()) << scene.error().text();
  auto subject = std::make_unique<Subject>(
      Subject{name, scale, turn, std::move(scene).value(), nullptr, {}, {}});
  for (const Coordinate& c : subject->scene.tree().coordinates()) {
    const double bound = c.quaternion ? 1 : c.rotary ? turn : scale;
    subject->lower.push_back(-bound);
    subject->upper.push_back(bound);
  }
  Reach reach(subject->scene);
  reach.cover(subject->scene.tree(), subject->lower, subject->upper);
  subject->model = std::make_unique<ModelData>(subject->scene, Requirement{}, reach, nullptr);
  subjects.push_back(std::move(subject));
}

// Real robots (where their files are), the built-in ones and random trees.
inline const std::vector<std::unique_ptr<Subject>>& subjects() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Subject>> result;
    std::vector<std::pair<std::string, std::vector<std::pair<Robot, Pose>>>> robots;
    for (const char* folder : {"robots", "motionbenchmaker"}) {
      if (!std::filesystem::exists(test::data_dir() / folder)) continue;
      std::vector<std::filesystem::path> files;
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(test::data_dir() / folder))
        if (entry.path().extension() == ".urdf") files.push_back(entry.path());
      std::ranges::sort(files);
      for (const auto& file : files) {
        UrdfOptions options;
        options.load_meshes = false;
        auto robot = load_urdf(file, options);
        EXPECT_TRUE(robot.ok()) << robot.error().text();
        robots.push_back({file.stem().string(), {{robot.value(), Pose{}}}});
      }
    }
    for (const char* name : {"planar-20", "planar-60"}) {
      auto source = make_scene(name);
      EXPECT_TRUE(source.ok()) << name;
      robots.push_back({name, {{source.value().robots[0].robot, source.value().robots[0].X_WR}}});
    }
    for (const SceneInfo& info : list_scenes()) {
      auto source = make_scene(info.name);
      EXPECT_TRUE(source.ok()) << info.name;
      if (source.value().robots.empty()) continue;
      robots.push_back({info.name, {}});
      for (const auto& robot : source.value().robots)
        robots.back().second.emplace_back(robot.robot, robot.X_WR);
    }
    Random random(70);
    for (const int links : {2, 8, 8, 8, 24, 64})
      robots.push_back(
          {fmt::format("random {}", links),
           {{test::random_robot(random, {}, {.links = links}), test::random_pose(random, 1)}}});
    int number = 0;
    for (const auto& [name, parts] : robots) {
      constexpr double kScales[] = {1, 1e-3, 1e3, 0.1};
      add_subject(result, name, parts, random, kScales[number % 4], number % 3 == 0 ? 3 : 128);
      ++number;
    }
    return result;
  }();
  return all;
}

inline std::vector<double> random_values(const Subject& s, Random& random) {
  std::vector<double> q = random_configuration(s.scene.tree(), random);
  for (std::size_t i = 0; i < q.size(); ++i)
    if (!s.scene.tree().coordinates()[i].quaternion) q[i] = random.uniform(s.lower[i], s.upper[i]);
  return q;
}

inline OwnedMotion random_motion(const Subject& s, Random& random) {
  OwnedMotion motion{random_values(s, random), random_values(s, random)};
  if (random.index(4) > 0) return motion;
  for (std::size_t i = 0; i < motion.to.size(); ++i)  // most joints rest
    if (random.index(3) > 0 && !s.scene.tree().coordinates()[i].quaternion)
      motion.to[i] = motion.from[i];
  return motion;
}

// A configuration in the middle of a random segment, in double and exact.
struct Sample {
  const Subject& subject;
  OwnedMotion motion;
  std::vector<JointRate> rates;
  double t = 0, reach = 0;
  Anchor anchor;
  ExactMotion exact;
  std::vector<RPose> links;

  Sample(const Subject& s, Random& random)
      : subject(s), motion(random_motion(s, random)), exact(s.scene, motion.from, motion.to) {
    const int depth = 1 + random.index(12);
    t = std::ldexp(2 * random.index(1 << (depth - 1)) + 1, -depth);
    reach = std::ldexp(1.0, -depth);
    joint_rates(s.scene.tree(), motion, 0, 0, 1, rates);
    anchor.compute(*s.model, motion, rates, t, reach);
    links = exact.links(t);
  }

  int random_body(Random& random) const {
    return random.index(static_cast<int>(subject.scene.bodies().size()));
  }
  // Any link above, mostly the world.
  int random_ancestor(int body, Random& random) const {
    int link = subject.scene.body(body).link;
    if (random.index(2) == 0) return 0;
    while (link != 0 && random.index(3) > 0) link = subject.scene.tree().link(link).parent;
    return link;
  }
  // The joints that move, from the body up to the ancestor.
  std::vector<int> chain(int body, int ancestor) const {
    std::vector<int> result;
    for (int l = subject.scene.body(body).link; l != ancestor;
         l = subject.scene.tree().link(l).parent)
      if (rates[static_cast<std::size_t>(l)].moves()) result.push_back(l);
    return result;
  }
  const Joint& joint(int link) const { return subject.scene.tree().link(link).joint; }
  bool slides(int link) const { return joint(link).kind == JointKind::prismatic; }
  RVec axis(int link) const { return exact.axis(links, link); }
  RVec place(int link) const { return links[static_cast<std::size_t>(link)].p; }

  // v(x) = angular × x + linear, relative to the ancestor.
  struct ExactTwist {
    RVec angular, linear;
  };
  ExactTwist twist(int body, int ancestor) const {
    ExactTwist result;
    for (const int l : chain(body, ancestor)) {
      const RVec rate = exact.joint(l).rate * axis(l);
      if (slides(l)) {
        result.linear = result.linear + rate;
      } else {
        result.angular = result.angular + rate;
        result.linear = result.linear + cross(place(l), rate);
      }
    }
    return result;
  }
};

// Runs `measure` on about `count` samples over all subjects; it returns the share of the allowance
// that was used, or a negative value where it does not apply. Prints and checks the largest.
inline void expect_within_half(const char* name, int seed, int count,
                               const std::function<double(Sample&, Random&)>& measure) {
  ASSERT_GE(subjects().size(), 10u);
  Random random(static_cast<std::uint64_t>(seed));
  const int each = std::max(1, test::cases(count) / static_cast<int>(subjects().size()));
  double largest = 0;
  std::string worst;
  int measured = 0;
  for (const auto& subject : subjects())
    for (int n = each; n > 0; --n) {
      Sample sample(*subject, random);
      const double share = measure(sample, random);
      if (share < 0) continue;
      ++measured;
      if (!(share <= largest)) largest = share, worst = subject->name;
    }
  std::printf("%s: %d samples of %zu robots, largest share %.3g (%s)\n", name, measured,
              subjects().size(), largest, worst.c_str());
  EXPECT_LE(largest, 0.5) << worst;
  EXPECT_GT(largest, 0);
  EXPECT_GE(4 * measured, each * static_cast<int>(subjects().size()));
}

inline constexpr int kCount = 10000;  // configurations of a test

inline Vec3 random_corner(const BoxNode& node, Random& random) {
  return node.centre + Vec3{random.index(2) ? node.half.x : -node.half.x,
                            random.index(2) ? node.half.y : -node.half.y,
                            random.index(2) ? node.half.z : -node.half.z};
}

}  // namespace proven::budget
