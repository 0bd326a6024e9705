// OMPL's planners through the adapter: whatever they call a path is proved free.
#include <ompl/base/ScopedState.h>
#include <ompl/util/Console.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <set>
#include <sstream>
#include <thread>

#include "plan/plan_support.h"
#include "proven/ompl/adapter.h"

namespace proven {
namespace {

namespace ob = ompl::base;
using test::expect_free;
using test::PlanCase;
using test::post_case;

class OmplSetup {
 public:
  explicit OmplSetup(PlanCase c)
      : problem(std::move(c)),
        si(std::make_shared<ob::SpaceInformation>(
            adapters::make_state_space(problem.scene, problem.problem))) {
    ompl::msg::noOutputHandler();
    map = adapters::use_proofs(si, problem.scene, problem.problem, proving_check());
    si->setup();
  }
  ob::ScopedState<> state(const std::vector<double>& q) const {
    ob::ScopedState<> s(si);
    map->to_state(q, s.get());
    return s;
  }

  PlanCase problem;
  ob::SpaceInformationPtr si;
  std::shared_ptr<adapters::StateMap> map;
};

class EveryOmplPlanner : public testing::TestWithParam<std::string> {};

TEST_P(EveryOmplPlanner, GivesAProvedPath) {
  const PlanCase c = post_case();
  PlanOptions options;
  // Planners that optimise use all of their time; the others may need more on a busy machine.
  auto result =
      adapters::plan_with_ompl(c.scene, c.problem, GetParam(), options, Budget::of_seconds(1));
  ASSERT_TRUE(result.ok()) << result.error().text();
  // SST propagates at random and hits a goal that is one point only by luck; VFRRT follows a field
  // that need not lead there.
  const bool by_luck = GetParam() == "SST" || GetParam() == "VFRRT";
  if (by_luck && result.value().status == PlanStatus::budget) return;
  if (result.value().status == PlanStatus::budget) {
    result =
        adapters::plan_with_ompl(c.scene, c.problem, GetParam(), options, Budget::of_seconds(60));
    ASSERT_TRUE(result.ok()) << result.error().text();
  }
  ASSERT_EQ(result.value().status, PlanStatus::solved) << result.value().reason;
  EXPECT_GT(result.value().stats.segments, 0);
  EXPECT_TRUE(result.value().proved);
  expect_free(c, result.value().path);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(result.value().path.waypoints.back()[k], c.problem.goal[k], 1e-9);
}

TEST(OmplPlanners, PathsAreAcceptedByTheVerifier) {
  const PlanCase c = post_case();
  for (const char* planner : {"RRTConnect", "SBL", "PRM", "RRTstar"}) {
    SCOPED_TRACE(planner);
    PlanOptions options;
    options.check.certificate = true;
    const auto result =
        adapters::plan_with_ompl(c.scene, c.problem, planner, options, Budget::of_seconds(1));
    ASSERT_TRUE(result.ok()) << result.error().text();
    ASSERT_EQ(result.value().status, PlanStatus::solved) << result.value().reason;
    test::expect_verified(c, result.value().path, result.value().certificate);
  }
}

// The folders of OMPL's headers, as the adapter was compiled.
std::filesystem::path planner_headers() {
  std::stringstream folders(PROVEN_OMPL_INCLUDES);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto headers = std::filesystem::path(folder) / "ompl" / "geometric" / "planners";
    if (std::filesystem::is_directory(headers)) return headers;
  }
  return {};
}

// A planner of the installed OMPL that the adapter does not offer must stand here with its reason.
TEST(OmplPlanners, NoneOfTheInstalledIsForgotten) {
  const std::set<std::string> left_out = {
      "LazyLBTRRT",  // OMPL 1.5.2 aborts in it when an edge at the start turns out to be invalid
      "XXL",         // wants a decomposition of the workspace that only its user knows
      "LightningRetrieveRepair", "ThunderRetrieveRepair",  // want a data base of earlier paths
  };
  const std::set<std::string> helpers = {"PlannerIncludes",          "CForestStateSampler",
                                         "CForestStateSpaceWrapper", "Discretization",
                                         "XXLDecomposition",         "XXLPlanarDecomposition",
                                         "XXLPositionDecomposition", "ConnectionStrategy"};
  const auto known = adapters::ompl_planners();
  const auto headers = planner_headers();
  ASSERT_FALSE(headers.empty()) << PROVEN_OMPL_INCLUDES;
  int found = 0;
  for (auto entry = std::filesystem::recursive_directory_iterator(headers);
       entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().stem();
    // Deeper folders hold the parts of single planners.
    if (entry->path().extension() != ".h" || entry.depth() > 1 || helpers.contains(name)) continue;
    ++found;
    EXPECT_TRUE(left_out.contains(name) || std::ranges::count(known, name) == 1) << name;
  }
  EXPECT_GT(found, 30);
}

INSTANTIATE_TEST_SUITE_P(Planners, EveryOmplPlanner, testing::ValuesIn(adapters::ompl_planners()));

TEST(OmplAdapter, MotionsAreProvedAndCounted) {
  const OmplSetup s(post_case());
  const auto& validator = *s.si->getMotionValidator();
  const auto start = s.state({-0.5, 0.1}), goal = s.state({0.5, -0.1}), near = s.state({-0.6, 0});
  EXPECT_TRUE(s.si->isValid(start.get()));
  EXPECT_FALSE(s.si->isValid(s.state({0, 0}).get()));
  EXPECT_TRUE(s.si->checkMotion(start.get(), near.get()));
  EXPECT_FALSE(s.si->checkMotion(start.get(), goal.get()));
  EXPECT_EQ(validator.getValidMotionCount(), 1u);
  EXPECT_EQ(validator.getInvalidMotionCount(), 1u);
}

TEST(OmplAdapter, LastValidIsProvedAndNotFarFromContact) {
  const OmplSetup s(post_case());
  Random random(5);
  int blocked = 0;
  for (int i = 0; i < test::cases(200); ++i) {
    const std::vector<double> from = {random.uniform(-1, 1), random.uniform(-2, 2)};
    const std::vector<double> to = {random.uniform(-1, 1), random.uniform(-2, 2)};
    const auto a = s.state(from), b = s.state(to);
    ob::ScopedState<> last(s.si);
    std::pair<ob::State*, double> last_valid(last.get(), -1);
    if (!s.si->isValid(a.get())) continue;
    if (s.si->checkMotion(a.get(), b.get(), last_valid)) {
      EXPECT_EQ(last_valid.second, -1);
      continue;
    }
    ++blocked;
    ASSERT_GE(last_valid.second, 0);
    ASSERT_LT(last_valid.second, 1);
    EXPECT_TRUE(s.si->isValid(last.get()));
    ob::ScopedState<> expected(s.si);
    s.si->getStateSpace()->interpolate(a.get(), b.get(), last_valid.second, expected.get());
    EXPECT_LT(s.si->distance(last.get(), expected.get()), 1e-12);
    std::vector<double> q;
    s.map->to_configuration(last.get(), q);
    EXPECT_NE(test::must_check(s.problem.scene, {from, q}, {}).verdict, Verdict::collision);
    // The state is optional.
    std::pair<ob::State*, double> fraction_only(nullptr, -1);
    EXPECT_FALSE(s.si->checkMotion(a.get(), b.get(), fraction_only));
    EXPECT_EQ(fraction_only.second, last_valid.second);
  }
  EXPECT_GT(blocked, 0);
}

TEST(OmplAdapter, ManyThreadsShareTheValidator) {
  const OmplSetup s(post_case());
  constexpr int kThreads = 4, kMotions = 50;
  std::vector<std::vector<bool>> answers(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Random random(9);
      for (int i = 0; i < kMotions; ++i) {
        const auto a = s.state({random.uniform(-1, 1), random.uniform(-2, 2)});
        const auto b = s.state({random.uniform(-1, 1), random.uniform(-2, 2)});
        answers[static_cast<std::size_t>(t)].push_back(s.si->checkMotion(a.get(), b.get()));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, answers[0]);
  const auto& validator = *s.si->getMotionValidator();
  EXPECT_EQ(validator.getValidMotionCount() + validator.getInvalidMotionCount(),
            static_cast<unsigned>(kThreads * kMotions));
}

TEST(OmplAdapter, ContinuousJointsGoTheWayOfOmplIfAnyTurnWillDo) {
  PlanCase c = post_case(JointType::continuous);
  c.problem.any_turn = true;
  const OmplSetup s(c);
  // Over the cut at π the motion is short and free; as literal values it would sweep the post.
  const auto a = s.state({3.0, 0}), b = s.state({-3.0, 0});
  EXPECT_TRUE(s.si->checkMotion(a.get(), b.get()));
  c.problem.start = {3.0, 0};
  c.problem.goal = {-3.0, 0};
  const auto result =
      adapters::plan_with_ompl(c.scene, c.problem, "RRTConnect", {}, Budget::of_seconds(5));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.value().status, PlanStatus::solved);
  expect_free(c, result.value().path);
  EXPECT_NEAR(result.value().path.waypoints.back()[0], 2 * std::numbers::pi - 3, 1e-12);
}

// However many turns away it is written.
TEST(OmplAdapter, ContinuousJointsEndAsWritten) {
  PlanCase c = post_case(JointType::continuous);
  const OmplSetup s(c);
  // As literal values the motion sweeps the post.
  EXPECT_FALSE(s.si->checkMotion(s.state({3.0, 0}).get(), s.state({-3.0, 0}).get()));
  for (const double turns : {-1.0, 0.0, 1.0}) {
    c.problem.goal[1] = -0.1 + turns * 2 * std::numbers::pi;
    const auto result =
        adapters::plan_with_ompl(c.scene, c.problem, "RRTConnect", {}, Budget::of_seconds(20));
    ASSERT_TRUE(result.ok());
    ASSERT_EQ(result.value().status, PlanStatus::solved) << turns << result.value().reason;
    EXPECT_EQ(result.value().path.waypoints.front(), c.problem.start);
    EXPECT_EQ(result.value().path.waypoints.back(), c.problem.goal);
    expect_free(c, result.value().path);
  }
}

TEST(OmplAdapter, BadEndsAndNamesAreReported) {
  PlanCase c = post_case();
  EXPECT_FALSE(adapters::plan_with_ompl(c.scene, c.problem, "Magic", {}).ok());
  c.problem.goal = {0, 0};
  const auto result = adapters::plan_with_ompl(c.scene, c.problem, "RRTConnect", {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, PlanStatus::goal_invalid);
  EXPECT_TRUE(result.value().obstruction.has_value());
}

}  // namespace
}  // namespace proven
