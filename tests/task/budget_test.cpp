// Whatever the planner and the judge are doing, a budget ends it; what was found is kept.
#include <fmt/format.h>

#include <fstream>

#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

// A plan is easy to find and hard to prove best.
constexpr const char* kDomain =
    "(define (domain d) (:requirements :typing :adl :fluents) (:types thing) (:predicates (done ?x "
    "- thing) (near ?x ?y - thing)) (:functions (total))"
    " (:action do :parameters (?x - thing) :precondition (not (done ?x))"
    " :effect (and (done ?x) (increase (total) 2)))"
    " (:action both :parameters (?x ?y - thing) :precondition (near ?x ?y)"
    " :effect (and (done ?x) (done ?y) (increase (total) 3))))";

std::string problem_text(int things, const std::string& goal) {
  std::string objects, init;
  for (int i = 0; i < things; ++i) {
    objects += fmt::format("t{} ", i);
    for (int k = 0; k < things; ++k)
      if ((i * 7 + k * 3) % 5 == 0) init += fmt::format("(near t{} t{})", i, k);
  }
  return fmt::format(
      "(define (problem p) (:domain d) (:objects {}- thing) (:init (= (total) 0) {}) (:goal {})"
      " (:metric minimize (total)))",
      objects, init, goal);
}

constexpr const char* kAll = "(forall (?x - thing) (done ?x))";

struct Task {
  Domain domain;
  Problem problem;
};

Task parse(const std::string& problem) {
  Task task;
  task.domain = parse_domain(kDomain, "d").value();
  task.problem = parse_problem(problem, "p", task.domain).value();
  return task;
}

// Ctrl-C as soon as this stage is reported.
TaskResult plan_until(const Task& task, std::string_view stage, const TaskOptions& options = {}) {
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  budget.progress = [&](const Progress& progress) { cancel = cancel || progress.stage == stage; };
  const auto result = plan_task(task.domain, task.problem, options, budget);
  EXPECT_TRUE(result.ok()) << result.error().text();
  EXPECT_TRUE(cancel) << "the stage " << stage << " was not reported";
  return result.value();
}

TEST(Budget, EndsEveryStageWithItsName) {
  const Task task = parse(problem_text(40, kAll));
  for (const auto& [stage, reason] : {std::pair{"grounding", "interrupted while grounding"},
                                      {"preparing", "interrupted while preparing the search"},
                                      {"search", "interrupted while searching"}}) {
    const TaskResult result = plan_until(task, stage);
    EXPECT_EQ(result.outcome, TaskOutcome::undecided) << stage;
    EXPECT_EQ(result.reason, reason);
    EXPECT_TRUE(result.plan.empty());
  }
}

TEST(Budget, ThatIsOverEndsInAnAnswer) {
  const Task task = parse(problem_text(40, kAll));
  const auto result = plan_task(task.domain, task.problem, {}, Budget::of_seconds(0));
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().outcome, TaskOutcome::undecided);
  EXPECT_EQ(result.value().reason, "the time budget ran out while grounding");
}

TEST(Budget, KeepsThePlanThatWasFound) {
  TaskOptions anytime;
  anytime.anytime = true;
  const std::string problem = problem_text(40, kAll);
  const TaskResult result = plan_until(parse(problem), "better plans", anytime);
  ASSERT_EQ(result.outcome, TaskOutcome::solved);
  EXPECT_GT(result.stats.expanded, 0);
  const auto judged = validate_plan(kDomain, problem, to_text(result.plan), {});
  ASSERT_TRUE(judged.ok());
  EXPECT_TRUE(judged.value().valid) << judged.value().reason;
  EXPECT_DOUBLE_EQ(*judged.value().metric, result.metric);
}

// The goal has 60^6 instances: neither the grounder nor the judge gets to the end of them.
TEST(Budget, EndsHugeQuantifiers) {
  const std::string goal =
      "(forall (?a ?b ?c ?d ?e ?f - thing) (or (done ?a) (done ?b) (done ?c) (done ?d) (done ?e) "
      "(done ?f)))";
  const std::string problem = problem_text(60, goal);
  const Task task = parse(problem);
  const auto planned = plan_task(task.domain, task.problem, {}, Budget::of_seconds(0.3));
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  EXPECT_EQ(planned.value().reason, "the time budget ran out while grounding");
  const auto judged = validate_plan(kDomain, problem, "0: (do t0)", {}, Budget::of_seconds(0.3));
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().code, ErrorCode::exhausted);
  EXPECT_EQ(judged.error().message, "the time budget ran out while judging the plan");
}

// Five layers hold 60^5 paths of five things and none of six.
TEST(Budget, EndsAJoinThatFindsNothing) {
  const std::string domain =
      "(define (domain d) (:predicates (done ?x) (near ?x ?y)) (:action never :parameters (?a ?b "
      "?c ?d ?e ?f) :precondition (and (near ?a ?b) (near ?b ?c) (near ?c ?d) (near ?d ?e) (near "
      "?e ?f)) :effect (done ?a)))";
  std::string objects, init;
  for (int i = 0; i < 300; ++i) {
    objects += fmt::format("t{} ", i);
    for (int k = 60 * (i / 60 + 1); k < 60 * (i / 60 + 2) && k < 300; ++k)
      init += fmt::format("(near t{} t{})", i, k);
  }
  const std::string problem = "(define (problem p) (:domain d) (:objects " + objects + ") (:init " +
                              init + ") (:goal (done t0)))";
  Task task;
  task.domain = parse_domain(domain, "d").value();
  task.problem = parse_problem(problem, "p", task.domain).value();
  const auto result = plan_task(task.domain, task.problem, {}, Budget::of_seconds(0.3));
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().reason, "the time budget ran out while grounding");
}

// Counters that never stop: there are always new states, and the goal is never reached.
Task endless() {
  Task task;
  std::string actions;
  for (int i = 0; i < 30; ++i)
    actions += fmt::format(
        "(:action a{} :parameters () :precondition (not (p)) :effect (increase (n{}) 1))", i, i);
  std::string functions;
  for (int i = 0; i < 30; ++i) functions += fmt::format("(n{})", i);
  std::string goal, initial;
  for (int i = 0; i < 30; ++i) {
    goal += fmt::format(" (= (* (n{}) (n{})) 2)", i, i);
    initial += fmt::format(" (= (n{}) 0)", i);
  }
  task.domain = parse_domain(
                    "(define (domain d) (:requirements :adl :fluents) (:predicates (p))"
                    "(:functions " +
                        functions + ")" + actions + ")",
                    "d")
                    .value();
  task.problem = parse_problem("(define (problem p) (:domain d) (:init" + initial +
                                   ") (:goal (and" + goal + ")))",
                               "p", task.domain)
                     .value();
  return task;
}

std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::size_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

TEST(Budget, OfMemoryIsHeld) {
  TaskOptions options;
  options.max_bytes = peak_bytes() + (std::size_t{300} << 20);
  const Task task = endless();
  const auto result = plan_task(task.domain, task.problem, options, Budget::of_seconds(120));
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().outcome, TaskOutcome::undecided);
  EXPECT_EQ(result.value().reason, "the memory budget ran out while searching");
  EXPECT_LE(peak_bytes(), options.max_bytes + (std::size_t{4} << 20));
}

TEST(Budget, OfProcessorTimeIsHeld) {
  TaskOptions options;
  options.processor_seconds = 0.2;
  const Task task = endless();
  const auto result = plan_task(task.domain, task.problem, options, Budget::of_seconds(120));
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().reason, "the budget of processor time ran out while searching");
  EXPECT_GE(result.value().stats.processor_seconds, 0.2);
}

}  // namespace
}  // namespace proven::task
