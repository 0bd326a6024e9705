// Lower bounds against the best plans, found by trying all states of small random tasks.
#include <fmt/format.h>

#include <queue>

#include "proven/base/random.h"
#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

struct SmallAction {
  unsigned needs = 0, adds = 0, removes = 0;
  int cost = 1;
};

struct SmallTask {
  int facts = 6;
  unsigned initial = 0, goal = 0;
  std::vector<SmallAction> actions;
};

SmallTask random_task(Random& random) {
  SmallTask task;
  const auto some = [&](int most) {
    unsigned bits = 0;
    for (int n = random.index(most + 1); n > 0; --n) bits |= 1u << random.index(task.facts);
    return bits;
  };
  task.initial = some(2);
  task.goal = some(2) | 1u << random.index(task.facts);
  for (int i = 0; i < 9; ++i) {
    SmallAction action{some(2), some(2), some(1), random.index(5)};
    action.removes &= ~action.adds;
    task.actions.push_back(action);
  }
  return task;
}

// The least cost, by Dijkstra over all states; nothing if there is no plan.
std::optional<int> best_cost(const SmallTask& task) {
  std::vector<int> cost(1u << task.facts, -1);
  std::priority_queue<std::pair<int, unsigned>> queue;
  queue.emplace(0, task.initial);
  while (!queue.empty()) {
    const auto [negative, state] = queue.top();
    queue.pop();
    if (cost[state] >= 0) continue;
    cost[state] = -negative;
    if ((state & task.goal) == task.goal) return -negative;
    for (const SmallAction& action : task.actions)
      if ((state & action.needs) == action.needs)
        queue.emplace(negative - action.cost, (state & ~action.removes) | action.adds);
  }
  return std::nullopt;
}

std::string atoms(unsigned facts, const char* form) {
  std::string text;
  for (int f = 0; f < 8; ++f)
    if (facts >> f & 1) text += fmt::format(fmt::runtime(form), fmt::format("(f{})", f));
  return text;
}

std::string domain_of(const SmallTask& task) {
  std::string text = "(define (domain d) (:requirements :action-costs) (:predicates";
  for (int f = 0; f < task.facts; ++f) text += fmt::format(" (f{})", f);
  text += ") (:functions (total-cost))";
  for (std::size_t i = 0; i < task.actions.size(); ++i) {
    const SmallAction& a = task.actions[i];
    text += fmt::format(
        "(:action a{} :parameters () :precondition (and{}) :effect (and{}{} (increase (total-cost) "
        "{})))",
        i, atoms(a.needs, " {}"), atoms(a.adds, " {}"), atoms(a.removes, " (not {})"), a.cost);
  }
  return text + ")";
}

TEST(Bound, IsBelowTheBestPlanAndOftenReachesIt) {
  Random random(5);
  int solved = 0, tight = 0, best = 0;
  const int count = test::cases(300);
  for (int i = 0; i < count; ++i) {
    const SmallTask small = random_task(random);
    const std::string domain_text = domain_of(small);
    const std::string problem_text = fmt::format(
        "(define (problem p) (:domain d) (:init (= (total-cost) 0){}) (:goal (and{})) (:metric "
        "minimize (total-cost)))",
        atoms(small.initial, " {}"), atoms(small.goal, " {}"));
    const auto domain = parse_domain(domain_text, "d");
    ASSERT_TRUE(domain.ok()) << domain.error().text();
    const auto problem = parse_problem(problem_text, "p", domain.value());
    ASSERT_TRUE(problem.ok()) << problem.error().text();
    TaskOptions options;
    options.anytime = true;
    const auto result = plan_task(domain.value(), problem.value(), options, Budget::of_seconds(20));
    ASSERT_TRUE(result.ok()) << result.error().text();
    const auto optimum = best_cost(small);
    ASSERT_EQ(result.value().outcome == TaskOutcome::solved, optimum.has_value()) << domain_text;
    if (!optimum) {
      EXPECT_EQ(result.value().outcome, TaskOutcome::unsolvable);
      continue;
    }
    ++solved;
    ASSERT_TRUE(result.value().bound);
    EXPECT_LE(*result.value().bound, *optimum) << domain_text << problem_text;
    EXPECT_GE(result.value().metric, *optimum);
    tight += *result.value().bound >= *optimum - 1e-6 ? 1 : 0;
    best += result.value().metric <= *optimum + 1e-6 ? 1 : 0;
  }
  if (count < 300) return;
  EXPECT_GT(solved, 100);
  EXPECT_LT(solved, 290);
  EXPECT_GT(tight, solved / 2);
  EXPECT_EQ(best, solved);  // these are small enough to try everything
}

TEST(Bound, OfTheMakespanIsTheCriticalPath) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions) (:predicates (p) (q) (r))"
      "(:durative-action a :parameters () :duration (= ?duration 4) :condition ()"
      " :effect (at end (p)))"
      "(:durative-action b :parameters () :duration (= ?duration 3) :condition (at start (p))"
      " :effect (at end (q)))"
      "(:durative-action c :parameters () :duration (= ?duration 2) :condition (at end (p))"
      " :effect (at end (r))))";
  const auto parsed = parse_domain(domain, "d");
  ASSERT_TRUE(parsed.ok());
  const auto problem = parse_problem(
      "(define (problem p) (:domain d) (:init) (:goal (and (q) (r))))", "p", parsed.value());
  const auto result = plan_task(parsed.value(), problem.value(), {});
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result.value().bound);
  EXPECT_DOUBLE_EQ(*result.value().bound, 7);
  EXPECT_NEAR(result.value().makespan, 7, 0.01);
}

}  // namespace
}  // namespace proven::task
