// What the language means: small tasks whose plans are known, each judged by the validator.
#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

struct Solved {
  TaskResult result;
  Validation judged;
};

// Enough for the best plan of these tasks; used up in any case.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double kAnytimeSeconds = 30;
#else
constexpr double kAnytimeSeconds = 3;
#endif

Solved solve(const std::string& domain_text, const std::string& problem_text,
             bool anytime = false) {
  Solved solved;
  const auto domain = parse_domain(domain_text, "d.pddl");
  EXPECT_TRUE(domain.ok()) << domain.error().text();
  if (!domain.ok()) return solved;
  const auto problem = parse_problem(problem_text, "p.pddl", domain.value());
  EXPECT_TRUE(problem.ok()) << problem.error().text();
  if (!problem.ok()) return solved;
  TaskOptions options;
  options.anytime = anytime;
  auto result = plan_task(domain.value(), problem.value(), options,
                          Budget::of_seconds(anytime ? kAnytimeSeconds : 30));
  EXPECT_TRUE(result.ok()) << result.error().text();
  if (!result.ok()) return solved;
  solved.result = std::move(result).value();
  if (solved.result.outcome != TaskOutcome::solved) return solved;
  const auto judged = validate_plan(domain_text, problem_text, to_text(solved.result.plan), {});
  EXPECT_TRUE(judged.ok()) << judged.error().text();
  solved.judged = judged.value();
  EXPECT_TRUE(solved.judged.valid) << solved.judged.reason << "\n" << to_text(solved.result.plan);
  return solved;
}

std::string problem(const std::string& rest) {
  return "(define (problem p) (:domain d) " + rest + ")";
}

TEST(Semantics, ConditionalEffectsUseTheStateBefore) {
  // Swapping by conditional effects only works if both conditions see the old state.
  const std::string domain =
      "(define (domain d) (:requirements :conditional-effects :negative-preconditions)"
      "(:predicates (p) (q)) (:action swap :parameters () :precondition () :effect (and"
      " (when (p) (and (q) (not (p)))) (when (q) (and (p) (not (q)))))))";
  const auto once = solve(domain, problem("(:init (p)) (:goal (and (q) (not (p))))"));
  EXPECT_EQ(once.result.plan.size(), 1u);
  EXPECT_EQ(solve(domain, problem("(:init (p)) (:goal (and (q) (p)))")).result.outcome,
            TaskOutcome::unsolvable);
}

TEST(Semantics, DeleteThenAddLeavesTheFactTrue) {
  const std::string domain =
      "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :precondition (p)"
      " :effect (and (not (p)) (p) (q))))";
  EXPECT_EQ(solve(domain, problem("(:init (p)) (:goal (and (p) (q)))")).result.plan.size(), 1u);
}

TEST(Semantics, QuantifiersAndDisjunctions) {
  const std::string domain =
      "(define (domain d) (:requirements :adl) (:types lamp)"
      "(:predicates (on ?l - lamp) (broken ?l - lamp) (bright))"
      "(:action switch :parameters (?l - lamp) :precondition (not (broken ?l)) :effect (on ?l))"
      "(:action look :parameters () :precondition"
      " (and (forall (?l - lamp) (or (on ?l) (broken ?l))) (exists (?l - lamp) (on ?l)))"
      " :effect (bright)))";
  const auto solved = solve(domain, problem("(:objects a b c - lamp) (:init (broken b))"
                                            "(:goal (bright))"));
  EXPECT_EQ(solved.result.plan.size(), 3u);
  EXPECT_EQ(solve(domain, problem("(:objects a - lamp) (:init (broken a)) (:goal (bright))"))
                .result.outcome,
            TaskOutcome::unsolvable);
}

TEST(Semantics, RecursiveDerivedPredicates) {
  const std::string domain =
      "(define (domain d) (:requirements :derived-predicates :adl) (:types place)"
      "(:constants a d - place) (:predicates (road ?a ?b - place) (reach ?a ?b - place) (done))"
      "(:derived (reach ?a ?b - place) (or (road ?a ?b)"
      "  (exists (?c - place) (and (road ?a ?c) (reach ?c ?b)))))"
      "(:action build :parameters (?a ?b - place) :precondition (not (= ?a ?b))"
      " :effect (road ?a ?b))"
      "(:action close :parameters (?a ?b - place) :precondition (road ?a ?b)"
      " :effect (not (road ?a ?b)))"
      "(:action finish :parameters () :precondition (and (reach a d) (not (road a d))"
      "  (not (reach d a))) :effect (done)))";
  const auto solved = solve(domain, problem("(:objects b c - place)"
                                            "(:init (road a b) (road c d)) (:goal (done))"));
  ASSERT_EQ(solved.result.outcome, TaskOutcome::solved);
  EXPECT_EQ(solved.result.plan.size(), 2u) << to_text(solved.result.plan);
}

TEST(Semantics, NumbersAndMetrics) {
  const std::string domain =
      "(define (domain d) (:requirements :fluents) (:predicates (dummy)) (:functions (x) (cost))"
      "(:action one :parameters () :precondition (< (x) 100)"
      " :effect (and (increase (x) 1) (increase (cost) 1)))"
      "(:action five :parameters () :precondition (>= (x) 3)"
      " :effect (and (increase (x) 5) (increase (cost) 2)))"
      "(:action double :parameters () :precondition (> (x) 0)"
      " :effect (and (scale-up (x) 2) (increase (cost) 10))))";
  const auto solved = solve(domain,
                            problem("(:init (= (x) 0) (= (cost) 0)) (:goal (= (x) 13))"
                                    "(:metric minimize (cost))"),
                            true);
  ASSERT_EQ(solved.result.outcome, TaskOutcome::solved);
  EXPECT_DOUBLE_EQ(solved.result.metric, 7);  // three ones, two fives
  EXPECT_DOUBLE_EQ(solved.judged.metric.value_or(-1), 7);
}

TEST(Semantics, UndefinedNumbersSatisfyNothing) {
  const std::string domain =
      "(define (domain d) (:requirements :fluents) (:predicates (p)) (:functions (x))"
      "(:action a :parameters () :precondition (or (< (x) 1) (>= (x) 1)) :effect (p))"
      "(:action set :parameters () :precondition () :effect (assign (x) 5)))";
  const auto solved = solve(domain, problem("(:init) (:goal (p))"));
  EXPECT_EQ(solved.result.plan.size(), 2u);
}

TEST(Semantics, ObjectFluents) {
  const std::string domain =
      "(define (domain d) (:requirements :typing :object-fluents) (:types robot room)"
      "(:predicates (next ?a ?b - room) (clean ?r - room)) (:functions (in ?r - robot) - room)"
      "(:action go :parameters (?r - robot ?to - room) :precondition (next (in ?r) ?to)"
      " :effect (assign (in ?r) ?to))"
      "(:action sweep :parameters (?r - robot) :precondition () :effect (clean (in ?r))))";
  const auto solved = solve(domain, problem("(:objects r - robot a b c - room)"
                                            "(:init (next a b) (next b c) (= (in r) a))"
                                            "(:goal (and (clean c) (clean a) (= (in r) c)))"));
  EXPECT_EQ(solved.result.plan.size(), 4u) << to_text(solved.result.plan);
}

const char* const kMatch =
    "(define (domain d) (:requirements :durative-actions :typing) (:types fuse)"
    "(:predicates (light) (match) (mended ?f - fuse) (hand))"
    "(:durative-action strike :parameters () :duration (= ?duration 5)"
    " :condition (at start (match)) :effect (and (at start (not (match))) (at start (light))"
    "  (at end (not (light)))))"
    "(:durative-action mend :parameters (?f - fuse) :duration (= ?duration 2)"
    " :condition (and (at start (hand)) (over all (light)))"
    " :effect (and (at start (not (hand))) (at end (hand)) (at end (mended ?f)))))";

TEST(Semantics, ActionsThatMustOverlap) {
  const auto two = solve(kMatch, problem("(:objects a b - fuse) (:init (match) (hand))"
                                         "(:goal (and (mended a) (mended b)))"));
  ASSERT_EQ(two.result.outcome, TaskOutcome::solved);
  EXPECT_NEAR(two.result.makespan, 5, 1e-6);
  const auto three = solve(kMatch, problem("(:objects a b c - fuse) (:init (match) (hand))"
                                           "(:goal (and (mended a) (mended b) (mended c)))"));
  EXPECT_NE(three.result.outcome, TaskOutcome::solved);
}

TEST(Semantics, AnEndInTheMiddleOfAnother) {
  // b must end within a, and c starts after b has ended and before a ends.
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions) (:predicates (a) (b) (c) (bdone))"
      "(:durative-action da :parameters () :duration (= ?duration 10) :condition ()"
      " :effect (and (at start (a)) (at end (not (a)))))"
      "(:durative-action db :parameters () :duration (= ?duration 6)"
      " :condition (at end (a)) :effect (at end (bdone)))"
      "(:durative-action dc :parameters () :duration (= ?duration 3)"
      " :condition (and (at start (bdone)) (over all (a))) :effect (at end (c))))";
  const auto solved = solve(domain, problem("(:init) (:goal (c))"));
  ASSERT_EQ(solved.result.outcome, TaskOutcome::solved);
  EXPECT_EQ(solved.result.plan.size(), 3u);
}

TEST(Semantics, TimedLiteralsOpenAndCloseWindows) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :timed-initial-literals)"
      "(:predicates (open) (bought) (home)) (:durative-action walk :parameters ()"
      " :duration (= ?duration 4) :condition () :effect (at end (home)))"
      "(:durative-action buy :parameters () :duration (= ?duration 3)"
      " :condition (and (at start (home)) (over all (open))) :effect (at end (bought))))";
  const auto in_time =
      solve(domain, problem("(:init (at 10 (open)) (at 14 (not (open)))) (:goal (bought))"));
  ASSERT_EQ(in_time.result.outcome, TaskOutcome::solved);
  EXPECT_GT(in_time.result.makespan, 13);
  EXPECT_LE(in_time.result.makespan, 14);
  EXPECT_NE(solve(domain, problem("(:init (at 10 (open)) (at 12 (not (open)))) (:goal (bought))"))
                .result.outcome,
            TaskOutcome::solved);
  EXPECT_NE(
      solve(domain, problem("(:init (open) (at 5 (not (open)))) (:goal (bought))")).result.outcome,
      TaskOutcome::solved);
}

TEST(Semantics, DurationsInEffectsAndInequalities) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :fluents :duration-inequalities)"
      "(:predicates (p)) (:functions (level) (rate))"
      "(:durative-action fill :parameters ()"
      " :duration (and (>= ?duration 2) (<= ?duration 4)) :condition (at start (< (level) 20))"
      " :effect (at end (increase (level) (* ?duration (rate))))))";
  const auto solved =
      solve(domain, problem("(:init (= (level) 0) (= (rate) 3)) (:goal (>= (level) 12))"));
  ASSERT_EQ(solved.result.outcome, TaskOutcome::solved);
  for (const PlannedAction& action : solved.result.plan) {
    EXPECT_GE(action.duration, 2 - 1e-9);
    EXPECT_LE(action.duration, 4 + 1e-9);
  }
}

TEST(Semantics, EndEffectsMayDependOnTheStart) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :conditional-effects)"
      "(:predicates (wet) (cold) (ice)) (:durative-action freeze :parameters ()"
      " :duration (= ?duration 2) :condition () :effect (and (at start (not (wet)))"
      "  (when (and (at start (wet)) (at end (cold))) (at end (ice))))))";
  EXPECT_EQ(solve(domain, problem("(:init (wet) (cold)) (:goal (ice))")).result.plan.size(), 1u);
  EXPECT_NE(solve(domain, problem("(:init (cold)) (:goal (ice))")).result.outcome,
            TaskOutcome::solved);
}

// Over-all (or p q) survives two changes in one order only; the schedule must keep that order.
TEST(Semantics, JointOverAllConditionsKeepTheirOrder) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :adl)"
      "(:predicates (p) (q) (r) (s) (on) (ok))"
      "(:durative-action hold :parameters () :duration (= ?duration 10)"
      " :condition (and (over all (or (p) (q)))) :effect (and (at start (on)) (at end (not (on)))"
      "  (at end (ok))))"
      "(:durative-action lose :parameters () :duration (= ?duration 1) :condition (at start (on))"
      " :effect (and (at end (not (p))) (at end (r))))"
      "(:durative-action gain :parameters () :duration (= ?duration 3) :condition (at start (on))"
      " :effect (and (at end (q)) (at end (s)))))";
  const auto solved = solve(domain, problem("(:init (p)) (:goal (and (r) (s) (ok) (not (p))))"));
  EXPECT_EQ(solved.result.outcome, TaskOutcome::solved);
}

// Over-all conditions are about the open interval: an action as long as its envelope fits into it.
TEST(Semantics, AnActionAsLongAsItsEnvelope) {
  const auto domain = [](const std::string& envelope, const std::string& inner) {
    return "(define (domain d) (:requirements :durative-actions) (:predicates (light) (mended))"
           "(:durative-action strike :parameters () :duration (= ?duration " +
           envelope +
           ") :condition () :effect (and (at start (light)) (at end (not (light)))))"
           "(:durative-action mend :parameters () :duration (= ?duration " +
           inner + ") :condition (over all (light)) :effect (at end (mended))))";
  };
  const std::string dark = problem("(:init) (:goal (mended))");
  const auto equal = solve(domain("5", "5"), dark);
  ASSERT_EQ(equal.result.outcome, TaskOutcome::solved) << equal.result.reason;
  EXPECT_DOUBLE_EQ(equal.result.plan[0].start, equal.result.plan[1].start);
  // Where there is room, events that could coincide are kept apart.
  const auto shorter = solve(domain("5", "4"), dark);
  ASSERT_EQ(shorter.result.outcome, TaskOutcome::solved);
  EXPECT_GT(shorter.result.plan[1].start, shorter.result.plan[0].start);
  // 0.1 + 0.2 and the like: sums that are equal but for rounding.
  EXPECT_EQ(solve(domain("0.3", "0.3"), dark).result.outcome, TaskOutcome::solved);
  const auto longer = solve(domain("5", "5.1"), dark);
  EXPECT_EQ(longer.result.outcome, TaskOutcome::unsolvable);
  EXPECT_NE(longer.result.reason.find("(light) for as long as the action takes"), std::string::npos)
      << longer.result.reason;
}

// Each of two actions provides what the other needs throughout: they start together or not at all.
TEST(Semantics, ActionsThatHoldEachOther) {
  const auto domain = [](const std::string& when) {
    return "(define (domain d) (:requirements :durative-actions) (:predicates (p) (q) (r) (s))"
           "(:durative-action a :parameters () :duration (= ?duration 5) :condition (over all (p))"
           " :effect (and (at " +
           when +
           " (q)) (at end (r))))"
           "(:durative-action b :parameters () :duration (= ?duration 4) :condition (over all (q))"
           " :effect (and (at start (p)) (at end (s)))))";
  };
  const std::string both = problem("(:init) (:goal (and (r) (s)))");
  const auto solved = solve(domain("start"), both);
  ASSERT_EQ(solved.result.outcome, TaskOutcome::solved) << solved.result.reason;
  EXPECT_DOUBLE_EQ(solved.result.plan[0].start, solved.result.plan[1].start);
  EXPECT_EQ(solve(domain("end"), both).result.outcome, TaskOutcome::unsolvable);
}

TEST(Semantics, StartEffectsProvideWhatTheActionNeedsThroughout) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :adl :fluents) (:predicates (p) (q) (r))"
      "(:functions (n))"
      "(:durative-action a :parameters () :duration (= ?duration 5) :condition (and"
      "  (over all (not (p))) (over all (>= (n) 2)) (over all (or (q) (r))))"
      " :effect (and (at start (not (p))) (at start (increase (n) 2)) (at start (when (p) (q)))"
      "  (at end (r)))))";
  EXPECT_EQ(solve(domain, problem("(:init (p) (= (n) 0)) (:goal (r))")).result.outcome,
            TaskOutcome::solved);
}

// What a start provides is there at once, however long the action takes.
TEST(Semantics, ADeadlineForWhatAStartProvides) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :timed-initial-literals)"
      "(:predicates (open) (ready) (done))"
      "(:durative-action prepare :parameters () :duration (= ?duration 10) :condition ()"
      " :effect (at start (ready)))"
      "(:durative-action use :parameters () :duration (= ?duration 2)"
      " :condition (and (at start (ready)) (over all (open))) :effect (at end (done))))";
  EXPECT_EQ(
      solve(domain, problem("(:init (open) (at 5 (not (open)))) (:goal (done))")).result.outcome,
      TaskOutcome::solved);
  const auto late = solve(domain, problem("(:init (open) (at 1 (not (open)))) (:goal (done))"));
  EXPECT_EQ(late.result.outcome, TaskOutcome::unsolvable);
}

// What timed literals do after the last action is no part of the plan.
TEST(Semantics, TimedLiteralsAfterThePlanDoNotCount) {
  const std::string domain =
      "(define (domain d) (:requirements :durative-actions :timed-initial-literals)"
      "(:predicates (open) (done)) (:durative-action work :parameters () :duration (= ?duration 2)"
      " :condition () :effect (at end (done))))";
  const auto plain = solve(domain, problem("(:init (at 50 (open))) (:goal (done))"));
  ASSERT_EQ(plain.result.outcome, TaskOutcome::solved);
  EXPECT_DOUBLE_EQ(plain.result.makespan, 2);
  EXPECT_NE(
      solve(domain, problem("(:init (at 50 (open))) (:goal (and (open) (done)))")).result.outcome,
      TaskOutcome::unsolvable);
}

// A sum of decimals is not what it looks like: what is refused because of it is not proved.
TEST(Semantics, RoundedNumbersProveNothing) {
  const auto domain = [](const std::string& a, const std::string& b) {
    return "(define (domain d) (:requirements :fluents :negative-preconditions)"
           "(:predicates (p) (q)) (:functions (x))"
           "(:action a :parameters () :precondition (not (p)) :effect (and (p) (increase (x) " +
           a +
           ")))"
           "(:action b :parameters () :precondition (not (q)) :effect (and (q) (increase (x) " +
           b + "))))";
  };
  EXPECT_NE(
      solve(domain("0.1", "0.2"), problem("(:init (= (x) 0)) (:goal (= (x) 0.3))")).result.outcome,
      TaskOutcome::unsolvable);
  EXPECT_EQ(
      solve(domain("1", "2"), problem("(:init (= (x) 0)) (:goal (= (x) 3))")).result.plan.size(),
      2u);
  EXPECT_EQ(
      solve(domain("1", "2.5"), problem("(:init (= (x) 0)) (:goal (= (x) 3))")).result.outcome,
      TaskOutcome::unsolvable);
}

TEST(Semantics, UnsolvableSaysWhatIsOutOfReach) {
  const std::string domain =
      "(define (domain d) (:predicates (p) (q) (r) (s)) (:action a :parameters ()"
      " :precondition (q) :effect (and (p) (q))) (:action b :parameters () :precondition (s)"
      " :effect (r)))";
  const auto never = solve(domain, problem("(:init (q)) (:goal (and (p) (r)))"));
  EXPECT_EQ(never.result.outcome, TaskOutcome::unsolvable);
  EXPECT_NE(never.result.reason.find("(r) (p.pddl:1)"), std::string::npos) << never.result.reason;
}

}  // namespace
}  // namespace proven::task
