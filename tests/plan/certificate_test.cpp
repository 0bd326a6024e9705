// What planners and smoothers call proved, the independent verifier accepts.
#include "plan/plan_support.h"
#include "proven/plan/roadmap.h"
#include "proven/plan/smooth.h"

namespace proven {
namespace {

using test::expect_verified;
using test::PlanCase;
using test::post_case;

PlanOptions certified(const std::string& planner, std::uint64_t seed = 1) {
  PlanOptions options;
  options.planner = planner;
  options.seed = seed;
  options.check.certificate = true;
  return options;
}

PlanResult must_plan(const PlanCase& c, const PlanOptions& options) {
  auto result = plan(c.scene, c.problem, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  if (!result.ok()) return {};
  EXPECT_EQ(result.value().status, PlanStatus::solved) << result.value().reason;
  return std::move(result).value();
}

TEST(PlanCertificate, EveryProvingPlannerCarriesOne) {
  const PlanCase c = post_case();
  for (const char* planner : {"rrt-connect", "a-sbl", "prm", "lazy-prm"})
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(test::cases(5)); ++seed) {
      SCOPED_TRACE(planner);
      const PlanResult result = must_plan(c, certified(planner, seed));
      ASSERT_GE(result.path.waypoints.size(), 3u);
      expect_verified(c, result.path, result.certificate);
    }
}

TEST(PlanCertificate, AskingForOneDoesNotChangeThePath) {
  const PlanCase c = post_case();
  PlanOptions plain;
  const PlanResult without = must_plan(c, plain);
  EXPECT_TRUE(without.certificate.empty());
  EXPECT_EQ(without.path.waypoints, must_plan(c, certified("rrt-connect")).path.waypoints);
}

TEST(PlanCertificate, HoldsForTheRequiredClearanceAndTube) {
  const PlanCase c = post_case();
  PlanOptions options = certified("rrt-connect");
  options.check.clearance = 0.05;
  options.check.tracking_error = 0.01;
  const PlanResult result = must_plan(c, options);
  VerifyOptions demanded;
  demanded.clearance = 0.05;
  demanded.tracking_error = 0.01;
  expect_verified(c, result.path, result.certificate, demanded);
  demanded.clearance = 1;
  EXPECT_FALSE(verify(c.source, result.path, result.certificate, demanded).accepted);
}

TEST(PlanCertificate, IsRefusedByWhatProvesNothing) {
  const PlanCase c = post_case();
  EXPECT_FALSE(plan(c.scene, c.problem, certified("sbl")).ok());
  PlanOptions classic = certified("rrt-connect");
  classic.check.checker = Checker::classic;
  EXPECT_FALSE(plan(c.scene, c.problem, classic).ok());
}

TEST(PlanCertificate, CoversContinuousJointsAsLiteralValues) {
  SceneSource source;
  source.robots = {{"arm", test::planar_arm(1, JointType::continuous), Pose{}}};
  source.obstacles = {{"post", test::box_elements({0.1, 0.1, 1}), Pose::translation({0.5, 0, 0})}};
  PlanCase c = test::must_build_case(std::move(source), {{-1}, {1}, {}, {}});
  c.problem.any_turn = true;
  for (const char* planner : {"rrt-connect", "a-sbl", "prm", "lazy-prm"}) {
    SCOPED_TRACE(planner);
    const PlanResult result = must_plan(c, certified(planner));
    expect_verified(c, result.path, result.certificate);
  }
}

TEST(PlanCertificate, OfASmoothedPath) {
  const PlanCase c = post_case();
  const Path path = must_plan(c, certified("a-sbl", 3)).path;
  for (const Smoother smoother : {Smoother::window, Smoother::midpoint}) {
    SmoothOptions options;
    options.smoother = smoother;
    options.check.certificate = true;
    const auto result = smooth(c.scene, path, options);
    ASSERT_TRUE(result.ok()) << result.error().text();
    EXPECT_LT(result.value().length_after, result.value().length_before);
    expect_verified(c, result.value().path, result.value().certificate);
    options.check.certificate = false;
    EXPECT_TRUE(smooth(c.scene, path, options).value().certificate.empty());
  }
}

TEST(PlanCertificate, OfARoadmapThatWasKept) {
  const PlanCase c = post_case();
  RoadmapOptions options;
  options.nodes = 150;
  const auto built = Roadmap::build(c.scene, c.problem.planned, c.problem.start, options);
  ASSERT_TRUE(built.ok());
  auto read = Roadmap::from_text(c.scene, built.value().to_text(), proving_check());
  ASSERT_TRUE(read.ok());
  const auto result =
      read.value().query(c.scene, c.problem, GraphSearch::breadth_first, certified("prm"));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.value().status, PlanStatus::solved);
  expect_verified(c, result.value().path, result.value().certificate);
}

}  // namespace
}  // namespace proven
