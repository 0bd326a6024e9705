#include <moveit/collision_detection/collision_plugin.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "collision_env.h"

namespace proven_moveit {

class ProvenCollisionPlugin : public collision_detection::CollisionPlugin {
 public:
  bool initialize(const planning_scene::PlanningScenePtr& scene) const override {
    scene->allocateCollisionDetector(ProvenCollisionDetectorAllocator::create());
    return true;
  }
};

}  // namespace proven_moveit

PLUGINLIB_EXPORT_CLASS(proven_moveit::ProvenCollisionPlugin, collision_detection::CollisionPlugin)
