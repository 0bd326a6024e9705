"""Robots, roadmaps, traffic and tasks in Python: against themselves, brute force and the other layers."""

import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import proven
from proven import roadmap, spacetime, task

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def test_robot_tells_its_joints(tmp_path):
    file = tmp_path / "bar.urdf"
    file.write_text(
        '<robot name="bar"><link name="base"/><link name="a"/><link name="b"/>'
        '<joint name="turn" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="2" velocity="3"/></joint>'
        '<joint name="follow" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>'
        '<limit lower="0" upper="1"/><mimic joint="turn" multiplier="0.5"/></joint></robot>'
    )
    robot = proven.load_urdf(file)
    assert robot.links == ["base", "a", "b"]
    turn, follow = robot.joints
    assert (turn.name, turn.type, turn.limits, turn.velocity) == ("turn", "revolute", (-1, 2), 3)
    assert tuple(turn.axis) == (0, 0, 1) and turn.mimic is None
    assert follow.mimic == ("turn", 0.5, 0)
    assert "1 joints that move" in repr(robot)
    with pytest.raises(proven.Error, match="nowhere.urdf"):
        proven.load_urdf(tmp_path / "nowhere.urdf")


def test_query_of_a_file(tmp_path):
    scene = proven.built_in_scene("lever")
    file = tmp_path / "query.json"
    file.write_text(
        '{"proven": 1, "joints": ["%s"], "start": [0.1], "goal": [0.2]}' % scene.joints[0]
    )
    query = proven.load_query(file, scene)
    assert query.start[0] == 0.1 and query.goal[0] == 0.2
    assert f"1 of {len(scene.joints)}" in repr(query)


@pytest.fixture(scope="module")
def corridor():
    scene = proven.built_in_scene("corridor-5")
    still = scene.without_obstacles()
    return scene, still, roadmap.build(still, nodes=250, cell=0.08, planar=True)


def test_without_obstacles_only_the_robot_is_left(corridor):
    scene, still, _ = corridor
    assert len(still.bodies) < len(scene.bodies) and still.joints == scene.joints


def test_roadmap_arcs_that_are_left_are_free(corridor, tmp_path):
    scene, still, model = corridor
    assert model.nodes.shape == (model.num_nodes, 5) and model.arcs.shape == (model.num_arcs, 2)
    occupied = roadmap.voxelise(model, scene)
    assert 0 < len(occupied) < model.num_cells
    planner = roadmap.Planner(model, still)
    planner.set_occupied(occupied)
    np.testing.assert_array_equal(planner.occupied, occupied)
    solved = 0
    for goal in model.nodes[:40]:
        found = planner.plan([2.0, 0.0, 0.0, 0.0, 0.0], goal)
        if found.status != "solved":
            assert found.reason
            continue
        solved += 1
        # Proved against cells alone; the true boxes lie inside them.
        assert proven.check(scene, found.path).verdict == "free"
    assert solved >= 2
    file = tmp_path / "arm.roadmap"
    roadmap.save_roadmap(file, model)
    again = roadmap.load_roadmap(file)
    np.testing.assert_array_equal(again.nodes, model.nodes)
    assert repr(again) == repr(model)


def test_points_occupy_their_cells(corridor):
    _, _, model = corridor
    low, high = model.cell_box(model.num_cells // 2)
    cells = roadmap.voxelise_points(model, [(low + high) / 2])
    assert model.num_cells // 2 in cells
    with pytest.raises(proven.Error, match="no cell"):
        roadmap.Planner(model, corridor[1]).set_occupied([model.num_cells + 7])


def crossing(rng):
    """A car that passes a pedestrian, at random."""
    t = np.linspace(0, 4, 9)
    walk = np.column_stack([rng.uniform(5, 25) + 0 * t, -4 + rng.uniform(0.5, 2.5) * t, np.pi / 2 + 0 * t])
    drive = np.column_stack([rng.uniform(4, 9) * t, 0 * t, 0 * t])
    return t, walk, drive


def test_traffic_against_dense_samples():
    rng = np.random.default_rng(3)
    car, person = spacetime.Footprint.box(4.0, 2.0), spacetime.Footprint.circle(0.3)
    seen = {"free": 0, "collision": 0}
    for _ in range(200):
        t, walk, drive = crossing(rng)
        scene = spacetime.TrafficScene(
            [spacetime.Obstacle("person", person, motion=spacetime.Trajectory(t, walk))]
        )
        trajectory = spacetime.Trajectory(t, drive)
        result = spacetime.check(scene, car, trajectory)
        dense = np.linspace(0, 4, 4001)
        dx = np.interp(dense, t, walk[:, 0]) - np.interp(dense, t, drive[:, 0])
        dy = np.interp(dense, t, walk[:, 1])
        gap = np.hypot(np.maximum(np.abs(dx) - 2, 0), np.maximum(np.abs(dy) - 1, 0)) - 0.3
        if abs(gap.min()) < 1e-2:
            continue
        expected = "free" if gap.min() > 0 else "collision"
        assert result.verdict == expected
        seen[expected] += 1
        low, high = spacetime.metrics(scene, car, trajectory)["clearance"]
        assert low <= max(gap.min(), 0) + 1e-9 and high >= max(gap.min(), 0) - 1e-2
        if result.contact:
            assert result.contact["obstacle"] == "person"
            assert result.contact["t_lower"] <= result.contact["t"]
            assert result.contact["t"] == pytest.approx(dense[np.argmax(gap <= 0)], abs=5e-3)
    assert min(seen.values()) > 20


def test_many_candidates_have_the_verdicts_of_single_ones():
    rng = np.random.default_rng(4)
    t, walk, _ = crossing(rng)
    car = spacetime.Footprint.box(4.0, 2.0)
    person = spacetime.Obstacle(
        "person", spacetime.Footprint.circle(0.3), motion=spacetime.Trajectory(t, walk)
    )
    scene = spacetime.TrafficScene([person])
    x = np.linspace(2, 9, 50)[:, None] * t
    zero = np.zeros_like(x)
    many = spacetime.verdicts(scene, car, t, x, zero, zero)
    single = [
        spacetime.check(scene, car, spacetime.Trajectory(t, np.column_stack([row, 0 * t, 0 * t]))).verdict
        for row in x
    ]
    assert many == single and len(set(many)) == 2
    with pytest.raises(proven.Error, match="one row for each candidate"):
        spacetime.verdicts(scene, car, t, x, zero[:, :3], zero)
    with pytest.raises(proven.Error, match="no interpolation"):
        spacetime.Trajectory(t, walk, between="magic")


def task_files(folder):
    """The PDDL of the example."""
    text = (EXAMPLES / "python/06_task.py").read_text()
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(text.split('DOMAIN = """')[1].split('"""')[0])
    problem.write_text(text.split('PROBLEM = """')[1].split('"""')[0])
    return domain, problem


def test_task_plans_are_judged(tmp_path):
    domain, problem = task_files(tmp_path)
    result = task.plan_task(domain, problem, max_seconds=20)
    assert result.outcome == "solved" and result.makespan > 0
    assert {a.name for a in result.plan} == {"move", "pick", "place"}
    assert task.validate_plan(domain, problem, result).valid
    worse = task.validate_plan(domain, problem, str(result).split("\n", 1)[1])
    assert not worse.valid and worse.reason and "rejected" in repr(worse)
    problem.write_text(problem.read_text().replace("(robot-at shelf)", ""))
    assert task.plan_task(domain, problem, max_seconds=20).outcome == "unsolvable"
    domain.write_text("(define (domain")
    with pytest.raises(proven.Error, match="domain.pddl"):
        task.plan_task(domain, problem)


SHELF = """(define (domain shelf) (:requirements :typing :modules) (:types block)
 (:modules (fits ?b - block conditionchecker fits@shelf.py)) (:predicates (on ?b - block))
 (:action put :parameters (?b - block) :precondition ([fits ?b]) :effect (on ?b)))"""
FITS = """from proven_module import condition
@condition
def fits(state, block):
    if block == "a":
        return True
    state.explain(f"{block} is too wide")
    return False
"""


def test_bounds_refusals_and_quality_over_time_reach_python(tmp_path):
    domain, problem = task_files(tmp_path)
    result = task.plan_task(domain, problem, max_seconds=20)
    assert 0 < result.bound <= result.metric + 1e-9
    assert result.found[-1].metric == result.metric and result.found[-1].actions == len(result.plan)
    assert all(x.metric > y.metric and x.seconds <= y.seconds for x, y in zip(result.found, result.found[1:]))
    assert result.unreached == [] and result.replies == [] and result.processor_seconds > 0
    shelf, goal = tmp_path / "shelf.pddl", tmp_path / "goal.pddl"
    shelf.write_text(SHELF)
    (tmp_path / "shelf.py").write_text(FITS)
    goal.write_text("(define (problem p) (:domain shelf) (:objects a b - block) (:init) (:goal (and (on a) (on b))))")
    result = task.plan_task(shelf, goal, max_seconds=20)
    assert result.outcome == "unsolvable" and result.unreached == ["(on b)"]
    assert [(r.call, r.answer, r.reason) for r in result.replies] == [("[fits b]", "no", "b is too wide"), ("[fits a]", "yes", "")]
    assert all(r.times > 0 and r.seconds > 0 for r in result.replies) and "too wide" in repr(result.replies[0])
    assert result.bound is None and result.found == []
    (tmp_path / "shelf.py").write_text(FITS.replace("    if", "    while True: pass\n    if"))
    result = task.plan_task(shelf, goal, max_processor_seconds=1)
    assert result.outcome == "undecided" and "processor time" in result.reason


def test_ctrl_c_stops_a_long_build(corridor):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        roadmap.build(corridor[1], nodes=200_000, cell=0.02, planar=True)
    # Without the stop it takes minutes.
    assert time.monotonic() - begin < 20


HUGE_DOMAIN = """(define (domain d) (:requirements :typing :adl) (:types thing) (:predicates (done ?x - thing))
  (:action do :parameters (?x - thing) :effect (done ?x)))"""
# The goal has 60^6 instances.
HUGE_PROBLEM = f"""(define (problem p) (:domain d) (:objects {" ".join(f"t{i}" for i in range(60))} - thing)
  (:init) (:goal (forall (?a ?b ?c ?d ?e ?f - thing) (or (done ?a) (done ?b) (done ?c) (done ?d) (done ?e) (done ?f)))))"""


@pytest.mark.parametrize("call", [lambda d, p: task.plan_task(d, p), lambda d, p: task.validate_plan(d, p, "0: (do t0)")],
                         ids=["plan", "validate"])
def test_ctrl_c_stops_task_planning_and_the_judge(tmp_path, call):
    domain, problem = tmp_path / "d.pddl", tmp_path / "p.pddl"
    domain.write_text(HUGE_DOMAIN)
    problem.write_text(HUGE_PROBLEM)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    # Without the stop it takes days.
    with pytest.raises(KeyboardInterrupt):
        call(domain, problem)
