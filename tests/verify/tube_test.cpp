// Tubes around a path: what is proved holds for every motion within the tracking error, and only
// what is shown to collide is a collision.
#include <algorithm>
#include <cmath>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

// A box on two slides: one aside, one that pushes it along x and may follow the first.
Robot slider(const std::string& name, double towards, double mimic_multiplier = 0) {
  Robot robot;
  robot.name = name;
  robot.links = {{"base", {}, false, nullptr},
                 {"carriage", {}, false, nullptr},
                 {"box", {{Box{{0.05, 0.05, 0.05}}, Pose{}, ""}}, false, nullptr}};
  RobotJoint drive;
  drive.name = "drive";
  drive.type = JointType::prismatic;
  drive.axis = {0, 0, 1};  // aside
  drive.parent_link = "base";
  drive.child_link = "carriage";
  drive.limits = {-1, 1, 1, 1};
  RobotJoint push = drive;
  push.name = "push";
  push.axis = {towards, 0, 0};
  push.parent_link = "carriage";
  push.child_link = "box";
  if (mimic_multiplier != 0) push.mimic = Mimic{"drive", mimic_multiplier, 0};
  robot.joints = {drive, push};
  return robot;
}

Scene scene_of(const SceneSource& source) {
  auto scene = build_scene(source);
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return std::move(scene).value();
}

// 0.1 m between the box and a wall.
SceneSource wall_scene(double mimic_multiplier = 0) {
  SceneSource source;
  source.robots.push_back({"r", slider("r", 1, mimic_multiplier), Pose{}});
  source.obstacles.push_back(
      {"wall", {{Box{{0.05, 1, 1}}, Pose{}, ""}}, Pose::translation({0.2, 0, 0})});
  return source;
}

CheckResult must_check(const Scene& scene, const std::vector<std::vector<double>>& waypoints,
                       const CheckOptions& options) {
  Scratch scratch;
  auto result = check(scene, Path{waypoints, {}, {}}, options, scratch);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : CheckResult{};
}

CheckResult check_at(const Scene& scene, const TrackingError& error, double clearance = 0) {
  CheckOptions options = test::any_values();
  options.tracking_error = error;
  options.clearance = clearance;
  options.certificate = true;
  return must_check(scene, {std::vector<double>(scene.home().size(), 0.0)}, options);
}

TEST(Tube, WhatIsBetweenThePathAndItsTubeIsUndecided) {
  const Scene scene = scene_of(wall_scene());
  // Two joints, of which one moves along the wall: the bound takes the sum of both.
  EXPECT_EQ(check_at(scene, 0.049).verdict, Verdict::free);
  const CheckResult near = check_at(scene, 0.051);
  ASSERT_EQ(near.verdict, Verdict::undecided);
  EXPECT_EQ(near.undecided->reason, UndecidedReason::tube);
  EXPECT_NEAR(near.undecided->distance, 0.1, 1e-9);
  EXPECT_EQ(check_at(scene, 0.051, 0.2).verdict, Verdict::collision);  // with or without the tube
}

TEST(Tube, JointsHaveTheirOwnError) {
  const Scene scene = scene_of(wall_scene());
  TrackingError error(0.06);
  error.joints["r/drive"] = 0.03;
  EXPECT_EQ(check_at(scene, error).verdict, Verdict::free);
  error.joints["r/drive"] = 0.05;
  EXPECT_EQ(check_at(scene, error).verdict, Verdict::undecided);
  error.joints = {{"r/dirve", 0.0}};
  CheckOptions options = test::any_values();
  options.tracking_error = error;
  const auto model = CheckModel::build(scene, options);
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().text().find("r/dirve"), std::string::npos) << model.error().text();
}

// A follower errs by its multiplier times the error of what it follows.
TEST(Tube, MimicJointsMultiplyTheError) {
  for (const double multiplier : {3.0, -3.0, 0.5}) {
    const SceneSource source = wall_scene(multiplier);
    const Scene scene = scene_of(source);
    const double most = 0.1 / (1 + std::fabs(multiplier));
    const CheckResult inside = check_at(scene, 0.99 * most), outside = check_at(scene, 1.01 * most);
    EXPECT_EQ(inside.verdict, Verdict::free) << multiplier;
    EXPECT_NE(outside.verdict, Verdict::free) << multiplier;
    VerifyOptions demanded;
    demanded.tracking_error = 0.99 * most;
    const Path still{{{0.0}}, {}, {}};
    EXPECT_TRUE(verify(source, still, inside.certificate, demanded).accepted) << multiplier;
    demanded.tracking_error = 1.01 * most;
    EXPECT_FALSE(verify(source, still, inside.certificate, demanded).accepted) << multiplier;
  }
}

// Both bodies of a pair err.
TEST(Tube, BothBodiesErr) {
  SceneSource source;
  source.robots.push_back({"a", slider("a", 1), Pose{}});
  source.robots.push_back({"b", slider("b", -1), Pose::translation({0.2, 0, 0})});
  const Scene scene = scene_of(source);
  const CheckResult inside = check_at(scene, 0.0249), outside = check_at(scene, 0.0251);
  EXPECT_EQ(inside.verdict, Verdict::free);
  EXPECT_EQ(outside.verdict, Verdict::undecided);
  VerifyOptions demanded;
  demanded.tracking_error = 0.0249;
  const Path still{{{0.0, 0.0, 0.0, 0.0}}, {}, {}};
  EXPECT_TRUE(verify(source, still, inside.certificate, demanded).accepted);
  demanded.tracking_error = 0.0251;
  EXPECT_FALSE(verify(source, still, inside.certificate, demanded).accepted);
}

// Random motions: `free` holds in the corners of the tube, a collision is one of the path, and the
// verifier agrees with both.
TEST(Tube, RandomMotionsAgreeWithTheVerifierAndSamples) {
  int free = 0, collision = 0, tube = 0;
  const int count = std::max(cases(150), 75);  // fewer need not show all outcomes
  for (int i = 0; i < count; ++i) {
    Random random(77000 + static_cast<std::uint64_t>(i));
    const SceneSource source = random_scene(random, {.links = 3 + random.index(3), .obstacles = 3});
    const Scene scene = scene_of(source);
    const auto waypoints = random_segment(scene.tree(), random, 0.3);
    CheckOptions options = test::any_values();
    const double error = std::pow(10, random.uniform(-3, -1));
    options.tracking_error = error;
    options.clearance = random.index(3) == 0 ? 0.01 : 0;
    options.certificate = true;
    const CheckResult result = must_check(scene, waypoints, options);
    VerifyOptions demanded;
    demanded.clearance = options.clearance;
    demanded.tracking_error = error;
    const Path path{waypoints, {}, {}};
    if (result.verdict != Verdict::undecided) {
      const VerifyReport report = verify(source, path, result.certificate, demanded);
      EXPECT_TRUE(report.accepted) << i << ": " << report.reason;
    }
    if (result.verdict == Verdict::free) {
      ++free;
      for (int k = 0; k < 10; ++k) {
        auto near = waypoints;
        for (auto& q : near)
          for (double& value : q) value += random.index(2) ? error : -error;
        EXPECT_GT(sampled_distance(scene, near, 8), 0) << i;
      }
    } else if (result.verdict == Verdict::collision) {
      ++collision;
      CheckOptions alone = options;
      alone.tracking_error = {};
      EXPECT_EQ(must_check(scene, waypoints, alone).verdict, Verdict::collision) << i;
    } else if (result.undecided->reason == UndecidedReason::tube) {
      ++tube;
    }
  }
  EXPECT_GT(free, 0);
  EXPECT_GT(collision, 0);
  EXPECT_GT(tube, 0);
}

// What moves slowly moves: a segment that starts free is not free because a joint hardly turns.
TEST(Tube, SlowJointsAreNotAtRest) {
  for (const double step : {1e-3, 1e-6, 1e-9}) {
    const Scene scene = scene_of(wall_scene());
    CheckOptions options = test::any_values();
    options.resolution = 1e-12;
    const CheckModel model = CheckModel::build(scene, options).value();
    Scratch scratch;
    const std::vector<double> from = {0, 0.1 - 0.5 * step}, to = {0, 0.1 + 0.5 * step};
    ASSERT_EQ(model.check_configuration(from, scratch).verdict, Verdict::free) << step;
    EXPECT_EQ(model.check_segment({from, to, true}, scratch).verdict, Verdict::collision) << step;
  }
}

}  // namespace
}  // namespace proven::test
