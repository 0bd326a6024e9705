#include "translate.h"

#include <geometric_shapes/shapes.h>
#include <octomap/octomap.h>

#include <algorithm>
#include <moveit/robot_model/planar_joint_model.hpp>
#include <moveit/robot_model/prismatic_joint_model.hpp>
#include <moveit/robot_model/revolute_joint_model.hpp>

namespace proven_moveit {
namespace {

using proven::Error;
using proven::ErrorCode;
using proven::Pose;
using proven::Result;
using proven::Shape;
using proven::Vec3;

Error unsupported(std::string message) {
  return {ErrorCode::unsupported, std::move(message), ""};
}

Vec3 to_vec3(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

Pose to_pose(const Eigen::Isometry3d& X) {
  const Eigen::Matrix3d R = X.linear();
  return {proven::Mat3::from_columns(to_vec3(R.col(0)), to_vec3(R.col(1)), to_vec3(R.col(2))),
          to_vec3(X.translation())};
}

Shape to_mesh(const shapes::Mesh& mesh) {
  auto result = std::make_shared<proven::TriangleMesh>();
  for (unsigned i = 0; i < mesh.vertex_count; ++i) {
    const double* v = mesh.vertices + 3 * i;
    result->vertices.push_back({v[0], v[1], v[2]});
  }
  for (unsigned i = 0; i < mesh.triangle_count; ++i) {
    const unsigned* t = mesh.triangles + 3 * i;
    result->triangles.push_back({t[0], t[1], t[2]});
  }
  return std::shared_ptr<const proven::TriangleMesh>(std::move(result));
}

// Occupied leaves as cells of the finest grid; what is unknown is not there.
Shape to_voxels(const octomap::OcTree& tree) {
  constexpr int kMiddle = 1 << 15;  // the key at the origin
  auto result = std::make_shared<proven::VoxelSet>();
  result->size = tree.getResolution();
  for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
    if (!tree.isNodeOccupied(*leaf)) continue;
    const octomap::OcTreeKey key = leaf.getIndexKey();
    const int side = 1 << (tree.getTreeDepth() - leaf.getDepth());
    for (int x = 0; x < side; ++x)
      for (int y = 0; y < side; ++y)
        for (int z = 0; z < side; ++z)
          result->cells.push_back(
              {key[0] - kMiddle + x, key[1] - kMiddle + y, key[2] - kMiddle + z});
  }
  return std::shared_ptr<const proven::VoxelSet>(std::move(result));
}

Result<Shape> to_shape(const std::string& of, const shapes::Shape& shape) {
  switch (shape.type) {
    case shapes::BOX: {
      const auto& box = static_cast<const shapes::Box&>(shape);
      return Shape(proven::Box{{box.size[0] / 2, box.size[1] / 2, box.size[2] / 2}});
    }
    case shapes::SPHERE:
      return Shape(proven::Sphere{static_cast<const shapes::Sphere&>(shape).radius});
    case shapes::CYLINDER: {
      const auto& cylinder = static_cast<const shapes::Cylinder&>(shape);
      return Shape(proven::Cylinder{cylinder.radius, cylinder.length / 2});
    }
    case shapes::MESH:
      return to_mesh(static_cast<const shapes::Mesh&>(shape));
    case shapes::OCTREE:
      return to_voxels(*static_cast<const shapes::OcTree&>(shape).octree);
    default:
      return unsupported(of +
                         " has a shape that cannot be treated: a cone, a plane or something "
                         "unknown; use a box, sphere, cylinder, mesh or octree");
  }
}

Result<proven::RobotJoint> to_joint(const moveit::core::JointModel& model,
                                    const std::string& root) {
  proven::RobotJoint joint;
  joint.name = model.getName();
  joint.parent_link = model.getParentLinkModel() ? model.getParentLinkModel()->getName() : root;
  joint.child_link = model.getChildLinkModel()->getName();
  joint.X_PJ = to_pose(model.getChildLinkModel()->getJointOriginTransform());
  switch (model.getType()) {
    case moveit::core::JointModel::FIXED:
      joint.type = proven::JointType::fixed;
      break;
    case moveit::core::JointModel::REVOLUTE: {
      const auto& revolute = static_cast<const moveit::core::RevoluteJointModel&>(model);
      joint.type =
          revolute.isContinuous() ? proven::JointType::continuous : proven::JointType::revolute;
      joint.axis = to_vec3(revolute.getAxis());
      break;
    }
    case moveit::core::JointModel::PRISMATIC:
      joint.type = proven::JointType::prismatic;
      joint.axis = to_vec3(static_cast<const moveit::core::PrismaticJointModel&>(model).getAxis());
      break;
    case moveit::core::JointModel::PLANAR:
      if (static_cast<const moveit::core::PlanarJointModel&>(model).getMotionModel() !=
          moveit::core::PlanarJointModel::HOLONOMIC)
        return unsupported("the joint " + joint.name +
                           " drives like a car: the way between two of its states is not a line");
      joint.type = proven::JointType::planar;
      joint.axis = {0, 0, 1};
      break;
    case moveit::core::JointModel::FLOATING:
      joint.type = proven::JointType::floating;
      break;
    default:
      return unsupported("the joint " + joint.name + " is of a type that cannot be treated");
  }
  if (joint.type == proven::JointType::revolute || joint.type == proven::JointType::prismatic) {
    const auto& bounds = model.getVariableBounds().front();
    if (bounds.position_bounded_) {
      joint.limits.lower = bounds.min_position_;
      joint.limits.upper = bounds.max_position_;
    }
  }
  if (model.getVariableCount() == 1) {
    const auto& bounds = model.getVariableBounds().front();
    if (bounds.velocity_bounded_) joint.limits.velocity = bounds.max_velocity_;
    if (bounds.acceleration_bounded_) joint.limits.acceleration = bounds.max_acceleration_;
  }
  if (model.getMimic())
    joint.mimic =
        proven::Mimic{model.getMimic()->getName(), model.getMimicFactor(), model.getMimicOffset()};
  return joint;
}

// What MoveIt calls a coordinate "robot/joint", "robot/joint.x", ...
std::string variable_of(const proven::Coordinate& coordinate, bool planar) {
  std::string joint = coordinate.joint.substr(coordinate.joint.find('/') + 1);
  if (coordinate.name == coordinate.joint) return joint;
  const std::string part = coordinate.name.substr(coordinate.joint.size() + 1);
  if (planar) return joint + (part == "angle" ? "/theta" : "/" + part);
  return joint + (part[0] == 'q' ? "/rot_" + part.substr(1) : "/trans_" + part);
}

void add_pair(std::set<std::pair<std::string, std::string>>& pairs, const std::string& a,
              const std::string& b) {
  pairs.insert(a < b ? std::pair(a, b) : std::pair(b, a));
}

// Every pair of names that the matrix lets touch.
Result<std::set<std::pair<std::string, std::string>>> allowed_pairs(
    const collision_detection::AllowedCollisionMatrix& matrix,
    const std::vector<std::string>& names) {
  std::set<std::pair<std::string, std::string>> allowed;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      collision_detection::AllowedCollision::Type type;
      if (!matrix.getAllowedCollision(names[i], names[j], type)) continue;
      if (type == collision_detection::AllowedCollision::CONDITIONAL)
        return unsupported(names[i] + " and " + names[j] +
                           " may touch under a condition, which cannot be proved along a motion; "
                           "allow the pair or do not");
      if (type == collision_detection::AllowedCollision::ALWAYS)
        add_pair(allowed, names[i], names[j]);
    }
  return allowed;
}

}  // namespace

Result<proven::Robot> to_robot(const moveit::core::RobotModel& model) {
  proven::Robot robot;
  robot.name = model.getName().empty() ? "robot" : model.getName();
  const moveit::core::JointModel* root = model.getRootJoint();
  const bool moves = root->getType() != moveit::core::JointModel::FIXED;
  if (moves) robot.links.push_back({model.getModelFrame(), {}, false, nullptr});
  for (const moveit::core::LinkModel* link : model.getLinkModels()) {
    proven::RobotLink added;
    added.name = link->getName();
    for (std::size_t i = 0; i < link->getShapes().size(); ++i) {
      auto shape = to_shape("the link " + added.name, *link->getShapes()[i]);
      if (!shape.ok()) return shape.error();
      added.collision.push_back(
          {std::move(shape).value(), to_pose(link->getCollisionOriginTransforms()[i]), added.name});
    }
    robot.links.push_back(std::move(added));
  }
  for (const moveit::core::JointModel* joint : model.getJointModels()) {
    if (joint == root && !moves) continue;
    auto added = to_joint(*joint, model.getModelFrame());
    if (!added.ok()) return added.error();
    robot.joints.push_back(std::move(added).value());
  }
  return robot;
}

Result<std::shared_ptr<const Translator>> Translator::build(moveit::core::RobotModelConstPtr model,
                                                            const proven::CheckOptions& options) {
  const auto robot = to_robot(*model);
  if (!robot.ok()) return robot.error();
  auto guard = proven::adapters::Guard::build(robot.value(), options);
  if (!guard.ok()) return guard.error();
  auto translator = std::make_shared<Translator>();
  for (const proven::Coordinate& c : guard.value()->robot().tree().coordinates()) {
    const std::string joint = c.joint.substr(c.joint.find('/') + 1);
    const bool planar = model->getJointModel(joint)->getType() == moveit::core::JointModel::PLANAR;
    translator->variables_.push_back(variable_of(c, planar));
  }
  translator->model_ = std::move(model);
  translator->guard_ = std::move(guard).value();
  return std::shared_ptr<const Translator>(std::move(translator));
}

std::vector<double> Translator::configuration(const moveit::core::RobotState& state) const {
  std::vector<double> q;
  for (const std::string& variable : variables_) q.push_back(state.getVariablePosition(variable));
  return q;
}

Result<std::vector<proven::CollisionElement>> Translator::elements(
    const std::string& of, const std::vector<shapes::ShapeConstPtr>& shapes,
    const EigenSTL::vector_Isometry3d& poses) const {
  std::vector<proven::CollisionElement> result;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto known = kept_.find(shapes[i].get());
    if (known != kept_.end()) {
      result.push_back({known->second.shape, to_pose(poses[i]), of});
      continue;
    }
    auto shape = to_shape(of, *shapes[i]);
    if (!shape.ok()) return shape.error();
    if (shapes[i]->type == shapes::MESH || shapes[i]->type == shapes::OCTREE) {
      // What nobody else has any more is forgotten.
      std::erase_if(kept_,
                    [](const auto& entry) { return entry.second.original.use_count() == 1; });
      kept_[shapes[i].get()] = {shapes[i], shape.value()};
    }
    result.push_back({std::move(shape).value(), to_pose(poses[i]), of});
  }
  return result;
}

Result<proven::adapters::Surroundings> Translator::surroundings(
    const Question& question, const moveit::core::RobotState& state) const {
  proven::adapters::Surroundings around;
  around.scope = question.scope;
  std::vector<std::string> names;
  for (const moveit::core::LinkModel* link : model_->getLinkModelsWithCollisionGeometry())
    names.push_back(link->getName());
  std::vector<const moveit::core::AttachedBody*> bodies;
  state.getAttachedBodies(bodies);
  for (const moveit::core::AttachedBody* body : bodies) {
    auto shapes = elements(body->getName(), body->getShapes(), body->getShapePosesInLinkFrame());
    if (!shapes.ok()) return shapes.error();
    const std::set<std::string>& touch = body->getTouchLinks();
    around.held.push_back({body->getName(),
                           body->getAttachedLinkName(),
                           std::move(shapes).value(),
                           Pose{},
                           {touch.begin(), touch.end()}});
    names.push_back(body->getName());
  }
  if (question.scope != proven::adapters::PairScope::self)
    for (const auto& [id, object] : *question.world) {
      if (object->shapes_.empty()) continue;
      auto shapes = elements(id, object->shapes_, object->shape_poses_);
      if (!shapes.ok()) return shapes.error();
      around.objects.push_back({id, std::move(shapes).value(), to_pose(object->pose_)});
      names.push_back(id);
    }
  if (question.matrix) {
    auto allowed = allowed_pairs(*question.matrix, names);
    if (!allowed.ok()) return allowed.error();
    around.allowed = std::move(allowed).value();
  }
  if (question.padded)
    for (const std::string& name : names) {
      if (question.padded->getLinkScale(name) != 1)
        return unsupported("the link " + name +
                           " is scaled; only paddings are honoured: set its scale to 1");
      const double padding = question.padded->getLinkPadding(name);
      if (padding == 0) continue;
      if (question.pad_world) around.world_padding[name] = padding;
      if (question.pad_self) around.self_padding[name] = padding;
    }
  // A held thing has the padding of the link that holds it.
  for (const auto& held : around.held)
    for (auto* padding : {&around.world_padding, &around.self_padding})
      if (const auto found = padding->find(held.link); found != padding->end())
        (*padding)[held.name] = found->second;
  if (!question.group.empty()) {
    if (!model_->hasJointModelGroup(question.group))
      return proven::bad_input("the robot has no group " + question.group);
    around.active.emplace();
    for (const moveit::core::LinkModel* link :
         model_->getJointModelGroup(question.group)->getUpdatedLinkModels())
      around.active->insert(link->getName());
  }
  return around;
}

Result<proven::Trajectory> Translator::trajectory(
    const robot_trajectory::RobotTrajectory& trajectory) const {
  const std::size_t count = trajectory.getWayPointCount();
  if (count == 0) return proven::bad_input("the trajectory has no points");
  std::vector<std::vector<double>> rows;
  bool velocities = true, accelerations = true;
  double time = 0, total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const moveit::core::RobotState& state = trajectory.getWayPoint(i);
    rows.push_back(configuration(state));
    velocities = velocities && state.hasVelocities();
    accelerations = accelerations && velocities && state.hasAccelerations();
    if (i > 0) total += trajectory.getWayPointDurationFromPrevious(i);
  }
  // The group's own variables, and whatever else moves.
  std::set<std::string> own;
  if (trajectory.getGroup())
    own.insert(trajectory.getGroup()->getVariableNames().begin(),
               trajectory.getGroup()->getVariableNames().end());
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < variables_.size(); ++c) {
    const auto moves = [&](const std::vector<double>& row) { return row[c] != rows[0][c]; };
    if (own.empty() || own.contains(variables_[c]) || std::any_of(rows.begin(), rows.end(), moves))
      columns.push_back(c);
  }
  const auto picked = [&](const auto& value) {
    std::vector<double> row;
    for (const std::size_t c : columns) row.push_back(value(c));
    return row;
  };
  proven::Trajectory result;
  for (const std::size_t c : columns)
    result.joints.push_back(guard_->robot().tree().coordinates()[c].name);
  for (std::size_t i = 0; i < count; ++i) {
    const moveit::core::RobotState& state = trajectory.getWayPoint(i);
    result.positions.push_back(picked([&](std::size_t c) { return rows[i][c]; }));
    if (total == 0) continue;
    if (i > 0) time += trajectory.getWayPointDurationFromPrevious(i);
    result.times.push_back(time);
    if (velocities)
      result.velocities.push_back(
          picked([&](std::size_t c) { return state.getVariableVelocity(variables_[c]); }));
    if (accelerations)
      result.accelerations.push_back(
          picked([&](std::size_t c) { return state.getVariableAcceleration(variables_[c]); }));
  }
  return result;
}

void Translator::write(const proven::Trajectory& points,
                       robot_trajectory::RobotTrajectory& into) const {
  const moveit::core::RobotState first = into.getWayPoint(0);
  into.clear();
  const auto coordinates = guard_->robot().tree().coordinates();
  for (std::size_t i = 0; i < points.positions.size(); ++i) {
    auto state = std::make_shared<moveit::core::RobotState>(first);
    state->dropVelocities();
    state->dropAccelerations();
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      const auto column =
          std::find(points.joints.begin(), points.joints.end(), coordinates[c].name);
      if (column == points.joints.end()) continue;
      const auto j = static_cast<std::size_t>(column - points.joints.begin());
      state->setVariablePosition(variables_[c], points.positions[i][j]);
      if (!points.velocities.empty())
        state->setVariableVelocity(variables_[c], points.velocities[i][j]);
      if (!points.accelerations.empty())
        state->setVariableAcceleration(variables_[c], points.accelerations[i][j]);
    }
    state->update();
    const double before = i == 0 || points.times.empty() ? 0 : points.times[i - 1];
    into.addSuffixWayPoint(state, points.times.empty() ? 0 : points.times[i] - before);
  }
}

}  // namespace proven_moveit
