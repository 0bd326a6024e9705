// The last adapter of a planning pipeline: what leaves it is proved free, or marked invalid.
#pragma once

#include <memory>
#include <moveit/planning_interface/planning_response_adapter.hpp>
#include <moveit/planning_scene/planning_scene.hpp>
#include <mutex>
#include <rclcpp/node.hpp>
#include <rclcpp/publisher.hpp>
#include <string>
#include <visualization_msgs/msg/marker_array.hpp>

#include "translate.h"

namespace proven_moveit {

// Parameters, in the adapter's namespace (README.md says what they mean).
struct AdapterParameters {
  double clearance = 0, tracking_error = 0, resolution = 1e-6;
  double max_seconds = 0;  // 0: no limit
  bool repair = false;
  int max_contacts = 10;
  std::string interpolation = "as_given";
  std::string contacts_topic = "proven_contacts";
};

class ProveMotion : public planning_interface::PlanningResponseAdapter {
 public:
  void initialize(const rclcpp::Node::SharedPtr& node,
                  const std::string& parameter_namespace) override;
  [[nodiscard]] std::string getDescription() const override { return "ProveMotion"; }
  void adapt(const planning_scene::PlanningSceneConstPtr& planning_scene,
             const planning_interface::MotionPlanRequest& req,
             planning_interface::MotionPlanResponse& res) const override;

 private:
  proven::Result<std::shared_ptr<const Translator>> translator(
      const moveit::core::RobotModelConstPtr& model) const;
  void judge(const planning_scene::PlanningScene& scene,
             const planning_interface::MotionPlanRequest& req,
             planning_interface::MotionPlanResponse& res) const;

  AdapterParameters parameters_;
  rclcpp::Publisher<visualization_msgs::msg::MarkerArray>::SharedPtr markers_;
  // Of the robot that was asked about last.
  mutable std::mutex mutex_;
  mutable moveit::core::RobotModelConstPtr model_;
  mutable std::shared_ptr<const Translator> translator_;
};

}  // namespace proven_moveit
