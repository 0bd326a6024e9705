"""A small PDDL problem: planned, and the plan judged by code that shares nothing with the planner."""

import pathlib
import tempfile

from proven import task

DOMAIN = """
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
"""

PROBLEM = """
(define (problem two-parts)
  (:domain carry)
  (:objects bench shelf - place gear shaft - part)
  (:init (robot-at shelf) (at gear bench) (at shaft bench) (empty))
  (:goal (and (at gear shelf) (at shaft shelf)))
  (:metric minimize (total-time)))
"""

with tempfile.TemporaryDirectory() as folder:
    domain, problem = pathlib.Path(folder, "domain.pddl"), pathlib.Path(folder, "problem.pddl")
    domain.write_text(DOMAIN)
    problem.write_text(PROBLEM)
    result = task.plan_task(domain, problem, max_seconds=10)
    print(result, end="")
    print(f"makespan {result.makespan:.2f},", task.validate_plan(domain, problem, result))
    # The same plan without its first action is refused, with the reason.
    print(task.validate_plan(domain, problem, str(result).split("\n", 1)[1]))
