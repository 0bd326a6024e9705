// A robot of Proven as the stand-in for MoveIt's model, in the way that MoveIt reads a URDF.
#pragma once

#include <stdexcept>

#include "moveit_stub.h"
#include "proven/scene/scene.h"

namespace proven::test {

inline Eigen::Isometry3d to_eigen(const Pose& X) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result.matrix()(i, j) = X.R(i, j);
  result.translation() = Eigen::Vector3d(X.p.x, X.p.y, X.p.z);
  return result;
}

inline shapes::ShapeConstPtr to_moveit(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape))
    return std::make_shared<shapes::Box>(2 * box->half_extents.x, 2 * box->half_extents.y,
                                         2 * box->half_extents.z);
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    return std::make_shared<shapes::Sphere>(sphere->radius);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape))
    return std::make_shared<shapes::Cylinder>(cylinder->radius, 2 * cylinder->half_length);
  const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&shape);
  if (!mesh) throw std::runtime_error("no shape of MoveIt's");
  auto result = std::make_shared<shapes::Mesh>(static_cast<unsigned>((*mesh)->vertices.size()),
                                               static_cast<unsigned>((*mesh)->triangles.size()));
  for (unsigned i = 0; i < result->vertex_count; ++i)
    for (unsigned k = 0; k < 3; ++k)
      result->vertices[3 * i + k] = (*mesh)->vertices[i][static_cast<int>(k)];
  for (unsigned i = 0; i < result->triangle_count; ++i)
    for (unsigned k = 0; k < 3; ++k) result->triangles[3 * i + k] = (*mesh)->triangles[i][k];
  return result;
}

inline std::unique_ptr<moveit::core::JointModel> to_moveit(const RobotJoint& joint) {
  using moveit::core::JointModel;
  const Eigen::Vector3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
  std::unique_ptr<JointModel> result;
  const auto named = [&](JointModel::JointType type, std::vector<std::string> variables) {
    result->name = joint.name;
    result->type = type;
    result->variables = std::move(variables);
    result->bounds.resize(result->variables.size());
  };
  switch (joint.type) {
    case JointType::revolute:
    case JointType::continuous: {
      auto revolute = std::make_unique<moveit::core::RevoluteJointModel>();
      revolute->axis = axis;
      revolute->continuous = joint.type == JointType::continuous;
      result = std::move(revolute);
      named(JointModel::REVOLUTE, {joint.name});
      break;
    }
    case JointType::prismatic: {
      auto prismatic = std::make_unique<moveit::core::PrismaticJointModel>();
      prismatic->axis = axis;
      result = std::move(prismatic);
      named(JointModel::PRISMATIC, {joint.name});
      break;
    }
    case JointType::planar:
      result = std::make_unique<moveit::core::PlanarJointModel>();
      named(JointModel::PLANAR, {joint.name + "/x", joint.name + "/y", joint.name + "/theta"});
      break;
    case JointType::floating:
      result = std::make_unique<JointModel>();
      named(JointModel::FLOATING,
            {joint.name + "/trans_x", joint.name + "/trans_y", joint.name + "/trans_z",
             joint.name + "/rot_x", joint.name + "/rot_y", joint.name + "/rot_z",
             joint.name + "/rot_w"});
      break;
    case JointType::fixed:
      result = std::make_unique<JointModel>();
      named(JointModel::FIXED, {});
  }
  if (result->bounds.size() == 1) {
    moveit::core::VariableBounds& bounds = result->bounds[0];
    const JointLimits& limits = joint.limits;
    bounds.position_bounded_ = std::isfinite(limits.lower) && std::isfinite(limits.upper);
    bounds.min_position_ = limits.lower;
    bounds.max_position_ = limits.upper;
    bounds.velocity_bounded_ = std::isfinite(limits.velocity);
    bounds.max_velocity_ = limits.velocity;
    bounds.acceleration_bounded_ = std::isfinite(limits.acceleration);
    bounds.max_acceleration_ = limits.acceleration;
  }
  return result;
}

// `moving_base`: the robot's first joint hangs its root in the world, as a virtual joint does.
inline std::shared_ptr<moveit::core::RobotModel> to_moveit(const Robot& robot,
                                                           bool moving_base = false) {
  auto model = std::make_shared<moveit::core::RobotModel>();
  model->name = robot.name;
  std::map<std::string, moveit::core::LinkModel*> links;
  for (const RobotLink& link : robot.links) {
    if (moving_base && &link == &robot.links.front()) {
      model->frame = link.name;
      continue;
    }
    auto added = std::make_unique<moveit::core::LinkModel>();
    added->name = link.name;
    for (const CollisionElement& element : link.collision) {
      added->shapes.push_back(to_moveit(element.shape));
      added->origins.push_back(to_eigen(element.X_BS));
    }
    links[link.name] = added.get();
    model->link_pointers.push_back(added.get());
    model->links.push_back(std::move(added));
  }
  if (!moving_base) {
    RobotJoint root;
    root.name = "virtual_joint";
    std::set<std::string> children;
    for (const RobotJoint& joint : robot.joints) children.insert(joint.child_link);
    for (const auto& [name, link] : links)
      if (!children.contains(name)) root.child_link = name;
    model->joints.push_back(to_moveit(root));
    model->joints.back()->child = links.at(root.child_link);
  }
  for (const RobotJoint& joint : robot.joints) {
    auto added = to_moveit(joint);
    if (links.contains(joint.parent_link)) added->parent = links.at(joint.parent_link);
    added->child = links.at(joint.child_link);
    links.at(joint.child_link)->joint_origin = to_eigen(joint.X_PJ);
    model->joints.push_back(std::move(added));
  }
  for (const RobotJoint& joint : robot.joints)
    if (joint.mimic)
      for (auto& one : model->joints)
        if (one->name == joint.name) {
          one->mimic = model->getJointModel(joint.mimic->joint);
          one->mimic_factor = joint.mimic->multiplier;
          one->mimic_offset = joint.mimic->offset;
        }
  return model;
}

}  // namespace proven::test
