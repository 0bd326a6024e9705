#include "fuzz.h"
#include "proven/task/pddl.h"
#include "proven/task/validate.h"

namespace proven::fuzz {
namespace {

constexpr const char* kDomain = R"((define (domain carry)
  (:requirements :typing :durative-actions :fluents :derived-predicates :timed-initial-literals)
  (:types place part - object)
  (:constants shelf - place)
  (:predicates (robot-at ?p - place) (at ?x - part ?p - place) (held ?x - part) (empty) (busy))
  (:functions (distance ?a ?b - place) (fuel))
  (:derived (busy) (not (empty)))
  (:durative-action move
    :parameters (?from ?to - place)
    :duration (= ?duration (* 2 (distance ?from ?to)))
    :condition (and (at start (robot-at ?from)) (over all (>= (fuel) 0)))
    :effect (and (at start (not (robot-at ?from))) (at end (robot-at ?to)) (at end (decrease (fuel) 1))))
  (:action pick
    :parameters (?x - part ?p - place)
    :precondition (and (robot-at ?p) (at ?x ?p) (or (empty) (imply (empty) (busy))) (forall (?y - part) (not (held ?y))))
    :effect (and (held ?x) (not (empty)) (when (at ?x ?p) (not (at ?x ?p)))))
))";
constexpr const char* kProblem = R"((define (problem two) (:domain carry)
  (:objects bench - place gear shaft - part)
  (:init (robot-at shelf) (at gear bench) (empty) (= (fuel) 3) (= (distance bench shelf) 1.5) (at 5 (at shaft bench)))
  (:goal (and (at gear shelf) (exists (?x - part) (held ?x))))
  (:metric minimize (+ (total-time) (fuel))))
)";
constexpr const char* kPlan = "0.0: (pick gear bench) [1]\n1.5: (move bench shelf) [3.0]\n";

const task::Domain& domain() {
  static const task::Domain domain = task::parse_domain(kDomain, "domain").value();
  return domain;
}

bool read_domain(Bytes input) {
  return answers(task::parse_domain(as_text(input), "domain"));
}
bool read_problem(Bytes input) {
  return answers(task::parse_problem(as_text(input), "problem", domain()));
}
bool read_plan(Bytes input) {
  return answers(task::validate_plan(kDomain, kProblem, as_text(input), {}));
}

}  // namespace

std::vector<Fuzzer> task_fuzzers() {
  return {{"pddl_domain",
           read_domain,
           {"task/bad_pddl/*.pddl"},
           [] { return std::vector<std::string>{kDomain}; }},
          {"pddl_problem", read_problem, {}, [] { return std::vector<std::string>{kProblem}; }},
          {"pddl_plan", read_plan, {}, [] { return std::vector<std::string>{kPlan}; }}};
}

}  // namespace proven::fuzz
