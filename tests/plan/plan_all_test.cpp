// Many queries that are planned together find what each finds alone, whatever answers.
#include <cmath>

#include "plan/plan_support.h"
#include "proven/base/random.h"
#include "proven/plan/joint_space.h"

namespace proven {
namespace {

using test::built_in_case;
using test::PlanCase;

CheckModel model_of(const PlanCase& c) {
  return CheckModel::build(c.scene, proving_check()).value();
}

// The case itself, and others that end anywhere.
std::vector<PlanProblem> problems_in(const PlanCase& c, int count) {
  std::vector<PlanProblem> problems;
  Random random(2);
  const JointSpace space(c.scene, c.problem);
  JointSpace::Point point(static_cast<std::size_t>(space.dimension()));
  for (int i = 0; i < count; ++i) {
    PlanProblem problem{c.problem};
    if (i > 0) {
      space.sample(random, point);
      space.complete(point, problem.query.goal);
    }
    if (i % 4 == 3) {
      space.sample(random, point);
      problem.other_goals = {c.problem.goal, c.problem.start};
      space.complete(point, problem.other_goals[1]);
    }
    problems.push_back(problem);
  }
  return problems;
}

void expect_same(const PlanResult& one, const PlanResult& other) {
  EXPECT_EQ(one.status, other.status);
  EXPECT_EQ(one.path.waypoints, other.path.waypoints);
  EXPECT_EQ(one.proved, other.proved);
  EXPECT_EQ(one.margin_kept, other.margin_kept);
  EXPECT_EQ(one.certificate, other.certificate);
  EXPECT_EQ(one.stats.iterations, other.stats.iterations);
  EXPECT_EQ(one.obstruction.has_value(), other.obstruction.has_value());
  // Times apart, and what was in the way, which a batch does not tell the same again.
  EXPECT_EQ(one.reason.empty(), other.reason.empty());
  if (one.obstruction) {
    EXPECT_EQ(one.reason, other.reason);
  }
}

std::array<int, 2> expect_as_alone(const PlanCase& c, const std::vector<PlanProblem>& problems,
                                   const PlanOptions& options) {
  const CheckModel model = model_of(c);
  EXPECT_EQ(BatchChecker::build(model, {.device = BatchDevice::emulated}).value().device(),
            BatchDevice::emulated);
  int around = 0, invalid = 0;
  std::vector<Result<PlanResult>> alone;
  for (const PlanProblem& problem : problems) {
    PlanOptions own = options;
    own.other_goals = problem.other_goals;
    own.constraints = problem.constraints;
    alone.push_back(plan(model, problem.query, own));
    if (!alone.back().ok()) continue;
    around += alone.back().value().path.waypoints.size() > 2;
    invalid += alone.back().value().status == PlanStatus::goal_invalid;
  }
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated})
    for (const int threads : {1, 3}) {
      const auto all =
          plan_all(model, problems, options, {.device = device, .threads = threads, .least = 0});
      if (!all.ok()) ADD_FAILURE() << all.error().text();
      if (!all.ok()) return {};
      EXPECT_EQ(all.value().size(), problems.size());
      for (std::size_t i = 0; i < problems.size(); ++i) {
        SCOPED_TRACE(i);
        const auto& together = all.value()[i];
        EXPECT_EQ(together.ok(), alone[i].ok());
        if (alone[i].ok()) {
          expect_same(together.value(), alone[i].value());
        } else {
          EXPECT_EQ(together.error().text(), alone[i].error().text());
        }
      }
    }
  return {around, invalid};
}

TEST(PlanAll, EachFindsWhatItFindsAlone) {
  for (const char* name : {"demo", "workshop"}) {
    SCOPED_TRACE(name);
    const PlanCase c = built_in_case(name);
    PlanOptions options;
    options.max_iterations = 2000;
    options.seed = 3;
    const auto problems = problems_in(c, test::cases(16));
    const auto [around, invalid] = expect_as_alone(c, problems, options);
    EXPECT_GT(around, 2);
    EXPECT_GT(invalid, 0);
    options.margin = 0.02;
    options.check.certificate = true;
    expect_as_alone(c, {problems.begin(), problems.begin() + 6}, options);
  }
}

// Turns of continuous joints give several goals, of which all but the first are not known to be
// free; constraints and other planners go alone.
TEST(PlanAll, TurnsConstraintsAndOtherPlanners) {
  const PlanCase c = test::post_case(JointType::continuous);
  std::vector<PlanProblem> problems = problems_in(c, 8);
  for (PlanProblem& problem : problems) problem.query.any_turn = true;
  PlanOptions options;
  options.max_iterations = 500;
  expect_as_alone(c, problems, options);
  options.planner = "prm";
  problems.resize(2);
  expect_as_alone(c, problems, options);
}

TEST(PlanAll, WhatIsFoundIsFree) {
  const PlanCase c = test::post_case();
  PlanOptions options;
  options.check.certificate = true;
  options.max_iterations = 2000;
  const auto problems = problems_in(c, test::cases(20));
  const auto all = plan_all(model_of(c), problems, options,
                            {.device = BatchDevice::emulated, .threads = 2, .least = 0});
  ASSERT_TRUE(all.ok());
  int solved = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const PlanResult& one = all.value()[i].value();
    if (one.status != PlanStatus::solved) continue;
    ++solved;
    EXPECT_TRUE(one.proved);
    test::expect_free(c, one.path);
    EXPECT_TRUE(verify(c.source, one.path, one.certificate).accepted);
  }
  EXPECT_GT(solved, 5);
}

// Where there is one: its bits are those of its programs on the host, and so are the paths.
TEST(PlanAll, AGpuFindsWhatItsProgramsFindOnTheHost) {
  const PlanCase c = built_in_case("demo");
  const CheckModel model = model_of(c);
  if (const auto gpu = BatchChecker::build(model, {.device = BatchDevice::gpu}); !gpu.ok())
    GTEST_SKIP() << gpu.error().text();
  PlanOptions options;
  options.max_iterations = 2000;
  options.margin = 0.02;
  const auto problems = problems_in(c, test::cases(30));
  for (const std::int64_t least : {0, 5}) {
    const auto there =
        plan_all(model, problems, options,
                 {.device = BatchDevice::gpu, .threads = 4, .sample_every = 10, .least = least});
    const auto here = plan_all(
        model, problems, options,
        {.device = BatchDevice::emulated, .threads = 1, .sample_every = 10, .least = least});
    ASSERT_TRUE(there.ok() && here.ok());
    for (std::size_t i = 0; i < problems.size(); ++i)
      expect_same(there.value()[i].value(), here.value()[i].value());
  }
}

TEST(PlanAll, WhatCannotBePlannedStandsInItsPlace) {
  const PlanCase c = test::post_case();
  std::vector<PlanProblem> problems = problems_in(c, 3);
  problems[1].query.goal = {0.5};
  problems.push_back({c.problem});
  problems.back().query.start = {0, 0};  // collides
  problems.push_back({c.problem});
  problems.back().query.goal = {0.5, 7};  // beyond limits
  problems.push_back({c.problem});
  problems.back().other_goals = {{NAN, 0}};
  PlanOptions options;
  options.max_iterations = 200;
  expect_as_alone(c, problems, options);
  const CheckModel model = model_of(c);
  const BatchOptions emulated{.device = BatchDevice::emulated, .threads = 2, .least = 0};
  EXPECT_TRUE(plan_all(model, {}, options, emulated).value().empty());
  options.planner = "magic";
  EXPECT_FALSE(plan_all(model, problems, options, emulated).ok());
  options = {};
  options.margin = NAN;
  EXPECT_FALSE(plan_all(model, problems, options, emulated).ok());
  options = {};
  options.other_goals = {c.problem.start};
  EXPECT_FALSE(plan_all(model, problems, options, emulated).ok());
}

TEST(PlanAll, StopsWhenItIsToldTo) {
  const PlanCase c = test::post_case();
  std::atomic<bool> cancel = true;
  const auto all = plan_all(model_of(c), problems_in(c, 4), {},
                            {.device = BatchDevice::emulated, .threads = 2, .least = 0},
                            Budget::of_seconds(1e9, &cancel));
  ASSERT_TRUE(all.ok());
  // What is found at once is kept.
  int stopped = 0;
  for (const auto& one : all.value()) {
    stopped += one.value().status == PlanStatus::cancelled;
    EXPECT_LE(one.value().path.waypoints.size(), 2u);
  }
  EXPECT_GT(stopped, 0);
}

}  // namespace
}  // namespace proven
