// Least clearances against a twin: exact distances at dense samples.
#include "proven/certify/least_clearance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "check_support.h"
#include "proven/geometry/distance.h"
#include "random_scenes.h"

namespace proven::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The least distance of a pair (or of all: -1) along one segment, by dense samples alone.
double sampled(const Scene& scene, const Motion& motion, int segment, int only, double begin = 0,
               double end = 1, int steps = 200) {
  double least = kInfinity;
  LinkPoses poses;
  DistanceScratch scratch;
  std::vector<double> q(scene.home().size());
  for (int i = 0; i <= steps; ++i) {
    const double s = begin + (end - begin) * i / steps;
    interpolate(scene.tree(), motion.piece(segment), s, q);
    compute_poses(scene.tree(), q, poses);
    for (std::size_t p = 0; p < scene.pairs().size(); ++p) {
      if (only >= 0 && static_cast<int>(p) != only) continue;
      const BodyPair& pair = scene.pairs()[p];
      least = std::fmin(
          least, exact_distance(
                     *scene.body(pair.a).geometry, *scene.body(pair.b).geometry,
                     relative_pose(scene.body_pose(pair.a, poses), scene.body_pose(pair.b, poses)),
                     {-1, -1}, scratch)
                     .distance);
    }
  }
  return least;
}

int pair_index(const Scene& scene, const std::array<int, 2>& bodies) {
  for (std::size_t p = 0; p < scene.pairs().size(); ++p)
    if (scene.pairs()[p].a == bodies[0] && scene.pairs()[p].b == bodies[1])
      return static_cast<int>(p);
  return -1;
}

LeastClearance must_find(const Scene& scene, const Motion& motion,
                         LeastClearanceOptions options = {}, const Budget& budget = {}) {
  options.check.limits = Limits::ignore;  // random values go where they like
  auto found = least_clearance(scene, motion, options, budget);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().text());
  return found.ok() ? std::move(found).value() : LeastClearance{};
}

double width(const ClearanceBounds& b) {
  return b.at_most - b.at_least;
}
double aim(const ClearanceBounds& b) {
  return std::max(1e-3, 0.05 * b.at_most);
}

// A ball of radius 0.1 m that slides along x at z = 0.
SceneSource ball_on_rail() {
  Robot robot;
  robot.name = "rail";
  robot.links = {{"base", {}, false, nullptr},
                 {"ball", {{Sphere{0.1}, Pose{}, "ball"}}, false, nullptr}};
  RobotJoint joint;
  joint.name = "x";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "ball";
  joint.axis = {1, 0, 0};
  joint.limits = {-2, 2, 1, 1};
  robot.joints = {joint};
  SceneSource source;
  source.robots.push_back({"rail", robot, Pose{}});
  return source;
}

TEST(LeastClearance, of_a_ball_that_passes_another) {
  SceneSource source = ball_on_rail();
  source.obstacles.push_back(
      {"post", {{Sphere{0.1}, Pose{}, "post"}}, Pose::translation({0, 0, 0.25})});
  const Scene scene = build(source);
  Motion motion;
  motion.waypoints = {{-1}, {0.7}};
  const LeastClearance found = must_find(scene, motion);
  ASSERT_EQ(found.verdict, Verdict::free);
  EXPECT_TRUE(found.tight) << found.note;
  EXPECT_LE(found.least.at_least, 0.05);
  EXPECT_GE(found.least.at_most, 0.05);
  EXPECT_GE(found.least.at_least, 0.0485);
  EXPECT_LE(found.least.at_most, 0.0515);
  EXPECT_NEAR(found.least.t, 1 / 1.7, 0.05);
  EXPECT_NEAR(norm(found.least.points[0] - found.least.points[1]), found.least.at_most, 1e-8);
  // Far from the post more is proved: the curve has a shape.
  EXPECT_GT(found.stretches.front().bounds.at_least, 0.7);
}

// Of pairs, segments, stretches and all: dense samples lie never below the proved bound, and the
// measured one never below the least of them.
void expect_bounds(const Scene& scene, const Motion& motion, const LeastClearance& found,
                   int& near_one, int& all) {
  double least = kInfinity;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const double twin = sampled(scene, motion, i, -1);
    least = std::fmin(least, twin);
    const ClearanceBounds& segment = found.segments[static_cast<std::size_t>(i)];
    EXPECT_LE(segment.at_least, twin);
    EXPECT_LE(segment.at_least, segment.at_most);
    // Samples of the twin are at most so far from the true least distance.
    EXPECT_GE(segment.at_most, twin - 5e-3);
  }
  EXPECT_LE(found.least.at_least, least);
  for (const ClearanceStretch& stretch : found.stretches)
    EXPECT_LE(stretch.bounds.at_least,
              sampled(scene, motion, stretch.segment, -1, stretch.begin, stretch.end, 20));
  for (const ClearanceStretch& stretch : found.stretches) {
    EXPECT_LE(stretch.pairs.size(), 2u);
    EXPECT_LE(stretch.bounds.at_least, stretch.pairs.at(0).at_least);
    EXPECT_EQ(stretch.bounds.at_most, stretch.pairs.at(0).at_most);
    for (const ClearanceBounds& pair : stretch.pairs) {
      EXPECT_LE(pair.at_least,
                sampled(scene, motion, stretch.segment, pair_index(scene, pair.bodies),
                        stretch.begin, stretch.end, 20));
      ++all;
      if (width(pair) <= aim(pair)) ++near_one;
    }
  }
  EXPECT_FALSE(found.pairs.empty());
  for (const ClearanceBounds& pair : found.pairs) {
    const int index = pair_index(scene, pair.bodies);
    double twin = kInfinity;
    for (int i = 0; i < motion.num_segments(); ++i)
      twin = std::fmin(twin, sampled(scene, motion, i, index, 0, 1, 60));
    EXPECT_LE(pair.at_least, twin);
    EXPECT_GE(pair.at_most, pair.at_least);
    ++all;
    if (width(pair) <= aim(pair)) ++near_one;
  }
  ++all;
  if (found.tight) ++near_one;
}

TEST(LeastClearance, holds_against_dense_samples_in_random_scenes) {
  Random random(3514);
  int near_one = 0, all = 0, free = 0;
  for (int round = 0; round < 40; ++round) {
    RandomSceneOptions shape;
    shape.floating = round % 5 == 4;
    const Scene scene = build(random_scene(random, shape));
    const auto segment = random_segment(scene.tree(), random, 0.8);
    Motion motion;
    motion.waypoints = segment;
    motion.waypoints.push_back(segment[0]);
    if (round % 3 == 1 && !shape.floating) {  // curves, up to degree 5
      const int degree = 2 + round % 4;
      motion.inner.resize(2);
      for (auto& points : motion.inner)
        for (int k = 1; k < degree; ++k) {
          points.push_back(segment[0]);
          for (double& value : points.back()) value += random.uniform(-0.2, 0.2);
        }
    }
    LeastClearanceOptions options;
    options.nearest = 2;
    // Few samples lie far from where the bodies are nearest: the search finds that out.
    if (round % 2 == 1) options.stretches = 1;
    const LeastClearance found = must_find(scene, motion, options);
    if (found.verdict != Verdict::free) continue;
    ++free;
    expect_bounds(scene, motion, found, near_one, all);
  }
  EXPECT_GE(free, 10);
  EXPECT_GE(near_one, 0.97 * all) << near_one << " of " << all;
}

TEST(LeastClearance, says_what_holds_among_what_moves_by_the_clock) {
  SceneSource source = ball_on_rail();
  // Comes from above to 0.25 m over the rail at 1 s, and is gone again at 2 s.
  ObstacleSource visitor{"visitor", {{Sphere{0.1}, Pose{}, "visitor"}}, Pose{}};
  auto motion = std::make_shared<Motion>();
  motion->waypoints = {
      {0, 0, 1.25, 0, 0, 0, 1}, {0, 0, 0.25, 0, 0, 0, 1}, {0, 0, 1.25, 0, 0, 0, 1}};
  motion->times = {0, 1, 2};
  visitor.motion = motion;
  source.obstacles.push_back(visitor);
  const Scene scene = build(source);
  Motion still;
  still.waypoints = {{scene.home().begin(), scene.home().end()},
                     {scene.home().begin(), scene.home().end()}};
  still.times = {0, 2};
  const LeastClearance found = must_find(scene, still);
  ASSERT_EQ(found.verdict, Verdict::free);
  EXPECT_TRUE(found.tight) << found.note;
  EXPECT_LE(found.least.at_least, 0.05);
  EXPECT_GE(found.least.at_most, 0.05);
  EXPECT_NEAR(found.least.time, 1, 1e-2);
  EXPECT_NEAR(found.least.t, 0.5, 1e-2);

  // What grows counts as large as it is then: 0.1 m more after 2 s.
  source = ball_on_rail();
  ObstacleSource cloud{"cloud", {{Sphere{0.1}, Pose{}, "cloud"}}, Pose::translation({0, 0, 0.5})};
  cloud.grows = 0.05;
  source.obstacles.push_back(cloud);
  const Scene growing = build(source);
  for (auto& q : still.waypoints) q.assign(growing.home().begin(), growing.home().end());
  const LeastClearance grown = must_find(growing, still);
  ASSERT_EQ(grown.verdict, Verdict::free);
  EXPECT_TRUE(grown.tight) << grown.note;
  EXPECT_LE(grown.least.at_least, 0.2);
  EXPECT_GE(grown.least.at_most, 0.2);
  EXPECT_NEAR(grown.least.time, 2, 1e-2);

  source.obstacles.front().motion = motion;
  source.obstacles.front().grows = 0;
  source.obstacles.front().late = 0.5;
  const Scene late = build(source);
  for (auto& q : still.waypoints) q.assign(late.home().begin(), late.home().end());
  const auto refused = least_clearance(late, still);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("late"), std::string::npos);
}

TEST(LeastClearance, with_a_tracking_error_is_of_every_motion_within_it) {
  SceneSource source = ball_on_rail();
  source.obstacles.push_back(
      {"wall", {{Box{{0.1, 1, 1}}, Pose{}, "wall"}}, Pose::translation({1, 0, 0})});
  Motion motion;
  motion.waypoints = {{0}, {0.5}};  // ends 0.3 m before the wall
  LeastClearanceOptions options;
  options.check.tracking_error = TrackingError(0.1);
  const LeastClearance found = must_find(build(source), motion, options);
  ASSERT_EQ(found.verdict, Verdict::free);
  EXPECT_LE(found.least.at_least, 0.2);
  EXPECT_GE(found.least.at_least, 0.18);
  EXPECT_NEAR(found.least.at_most, 0.3, 1e-6);
  EXPECT_FALSE(found.tight);
  EXPECT_NE(found.note.find("tracking error"), std::string::npos);
}

TEST(LeastClearance, knows_classes_attached_bodies_and_what_is_required_anyway) {
  SceneSource source = ball_on_rail();
  source.obstacles.push_back(
      {"wall", {{Box{{0.1, 1, 1}}, Pose{}, "wall"}}, Pose::translation({1, 0, 0})});
  AttachedSource tool;
  tool.name = "tool";
  tool.link = "rail/ball";
  tool.elements = {{Sphere{0.05}, Pose{}, "tool"}};
  tool.X_LB = Pose::translation({0.2, 0, 0});
  source.attached.push_back(tool);
  RobotSource other = source.robots.front();
  other.name = "other";
  other.X_WR = Pose::translation({0, 0, 0.3});
  source.robots.push_back(other);
  const Scene scene = build(source);
  Motion motion;
  motion.waypoints = {{0, 0}, {0.5, 0}};
  const LeastClearance found = must_find(scene, motion);
  ASSERT_EQ(found.verdict, Verdict::free);
  EXPECT_TRUE(found.tight) << found.note;
  ASSERT_EQ(found.classes.size(), 2u);
  EXPECT_EQ(found.classes[0].kind, PairClass::world);
  EXPECT_NEAR(found.classes[0].bounds.at_most, 0.15, 2e-3);  // of the tool
  EXPECT_NEAR(found.classes[0].bounds.at_least, 0.15, 8e-3);
  EXPECT_EQ(scene.body(found.classes[0].bounds.bodies[1]).name, "tool");
  EXPECT_EQ(found.classes[1].kind, PairClass::robots);
  EXPECT_NEAR(found.classes[1].bounds.at_most, 0.1, 2e-3);  // of the two balls
  EXPECT_NEAR(found.classes[1].bounds.at_least, 0.1, 6e-3);

  // More than there is: not free, and no clearance is said.
  LeastClearanceOptions strict;
  strict.check.clearance = Clearances(0.2);
  const LeastClearance none = must_find(scene, motion, strict);
  EXPECT_EQ(none.verdict, Verdict::collision);
  EXPECT_FALSE(none.tight);
  EXPECT_FALSE(none.note.empty());
}

TEST(LeastClearance, of_bodies_that_may_overlap_is_no_more_than_they_must_keep) {
  SceneSource source = ball_on_rail();
  source.obstacles.push_back(
      {"post", {{Sphere{0.1}, Pose{}, "post"}}, Pose::translation({0, 0, 0.19})});
  source.obstacles.push_back(
      {"wall", {{Box{{0.1, 1, 1}}, Pose{}, "wall"}}, Pose::translation({1, 0, 0})});
  source.clearances.push_back({"rail/ball", "post", -0.02});
  Motion motion;
  motion.waypoints = {{-0.5}, {0.5}};
  const LeastClearance found = must_find(build(source), motion);
  ASSERT_EQ(found.verdict, Verdict::free);
  EXPECT_LE(found.least.at_least, -0.01);  // they overlap by 0.01 m
  EXPECT_GE(found.least.at_least, -0.02);
  EXPECT_GE(found.least.at_most, -0.01);
  // Others are bounded all the same.
  ASSERT_EQ(found.pairs.size(), 2u);
  EXPECT_LE(found.pairs[1].at_least, 0.3);
  EXPECT_GE(found.pairs[1].at_least, 0.28);
}

TEST(LeastClearance, that_the_budget_ends_is_said_and_the_bound_holds_all_the_same) {
  SceneSource source = ball_on_rail();
  source.obstacles.push_back(
      {"post", {{Sphere{0.1}, Pose{}, "post"}}, Pose::translation({0, 0, 0.25})});
  Motion motion;
  motion.waypoints = {{-1}, {0.7}};
  const Scene scene = build(source);
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  budget.progress = [&](const Progress& p) { cancel = cancel || p.done == 3; };
  const LeastClearance found = must_find(scene, motion, {}, budget);
  ASSERT_EQ(found.verdict, Verdict::free);
  EXPECT_FALSE(found.tight);
  EXPECT_NE(found.note.find("budget"), std::string::npos);
  EXPECT_EQ(found.least.at_least, 0);
  EXPECT_GE(found.least.at_most, 0.05);
}

TEST(LeastClearance, refuses_what_it_cannot_prove_with) {
  const Scene scene = build(ball_on_rail());
  Motion motion;
  motion.waypoints = {{0}, {0.5}};
  LeastClearanceOptions options;
  options.check.checker = Checker::classic;
  EXPECT_FALSE(least_clearance(scene, motion, options).ok());
  options = {};
  options.tolerance = 0;
  EXPECT_FALSE(least_clearance(scene, motion, options).ok());
  // No pairs: nothing is near.
  const LeastClearance found = must_find(scene, motion);
  EXPECT_EQ(found.verdict, Verdict::free);
  EXPECT_EQ(found.least.at_most, kInfinity);
}

TEST(LeastClearance, of_one_waypoint_is_that_of_a_configuration) {
  SceneSource source = ball_on_rail();
  source.obstacles.push_back(
      {"post", {{Sphere{0.1}, Pose{}, "post"}}, Pose::translation({0, 0, 0.25})});
  Motion motion;
  motion.waypoints = {{0}};
  const LeastClearance found = must_find(build(source), motion);
  EXPECT_TRUE(found.tight) << found.note;
  EXPECT_NEAR(found.least.at_most, 0.05, 1e-8);
  EXPECT_GE(found.least.at_least, 0.049);
}

}  // namespace
}  // namespace proven::test
