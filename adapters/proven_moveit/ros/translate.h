// From MoveIt's types to those of the guard, and back. Everything is read from memory, as MoveIt
// has it: no URDF text, no files.
#pragma once

#include <map>
#include <memory>
#include <moveit/collision_detection/collision_env.hpp>
#include <moveit/collision_detection/collision_matrix.hpp>
#include <moveit/collision_detection/world.hpp>
#include <moveit/robot_model/robot_model.hpp>
#include <moveit/robot_state/robot_state.hpp>
#include <moveit/robot_trajectory/robot_trajectory.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "proven_moveit/guard.h"

namespace proven_moveit {

// Links with their collision shapes, and joints. Fails on shapes and joints that Proven cannot
// treat: cones, planes, planar joints that drive like cars.
proven::Result<proven::Robot> to_robot(const moveit::core::RobotModel& model);

// What a collision is looked for in.
struct Question {
  const collision_detection::World* world = nullptr;
  const collision_detection::AllowedCollisionMatrix* matrix = nullptr;  // null: nothing may touch
  const collision_detection::CollisionEnv* padded = nullptr;            // whose paddings count
  bool pad_world = true, pad_self = false;
  std::string group;  // empty: the whole robot
  proven::adapters::PairScope scope = proven::adapters::PairScope::all;
};

class Translator {
 public:
  static proven::Result<std::shared_ptr<const Translator>> build(
      moveit::core::RobotModelConstPtr model, const proven::CheckOptions& options);

  const proven::adapters::Guard& guard() const { return *guard_; }

  // The state's values of all coordinates, in the guard's order.
  std::vector<double> configuration(const moveit::core::RobotState& state) const;
  // With what the state holds.
  proven::Result<proven::adapters::Surroundings> surroundings(
      const Question& question, const moveit::core::RobotState& state) const;
  // All points, with times unless all durations are 0, and the rates that every point has.
  proven::Result<proven::Trajectory> trajectory(
      const robot_trajectory::RobotTrajectory& trajectory) const;
  // In place of its points; what the trajectory does not name stays as in its first point.
  void write(const proven::Trajectory& points, robot_trajectory::RobotTrajectory& into) const;

 private:
  // Meshes and octrees that were translated: equal pointers, equal shapes.
  struct Kept {
    shapes::ShapeConstPtr original;
    proven::Shape shape;
  };

  proven::Result<std::vector<proven::CollisionElement>> elements(
      const std::string& of, const std::vector<shapes::ShapeConstPtr>& shapes,
      const EigenSTL::vector_Isometry3d& poses) const;

  moveit::core::RobotModelConstPtr model_;
  std::shared_ptr<const proven::adapters::Guard> guard_;
  std::vector<std::string> variables_;  // MoveIt's names of the guard's coordinates
  mutable std::mutex mutex_;
  mutable std::map<const shapes::Shape*, Kept> kept_;
};

}  // namespace proven_moveit
