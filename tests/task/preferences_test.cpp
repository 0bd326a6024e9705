// Preferences in goals: what they cost, whether they are kept where that pays, and what is refused.
#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

// Lamps cost 3 to switch on and 10 to leave dark; the hall must be lit, one lamp is broken.
constexpr const char* kDomain =
    "(define (domain d) (:requirements :typing :preferences :goal-utilities :action-costs)"
    "(:types lamp) (:predicates (on ?l -lamp) (broken ?l -lamp) (dry)) (:functions (total-cost))"
    "(:action switch :parameters (?l -lamp) :precondition (not (broken ?l))"
    " :effect (and (on ?l) (increase (total-cost) 3)))"
    "(:action dry-up :parameters () :effect (and (dry) (increase (total-cost) 7))))";

std::string problem_of(const std::string& goal, const std::string& metric) {
  return "(define (problem p) (:domain d) (:objects hall a b c - lamp)"
         "(:init (broken c) (= (total-cost) 0)) (:goal " +
         goal + ") (:metric " + metric + "))";
}

TaskResult solve(const std::string& problem_text, double seconds = 5) {
  const auto domain = parse_domain(kDomain, "d");
  EXPECT_TRUE(domain.ok()) << domain.error().text();
  const auto problem = parse_problem(problem_text, "p", domain.value());
  EXPECT_TRUE(problem.ok()) << problem.error().text();
  TaskOptions options;
  options.anytime = true;
  const auto result =
      plan_task(domain.value(), problem.value(), options, Budget::of_seconds(seconds));
  EXPECT_TRUE(result.ok()) << result.error().text();
  const auto judged = validate_plan(kDomain, problem_text, to_text(result.value().plan), {});
  EXPECT_TRUE(judged.ok() && judged.value().valid)
      << (judged.ok() ? judged.value().reason : judged.error().text());
  EXPECT_DOUBLE_EQ(judged.value().metric.value_or(-1), result.value().metric);
  return result.value();
}

TEST(Preferences, AreKeptWhereThatPays) {
  const std::string goal =
      "(and (on hall) (forall (?l - lamp) (preference lit (on ?l))) (preference floor (dry)))";
  // Hall, a and b are lit (9), c cannot be (10), drying (7) costs more than a wet floor (5).
  const TaskResult cheap = solve(problem_of(goal,
                                            "minimize (+ (total-cost) (+ (* 10 (is-violated lit))"
                                            " (* 5 (is-violated floor))))"));
  EXPECT_DOUBLE_EQ(cheap.metric, 9 + 10 + 5);
  EXPECT_EQ(cheap.plan.size(), 3u);
  // Net benefit, as the competition wrote it: utilities less costs.
  const TaskResult dear =
      solve(problem_of(goal, "maximize (- 100 (+ (total-cost) (* 8 (is-violated floor))))"));
  EXPECT_DOUBLE_EQ(dear.metric, 100 - 3 - 7);
  EXPECT_EQ(dear.plan.size(), 2u);
}

TEST(Preferences, NobodyAsksForCostNothing) {
  const TaskResult result =
      solve(problem_of("(and (on hall) (preference floor (dry)))", "minimize (total-cost)"));
  EXPECT_DOUBLE_EQ(result.metric, 3);
}

TEST(Preferences, WhatIsNotSupportedIsRefusedByName) {
  const auto domain = parse_domain(kDomain, "d");
  ASSERT_TRUE(domain.ok());
  const auto refusal = [&](const std::string& goal, const std::string& metric) {
    const auto problem = parse_problem(problem_of(goal, metric), "p", domain.value());
    return problem.ok() ? std::string("read") : problem.error().text();
  };
  EXPECT_NE(refusal("(or (on hall) (preference x (dry)))", "minimize (total-cost)")
                .find("under 'and' and 'forall' alone"),
            std::string::npos);
  EXPECT_NE(
      refusal("(preference x (dry))", "minimize (is-violated y)").find("has no preference 'y'"),
      std::string::npos);
  EXPECT_NE(
      refusal("(preference x (sometime (dry)))", "minimize (is-violated x)").find("'sometime'"),
      std::string::npos);
  const auto action = parse_domain(
      "(define (domain d) (:predicates (p)) (:action a :parameters ()"
      " :precondition (preference x (p)) :effect (p)))",
      "d");
  ASSERT_FALSE(action.ok());
  EXPECT_NE(action.error().text().find("not in conditions of actions"), std::string::npos);
}

}  // namespace
}  // namespace proven::task
