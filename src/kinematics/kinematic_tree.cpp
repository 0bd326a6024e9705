#include "proven/kinematics/kinematic_tree.h"

#include <algorithm>
#include <utility>

#include "kinematics/robot_structure.h"
#include "proven/kinematics/rounding.h"

namespace proven {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Coordinate unlimited(std::string name) {
  return {.name = std::move(name),
          .joint = {},
          .lower = -kInfinity,
          .upper = kInfinity,
          .velocity = kInfinity,
          .acceleration = kInfinity};
}

Coordinate scalar_coordinate(std::string name, const RobotJoint& joint) {
  Coordinate c = unlimited(std::move(name));
  c.joint = c.name;
  c.velocity = joint.limits.velocity;
  c.acceleration = joint.limits.acceleration;
  if (joint.type != JointType::continuous) {
    c.lower = joint.limits.lower;
    c.upper = joint.limits.upper;
  }
  c.rotary = joint.type != JointType::prismatic;
  c.continuous = c.rotary && c.lower == -kInfinity && c.upper == kInfinity;
  return c;
}

// The in-plane directions x and y of a planar joint; see the header.
std::pair<Vec3, Vec3> plane_directions(const Vec3& unit_axis) {
  int largest = 2;
  for (int i : {1, 0})
    if (std::fabs(unit_axis[i]) > std::fabs(unit_axis[largest])) largest = i;
  Vec3 next;
  next[(largest + 1) % 3] = 1;
  const Vec3 x = normalized(next - dot(next, unit_axis) * unit_axis);
  return {x, cross(unit_axis, x)};
}

// The pose of a joint whose value never changes.
Pose pose_at(const RobotJoint& joint, double value) {
  const Vec3 axis = normalized(joint.axis);
  if (joint.type == JointType::prismatic) return joint.X_PJ * Pose::translation(value * axis);
  return joint.X_PJ * Pose{rotation(axis, value), {}};
}

}  // namespace

KinematicTree::KinematicTree() {
  append_link({.name = "world", .parent = -1, .depth = 0, .joint = {}});
}

int KinematicTree::append_link(Link link) {
  const int index = num_links();
  if (link.parent >= 0) link.depth = this->link(link.parent).depth + 1;
  link_index_.emplace(link.name, index);
  links_.push_back(std::move(link));
  return index;
}

int KinematicTree::append_coordinate(Coordinate coordinate) {
  const int index = num_coordinates();
  coordinate_index_.emplace(coordinate.name, index);
  coordinates_.push_back(std::move(coordinate));
  return index;
}

// Appends the links of one robot whose structure has been checked.
class TreeAppender {
 public:
  TreeAppender(KinematicTree& tree, const Robot& robot, const std::string& name)
      : tree_(tree), robot_(robot), prefix_(name + "/") {}

  void append(const RobotStructure& structure, const Pose& X_WR) {
    create_coordinates(structure);
    std::vector<int> tree_link(robot_.links.size(), -1);
    for (int link : structure.links_parents_first) {
      const auto l = static_cast<std::size_t>(link);
      const int joint = structure.parent_joint[l];
      tree_link[l] = joint < 0 ? hang(0, {.X_PJ = X_WR}, robot_.links[l].name)
                               : append_joint(structure, joint, tree_link);
    }
  }

 private:
  // Coordinates come before the joints that read them: a mimic joint may lie above its driver.
  void create_coordinates(const RobotStructure& structure) {
    first_coordinate_.assign(robot_.joints.size(), -1);
    for (int link : structure.links_parents_first) {
      const int j = structure.parent_joint[static_cast<std::size_t>(link)];
      if (j >= 0) first_coordinate_[static_cast<std::size_t>(j)] = create_coordinates_of(joint(j));
    }
    for (const ResolvedMimic& m : structure.mimics) {
      const RobotJoint& follower = joint(m.joint);
      const Coordinate own = scalar_coordinate(prefix_ + follower.name, follower);
      tree_.mimic_names_.push_back({own.name, coordinate(m.driver), m.multiplier, m.offset,
                                    own.lower, own.upper, own.velocity, own.acceleration});
    }
  }

  int create_coordinates_of(const RobotJoint& joint) {
    const std::string name = prefix_ + joint.name;
    const int first = tree_.num_coordinates();
    const auto add = [&](const char* suffix, bool rotary, bool quaternion) {
      Coordinate c = unlimited(name + suffix);
      c.joint = name;
      c.joint = name;
      c.rotary = c.continuous = rotary;
      c.quaternion = quaternion;
      tree_.append_coordinate(std::move(c));
    };
    switch (joint.type) {
      case JointType::fixed:
        return -1;
      case JointType::planar:
        for (const char* suffix : {".x", ".y"}) add(suffix, false, false);
        add(".angle", true, false);
        return first;
      case JointType::floating:
        for (const char* suffix : {".x", ".y", ".z"}) add(suffix, false, false);
        for (const char* suffix : {".qx", ".qy", ".qz", ".qw"}) add(suffix, false, true);
        return first;
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic:
        return joint.mimic ? -1 : tree_.append_coordinate(scalar_coordinate(name, joint));
    }
    return -1;
  }

  // Returns the index of the child link.
  int append_joint(const RobotStructure& structure, int index, std::span<const int> tree_link) {
    const RobotJoint& source = joint(index);
    const int parent = tree_link[static_cast<std::size_t>(
        structure.joint_parent[static_cast<std::size_t>(index)])];
    const std::string& child = source.child_link;
    switch (source.type) {
      case JointType::fixed:
        return hang(parent, {.X_PJ = source.X_PJ}, child);
      case JointType::planar:
        return append_planar(source, parent, coordinate(index));
      case JointType::floating:
        return append_floating(source, parent, coordinate(index));
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic:
        break;
    }
    Joint elementary{
        .kind = source.type == JointType::prismatic ? JointKind::prismatic : JointKind::revolute,
        .X_PJ = source.X_PJ,
        .axis = normalized(source.axis),
        .coordinate = coordinate(index)};
    if (source.mimic) {
      const auto mimic =
          std::ranges::lower_bound(structure.mimics, index, {}, &ResolvedMimic::joint);
      if (mimic->multiplier == 0)
        return hang(parent, {.X_PJ = pose_at(source, mimic->offset)}, child);
      elementary.coordinate = coordinate(mimic->driver);
      elementary.multiplier = mimic->multiplier;
      elementary.offset = mimic->offset;
    }
    return hang(parent, elementary, child);
  }

  int append_planar(const RobotJoint& source, int parent, int first) {
    const Vec3 axis = normalized(source.axis);
    const auto [x, y] = plane_directions(axis);
    parent = hang(parent, slide(source.X_PJ, x, first), source.name + ".x");
    parent = hang(parent, slide({}, y, first + 1), source.name + ".y");
    return hang(parent, {.kind = JointKind::revolute, .axis = axis, .coordinate = first + 2},
                source.child_link);
  }

  int append_floating(const RobotJoint& source, int parent, int first) {
    parent = hang(parent, slide(source.X_PJ, {1, 0, 0}, first), source.name + ".x");
    parent = hang(parent, slide({}, {0, 1, 0}, first + 1), source.name + ".y");
    parent = hang(parent, slide({}, {0, 0, 1}, first + 2), source.name + ".z");
    return hang(parent, {.kind = JointKind::ball, .coordinate = first + 3}, source.child_link);
  }

  static Joint slide(const Pose& X_PJ, const Vec3& direction, int coordinate) {
    return {
        .kind = JointKind::prismatic, .X_PJ = X_PJ, .axis = direction, .coordinate = coordinate};
  }

  int hang(int parent, const Joint& joint, const std::string& link_name) {
    return tree_.append_link({.name = prefix_ + link_name, .parent = parent, .joint = joint});
  }

  const RobotJoint& joint(int index) const {
    return robot_.joints[static_cast<std::size_t>(index)];
  }
  int coordinate(int joint) const { return first_coordinate_[static_cast<std::size_t>(joint)]; }

  KinematicTree& tree_;
  const Robot& robot_;
  std::string prefix_;
  std::vector<int> first_coordinate_;  // per joint of the robot; -1: none of its own
};

Result<void> KinematicTree::add_robot(const Robot& robot, const std::string& name,
                                      const Pose& X_WR) {
  const std::string context = "robot '" + name + "'";
  if (name.empty()) return bad_input("a robot needs a name; name it", "robot");
  const auto same = link_index_.lower_bound(name + "/");
  if (same != link_index_.end() && same->first.starts_with(name + "/"))
    return bad_input("the name is taken by another robot; choose a different one", context);
  if (!is_rigid(X_WR))
    return bad_input("its pose is not a finite rotation and translation; correct it", context);

  Result<RobotStructure> structure = check_structure(robot, context);
  if (!structure.ok()) return structure.error();
  TreeAppender(*this, robot, name).append(structure.value(), X_WR);
  return {};
}

int KinematicTree::find_link(std::string_view name) const {
  const auto found = link_index_.find(name);
  return found == link_index_.end() ? -1 : found->second;
}

int KinematicTree::find_coordinate(std::string_view name) const {
  const auto found = coordinate_index_.find(name);
  return found == coordinate_index_.end() ? -1 : found->second;
}

int KinematicTree::lowest_common_ancestor(int link_a, int link_b) const {
  // A parent's index is smaller than its child's, so the larger one is never above the other.
  while (link_a != link_b) {
    int& larger = link_a > link_b ? link_a : link_b;
    larger = link(larger).parent;
  }
  return link_a;
}

int KinematicTree::rigid_root(int link_index) const {
  while (link_index != 0 && link(link_index).joint.kind == JointKind::fixed)
    link_index = link(link_index).parent;
  return link_index;
}

bool KinematicTree::rigidly_connected(int link_a, int link_b) const {
  return rigid_root(link_a) == rigid_root(link_b);
}

std::vector<double> KinematicTree::zero_configuration() const {
  std::vector<double> q(coordinates_.size(), 0.0);
  for (const Link& l : links_)
    if (l.joint.kind == JointKind::ball) q[static_cast<std::size_t>(l.joint.coordinate) + 3] = 1;
  return q;
}

}  // namespace proven
