#include <fmt/format.h>

#include <algorithm>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/scene_readers.h"
#include "io/text.h"

namespace proven::io {
namespace {

struct JointValues {
  std::vector<std::string> names;
  std::vector<double> values;
};

JointValues read_start(const Node& state, const Scene& scene) {
  JointValues start;
  const Node& joints = state.at("joint_state");
  const std::vector<std::string> names = joints.at("name").strings();
  const std::vector<Node>& values = joints.at("position").array_of(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = values[i].number();
    if (!is_known_joint(scene, names[i])) continue;
    start.names.push_back(names[i]);
    start.values.push_back(value);
  }
  return start;
}

// A request may carry where the base stands; the scene has decided that already.
void check_base(const Node& state) {
  const Node* base = state.find("multi_dof_joint_state");
  const Node* transforms = base ? base->find("transforms") : nullptr;
  if (!transforms || transforms->is_empty()) return;
  for (const Node& transform : transforms->array()) {
    const Pose X{read_quaternion(transform.at("rotation")),
                 read_position(transform.at("translation"))};
    if (X != Pose{}) transform.fail("a start state that moves the base is not supported");
  }
}

const Node& only_goal(const Node& root) {
  const Node& goals = root.at("goal_constraints");
  const Node& goal = goals.array_of(1)[0];
  for (const char* kind :
       {"position_constraints", "orientation_constraints", "visibility_constraints"})
    if (const Node* other = goal.find(kind); other && !other->is_empty())
      other->fail("only joint constraints are supported as a goal");
  return goal.at("joint_constraints");
}

}  // namespace

Query read_request(const Node& root, const Scene& scene, const PathOptions& options) {
  const Node& state = root.at("start_state");
  check_base(state);
  const JointValues start = read_start(state, scene);
  const Node& constraints = only_goal(root);
  JointValues goal;
  for (const Node& constraint : constraints.array()) {
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
