// The judge of plans: what it accepts, and every way to be wrong.
#include "proven/task/validate.h"
#include "support.h"

namespace proven::task {
namespace {

const char* const kDomain =
    "(define (domain d) (:requirements :durative-actions :typing :fluents) (:types truck place)"
    "(:predicates (at ?t - truck ?p - place) (open ?p - place)) (:functions (fuel ?t - truck))"
    "(:durative-action drive :parameters (?t - truck ?a ?b - place) :duration (= ?duration 5)"
    " :condition (and (at start (at ?t ?a)) (at start (>= (fuel ?t) 2)) (over all (open ?b)))"
    " :effect (and (at start (not (at ?t ?a))) (at end (at ?t ?b))"
    "  (at start (decrease (fuel ?t) 2))))"
    "(:action close :parameters (?p - place) :precondition (open ?p) :effect (not (open ?p))))";
const char* const kProblem =
    "(define (problem p) (:domain d) (:objects t - truck a b c - place)"
    "(:init (at t a) (open a) (open b) (open c) (= (fuel t) 4) (at 30 (not (open c))))"
    "(:goal (at t c)) (:metric minimize (+ (total-time) (fuel t))))";

Validation judge(const std::string& plan) {
  const auto result = validate_plan(kDomain, kProblem, plan, {});
  EXPECT_TRUE(result.ok()) << result.error().text();
  return result.ok() ? result.value() : Validation{};
}

std::string reason(const std::string& plan) {
  const Validation result = judge(plan);
  EXPECT_FALSE(result.valid) << plan;
  return result.reason;
}

TEST(Validator, AcceptsAndMeasures) {
  const Validation result =
      judge("; a comment\n0.000: (drive t a b) [5.000]\n5.001: (DRIVE t b c) [5]\n");
  EXPECT_TRUE(result.valid) << result.reason;
  EXPECT_EQ(result.actions, 2);
  EXPECT_NEAR(result.makespan, 10.001, 1e-12);
  EXPECT_NEAR(result.metric.value_or(-1), 10.001, 1e-9);
  EXPECT_TRUE(judge("0: (drive t a c) [5]\n").valid);
}

TEST(Validator, RejectsEveryBrokenRule) {
  EXPECT_NE(reason("0: (drive t b c) [5]").find("condition does not hold"), std::string::npos);
  EXPECT_NE(reason("0: (drive t a b) [5]").find("goal"), std::string::npos);
  EXPECT_NE(reason("0: (drive t a c) [4]").find("duration"), std::string::npos);
  EXPECT_NE(reason("0: (fly t a c) [5]").find("no such action"), std::string::npos);
  EXPECT_NE(reason("0: (drive t a) [5]").find("number of arguments"), std::string::npos);
  EXPECT_NE(reason("0: (drive a t c) [5]").find("wrong type"), std::string::npos);
  // Over-all: a place closes while the truck is on its way, by an action and by the clock.
  EXPECT_NE(reason("0: (drive t a c) [5]\n2: (close c)").find("over-all"), std::string::npos);
  EXPECT_NE(reason("27: (drive t a c) [5]").find("over-all"), std::string::npos);
  // Fuel for two drives only.
  EXPECT_NE(reason("0: (drive t a b) [5]\n6: (drive t b a) [5]\n12: (drive t a c) [5]")
                .find("condition does not hold"),
            std::string::npos);
}

TEST(Validator, DependentEventsNeedTheirSeparation) {
  EXPECT_NE(reason("0: (drive t a b) [5]\n5: (drive t b c) [5]").size(), 0u);
  EXPECT_NE(reason("0: (drive t a b) [5]\n5.0005: (drive t b c) [5]").find("interferes"),
            std::string::npos);
  EXPECT_TRUE(judge("0: (drive t a b) [5]\n5.001: (drive t b c) [5]").valid);
}

TEST(Validator, UnreadablePlansAreErrors) {
  for (const char* plan : {"hello", "0: drive t a", "x: (drive t a c) [5]", "0: (drive t a c) [x]",
                           "-1: (drive t a c) [5]", "0: () [5]"}) {
    const auto result = validate_plan(kDomain, kProblem, plan, {});
    EXPECT_FALSE(result.ok()) << plan;
  }
  EXPECT_FALSE(validate_plan("(define", kProblem, "", {}).ok());
  EXPECT_FALSE(validate_plan(kDomain, "", "", {}).ok());
}

// Two increases at the same time are harmless; an increase and a reader are not.
TEST(Validator, SimultaneousNumericEffects) {
  const char* domain =
      "(define (domain d) (:requirements :fluents) (:predicates (p)) (:functions (x))"
      "(:action up :parameters () :effect (increase (x) 1))"
      "(:action up2 :parameters () :effect (increase (x) 2))"
      "(:action set :parameters () :effect (assign (x) 2))"
      "(:action use :parameters () :precondition (>= (x) 0) :effect (p)))";
  const auto valid = [&](const char* goal, const char* plan) {
    const std::string problem =
        std::string("(define (problem q) (:domain d) (:init (= (x) 0))") + "(:goal " + goal + "))";
    const auto result = validate_plan(domain, problem, plan, {});
    EXPECT_TRUE(result.ok());
    return result.value().valid;
  };
  EXPECT_TRUE(valid("(= (x) 3)", "1: (up)\n1: (up2)\n"));
  EXPECT_FALSE(valid("(= (x) 2)", "1: (set)\n1: (up)\n"));
  EXPECT_FALSE(valid("(p)", "1: (use)\n1: (up)\n"));
  EXPECT_TRUE(valid("(p)", "1: (use)\n2: (up)\n"));
}

}  // namespace
}  // namespace proven::task
