#include <fmt/format.h>

#include <algorithm>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/ros_messages.h"
#include "io/text.h"

namespace proven::io {
namespace {

// A joint that the robots have and the scene cannot move, such as a fixed one.
bool is_still_joint(const Scene& scene, const std::string& name) {
  for (const RobotSource& robot : scene.description().robots)
    for (const RobotJoint& joint : robot.robot.joints)
      if (joint.name == name || robot.name + "/" + joint.name == name) return true;
  return false;
}

JointValues read_start(const Node& state, const Scene& scene) {
  state.allow_keys(
      {"joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"});
  if (const Node* held = state.find("attached_collision_objects"); held && !held->is_empty())
    held->fail("the scene says what is held; attach the object there");
  JointValues start;
  const Node& joints = state.at("joint_state");
  joints.allow_keys({"header", "name", "position", "velocity", "effort"});
  const std::vector<std::string> names = joints.at("name").strings();
  const std::vector<Node>& values = joints.at("position").array_of(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = values[i].number();
    if (!is_known_joint(scene, names[i])) {
      if (is_still_joint(scene, names[i])) continue;
      joints.at("name").array()[i].fail(
          fmt::format("no robot of the scene has a joint {}", quote(names[i])));
    }
    start.names.push_back(names[i]);
    start.values.push_back(value);
  }
  return start;
}

// A request may carry where the base stands; the scene has decided that already.
void check_base(const Node& state) {
  const Node* base = state.find("multi_dof_joint_state");
  if (!base || base->is_empty()) return;
  base->allow_keys({"header", "joint_names", "transforms", "twist", "wrench"});
  const Node* transforms = base->find("transforms");
  if (!transforms || transforms->is_empty()) return;
  for (const Node& transform : transforms->array())
    if (read_transform(transform) != Pose{})
      transform.fail("a start state that moves the base is not supported; move it in the scene");
}

const Node& only_goal(const Node& root) {
  const Node& goals = root.at("goal_constraints");
  const Node& goal = goals.array_of(1)[0];
  goal.allow_keys({"name", "joint_constraints", "position_constraints", "orientation_constraints",
                   "visibility_constraints"});
  for (const char* kind :
       {"position_constraints", "orientation_constraints", "visibility_constraints"})
    if (const Node* other = goal.find(kind); other && !other->is_empty())
      other->fail("only joint constraints are supported as a goal");
  return goal.at("joint_constraints");
}

// Messages hold constraints that are empty all the way down, but for their names.
void refuse_constraints(const Node& node) {
  if (node.is_empty() || node.key() == "name") return;
  if (!node.is(Node::Kind::object))
    node.fail("constraints along the path are not supported; remove them");
  for (const Node& member : node.members()) refuse_constraints(member);
}

}  // namespace

Query read_request(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"workspace_parameters", "start_state", "goal_constraints", "path_constraints",
                   "trajectory_constraints", "reference_trajectories", "pipeline_id", "planner_id",
                   "group_name", "num_planning_attempts", "allowed_planning_time",
                   "max_velocity_scaling_factor", "max_acceleration_scaling_factor",
                   "cartesian_speed_limited_link", "max_cartesian_speed"});
  for (const char* constraints : {"path_constraints", "trajectory_constraints"})
    if (const Node* node = root.find(constraints)) refuse_constraints(*node);
  const Node& state = root.at("start_state");
  check_base(state);
  const JointValues start = read_start(state, scene);
  const Node& constraints = only_goal(root);
  JointValues goal;
  for (const Node& constraint : constraints.array()) {
    constraint.allow_keys(
        {"joint_name", "position", "tolerance_above", "tolerance_below", "weight"});
    goal.names.push_back(constraint.at("joint_name").string());
    goal.values.push_back(constraint.at("position").number());
  }
  Query query;
  at_place([&] { return state.place(); },
           [&] {
             const ConfigurationReader reader(scene, start.names, options);
             query.start = reader.read(start.values);
             query.defaulted = reader.defaulted();
           });
  // The goal's joints decide what is planned; the others stay where the start has them.
  at_place([&] { return constraints.place(); },
           [&] {
             const ConfigurationReader reader(scene, goal.names, options);
             query.goal = reader.read(goal.values, query.start);
             query.planned = reader.planned();
           });
  return query;
}

}  // namespace proven::io
