// A robot as its file describes it: links with collision geometry, joints between them. Plain data;
// not yet checked, not yet prepared for motion (see kinematic_tree.h).
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

class BodyGeometry;

enum class JointType { fixed, revolute, continuous, prismatic, planar, floating };

struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
  double acceleration = std::numeric_limits<double>::infinity();
};

// value = multiplier * (value of `joint`) + offset
struct Mimic {
  std::string joint;
  double multiplier = 1, offset = 0;
};

struct RobotJoint {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent_link, child_link;
  Pose X_PJ;              // the joint's frame in its parent link
  Vec3 axis = {1, 0, 0};  // in the joint's frame; any length but zero; planar: normal of the plane
  JointLimits limits;     // revolute and prismatic
  std::optional<Mimic> mimic;
};

struct RobotLink {
  std::string name;
  std::vector<CollisionElement> collision;
  bool has_visual = false;  // a link with only visual geometry is reported and does not collide
  // Optional: `collision` already prepared for queries, shared by all scenes with this robot.
  std::shared_ptr<const BodyGeometry> geometry;
};

// A pair that an SRDF disables, with its reason word: "Adjacent", "Default", "User", "Never", ...
struct DisabledPair {
  std::string link_a, link_b, reason;
};

// A named set of joints to plan for (SRDF).
struct JointGroup {
  std::string name;
  std::vector<std::string> joints;
};

struct EndEffector {
  std::string name, parent_link, group;
};

// A named configuration of a group (SRDF group_state): values of its joints in the file's order. A
// planar joint has 3 values, a floating one 7, all others one.
struct GroupState {
  std::string name, group;
  std::vector<std::pair<std::string, std::vector<double>>> joints;
};

struct Robot {
  std::string name;
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;

  // From an SRDF, if any.
  std::vector<DisabledPair> disabled_pairs;
  std::vector<JointGroup> groups;
  std::vector<EndEffector> end_effectors;
  std::vector<GroupState> states;
  // How the SRDF says that the root link hangs in its parent frame; the joints above hold it only
  // where the reader was asked to let it move.
  std::optional<RobotJoint> virtual_joint;

  std::vector<std::string> warnings;  // what the loader noticed and a person should know
  // What was left out since somebody said so, and how often: "<loop_joint> in <robot> (2)". What is
  // proved is about the rest, so verdicts repeat it.
  std::vector<std::string> ignored = {};
};

}  // namespace proven
