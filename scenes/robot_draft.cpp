#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "scenes/robots.h"

namespace proven::scenes {

void RobotDraft::add_link(const std::string& name, TriangleMesh mesh) {
  RobotLink& link = robot_.links.emplace_back();
  link.name = name;
  meshes_.push_back(std::move(mesh));
}

RobotJoint& RobotDraft::add_joint(const std::string& name, JointType type,
                                  const std::string& parent, const std::string& child,
                                  const Pose& X_PJ, const Vec3& axis, JointLimits limits) {
  RobotJoint joint;
  joint.name = name;
  joint.type = type;
  joint.parent_link = parent;
  joint.child_link = child;
  joint.X_PJ = X_PJ;
  joint.axis = axis;
  joint.limits = limits;
  return robot_.joints.emplace_back(std::move(joint));
}

TriangleMesh& RobotDraft::mesh(const std::string& link) {
  const auto it = std::find_if(robot_.links.begin(), robot_.links.end(),
                               [&](const RobotLink& l) { return l.name == link; });
  return meshes_.at(static_cast<std::size_t>(it - robot_.links.begin()));
}

int RobotDraft::num_triangles() const {
  int sum = 0;
  for (const TriangleMesh& m : meshes_) sum += scenes::num_triangles(m);
  return sum;
}

void RobotDraft::refine_to(int total, const std::string& fixed) {
  std::vector<TriangleMesh*> open;
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    if (robot_.links[i].name == fixed)
      total -= scenes::num_triangles(meshes_[i]);
    else
      open.push_back(&meshes_[i]);
  }
  if (!scenes::refine_to(open, total))
    throw std::logic_error("cannot refine robot " + robot_.name + " from " +
                           std::to_string(num_triangles()) + " triangles");
}

Robot RobotDraft::finish() && {
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    if (meshes_[i].triangles.empty()) continue;
    robot_.links[i].collision.push_back(
        {std::make_shared<const TriangleMesh>(std::move(meshes_[i])), {}, robot_.links[i].name});
    robot_.links[i].has_visual = true;
  }
  return std::move(robot_);
}

Pose link_pose(const Robot& robot, const std::string& link, std::span<const double> values) {
  std::map<std::string, double> value_of;
  std::size_t next = 0;
  for (const RobotJoint& j : robot.joints)
    if (j.type != JointType::fixed) value_of[j.name] = values[next++];
  Pose X;
  for (std::string at = link;;) {
    const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(),
                                    [&](const RobotJoint& j) { return j.child_link == at; });
    if (joint == robot.joints.end()) return X;
    Pose motion;
    if (joint->type == JointType::prismatic)
      motion.p = value_of[joint->name] * joint->axis;
    else if (joint->type != JointType::fixed)
      motion.R = rotation(joint->axis, value_of[joint->name]);
    X = joint->X_PJ * motion * X;
    at = joint->parent_link;
  }
}

}  // namespace proven::scenes
