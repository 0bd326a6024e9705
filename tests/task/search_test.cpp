// The planner against breadth-first search on random propositional tasks.
#include <fmt/format.h>

#include <map>
#include <queue>

#include "proven/base/random.h"
#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

// Facts are bits; an action needs some bits set and some clear, sets some and clears some.
struct Rule {
  unsigned set = 0, clear = 0, adds = 0, removes = 0;
};

struct RandomTask {
  int facts = 0;
  unsigned initial = 0, goal = 0;
  std::vector<Rule> rules;
};

RandomTask random_task(Random& random) {
  RandomTask task;
  task.facts = 4 + random.index(5);
  const auto bits = [&](int chance) {
    unsigned mask = 0;
    for (int f = 0; f < task.facts; ++f)
      if (random.index(100) < chance) mask |= 1u << f;
    return mask;
  };
  task.initial = bits(30);
  task.goal = bits(40);
  const int rules = 3 + random.index(8);
  for (int r = 0; r < rules; ++r) {
    Rule rule{bits(25), bits(10), bits(18), bits(18)};
    rule.clear &= ~rule.set;
    task.rules.push_back(rule);
  }
  return task;
}

// Length of a shortest plan; -1: none.
int breadth_first(const RandomTask& task) {
  std::map<unsigned, int> depth{{task.initial, 0}};
  std::queue<unsigned> open({task.initial});
  while (!open.empty()) {
    const unsigned state = open.front();
    open.pop();
    if ((state & task.goal) == task.goal) return depth[state];
    for (const Rule& rule : task.rules) {
      if ((state & rule.set) != rule.set || (state & rule.clear)) continue;
      const unsigned next = (state & ~rule.removes) | rule.adds;
      if (depth.emplace(next, depth[state] + 1).second) open.push(next);
    }
  }
  return -1;
}

std::string atoms(unsigned mask, const char* format) {
  std::string text;
  for (int f = 0; f < 16; ++f)
    if (mask >> f & 1) text += fmt::format(fmt::runtime(format), f);
  return text;
}

std::pair<std::string, std::string> as_pddl(const RandomTask& task, bool durative) {
  std::string domain = "(define (domain d) (:requirements :adl :durative-actions) (:predicates " +
                       atoms((1u << task.facts) - 1, " (f{})") + ")\n";
  for (std::size_t r = 0; r < task.rules.size(); ++r) {
    const Rule& rule = task.rules[r];
    // Durative twins do all at once and hold a lock, so that their order is that of plain actions.
    const char* set = durative ? " (at start (f{}))" : " (f{})";
    const char* clear = durative ? " (at start (not (f{})))" : " (not (f{}))";
    const char* add = durative ? " (at end (f{}))" : " (f{})";
    const char* remove = durative ? " (at end (not (f{})))" : " (not (f{}))";
    domain += fmt::format("({} a{} :parameters () {} (and {} {}) :effect (and {} {}))\n",
                          durative ? ":durative-action" : ":action", r,
                          durative ? ":duration (= ?duration 1) :condition" : ":precondition",
                          atoms(rule.set, set), atoms(rule.clear, clear),
                          atoms(rule.removes & ~rule.adds, remove), atoms(rule.adds, add));
  }
  const std::string problem = "(define (problem p) (:domain d) (:init " +
                              atoms(task.initial, " (f{})") + ") (:goal (and " +
                              atoms(task.goal, " (f{})") + ")))";
  return {domain + ")", problem};
}

TEST(Search, AgreesWithBreadthFirstSearch) {
  Random random(11);
  int solved = 0, unsolvable = 0, optimal = 0;
  for (int trial = 0; trial < test::cases(400); ++trial) {
    const RandomTask task = random_task(random);
    const int shortest = breadth_first(task);
    const auto [domain_text, problem_text] = as_pddl(task, false);
    const auto domain = parse_domain(domain_text, "d");
    ASSERT_TRUE(domain.ok()) << domain.error().text();
    const auto problem = parse_problem(problem_text, "p", domain.value());
    ASSERT_TRUE(problem.ok()) << problem.error().text();
    TaskOptions options;
    options.anytime = true;
    const auto result = plan_task(domain.value(), problem.value(), options, Budget::of_seconds(20));
    ASSERT_TRUE(result.ok()) << result.error().text();
    const auto expected = shortest < 0 ? TaskOutcome::unsolvable : TaskOutcome::solved;
    ASSERT_EQ(result.value().outcome, expected) << domain_text << problem_text;
    if (shortest < 0) {
      ++unsolvable;
      continue;
    }
    ++solved;
    const auto judged = validate_plan(domain_text, problem_text, to_text(result.value().plan), {});
    ASSERT_TRUE(judged.ok() && judged.value().valid) << judged.value().reason;
    const int length = static_cast<int>(result.value().plan.size());
    ASSERT_GE(length, shortest);
    optimal += length == shortest ? 1 : 0;
  }
  EXPECT_GT(solved, 0);
  EXPECT_GT(unsolvable, 0);
  EXPECT_GT(optimal, solved * 8 / 10);  // improvement ends near the optimum
}

// Durative actions can do whatever plain ones can in sequence.
TEST(Search, DurativeTwinsAreSolvedToo) {
  Random random(12);
  int solved = 0;
  for (int trial = 0; trial < test::cases(200); ++trial) {
    const RandomTask task = random_task(random);
    if (breadth_first(task) < 0) continue;
    const auto [domain_text, problem_text] = as_pddl(task, true);
    const auto domain = parse_domain(domain_text, "d");
    const auto problem = parse_problem(problem_text, "p", domain.value());
    const auto result = plan_task(domain.value(), problem.value(), {}, Budget::of_seconds(20));
    ASSERT_TRUE(result.ok());
    ASSERT_EQ(result.value().outcome, TaskOutcome::solved) << domain_text << problem_text;
    const auto judged = validate_plan(domain_text, problem_text, to_text(result.value().plan), {});
    ASSERT_TRUE(judged.ok() && judged.value().valid)
        << judged.value().reason << domain_text << problem_text << to_text(result.value().plan);
    ++solved;
  }
  EXPECT_GT(solved, 0);
}

// Towers of Hanoi with 14 discs need 16383 moves: no budget here is enough.
TEST(Search, BudgetsEndInAnAnswer) {
  const std::string domain =
      "(define (domain hanoi) (:requirements :strips) (:predicates (clear ?x) (on ?x ?y)"
      " (smaller ?x ?y)) (:action move :parameters (?d ?from ?to) :precondition"
      " (and (smaller ?to ?d) (on ?d ?from) (clear ?d) (clear ?to)) :effect"
      " (and (clear ?from) (on ?d ?to) (not (on ?d ?from)) (not (clear ?to)))))";
  std::string objects = "p1 p2 p3", init = "(clear p2) (clear p3) (clear d1) (on d14 p1)", goal;
  for (int i = 1; i <= 14; ++i) {
    objects += fmt::format(" d{}", i);
    for (const char* peg : {"p1", "p2", "p3"}) init += fmt::format(" (smaller {} d{})", peg, i);
    for (int k = 1; k < i; ++k) init += fmt::format(" (smaller d{} d{})", i, k);
    if (i < 14) init += fmt::format(" (on d{} d{})", i, i + 1);
    goal += i < 14 ? fmt::format(" (on d{} d{})", i, i + 1) : " (on d14 p3)";
  }
  const auto parsed = parse_domain(domain, "d");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  const auto problem = parse_problem("(define (problem p) (:domain hanoi) (:objects " + objects +
                                         ") (:init " + init + ") (:goal (and " + goal + ")))",
                                     "p", parsed.value());
  ASSERT_TRUE(problem.ok()) << problem.error().text();
  TaskOptions memory;
  memory.max_bytes = 100'000;
  const auto slow = plan_task(parsed.value(), problem.value(), {}, Budget::of_seconds(0.5));
  ASSERT_TRUE(slow.ok());
  EXPECT_EQ(slow.value().outcome, TaskOutcome::undecided);
  EXPECT_NE(slow.value().reason.find("time"), std::string::npos);
  const auto large = plan_task(parsed.value(), problem.value(), memory);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(large.value().outcome, TaskOutcome::undecided);
  EXPECT_NE(large.value().reason.find("memory"), std::string::npos);
}

}  // namespace
}  // namespace proven::task
