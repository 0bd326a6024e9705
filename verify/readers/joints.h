// Chapter 13, continued: the coordinates of a scene, in the order of the certificate format
// (section 2), by name and with their limits.
#pragma once

#include <map>

#include "proven/scene/scene_source.h"
#include "verify/readers/source.h"

namespace proven::verifier {

// What the names of a joint's coordinates end in; a revolute or prismatic one has "" alone.
std::vector<std::string> suffixes(JointType type);

struct Coordinate {
  std::string name;  // "robot/joint", "robot/joint.x"
  double lower, upper;
  bool quaternion = false;  // one of four
};
// A mimic joint, which has no coordinate of its own.
struct Follower {
  std::string name;
  std::size_t leader;  // coordinate
  double multiplier, offset, lower, upper;
};
struct JointList {
  std::vector<Coordinate> coordinates;
  std::vector<Follower> followers;

  std::optional<std::size_t> find(std::string_view name) const;  // a coordinate
};

// Appends the joints of a robot. Fails, without a place, unless they form one tree and every mimic
// joint follows one that has a value.
void add_joints(const Robot& robot, const std::string& name, JointList& list);

// What an obstacle is that moves or grows by the clock: a body that floats by the joint "motion".
Robot floating_body();

// Where the links of a robot are, by name, when its coordinates ("name/joint") have these values;
// the others are 0.
using LinkPoses = std::map<std::string, Pose, std::less<>>;
LinkPoses link_poses(const Robot& robot, const std::string& name, const Pose& X_WR,
                     const std::map<std::string, double>& values);

}  // namespace proven::verifier
