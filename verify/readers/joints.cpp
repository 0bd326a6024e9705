#include "verify/readers/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace proven::verifier {
namespace {

using Names = std::map<std::string, std::size_t, std::less<>>;

bool one_value(JointType type) {
  return type == JointType::revolute || type == JointType::continuous ||
         type == JointType::prismatic;
}
bool follows(const RobotJoint& joint) {
  return one_value(joint.type) && joint.mimic.has_value();
}
[[noreturn]] void fail(const std::string& what, const std::string& name) {
  refuse("", fmt::format("{} '{}'", what, name));
}

template <class Named>
Names index(const std::vector<Named>& list, const char* what) {
  Names names;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name.empty() || !names.emplace(list[i].name, i).second) fail(what, list[i].name);
  return names;
}

class RobotTree {
 public:
  explicit RobotTree(const Robot& robot)
      : robot_(robot),
        links_(index(robot.links, "no name, or twice the link")),
        joints_(index(robot.joints, "no name, or twice the joint")) {
    for (const RobotJoint& joint : robot.joints) check(joint);
    connect();
  }

  // Links, parents first: depth first, children in the order of the joints.
  const std::vector<std::size_t>& order() const { return order_; }
  const RobotJoint* above(std::size_t link) const { return above_[link]; }
  std::size_t link(const std::string& name) const { return links_.find(name)->second; }

  // What a mimic joint follows in the end: value = multiplier (value of the leader) + offset.
  const RobotJoint& leader(const RobotJoint& follower, double& multiplier, double& offset) const {
    const RobotJoint* joint = &follower;
    multiplier = 1, offset = 0;
    for (std::size_t steps = 0; follows(*joint); ++steps) {
      const auto next = joints_.find(joint->mimic->joint);
      if (next == joints_.end() || steps > robot_.joints.size())
        fail("a mimic joint that follows nothing, or itself:", joint->name);
      offset += multiplier * joint->mimic->offset;
      multiplier *= joint->mimic->multiplier;
      if (!std::isfinite(multiplier) || !std::isfinite(offset))
        fail("mimic factors beyond doubles:", joint->name);
      joint = &robot_.joints[next->second];
    }
    if (!one_value(joint->type)) fail("a mimic joint follows one without a value:", joint->name);
    return *joint;
  }

 private:
  void check(const RobotJoint& joint) const {
    const bool several = joint.type == JointType::planar || joint.type == JointType::floating;
    if (several && joint.mimic) fail("a joint of several values cannot mimic:", joint.name);
    // Names that the parts of planar and floating joints take.
    for (const char* suffix : {".x", ".y", ".z", ".angle", ".qx", ".qy", ".qz", ".qw"})
      if (several &&
          (links_.contains(joint.name + suffix) || joints_.contains(joint.name + suffix)))
        fail("a name that belongs to another joint:", joint.name + suffix);
    if ((one_value(joint.type) || joint.type == JointType::planar) && max_abs(joint.axis) == 0)
      fail("a zero axis of joint", joint.name);
    const JointLimits& limits = joint.limits;
    if ((joint.type == JointType::revolute || joint.type == JointType::prismatic) &&
        !(limits.lower <= limits.upper))
      fail("reversed limits of joint", joint.name);
    for (const std::string& name : {joint.parent_link, joint.child_link})
      if (!links_.contains(name)) fail("there is no link", name);
  }

  void connect() {
    above_.assign(robot_.links.size(), nullptr);
    std::vector<std::vector<std::size_t>> below(robot_.links.size());
    for (const RobotJoint& joint : robot_.joints) {
      const std::size_t child = link(joint.child_link);
      if (above_[child]) fail("two joints hold link", joint.child_link);
      above_[child] = &joint;
      below[link(joint.parent_link)].push_back(child);
    }
    if (std::count(above_.begin(), above_.end(), nullptr) != 1)
      refuse("", "the links do not have one root");
    std::vector<std::size_t> open = {static_cast<std::size_t>(
        std::find(above_.begin(), above_.end(), nullptr) - above_.begin())};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      order_.push_back(next);
      open.insert(open.end(), below[next].rbegin(), below[next].rend());
    }
    if (order_.size() != robot_.links.size()) refuse("", "the links form a loop");
  }

  const Robot& robot_;
  Names links_, joints_;
  std::vector<const RobotJoint*> above_;
  std::vector<std::size_t> order_;
};

Pose slid(const Pose& X, const Pose& X_PJ, double by, const Vec3& along) {
  return X * Pose{X_PJ.R, X_PJ * (by * along)};
}
Pose turned(const Pose& X, const Pose& X_PJ, const Mat3& by) {
  return X * Pose{X_PJ.R * by, X_PJ.p};
}

// The first direction of a planar joint (format, section 2).
Vec3 plane_x(const Vec3& normal) {
  int largest = 2;
  for (const int i : {1, 0})
    if (std::fabs(normal[i]) > std::fabs(normal[largest])) largest = i;
  Vec3 next;
  next[(largest + 1) % 3] = 1;
  return unit_of(next - dot(next, normal) * normal);
}

// A joint on X_WP, the pose of its parent link; `value` gives the values of its coordinates.
template <class GetValue>
Pose moved(const Pose& X, const RobotJoint& joint, double own, GetValue&& value) {
  switch (joint.type) {
    case JointType::fixed:
      return X * joint.X_PJ;
    case JointType::prismatic:
      return slid(X, joint.X_PJ, own, unit_of(joint.axis));
    case JointType::revolute:
    case JointType::continuous:
      return turned(X, joint.X_PJ, turn_about(unit_of(joint.axis), own));
    case JointType::planar: {
      const Vec3 normal = unit_of(joint.axis), x = plane_x(normal);
      const Pose there =
          slid(slid(X, joint.X_PJ, value(".x"), x), {}, value(".y"), cross(normal, x));
      return turned(there, {}, turn_about(normal, value(".angle")));
    }
    case JointType::floating: {
      Pose there = slid(X, joint.X_PJ, value(".x"), {1, 0, 0});
      there = slid(slid(there, {}, value(".y"), {0, 1, 0}), {}, value(".z"), {0, 0, 1});
      return turned(
          there, {},
          rotation_of_quaternion({value(".qx"), value(".qy"), value(".qz"), value(".qw")}));
    }
  }
  return X;
}

}  // namespace

std::vector<std::string> suffixes(JointType type) {
  if (type == JointType::planar) return {".x", ".y", ".angle"};
  if (type == JointType::floating) return {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
  if (type == JointType::fixed) return {};
  return {""};
}

std::optional<std::size_t> JointList::find(std::string_view name) const {
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (coordinates[i].name == name) return i;
  return std::nullopt;
}

void add_joints(const Robot& robot, const std::string& name, JointList& list) {
  const RobotTree tree(robot);
  const auto limits = [](const RobotJoint& joint) -> std::pair<double, double> {
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic)
      return {joint.limits.lower, joint.limits.upper};
    return {-INFINITY, INFINITY};
  };
  for (const std::size_t link : tree.order()) {
    const RobotJoint* joint = tree.above(link);
    if (!joint || follows(*joint)) continue;
    for (const std::string& suffix : suffixes(joint->type)) {
      const auto [lower, upper] = limits(*joint);
      list.coordinates.push_back(
          {name + "/" + joint->name + suffix, lower, upper, suffix.starts_with(".q")});
    }
  }
  for (const RobotJoint& joint : robot.joints) {
    if (!follows(joint)) continue;
    double multiplier = 1, offset = 0;
    const RobotJoint& leader = tree.leader(joint, multiplier, offset);
    const auto [lower, upper] = limits(joint);
    list.followers.push_back({name + "/" + joint.name, *list.find(name + "/" + leader.name),
                              multiplier, offset, lower, upper});
  }
}

LinkPoses link_poses(const Robot& robot, const std::string& name, const Pose& X_WR,
                     const std::map<std::string, double>& values) {
  const RobotTree tree(robot);
  LinkPoses poses;
  for (const std::size_t link : tree.order()) {
    const RobotJoint* joint = tree.above(link);
    if (!joint) {
      poses[robot.links[link].name] = Pose{} * X_WR;
      continue;
    }
    const auto value = [&](const std::string& of, const std::string& suffix) {
      const auto found = values.find(name + "/" + of + suffix);
      return found == values.end() ? (suffix == ".qw" ? 1.0 : 0.0) : found->second;
    };
    double own = 0;
    if (one_value(joint->type)) {
      double multiplier = 1, offset = 0;
      const RobotJoint& leader = tree.leader(*joint, multiplier, offset);
      own = multiplier * value(leader.name, "") + offset;
    }
    poses[robot.links[link].name] =
        moved(poses.at(joint->parent_link), *joint, own,
              [&](const char* suffix) { return value(joint->name, suffix); });
  }
  return poses;
}

Robot floating_body() {
  Robot robot;
  robot.links.resize(2);
  robot.links[0].name = "frame";
  robot.links[1].name = "body";
  RobotJoint joint;
  joint.name = "motion";
  joint.type = JointType::floating;
  joint.parent_link = "frame";
  joint.child_link = "body";
  robot.joints = {joint};
  return robot;
}

}  // namespace proven::verifier
