// A small PDDL problem: planned, and the plan judged by code that shares nothing with the planner.
#include <cstdio>

#include "proven/task/planner.h"

using namespace proven::task;

constexpr const char* kDomain = R"(
(define (domain carry)
  (:requirements :typing :durative-actions)
  (:types place part)
  (:predicates (robot-at ?p - place) (at ?x - part ?p - place) (held ?x - part) (empty))
  (:durative-action move
    :parameters (?from ?to - place)
    :duration (= ?duration 3)
    :condition (at start (robot-at ?from))
    :effect (and (at start (not (robot-at ?from))) (at end (robot-at ?to))))
  (:durative-action pick
    :parameters (?x - part ?p - place)
    :duration (= ?duration 1)
    :condition (and (over all (robot-at ?p)) (at start (at ?x ?p)) (at start (empty)))
    :effect (and (at start (not (empty))) (at start (not (at ?x ?p))) (at end (held ?x))))
  (:durative-action place
    :parameters (?x - part ?p - place)
    :duration (= ?duration 1)
    :condition (and (over all (robot-at ?p)) (at start (held ?x)))
    :effect (and (at start (not (held ?x))) (at end (at ?x ?p)) (at end (empty)))))
)";

constexpr const char* kProblem = R"(
(define (problem two-parts)
  (:domain carry)
  (:objects bench shelf - place gear shaft - part)
  (:init (robot-at shelf) (at gear bench) (at shaft bench) (empty))
  (:goal (and (at gear shelf) (at shaft shelf)))
  (:metric minimize (total-time)))
)";

int main() {
  const auto domain = parse_domain(kDomain, "domain");
  if (!domain.ok()) return std::puts(domain.error().text().c_str()), 4;
  const auto problem = parse_problem(kProblem, "problem", domain.value());
  if (!problem.ok()) return std::puts(problem.error().text().c_str()), 4;
  const auto result =
      plan_task(domain.value(), problem.value(), {}, proven::Budget::of_seconds(10));
  if (!result.ok() || result.value().outcome != TaskOutcome::solved) return 3;
  const std::string plan = to_text(result.value().plan);
  std::printf("%s", plan.c_str());
  const auto judged = validate_plan(kDomain, kProblem, plan, {});
  if (!judged.ok()) return 4;
  std::printf("makespan %.2f, %s\n", result.value().makespan,
              judged.value().valid ? "valid" : judged.value().reason.c_str());
  return judged.value().valid ? 0 : 5;
}
