// Two arms that face each other, each with a table that the other one cannot reach: what must get
// from one table to the other is handed over in between.
#include <fmt/format.h>

#include "manipulation/fluents.h"
#include "manipulation/parts.h"

namespace proven::manipulation {
namespace {

constexpr double kTableHeight = 0.60;
constexpr double kApart = 1.30;          // of the arms
constexpr double kMeetingHeight = 0.90;  // of the lower end of what is handed over
constexpr double kBarWidth = 0.05, kBarHeight = 0.24;

CollisionElement box(const Vec3& size, const Vec3& p) {
  return {Box{0.5 * size}, Pose::translation(p), {}};
}

// An arm on its pedestal, and a table beside it with four places.
void add_side(World& world, const std::string& name, double x, int turns) {
  const Pose X_WR{quarter_turns(turns), {x, 0, kTableHeight}};
  world.scene.robots.push_back({name, make_seven_joint_arm(), X_WR});
  world.arms.push_back(describe_arm(name));
  world.arms.back().name = name;
  ObstacleSource pedestal{name + "_pedestal", {}, Pose::translation({x, 0, 0})};
  pedestal.elements.push_back(box({0.24, 0.24, kTableHeight}, {0, 0, 0.5 * kTableHeight}));
  world.scene.obstacles.push_back(std::move(pedestal));
  ObstacleSource table{name + "_table", {}, Pose::translation({x, 0.63, 0})};
  table.elements.push_back(box({0.72, 0.50, 0.04}, {0, 0, kTableHeight - 0.02}));
  world.scene.obstacles.push_back(std::move(table));
  int number = 0;
  for (const double y : {0.52, 0.72})
    for (const double side : {-0.20, 0.20}) {
      Place place;
      place.name = fmt::format("{}_{}", name, ++number);
      for (int k = 0; k < 4; ++k)
        place.release.push_back({quarter_turns(k), {x + side, y, kTableHeight + kStandingGap}});
      world.places.push_back(std::move(place));
    }
}

// A bar that stands, gripped from all four sides: near its upper end, or lower.
void add_bar(World& world, const std::string& name) {
  Object bar;
  bar.name = name;
  bar.grip = grip_for(kBarWidth);
  for (int k = 0; k < 4; ++k) {
    const Mat3 R = quarter_turns(k);
    for (const auto& [grasp, height] : {std::pair("high", 0.18), std::pair("low", 0.08)})
      bar.grasps[grasp].push_back(grip_pose(R.column(0), R.column(1), {0, 0, height}));
  }
  add_object(world, std::move(bar),
             {box({kBarWidth, kBarWidth, kBarHeight}, {0, 0, 0.5 * kBarHeight})});
}

World make_world() {
  World world;
  add_side(world, "left", -0.5 * kApart, 0);
  add_side(world, "right", 0.5 * kApart, 2);
  Place meeting;
  meeting.name = "middle";
  meeting.meeting = true;
  for (int k = 0; k < 4; ++k) meeting.release.push_back({quarter_turns(k), {0, 0, kMeetingHeight}});
  world.places.push_back(std::move(meeting));
  for (int i = 1; i <= 3; ++i) add_bar(world, fmt::format("bar_{}", i));
  return world;
}

// Numbers are written when an action starts: they say where arms and objects will be once all that
// has begun has ended. So each motion is found for the situation that the one before it leaves,
// whether that has ended or not; that those which overlap are free together is proved for the times
// that they get.
constexpr const char* kActions =
    " (:durative-action pick-up\n"
    "  :parameters (?a - arm ?x - movable ?y - table ?g - grasp)\n"
    "  :duration (= ?duration [timeTransit ?a ?x ?y ?g])\n"
    "  :condition (and (at start (not (moving ?a))) (at start (on ?x ?y))\n"
    "   (at start (empty ?a)) (at start ([checkTransit ?a ?x ?y ?g])))\n"
    "  :effect (and (at start (moving ?a)) (at end (not (moving ?a)))\n"
    "   (at start (not (on ?x ?y))) (at start (not (empty ?a))) (at end (holding ?a ?x ?g))\n"
    "   (at start ([applyTransit ?a ?x ?y ?g]))))\n"
    " (:durative-action put-down\n"
    "  :parameters (?a - arm ?x - movable ?y - table ?g - grasp)\n"
    "  :duration (= ?duration [timeTransfer ?a ?x ?y ?g])\n"
    "  :condition (and (at start (not (moving ?a))) (at start (holding ?a ?x ?g))\n"
    "   (at start ([checkTransfer ?a ?x ?y ?g])))\n"
    "  :effect (and (at start (moving ?a)) (at end (not (moving ?a)))\n"
    "   (at start (not (holding ?a ?x ?g))) (at end (empty ?a)) (at end (on ?x ?y))\n"
    "   (at start ([applyTransfer ?a ?x ?y ?g]))))\n"
    " (:durative-action offer\n"
    "  :parameters (?a - arm ?x - movable ?y - meeting ?g - grasp)\n"
    "  :duration (= ?duration [timeTransfer ?a ?x ?y ?g])\n"
    "  :condition (and (at start (not (moving ?a))) (at start (holding ?a ?x ?g))\n"
    "   (at start ([checkTransfer ?a ?x ?y ?g])))\n"
    "  :effect (and (at start (moving ?a)) (at end (not (moving ?a)))\n"
    "   (at start (not (holding ?a ?x ?g))) (at end (offered ?a ?x ?y))\n"
    "   (at start ([applyTransfer ?a ?x ?y ?g]))))\n"
    " (:durative-action reach-for\n"
    "  :parameters (?a ?b - arm ?x - movable ?y - meeting ?g - grasp)\n"
    "  :duration (= ?duration [timeTransit ?b ?x ?y ?g])\n"
    "  :condition (and (at start (not (moving ?a))) (at start (not (moving ?b)))\n"
    "   (at start (offered ?a ?x ?y)) (at start (empty ?b)) (at start (not (= ?a ?b)))\n"
    "   (at start ([checkTransit ?b ?x ?y ?g])))\n"
    "  :effect (and (at start (moving ?b)) (at end (not (moving ?b)))\n"
    "   (at start (not (offered ?a ?x ?y))) (at start (not (empty ?b)))\n"
    "   (at end (both ?a ?b ?x ?g)) (at start ([applyTransit ?b ?x ?y ?g]))))\n"
    " (:durative-action hand-over\n"
    "  :parameters (?a ?b - arm ?x - movable ?g - grasp)\n"
    "  :duration (= ?duration [timeHandover ?b ?x])\n"
    "  :condition (and (at start (not (moving ?a))) (at start (not (moving ?b)))\n"
    "   (at start (both ?a ?b ?x ?g)) (at start ([checkHandover ?b ?x])))\n"
    "  :effect (and (at start (moving ?a)) (at end (not (moving ?a)))\n"
    "   (at start (moving ?b)) (at end (not (moving ?b)))\n"
    "   (at start (not (both ?a ?b ?x ?g))) (at end (empty ?a)) (at end (holding ?b ?x ?g))\n"
    "   (at start ([applyHandover ?b ?x]))))\n";

std::string make_arms_domain(int joints) {
  std::string q, p, functions;
  for (int i = 0; i < joints; ++i) {
    q += fmt::format(" (q{} ?a)", i);
    functions += fmt::format(" (q{} ?a - arm)", i);
  }
  for (int i = 0; i < 12; ++i) {
    p += fmt::format(" (p{} ?x)", i);
    functions += fmt::format(" (p{} ?x - movable)", i);
  }
  std::string modules;
  for (const auto& [kind, hand] : {std::pair("Transit", ""), std::pair("Transfer", " (hand ?x)")})
    modules += fmt::format(
        "  (check{0} ?a - arm ?x - movable ?y - static ?g - grasp\n"
        "    conditionchecker check{0}@{1})\n"
        "  (apply{0} ?a - arm ?x - movable ?y - static ?g - grasp\n   {2}\n   {3}{4}\n"
        "    effect apply{0}@{1})\n"
        "  (time{0} ?a - arm ?x - movable ?y - static ?g - grasp cost time{0}@{1})\n",
        kind, "libproven_manipulation.so", q, p, hand);
  modules += fmt::format(
      "  (checkHandover ?a - arm ?x - movable conditionchecker checkHandover@{0})\n"
      "  (applyHandover ?a - arm ?x - movable (hand ?x) effect applyHandover@{0})\n"
      "  (timeHandover ?a - arm ?x - movable cost timeHandover@{0})\n",
      "libproven_manipulation.so");
  return fmt::format(
      "; Several arms: what each does is found for itself, and when it does it is proved for all.\n"
      "(define (domain arms)\n"
      " (:requirements :typing :durative-actions :fluents :adl :modules)\n"
      " (:types movable static grasp arm - object table meeting - static)\n"
      " (:predicates (on ?x - movable ?y - table) (empty ?a - arm) (moving ?a - arm)\n"
      "  (holding ?a - arm ?x - movable ?g - grasp)\n"
      "  (offered ?a - arm ?x - movable ?y - meeting)\n"
      "  (both ?a ?b - arm ?x - movable ?g - grasp))\n"
      " (:functions{} (hand ?x - movable))\n"
      " (:modules\n{} )\n{})\n",
      functions, modules, kActions);
}

TaskProblem make_arms_problem(const World& world, const Layout& layout) {
  std::string movables, tables, meetings, arms, initial, goal;
  for (const Place& place : world.places) (place.meeting ? meetings : tables) += " " + place.name;
  const std::vector<double> posture = waiting_posture();
  for (const Arm& arm : world.arms) {
    arms += " " + arm.name;
    initial += fmt::format("  (empty {})", arm.name);
    for (std::size_t i = 0; i < posture.size(); ++i)
      initial += fmt::format(" (= (q{} {}) {:.17g})", i, arm.name, posture[i]);
    initial += "\n";
  }
  for (const auto& [object, place] : layout.start) {
    movables += " " + object;
    initial += fmt::format("  (on {} {}) (= (hand {}) 0)\n ", object, place, object);
    const std::vector<double> values = pose_values(world.find_place(place)->release[0]);
    for (std::size_t i = 0; i < values.size(); ++i)
      initial += fmt::format(" (= (p{} {}) {:.17g})", i, object, values[i] == 0 ? 0.0 : values[i]);
    initial += "\n";
  }
  for (const auto& [object, place] : layout.goal) goal += fmt::format(" (on {} {})", object, place);
  return {layout.name,
          fmt::format("(define (problem {})\n (:domain arms)\n"
                      " (:moduleoptions (manipulationInit@libproven_manipulation.so world.json))\n"
                      " (:objects{} - movable{} - table{} - meeting high low - grasp{} - arm)\n"
                      " (:init\n{} )\n (:goal (and{}))\n (:metric minimize (total-time))\n)\n",
                      layout.name, movables, tables, meetings, arms, initial, goal)};
}

}  // namespace

TaskSet make_handover() {
  TaskSet set;
  set.name = "handover";
  set.caption = "Two seven-joint arms that hand bars over to each other";
  set.world = make_world();
  set.domain = make_arms_domain(7);
  const Layout layouts[] = {{"one", {{"bar_1", "left_2"}}, {{"bar_1", "right_1"}}},
                            {"two",
                             {{"bar_1", "left_2"}, {"bar_2", "left_4"}},
                             {{"bar_1", "right_3"}, {"bar_2", "right_1"}}},
                            {"exchange",
                             {{"bar_1", "left_2"}, {"bar_2", "right_1"}, {"bar_3", "right_4"}},
                             {{"bar_1", "right_3"}, {"bar_2", "left_4"}, {"bar_3", "right_2"}}}};
  for (const Layout& layout : layouts) set.problems.push_back(make_arms_problem(set.world, layout));
  return set;
}

}  // namespace proven::manipulation
