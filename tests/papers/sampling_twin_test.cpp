// The sampling twin says of every sample what a plain loop over spheres and solids in doubles says,
// so that it is neither a slow rival nor one that is fast because it looks at less.
#include "papers/plan/sampling_twin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "certify/random_scenes.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

// A chain of links, some of several spheres, among solids of all kinds; links may follow others.
SceneSource random_spheres(Random& random) {
  SceneSource source = test::random_scene(random, {.links = 5, .obstacles = 20});
  for (RobotLink& link : source.robots[0].robot.links) {
    if (link.collision.empty()) continue;
    link.collision.clear();
    for (int i = 1 + random.index(4); i > 0; --i)
      link.collision.push_back({Sphere{random.uniform(0.02, 0.07)},
                                {random.rotation(), {random.uniform(0, 0.3), 0.02, -0.03}},
                                "sphere"});
  }
  source.robots[0].robot.links[0].collision.push_back({Sphere{0.06}, Pose{}, "base"});
  for (ObstacleSource& obstacle : source.obstacles) {
    const double r = random.uniform(0.03, 0.15), h = random.uniform(0.02, 0.3);
    const Shape shapes[] = {Sphere{r}, Box{{r, h, 0.1}}, Cylinder{r, h}, Capsule{r, h}};
    obstacle.elements[0].shape = shapes[random.index(4)];
    if (random.index(3) == 0) obstacle.X_WB.R = Mat3{};
    if (random.index(4) == 0)
      obstacle.elements.push_back({shapes[random.index(4)], Pose::translation({0.2, 0, 0}), ""});
  }
  return source;
}

// The distance of a point to a shape's surface; negative or zero inside.
double outside(const Shape& shape, const Vec3& p) {
  const auto hypot3 = [](double x, double y, double z) {
    return std::sqrt(std::max(x, 0.0) * std::max(x, 0.0) + std::max(y, 0.0) * std::max(y, 0.0) +
                     std::max(z, 0.0) * std::max(z, 0.0));
  };
  const double round = std::hypot(p.x, p.y);
  if (const auto* s = std::get_if<Sphere>(&shape)) return norm(p) - s->radius;
  if (const auto* s = std::get_if<Box>(&shape))
    return hypot3(std::fabs(p.x) - s->half_extents.x, std::fabs(p.y) - s->half_extents.y,
                  std::fabs(p.z) - s->half_extents.z);
  if (const auto* s = std::get_if<Cylinder>(&shape))
    return hypot3(round - s->radius, 0, std::fabs(p.z) - s->half_length);
  const Capsule& s = std::get<Capsule>(shape);
  return std::hypot(round, std::max(0.0, std::fabs(p.z) - s.half_length)) - s.radius;
}

// How far the robot is from what it must not touch, all spheres against all shapes; below zero: a
// sphere overlaps something.
double room(const SceneSource& source, const Scene& scene, std::span<const double> q) {
  LinkPoses poses;
  compute_poses(scene.tree(), q, poses);
  const auto elements = [&](int body) -> const std::vector<CollisionElement>& {
    const std::string& name = scene.body(body).name;
    for (const ObstacleSource& obstacle : source.obstacles)
      if (obstacle.name == name) return obstacle.elements;
    for (const RobotLink& link : source.robots[0].robot.links)
      if ("arm/" + link.name == name) return link.collision;
    throw std::logic_error("no such body");
  };
  double least = INFINITY;
  for (const BodyPair& pair : scene.pairs())
    for (const CollisionElement& a : elements(pair.a))
      for (const CollisionElement& b : elements(pair.b)) {
        // The first of a pair is a link: links come first.
        const Vec3 centre = scene.body_pose(pair.a, poses) * a.X_BS.p;
        const Pose X_WS = scene.body_pose(pair.b, poses) * b.X_BS;
        least = std::min(
            least, outside(b.shape, inverse(X_WS) * centre) - std::get<Sphere>(a.shape).radius);
      }
  return least;
}

constexpr double kFloatError = 1e-5;

// Evenly, both ends among them: as many as the twin promises at least.
double room_at_samples(const SceneSource& source, const Scene& scene,
                       const std::vector<std::vector<double>>& edge, int samples) {
  double least = INFINITY;
  std::vector<double> q(edge[0].size());
  for (int i = 0; i < samples; ++i) {
    const double t = samples == 1 ? 0 : static_cast<double>(i) / (samples - 1);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = (1 - t) * edge[0][k] + t * edge[1][k];
    least = std::min(least, room(source, scene, q));
  }
  return least;
}

double length_of(const std::vector<std::vector<double>>& edge) {
  double square = 0;
  for (std::size_t k = 0; k < edge[0].size(); ++k)
    square += (edge[1][k] - edge[0][k]) * (edge[1][k] - edge[0][k]);
  return std::sqrt(square);
}

TEST(SamplingTwin, SaysWhatAllSpheresSay) {
  Random random(3);
  int free = 0, colliding = 0, edges_free = 0, edges_colliding = 0;
  for (int i = 0; i < test::cases(60); ++i) {
    const SceneSource source = random_spheres(random);
    const Scene scene = test::build(source);
    SamplingTwin twin(scene, scene);
    for (int k = 0; k < 10; ++k) {
      const auto edge = test::random_segment(scene.tree(), random, random.uniform(0.05, 1.2));
      const double at_start = room(source, scene, edge[0]);
      for (const simd::InstructionSet set : test::instruction_sets()) {
        const test::Forced forced(set);
        const int lanes = sampling_kernel->lanes;
        const double step = 1.0 / 32;
        const int rows = std::max(1, static_cast<int>(std::ceil(length_of(edge) / (step * lanes))));
        const double along = room_at_samples(source, scene, edge, rows * lanes);
        if (std::fabs(at_start) > kFloatError) {
          EXPECT_EQ(twin.is_free(edge[0]), at_start > 0) << i << ": " << at_start;
          ++(at_start > 0 ? free : colliding);
        }
        if (std::fabs(along) > kFloatError) {
          EXPECT_EQ(twin.is_free(edge[0], edge[1], step), along > 0) << i << ": " << along;
          ++(along > 0 ? edges_free : edges_colliding);
        }
      }
    }
  }
  EXPECT_GT(free, test::cases(60));
  EXPECT_GT(colliding, test::cases(60));
  EXPECT_GT(edges_free, test::cases(60));
  EXPECT_GT(edges_colliding, test::cases(60));
}

TEST(SamplingTwin, FindsTheNearestPoint) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const int count = 1 + random.index(70), dimension = 1 + random.index(8);
    struct alignas(64) Block {
      float v[kMostLanes];
    };
    std::vector<Block> blocks(static_cast<std::size_t>((count + 15) / 16 * dimension));
    for (Block& block : blocks) std::ranges::fill(block.v, INFINITY);
    std::vector<float> to(static_cast<std::size_t>(dimension));
    for (float& x : to) x = static_cast<float>(random.uniform(-1, 1));
    float least = INFINITY;
    int expected = 0;
    for (int p = 0; p < count; ++p) {
      float square = 0;
      for (int d = 0; d < dimension; ++d) {
        const auto x = static_cast<float>(random.uniform(-1, 1));
        blocks[static_cast<std::size_t>(p / 16 * dimension + d)].v[p % 16] = x;
        const float e = x - to[static_cast<std::size_t>(d)];
        square += e * e;
      }
      if (square < least) least = square, expected = p;
    }
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      EXPECT_EQ(sampling_kernel->nearest(blocks[0].v, count, dimension, to.data()), expected);
    }
  }
}

TEST(SamplingTwin, PlansPathsThatPassItsOwnTest) {
  Random random(5);
  int found = 0, straight = 0, none = 0;
  for (int i = 0; i < test::cases(60); ++i) {
    const SceneSource source = random_spheres(random);
    const Scene scene = test::build(source);
    SamplingTwin twin(scene, scene);
    const auto edge = test::random_segment(scene.tree(), random, 2);
    Query query;
    query.start = edge[0], query.goal = edge[1];
    for (int c = 0; c < scene.tree().num_coordinates(); ++c) query.planned.push_back(c);
    ignore_limits(scene, query);
    const JointSpace space(scene, query);
    const auto path = twin.plan(space, query, {.max_iterations = 2000});
    if (!path) {
      ++none;
      continue;
    }
    ++(path->size() == 2 ? straight : found);
    EXPECT_EQ(path->front(), query.start);
    EXPECT_EQ(path->back(), query.goal);
    for (std::size_t k = 1; k < path->size(); ++k) {
      const std::vector<std::vector<double>> piece = {(*path)[k - 1], (*path)[k]};
      const int lanes = sampling_kernel->lanes;
      const int rows =
          std::max(1, static_cast<int>(std::ceil(length_of(piece) / (1.0 / 32 * lanes))));
      EXPECT_GT(room_at_samples(source, scene, piece, rows * lanes), -kFloatError) << i;
    }
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(straight, 0);
  EXPECT_GT(none, 0);
}

}  // namespace
}  // namespace proven
