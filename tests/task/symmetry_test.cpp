// Equal objects: found where they are, told apart by whatever differs, and search that counts their
// exchanges as one state gives the same answers as breadth-first search over all states.
#include "task/symmetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "io/io_support.h"
#include "proven/base/random.h"
#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

using test::must;

struct Parsed {
  Domain domain;
  Problem problem;
  Parsed(const std::string& domain_text, const std::string& problem_text)
      : domain(must(parse_domain(domain_text, "d"))),
        problem(must(parse_problem(problem_text, "p", domain))) {}
};

// Classes as text: "a b, x y z".
std::string classes(const GroundTask& task) {
  const Budget budget;
  Watch watch(budget, "testing");
  const Symmetry symmetry(task, watch);
  std::vector<std::string> texts;
  for (const auto& members : symmetry.classes()) {
    std::vector<std::string> names;
    for (const int object : members)
      names.push_back(task.objects[static_cast<std::size_t>(object)]);
    std::sort(names.begin(), names.end());
    texts.push_back(fmt::format("{}", fmt::join(names, " ")));
  }
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, ", "));
}

const char* const kHall = R"((define (domain hall)
  (:requirements :typing :fluents :durative-actions :timed-initial-literals :adl)
  (:types ball room hand) (:constants left right - hand)
  (:predicates (at ?b - ball ?r - room) (here ?r - room) (holds ?h - hand ?b - ball) (free ?h - hand)
    (fragile ?b - ball) (dark ?r - room) (dry ?b - ball))
  (:functions (weight ?b - ball) (far ?a ?b - room) (effort))
  (:durative-action pick :parameters (?b - ball ?r - room ?h - hand) :duration (= ?duration (weight ?b))
    :condition (and (at start (at ?b ?r)) (over all (here ?r)) (at start (free ?h)) (at start (not (dark ?r))))
    :effect (and (at start (not (at ?b ?r))) (at start (not (free ?h))) (at end (holds ?h ?b))
      (at end (increase (effort) (weight ?b)))))
  (:durative-action drop :parameters (?b - ball ?r - room ?h - hand) :duration (= ?duration 1)
    :condition (and (at start (holds ?h ?b)) (over all (here ?r)) (over all (imply (fragile ?b) (dry ?b))))
    :effect (and (at start (not (holds ?h ?b))) (at end (free ?h)) (at end (at ?b ?r))))
  (:durative-action go :parameters (?a ?b - room) :duration (= ?duration (far ?a ?b))
    :condition (at start (here ?a)) :effect (and (at start (not (here ?a))) (at end (here ?b)))))
)";

std::string hall(const std::string& more_init = "", const std::string& more_goal = "",
                 const std::string& metric = "(effort)", double weight_of_c = 2) {
  return fmt::format(
      "(define (problem p) (:domain hall) (:objects a b c - ball x y - room) (:init (here x)"
      " (at a x) (at b x) (at c y) (free left) (free right) (= (effort) 0) (= (weight a) 2)"
      " (= (weight b) 2) (= (weight c) {}) (= (far x y) 5) (= (far y x) 5) (= (far x x) 1)"
      " (= (far y y) 1) {}) (:goal (and (at a y) (at b y) (at c y) {})) (:metric minimize {}))",
      weight_of_c, more_init, more_goal, metric);
}

TEST(Symmetry, FindsEqualObjectsAndTellsTheOthersApart) {
  struct Case {
    std::string problem, classes;
  };
  // Hands are constants of the domain and equal all the same; rooms differ by the goal. Where balls
  // are at first makes no difference.
  for (const Case& one :
       {Case{hall(), "a b c, left right"}, Case{hall("", "", "(effort)", 3), "a b, left right"},
        Case{hall("", "(at a x)"), "b c, left right"},
        Case{hall("(fragile b) (dry b)"), "a b c, left right"},
        Case{hall("(at 7 (dark y))"), "a b c, left right"},
        Case{hall("(at 7 (not (at b x)))"), "a c, left right"},
        Case{hall("", "(free left)"), "a b c"},
        Case{hall("", "", "(+ (effort) (weight a))"), "a b c, left right"},  // a constant
        Case{hall("", "(or (holds left a) (at a y))"), "b c"}}) {
    const Parsed parsed(kHall, one.problem);
    EXPECT_EQ(classes(ground(parsed.domain, parsed.problem, Budget{})), one.classes) << one.problem;
  }
}

// What differs may be an effect alone: on one fact, or on a number by how much.
TEST(Symmetry, EffectsTellObjectsApart) {
  const std::string domain =
      "(define (domain d) (:requirements :adl :fluents) (:predicates (done ?x) (odd ?x) (lamp))"
      " (:functions (cost ?x) (sum)) (:action touch :parameters (?x) :precondition (and)"
      " :effect (and (done ?x) (when (odd ?x) (not (lamp))) (increase (sum) (cost ?x)))))";
  const auto problem = [](const std::string& init) {
    return "(define (problem p) (:domain d) (:objects a b c) (:init (lamp) (= (sum) 0) " + init +
           ") (:goal (and (done a) (done b) (done c) (lamp) (< (sum) 9))))";
  };
  const std::string costs = "(= (cost a) 1) (= (cost b) 1) (= (cost c) 1)";
  for (const auto& [init, expected] : std::vector<std::pair<std::string, std::string>>{
           {costs, "a b c"},
           {costs + " (odd b)", "a c"},
           {"(= (cost a) 1) (= (cost b) 1) (= (cost c) 2)", "a b"}}) {
    const Parsed parsed(domain, problem(init));
    EXPECT_EQ(classes(ground(parsed.domain, parsed.problem, Budget{})), expected) << init;
  }
}

// Exchanges by name, for a brute force over all orders of a class.
State exchanged(const GroundTask& task, const State& state, const std::vector<std::string>& from,
                const std::vector<std::string>& to) {
  std::map<std::string, int> index;
  for (std::size_t i = 0; i < task.fact_names.size(); ++i)
    index[task.fact_names[i]] = static_cast<int>(i);
  State other = state;
  std::fill(other.facts.begin(), other.facts.end(), 0);
  for (std::size_t i = 0; i < task.fact_names.size(); ++i) {
    if (!state.fact(static_cast<int>(i))) continue;
    std::string name = " " + task.fact_names[i].substr(1, task.fact_names[i].size() - 2) + " ";
    for (std::size_t k = 0; k < from.size(); ++k)
      for (std::size_t p; (p = name.find(" " + from[k] + " ")) != std::string::npos;)
        name.replace(p + 1, from[k].size(), "#" + to[k]);
    std::erase(name, '#');
    other.set(index.at("(" + name.substr(1, name.size() - 2) + ")"), true);
  }
  return other;
}

TEST(Symmetry, ArrangedStatesAreExchangesAndMostlyOne) {
  const Parsed parsed(kHall, hall());
  const GroundTask task = ground(parsed.domain, parsed.problem, Budget{});
  const Budget budget;
  Watch watch(budget, "testing");
  const Symmetry symmetry(task, watch);
  Random random(7);
  std::vector<std::string> balls = {"a", "b", "c"};
  int same = 0, all = 0;
  for (int trial = 0; trial < test::cases(300); ++trial) {
    State state = initial_state(task);
    for (int f = 0; f < task.fact_count; ++f) state.set(f, random.index(3) == 0);
    std::vector<std::string> order = balls;
    std::set<std::vector<std::uint64_t>> orbit;
    do {
      for (const auto& hands : {std::vector<std::string>{"left", "right"}, {"right", "left"}}) {
        std::vector<std::string> from = balls, to = order;
        from.insert(from.end(), {"left", "right"});
        to.insert(to.end(), hands.begin(), hands.end());
        orbit.insert(exchanged(task, state, from, to).facts);
      }
    } while (std::next_permutation(order.begin(), order.end()));
    std::set<std::vector<std::uint64_t>> arranged;
    for (const auto& facts : orbit) {
      State other = state;
      other.facts = facts;
      const State now = symmetry.arranged(other);
      ASSERT_TRUE(orbit.contains(now.facts));
      arranged.insert(now.facts);
    }
    same += arranged.size() == 1 ? 1 : 0;
    ++all;
  }
  EXPECT_GT(same, all * 9 / 10);
}

// --- Random tasks about objects ------------------------------------------------------------------

constexpr int kObjects = 4, kKinds = 3, kShared = 2;

// Bits of a state: kKinds for each object, then the shared ones.
struct Lifted {
  struct Half {
    unsigned set = 0, clear = 0, adds = 0, removes = 0;  // bits of one object, or shared ones
  };
  struct Schema {
    int objects = 1;
    Half of[2], shared;
  };
  std::vector<Schema> schemas;
  unsigned initial = 0, goal = 0;
};

Lifted random_lifted(Random& random) {
  const auto bits = [&](int count, int chance) {
    unsigned mask = 0;
    for (int i = 0; i < count; ++i)
      if (random.index(100) < chance) mask |= 1u << i;
    return mask;
  };
  const auto half = [&](int count) {
    Lifted::Half made{bits(count, 35), bits(count, 20), bits(count, 30), bits(count, 30)};
    made.clear &= ~made.set;
    made.removes &= ~made.adds;
    return made;
  };
  Lifted task;
  for (int s = 2 + random.index(3); s > 0; --s) {
    Lifted::Schema schema{1 + random.index(2), {half(kKinds), half(kKinds)}, half(kShared)};
    if (schema.objects == 1) schema.of[1] = {};
    task.schemas.push_back(schema);
  }
  task.initial = bits(kObjects * kKinds + kShared, 30);
  const unsigned wanted = bits(kKinds, 50);
  for (int o = 0; o < kObjects; ++o)
    task.goal |= (random.index(4) == 0 ? bits(kKinds, 50) : wanted) << (o * kKinds);
  task.goal |= bits(kShared, 30) << (kObjects * kKinds);
  return task;
}

int shortest_plan(const Lifted& task) {
  std::map<unsigned, int> depth{{task.initial, 0}};
  std::queue<unsigned> open({task.initial});
  while (!open.empty()) {
    const unsigned state = open.front();
    open.pop();
    if ((state & task.goal) == task.goal) return depth[state];
    for (const Lifted::Schema& schema : task.schemas)
      for (int a = 0; a < kObjects; ++a)
        for (int b = 0; b < (schema.objects == 2 ? kObjects : 1); ++b) {
          if (schema.objects == 2 && a == b) continue;
          const auto over = [&](auto part) {
            return part(schema.of[0]) << (a * kKinds) | part(schema.of[1]) << (b * kKinds) |
                   part(schema.shared) << (kObjects * kKinds);
          };
          const unsigned set = over([](const auto& h) { return h.set; });
          const unsigned clear = over([](const auto& h) { return h.clear; });
          if ((state & set) != set || (state & clear) != 0) continue;
          const unsigned next = (state & ~over([](const auto& h) { return h.removes; })) |
                                over([](const auto& h) { return h.adds; });
          if (depth.emplace(next, depth[state] + 1).second) open.push(next);
        }
  }
  return -1;
}

std::string literals(unsigned mask, int count, const std::string& name, const std::string& object,
                     bool negated = false) {
  std::string text;
  for (int i = 0; i < count; ++i)
    if (mask >> i & 1) {
      const std::string atom = fmt::format("({}{}{})", name, i, object);
      text += negated ? " (not " + atom + ")" : " " + atom;
    }
  return text;
}

std::pair<std::string, std::string> as_pddl(const Lifted& task) {
  std::string domain = "(define (domain d) (:requirements :adl) (:predicates";
  for (int i = 0; i < kKinds; ++i) domain += fmt::format(" (p{} ?x)", i);
  for (int i = 0; i < kShared; ++i) domain += fmt::format(" (g{})", i);
  domain += ")\n";
  for (std::size_t s = 0; s < task.schemas.size(); ++s) {
    const Lifted::Schema& schema = task.schemas[s];
    std::string needs, makes;
    const auto add = [&](const Lifted::Half& h, int count, const std::string& name,
                         const std::string& object) {
      needs += literals(h.set, count, name, object) + literals(h.clear, count, name, object, true);
      makes +=
          literals(h.removes, count, name, object, true) + literals(h.adds, count, name, object);
    };
    add(schema.of[0], kKinds, "p", " ?x");
    if (schema.objects == 2) {
      add(schema.of[1], kKinds, "p", " ?y");
      needs += " (not (= ?x ?y))";
    }
    add(schema.shared, kShared, "g", "");
    domain +=
        fmt::format("(:action a{} :parameters (?x{}) :precondition (and{}) :effect (and{}))\n", s,
                    schema.objects == 2 ? " ?y" : "", needs, makes);
  }
  std::string init, goal, objects;
  for (int o = 0; o < kObjects; ++o) {
    objects += fmt::format(" o{}", o);
    init += literals(task.initial >> (o * kKinds), kKinds, "p", fmt::format(" o{}", o));
    goal += literals(task.goal >> (o * kKinds), kKinds, "p", fmt::format(" o{}", o));
  }
  init += literals(task.initial >> (kObjects * kKinds), kShared, "g", "");
  goal += literals(task.goal >> (kObjects * kKinds), kShared, "g", "");
  return {domain + ")", fmt::format("(define (problem p) (:domain d) (:objects{}) (:init{}) (:goal "
                                    "(and{})))",
                                    objects, init, goal)};
}

TEST(Symmetry, SearchAgreesWithBreadthFirstSearchOverAllStates) {
  Random random(23);
  int solved = 0, exhausted = 0, optimal = 0, symmetric = 0;
  for (int trial = 0; trial < test::cases(500); ++trial) {
    const Lifted task = random_lifted(random);
    const int shortest = shortest_plan(task);
    const auto [domain, problem] = as_pddl(task);
    const Parsed parsed(domain, problem);
    symmetric += classes(ground(parsed.domain, parsed.problem, Budget{})).empty() ? 0 : 1;
    TaskOptions options;
    options.anytime = true;
    const auto result =
        must(plan_task(parsed.domain, parsed.problem, options, Budget::of_seconds(60)));
    ASSERT_EQ(result.outcome, shortest < 0 ? TaskOutcome::unsolvable : TaskOutcome::solved)
        << domain << problem;
    exhausted += shortest < 0 && result.stats.expanded > 0 ? 1 : 0;
    if (shortest < 0) continue;
    ++solved;
    const auto judged = validate_plan(domain, problem, to_text(result.plan), {});
    ASSERT_TRUE(judged.ok() && judged.value().valid) << judged.value().reason;
    optimal += static_cast<int>(result.plan.size()) == shortest ? 1 : 0;
  }
  EXPECT_GT(solved, 0);
  EXPECT_GT(exhausted, 0);  // all states tried, up to exchanges
  EXPECT_GT(symmetric, test::cases(500) / 4);
  EXPECT_GE(optimal, solved * 8 / 10);
}

// Eight pigeons and seven holes: 8^8 states, but few up to exchanges of both.
TEST(Symmetry, PigeonsAreFew) {
  const std::string domain =
      "(define (domain d) (:types pigeon hole) (:predicates (out ?p - pigeon) (in ?p - pigeon ?h -"
      " hole) (empty ?h - hole) (home ?p - pigeon))"
      " (:action enter :parameters (?p - pigeon ?h - hole) :precondition (and (out ?p) (empty ?h))"
      " :effect (and (not (out ?p)) (not (empty ?h)) (in ?p ?h) (home ?p)))"
      " (:action leave :parameters (?p - pigeon ?h - hole) :precondition (in ?p ?h)"
      " :effect (and (out ?p) (empty ?h) (not (in ?p ?h)) (not (home ?p)))))";
  const auto expanded = [&](int pigeons, bool exchange) {
    std::string objects, init, goal;
    for (int i = 0; i < pigeons; ++i) {
      objects += fmt::format(" p{} - pigeon", i);
      init += fmt::format(" (out p{})", i);
      goal += fmt::format(" (home p{})", i);
    }
    for (int i = 1; i < pigeons; ++i) {
      objects += fmt::format(" h{} - hole", i);
      init += fmt::format(" (empty h{})", i);
    }
    const Parsed parsed(domain, "(define (problem p) (:domain d) (:objects" + objects + ") (:init" +
                                    init + ") (:goal (and" + goal + ")))");
    TaskOptions options;
    options.exchange_equal = exchange;
    const auto result = must(plan_task(parsed.domain, parsed.problem, options));
    EXPECT_EQ(result.outcome, TaskOutcome::unsolvable);
    return result.stats.expanded;
  };
  EXPECT_GT(expanded(4, false), 50);
  EXPECT_LE(expanded(4, true), 4);
  EXPECT_LE(expanded(8, true), 8);
}

}  // namespace
}  // namespace proven::task
