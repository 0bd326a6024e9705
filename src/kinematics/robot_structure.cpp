#include "kinematics/robot_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "proven/base/largest_number.h"
#include "proven/kinematics/rounding.h"

namespace proven {

namespace {

bool has_one_value(JointType type) {
  return type == JointType::revolute || type == JointType::continuous ||
         type == JointType::prismatic;
}

bool has_axis(JointType type) {
  return has_one_value(type) || type == JointType::planar;
}

bool follows(const RobotJoint& joint) {
  return has_one_value(joint.type) && joint.mimic;
}

// "'a', 'b', 'c'", shortened in the middle when there are many.
std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

class StructureCheck {
 public:
  StructureCheck(const Robot& robot, const std::string& context)
      : robot_(robot), context_(context) {}

  Result<RobotStructure> run() {
    for (const auto step : {&StructureCheck::index_links, &StructureCheck::index_joints,
                            &StructureCheck::check_helper_names, &StructureCheck::check_joints,
                            &StructureCheck::connect, &StructureCheck::order_links,
                            &StructureCheck::resolve_mimics}) {
      if (Result<void> result = (this->*step)(); !result.ok()) return result.error();
    }
    return std::move(structure_);
  }

 private:
  Result<void> index_links() {
    if (robot_.links.empty()) return fail("it has no links; give it at least one");
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const std::string& name = robot_.links[i].name;
      if (name.empty()) return fail(fmt::format("link number {} has no name; name it", i + 1));
      if (!link_index_.emplace(name, static_cast<int>(i)).second)
        return fail(fmt::format("two links are named '{}'; rename one", name));
    }
    return {};
  }

  Result<void> index_joints() {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const std::string& name = robot_.joints[i].name;
      if (name.empty()) return fail(fmt::format("joint number {} has no name; name it", i + 1));
      if (!joint_index_.emplace(name, static_cast<int>(i)).second)
        return fail(fmt::format("two joints are named '{}'; rename one", name));
    }
    return {};
  }

  // Planar and floating joints take names of their own: "joint.x" and so on.
  Result<void> check_helper_names() {
    for (const RobotJoint& joint : robot_.joints) {
      if (joint.type != JointType::planar && joint.type != JointType::floating) continue;
      for (const char* suffix : {".x", ".y", ".z", ".angle", ".qx", ".qy", ".qz", ".qw"}) {
        const std::string name = joint.name + suffix;
        if (link_index_.contains(name) || joint_index_.contains(name))
          return fail(
              fmt::format("joint '{}' needs the name '{}' for itself; rename the link or "
                          "joint that has it",
                          joint.name, name));
      }
    }
    return {};
  }

  Result<void> check_joints() {
    for (const RobotJoint& joint : robot_.joints)
      if (Result<void> result = check_joint(joint); !result.ok()) return result;
    return {};
  }

  Result<void> check_joint(const RobotJoint& joint) {
    if (!is_rigid(joint.X_PJ))
      return fail_joint(joint, "has an origin that is not a finite rotation and translation");
    if (has_axis(joint.type)) {
      if (!is_finite(joint.axis)) return fail_joint(joint, "has an axis that is not finite");
      if (max_abs(joint.axis) == 0)
        return fail_joint(joint, "has a zero axis; give the axis a direction");
      if (!(max_abs(joint.axis) > kShortestAxis && max_abs(joint.axis) < kLargestNumber))
        return fail_joint(joint, "has an axis that is too short or too long; make its length 1");
    }
    if (has_one_value(joint.type)) return check_limits(joint);
    return {};
  }

  Result<void> check_limits(const RobotJoint& joint) {
    const JointLimits& l = joint.limits;
    if (joint.type != JointType::continuous) {
      if (std::isnan(l.lower) || std::isnan(l.upper))
        return fail_joint(joint, "has a limit that is not a number");
      if (l.lower > l.upper || l.lower == INFINITY || l.upper == -INFINITY)
        return fail_joint(joint, fmt::format("has reversed limits: lower {}, upper {}; swap them",
                                             l.lower, l.upper));
    }
    if (!(l.velocity >= 0))
      return fail_joint(
          joint, fmt::format("has the velocity limit {}; it must be at least 0", l.velocity));
    if (!(l.acceleration >= 0))
      return fail_joint(joint, fmt::format("has the acceleration limit {}; it must be at least 0",
                                           l.acceleration));
    return {};
  }

  Result<void> connect() {
    structure_.parent_joint.assign(robot_.links.size(), -1);
    children_.resize(robot_.links.size());
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const RobotJoint& joint = robot_.joints[j];
      const auto parent = link_index_.find(joint.parent_link);
      const auto child = link_index_.find(joint.child_link);
      if (parent == link_index_.end())
        return fail_joint(joint, fmt::format("has the unknown parent link '{}'; add that link or "
                                             "correct the name",
                                             joint.parent_link));
      if (child == link_index_.end())
        return fail_joint(joint, fmt::format("has the unknown child link '{}'; add that link or "
                                             "correct the name",
                                             joint.child_link));
      int& parent_joint = structure_.parent_joint[static_cast<std::size_t>(child->second)];
      if (parent_joint >= 0)
        return fail(fmt::format("link '{}' has two parents, by joints '{}' and '{}'; remove one",
                                child->first, joint_at(parent_joint).name, joint.name));
      parent_joint = static_cast<int>(j);
      structure_.joint_parent.push_back(parent->second);
      children_[static_cast<std::size_t>(parent->second)].push_back(child->second);
    }
    return {};
  }

  Result<void> order_links() {
    std::vector<int> roots;
    for (std::size_t l = 0; l < robot_.links.size(); ++l)
      if (structure_.parent_joint[l] < 0) roots.push_back(static_cast<int>(l));
    if (roots.empty()) return fail_loop(0);
    if (roots.size() > 1)
      return fail(
          fmt::format("it has {} root links, among them '{}' and '{}'; join all but one to "
                      "the others by joints",
                      roots.size(), link_name(roots[0]), link_name(roots[1])));

    std::vector<bool> reached(robot_.links.size(), false);
    std::vector<int> open = {roots[0]};
    while (!open.empty()) {
      const int link = open.back();
      open.pop_back();
      reached[static_cast<std::size_t>(link)] = true;
      structure_.links_parents_first.push_back(link);
      const std::vector<int>& children = children_[static_cast<std::size_t>(link)];
      open.insert(open.end(), children.rbegin(), children.rend());
    }
    const auto missed = std::ranges::find(reached, false);
    if (missed != reached.end()) return fail_loop(static_cast<int>(missed - reached.begin()));
    return {};
  }

  // Every link above `link` has a parent, so going up ends in a loop.
  Result<void> fail_loop(int link) {
    std::vector<bool> seen(robot_.links.size(), false);
    while (!seen[static_cast<std::size_t>(link)]) {
      seen[static_cast<std::size_t>(link)] = true;
      link = parent_link(link);
    }
    std::vector<std::string> names;
    int on_loop = link;
    do {
      names.push_back(link_name(on_loop));
      on_loop = parent_link(on_loop);
    } while (on_loop != link);
    return fail(fmt::format("the links {} form a loop; joints must form a tree: remove a joint",
                            quoted_list(names)));
  }

  Result<void> resolve_mimics() {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      if (!follows(robot_.joints[j])) {
        if (robot_.joints[j].mimic && robot_.joints[j].type != JointType::fixed)
          return fail_joint(robot_.joints[j],
                            "has several values and cannot mimic another; remove its mimic");
        continue;
      }
      if (Result<void> result = resolve_mimic(static_cast<int>(j)); !result.ok()) return result;
    }
    return {};
  }

  Result<void> resolve_mimic(int index) {
    ResolvedMimic resolved{index, index, 1, 0};
    std::vector<std::string> chain;
    while (follows(joint_at(resolved.driver))) {
      const RobotJoint& joint = joint_at(resolved.driver);
      chain.push_back(joint.name);
      if (chain.size() > robot_.joints.size())
        return fail_joint(joint_at(index),
                          "is part of, or follows, a cycle of mimic joints; let "
                          "one of them stop mimicking");
      const Mimic& mimic = *joint.mimic;
      const auto driver = joint_index_.find(mimic.joint);
      if (driver == joint_index_.end())
        return fail_joint(joint, fmt::format("mimics the unknown joint '{}'; add that joint or "
                                             "correct the name",
                                             mimic.joint));
      resolved.offset += resolved.multiplier * mimic.offset;
      resolved.multiplier *= mimic.multiplier;
      if (!(std::fabs(resolved.multiplier) <= kLargestNumber &&
            std::fabs(resolved.offset) <= kLargestNumber))
        return fail_joint(joint,
                          "has a mimic multiplier or offset that is not finite, or beyond 1e9");
      resolved.driver = driver->second;
    }
    const RobotJoint& driver = joint_at(resolved.driver);
    if (!has_one_value(driver.type))
      return fail_joint(joint_at(index),
                        fmt::format("mimics joint '{}', which has {}; mimic a revolute, continuous "
                                    "or prismatic joint",
                                    driver.name,
                                    driver.type == JointType::fixed ? "no value (it is fixed)"
                                                                    : "several values"));
    structure_.mimics.push_back(resolved);
    return {};
  }

  Error fail(std::string message) const { return bad_input(std::move(message), context_); }
  Error fail_joint(const RobotJoint& joint, std::string_view what) const {
    return fail(fmt::format("joint '{}' {}", joint.name, what));
  }

  const RobotJoint& joint_at(int index) const {
    return robot_.joints[static_cast<std::size_t>(index)];
  }
  const std::string& link_name(int link) const {
    return robot_.links[static_cast<std::size_t>(link)].name;
  }
  int parent_link(int link) const {
    const int joint = structure_.parent_joint[static_cast<std::size_t>(link)];
    return structure_.joint_parent[static_cast<std::size_t>(joint)];
  }

  const Robot& robot_;
  const std::string& context_;
  RobotStructure structure_;
  std::unordered_map<std::string, int> link_index_, joint_index_;
  std::vector<std::vector<int>> children_;
};

}  // namespace

Result<RobotStructure> check_structure(const Robot& robot, const std::string& context) {
  return StructureCheck(robot, context).run();
}

}  // namespace proven
