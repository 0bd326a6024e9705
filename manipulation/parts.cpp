#include "manipulation/parts.h"

#include <fmt/format.h>

#include <numbers>

#include "manipulation/fluents.h"
#include "proven/io/file.h"

namespace proven::manipulation {
namespace {

constexpr double kFingerTravel = 0.055;  // of each finger, from closed to open
constexpr double kGripHeight = 0.20;     // from the wrist to the grip frame

CollisionElement element(Shape shape, const Vec3& p) {
  return {std::move(shape), Pose::translation(p), {}};
}

// A capsule along z between two heights of its axis.
CollisionElement limb(double radius, double from, double to) {
  return element(Capsule{radius, 0.5 * (to - from)}, {0, 0, 0.5 * (from + to)});
}

CollisionElement box(const Vec3& size, const Vec3& p) {
  return element(Box{0.5 * size}, p);
}

void add_link(Robot& robot, const std::string& name, CollisionElement shape) {
  RobotLink link;
  link.name = name;
  link.collision.push_back(std::move(shape));
  robot.links.push_back(std::move(link));
}

void add_joint(Robot& robot, const std::string& name, const std::string& parent,
               const std::string& child, double height, const Vec3& axis, double limit) {
  RobotJoint joint;
  joint.name = name;
  joint.type = JointType::revolute;
  joint.parent_link = parent;
  joint.child_link = child;
  joint.X_PJ = Pose::translation({0, 0, height});
  joint.axis = axis;
  joint.limits = {-limit, limit, 2.0, 8.0};
  robot.joints.push_back(joint);
}

RobotJoint finger_joint(const std::string& name, const std::string& finger, double side) {
  RobotJoint joint;
  joint.name = name;
  joint.type = JointType::prismatic;
  joint.parent_link = "hand";
  joint.child_link = finger;
  joint.X_PJ = Pose::translation({0, 0, 0.15});
  joint.axis = {side, 0, 0};
  joint.limits = {0, kFingerTravel, 0.2, 1.0};
  return joint;
}

// Going to a handle is a transit, moving the joint an operation; what stands on it rides along.
std::string make_fixture_modules(const std::string& q, const std::string& p,
                                 const std::string& library, bool timed) {
  std::string text = fmt::format(
      "  (checkReach ?d - fixture ?s - position ?g - grasp\n"
      "    conditionchecker checkTransit@{0})\n"
      "  (applyReach ?d - fixture ?s - position ?g - grasp\n   {1}\n"
      "    effect applyTransit@{0})\n"
      "  (checkOperation ?d - fixture ?s - position ?g - grasp\n"
      "    conditionchecker checkOperation@{0})\n"
      "  (applyOperation ?d - fixture ?s - position ?g - grasp\n   {1} (j ?d)\n"
      "    effect applyOperation@{0})\n"
      "  (applyRide ?x - movable ?d - fixture ?s - position\n   {2}\n"
      "    effect applyRide@{0})\n",
      library, q, p);
  if (timed)
    text += fmt::format(
        "  (timeReach ?d - fixture ?s - position ?g - grasp "
        "cost timeTransit@{0})\n"
        "  (timeOperation ?d - fixture ?s - position ?g - "
        "grasp cost timeOperation@{0})\n",
        library);
  return text;
}

std::string make_fixture_actions(bool timed) {
  return fmt::format(
      " (:durative-action reach-handle\n"
      "  :parameters (?d - fixture ?s - position ?g - grasp)\n"
      "  :duration (= ?duration {0})\n"
      "  :condition (and (at start (not (arm_moving))) (at start (at-position "
      "?d ?s))\n"
      "   (at start (handempty)) (at start ([checkReach ?d ?s ?g])))\n"
      "  :effect (and (at start (arm_moving)) (at end (not (arm_moving)))\n"
      "   (at end (not (handempty))) (at end (holding-handle ?d ?g))\n"
      "   (at end ([applyReach ?d ?s ?g]))))\n"
      " (:durative-action move-handle\n"
      "  :parameters (?d - fixture ?from ?to - position ?g - grasp)\n"
      "  :duration (= ?duration {1})\n"
      "  :condition (and (at start (not (arm_moving))) (at start "
      "(holding-handle ?d ?g))\n"
      "   (at start (at-position ?d ?from)) (at start (not (= ?from ?to)))\n"
      "   (at start ([checkOperation ?d ?to ?g])))\n"
      "  :effect (and (at start (arm_moving)) (at end (not (arm_moving)))\n"
      "   (at end (not (at-position ?d ?from))) (at end (at-position ?d ?to))\n"
      "   (at end (handempty)) (at end (not (holding-handle ?d ?g)))\n"
      "   (at end ([applyOperation ?d ?to ?g]))\n"
      "   (at end (forall (?x - movable) ([applyRide ?x ?d ?to])))))\n",
      timed ? "[timeReach ?d ?s ?g]" : "1", timed ? "[timeOperation ?d ?to ?g]" : "1");
}

std::string number(double value) {
  // Seventeen digits come back bit for bit.
  return fmt::format("{:.17g}", value == 0 ? 0.0 : value);
}

}  // namespace

// Links that could touch have another link between them, so that nothing but neighbours overlaps.
Robot make_seven_joint_arm() {
  Robot robot;
  robot.name = "seven";
  add_link(robot, "base", element(Cylinder{0.08, 0.10}, {0, 0, 0.10}));
  add_link(robot, "shoulder", element(Sphere{0.06}, {}));
  add_link(robot, "upper_arm", limb(0.055, 0.10, 0.26));
  add_link(robot, "elbow", element(Sphere{0.055}, {}));
  add_link(robot, "forearm", limb(0.045, 0.10, 0.28));
  add_link(robot, "wrist", element(Sphere{0.045}, {}));
  add_link(robot, "flange", limb(0.035, 0.05, 0.06));
  add_link(robot, "hand", box({0.15, 0.04, 0.04}, {0, 0, 0.13}));
  add_link(robot, "finger_left", box({0.015, 0.02, 0.08}, {0.0075, 0, 0.04}));
  add_link(robot, "finger_right", box({0.015, 0.02, 0.08}, {-0.0075, 0, 0.04}));
  const Vec3 y = {0, 1, 0}, z = {0, 0, 1};
  add_joint(robot, "joint_1", "base", "shoulder", 0.30, z, 2.96);
  add_joint(robot, "joint_2", "shoulder", "upper_arm", 0, y, 2.0);
  add_joint(robot, "joint_3", "upper_arm", "elbow", 0.42, z, 2.96);
  add_joint(robot, "joint_4", "elbow", "forearm", 0, y, 2.4);
  add_joint(robot, "joint_5", "forearm", "wrist", 0.40, z, 2.96);
  add_joint(robot, "joint_6", "wrist", "flange", 0, y, 2.0);
  add_joint(robot, "joint_7", "flange", "hand", 0, z, 2.96);
  robot.joints.push_back(finger_joint("fingers", "finger_left", 1));
  RobotJoint other = finger_joint("other_finger", "finger_right", -1);
  other.mimic = Mimic{"fingers", 1, 0};
  robot.joints.push_back(other);
  return robot;
}

Arm describe_arm(const std::string& robot) {
  Arm arm;
  for (int i = 1; i <= 7; ++i) arm.joints.push_back(fmt::format("{}/joint_{}", robot, i));
  arm.hand = robot + "/hand";
  arm.X_HT = Pose::translation({0, 0, kGripHeight});
  arm.fingers = robot + "/fingers";
  arm.open = kFingerTravel;
  arm.opening = 2 * kFingerTravel;
  arm.touch = {robot + "/finger_left", robot + "/finger_right"};
  return arm;
}

std::vector<double> waiting_posture() {
  return {0, -0.5, 0, 1.9, 0, 1.2, 0};
}

double grip_for(double width) {
  return 0.5 * width;
}

Pose grip_pose(const Vec3& approach, const Vec3& closing, const Vec3& p_OT) {
  return {Mat3::from_columns(closing, cross(approach, closing), approach), p_OT};
}

std::string make_domain(int joints, const DomainParts& parts) {
  std::string q, p, functions;
  for (int i = 0; i < joints; ++i) q += fmt::format(" (q{})", i);
  for (int i = 0; i < 12; ++i) {
    p += fmt::format(" (p{} ?x)", i);
    functions += fmt::format(" (p{} ?x - movable)", i);
  }
  const std::string library = "libproven_manipulation.so";
  std::string modules;
  for (const char* kind : {"Transit", "Transfer"}) {
    modules += fmt::format(
        "  (check{0} ?x - movable ?y - static ?g - grasp\n"
        "    conditionchecker check{0}@{1})\n"
        "  (apply{0} ?x - movable ?y - static ?g - grasp\n   {2}\n   {3}\n"
        "    effect apply{0}@{1})\n",
        kind, library, q, p);
    if (parts.timed)
      modules += fmt::format("  (time{0} ?x - movable ?y - static ?g - grasp cost time{0}@{1})\n",
                             kind, library);
  }
  const auto duration = [&](const char* kind) {
    return parts.timed ? fmt::format("[time{} ?x ?y ?g]", kind) : std::string("1");
  };
  // What carries something is not picked up, and carries nothing else at the same place.
  std::string clear, frees, free_below, covers, predicates;
  if (parts.stacking) {
    predicates = "\n  (top-of ?y - static ?z - movable) (clear ?z - movable)";
    clear = " (at start (clear ?x))";
    free_below = "\n   (at start (forall (?z - movable) (imply (top-of ?y ?z) (clear ?z))))";
    frees = "\n   (at end (forall (?z - movable) (when (top-of ?y ?z) (clear ?z))))";
    covers = "\n   (at end (forall (?z - movable) (when (top-of ?y ?z) (not (clear ?z)))))";
  }
  std::string types, fixture_actions;
  if (parts.fixtures) {
    types = " fixture position";
    functions += " (j ?d - fixture)";
    predicates +=
        "\n  (at-position ?d - fixture ?s - position) "
        "(holding-handle ?d - fixture ?g - grasp)"
        "\n  (needs ?y - static ?d - fixture ?s - position)";
    modules += make_fixture_modules(q, p, library, parts.timed);
    fixture_actions = make_fixture_actions(parts.timed);
    // What is inside cannot be reached while it is closed.
    const char* reachable =
        "\n   (at start (forall (?d - fixture ?s - position)"
        "\n    (imply (needs ?y ?d ?s) (at-position ?d ?s))))";
    clear += reachable;
    free_below += reachable;
  }
  return fmt::format(
      "; Pick up and put down, after paper 003: what is possible is decided by "
      "geometry.\n"
      "(define (domain manipulation)\n"
      " (:requirements :typing :durative-actions :fluents :adl :modules)\n"
      " (:types movable static grasp{10})\n"
      " (:predicates (on ?x - movable ?y - static) (handempty) (arm_moving)\n"
      "  (holding ?x - movable ?g - grasp){7})\n"
      " (:functions{0}\n  {1})\n"
      " (:modules\n{2} )\n"
      " (:durative-action pick-up\n"
      "  :parameters (?x - movable ?y - static ?g - grasp)\n"
      "  :duration (= ?duration {8})\n"
      "  :condition (and (at start (not (arm_moving))) (at start (on ?x ?y))\n"
      "   (at start (handempty)){3} (at start ([checkTransit ?x ?y ?g])))\n"
      "  :effect (and (at start (arm_moving)) (at end (not (arm_moving)))\n"
      "   (at end (not (on ?x ?y))) (at end (not (handempty))) (at end "
      "(holding ?x ?g)){4}\n"
      "   (at end ([applyTransit ?x ?y ?g]))))\n"
      " (:durative-action put-down\n"
      "  :parameters (?x - movable ?y - static ?g - grasp)\n"
      "  :duration (= ?duration {9})\n"
      "  :condition (and (at start (not (arm_moving))) (at start (holding ?x "
      "?g)){5}\n"
      "   (at start ([checkTransfer ?x ?y ?g])))\n"
      "  :effect (and (at start (arm_moving)) (at end (not (arm_moving)))\n"
      "   (at end (on ?x ?y)) (at end (handempty)) (at end (not (holding ?x "
      "?g))){6}\n"
      "   (at end ([applyTransfer ?x ?y ?g]))))\n"
      "{11})\n",
      q, functions, modules, clear, frees, free_below, covers, predicates, duration("Transit"),
      duration("Transfer"), types, fixture_actions);
}

TaskProblem make_problem(const World& world, const Layout& layout,
                         const std::vector<std::string>& grasps) {
  std::string movables, statics, initial, goal, others;
  Situation first;
  for (const auto& [fixture, position] : layout.fixtures) {
    const Fixture& moved = *world.find_fixture(fixture);
    first.joints[fixture] = moved.positions.at(position);
    others += fmt::format(" {} - fixture", fixture);
    for (const auto& [name, value] : moved.positions) others += fmt::format(" {} - position", name);
    initial += fmt::format("  (at-position {} {}) (= (j {}) {})\n", fixture, position, fixture,
                           number(first.joints[fixture]));
  }
  for (const auto& [object, place] : layout.start) {
    movables += " " + object;
    initial += fmt::format("  (on {} {})\n", object, place);
  }
  for (const Place& place : world.places) {
    const bool in_fixture = layout.fixtures.contains(place.on);
    if (world.find_graspable(place.on) && !layout.start.contains(place.on) && !in_fixture) continue;
    statics += " " + place.name;
    if (in_fixture) {
      initial += fmt::format("  (needs {} {} open)\n", place.name, place.on);
      continue;
    }
    // What is never picked up may carry any number of things.
    const Object* below = world.find_object(place.on);
    if (below && !below->grasps.empty())
      initial += fmt::format("  (top-of {} {}) (clear {})\n", place.name, place.on, place.on);
  }
  std::string grasp_names;
  for (const std::string& grasp : grasps) grasp_names += " " + grasp;
  const std::vector<double> posture = waiting_posture();
  for (std::size_t i = 0; i < posture.size(); ++i)
    initial += fmt::format("  (= (q{}) {})\n", i, number(posture[i]));
  for (const auto& [object, place] : layout.start) {
    const Place& where = *world.find_place(place);
    const auto given = layout.poses.find(object);
    const std::vector<double> values = pose_values(
        given == layout.poses.end() ? release_poses(world, where, first)[0] : given->second);
    initial += " ";
    for (std::size_t i = 0; i < values.size(); ++i)
      initial += fmt::format(" (= (p{} {}) {})", i, object, number(values[i]));
    initial += "\n";
  }
  for (const auto& [object, place] : layout.goal) goal += fmt::format(" (on {} {})", object, place);
  for (const auto& [fixture, position] : layout.fixtures_goal)
    goal += fmt::format(" (at-position {} {})", fixture, position);
  const std::string text = fmt::format(
      "(define (problem {})\n (:domain manipulation)\n"
      " (:moduleoptions (manipulationInit@libproven_manipulation.so "
      "world.json))\n"
      " (:objects{} - movable{} - static{} - grasp{})\n"
      " (:init (handempty)\n{} )\n (:goal (and{}))\n (:metric minimize "
      "(total-time))\n)\n",
      layout.name, movables, statics, grasp_names, others, initial, goal);
  return {layout.name, text, layout.paper_seconds, layout.paper_deviation};
}

std::span<const std::string_view> task_set_names() {
  static constexpr std::string_view kNames[] = {"tables",  "dexterity", "dexterity-board",
                                                "tower",   "packing",   "drawer",
                                                "sorting", "handover"};
  return kNames;
}

Result<TaskSet> make_task_set(std::string_view name) {
  if (name == "tables") return make_tables();
  if (name == "dexterity") return make_dexterity(false);
  if (name == "dexterity-board") return make_dexterity(true);
  if (name == "tower") return make_tower();
  if (name == "packing") return make_packing();
  if (name == "drawer") return make_drawer_set();
  if (name == "sorting") return make_sorting();
  if (name == "handover") return make_handover();
  return Error{ErrorCode::not_found,
               fmt::format("no set of problems is named '{}'; there are tables, dexterity, "
                           "dexterity-board, tower, packing, drawer, sorting and handover",
                           name),
               {}};
}

Result<void> save_task_set(const TaskSet& set, const std::filesystem::path& folder) {
  if (auto saved = save_world(set.world, folder); !saved.ok()) return saved;
  if (auto done = write_file(folder / "domain.pddl", set.domain); !done.ok()) return done;
  for (const TaskProblem& problem : set.problems)
    if (auto done = write_file(folder / (problem.name + ".pddl"), problem.text); !done.ok())
      return done;
  return {};
}

}  // namespace proven::manipulation
