// A collision environment of MoveIt whose answers are proofs: a state or a motion between two
// states is without collision only if that is proved, everything else is a collision.
#pragma once

#include <memory>
#include <moveit/collision_detection/collision_detector_allocator.hpp>
#include <moveit/collision_detection/collision_env.hpp>
#include <string>

#include "translate.h"

namespace proven_moveit {

class ProvenCollisionEnv : public collision_detection::CollisionEnv {
 public:
  explicit ProvenCollisionEnv(const moveit::core::RobotModelConstPtr& model, double padding = 0.0,
                              double scale = 1.0);
  ProvenCollisionEnv(const moveit::core::RobotModelConstPtr& model,
                     const collision_detection::WorldPtr& world, double padding = 0.0,
                     double scale = 1.0);
  ProvenCollisionEnv(const ProvenCollisionEnv& other, const collision_detection::WorldPtr& world);

  void checkSelfCollision(const collision_detection::CollisionRequest& req,
                          collision_detection::CollisionResult& res,
                          const moveit::core::RobotState& state) const override;
  void checkSelfCollision(const collision_detection::CollisionRequest& req,
                          collision_detection::CollisionResult& res,
                          const moveit::core::RobotState& state,
                          const collision_detection::AllowedCollisionMatrix& acm) const override;
  void checkRobotCollision(const collision_detection::CollisionRequest& req,
                           collision_detection::CollisionResult& res,
                           const moveit::core::RobotState& state) const override;
  void checkRobotCollision(const collision_detection::CollisionRequest& req,
                           collision_detection::CollisionResult& res,
                           const moveit::core::RobotState& state,
                           const collision_detection::AllowedCollisionMatrix& acm) const override;
  // The whole motion between the two states, joint by joint on a straight line.
  void checkRobotCollision(const collision_detection::CollisionRequest& req,
                           collision_detection::CollisionResult& res,
                           const moveit::core::RobotState& state1,
                           const moveit::core::RobotState& state2,
                           const collision_detection::AllowedCollisionMatrix& acm) const override;
  void checkRobotCollision(const collision_detection::CollisionRequest& req,
                           collision_detection::CollisionResult& res,
                           const moveit::core::RobotState& state1,
                           const moveit::core::RobotState& state2) const override;
  void distanceSelf(const collision_detection::DistanceRequest& req,
                    collision_detection::DistanceResult& res,
                    const moveit::core::RobotState& state) const override;
  void distanceRobot(const collision_detection::DistanceRequest& req,
                     collision_detection::DistanceResult& res,
                     const moveit::core::RobotState& state) const override;

 private:
  using Scope = proven::adapters::PairScope;
  Question question(const collision_detection::CollisionRequest& req, Scope scope,
                    const collision_detection::AllowedCollisionMatrix* acm) const;
  void judge(const collision_detection::CollisionRequest& req,
             collision_detection::CollisionResult& res, Scope scope,
             const moveit::core::RobotState& state, const moveit::core::RobotState* to,
             const collision_detection::AllowedCollisionMatrix* acm) const;
  void measure(const collision_detection::DistanceRequest& req,
               collision_detection::DistanceResult& res, Scope scope,
               const moveit::core::RobotState& state) const;

  std::shared_ptr<const Translator> translator_;  // null: see error_
  std::string error_;
};

class ProvenCollisionDetectorAllocator
    : public collision_detection::CollisionDetectorAllocatorTemplate<
          ProvenCollisionEnv, ProvenCollisionDetectorAllocator> {
 public:
  static const std::string NAME;
};

}  // namespace proven_moveit
