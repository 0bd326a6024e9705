#include "response_adapter.h"

#include <algorithm>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>

#include "messages.h"

namespace proven_moveit {
namespace {

using moveit_msgs::msg::MoveItErrorCodes;
using proven::Interpolation;

rclcpp::Logger logger() {
  return rclcpp::get_logger("proven_moveit.prove_motion");
}

void mark_invalid(planning_interface::MotionPlanResponse& res, const std::string& why) {
  RCLCPP_ERROR(logger(), "the planned trajectory is not valid: %s", why.c_str());
  res.error_code.val = MoveItErrorCodes::INVALID_MOTION_PLAN;
  res.error_code.message = why;
  res.error_code.source = "proven_moveit::ProveMotion";
}

std::optional<Interpolation> to_interpolation(const std::string& word) {
  if (word == "as_given") return Interpolation::as_given;
  if (word == "linear") return Interpolation::linear;
  if (word == "cubic") return Interpolation::cubic;
  if (word == "quintic") return Interpolation::quintic;
  return std::nullopt;
}

// A share of the limits that was asked for; 0 stands for all.
double speed_of(const planning_interface::MotionPlanRequest& req) {
  double speed = 1;
  for (const double factor : {req.max_velocity_scaling_factor, req.max_acceleration_scaling_factor})
    if (factor > 0) speed = std::min(speed, factor);
  return speed;
}

bool constrained(const moveit_msgs::msg::Constraints& constraints) {
  return !constraints.joint_constraints.empty() || !constraints.position_constraints.empty() ||
         !constraints.orientation_constraints.empty() ||
         !constraints.visibility_constraints.empty();
}

}  // namespace

void ProveMotion::initialize(const rclcpp::Node::SharedPtr& node,
                             const std::string& parameter_namespace) {
  const std::string in = parameter_namespace.empty() ? "" : parameter_namespace + ".";
  const auto read = [&](const std::string& name, auto& value) {
    const std::string full = in + name;
    if (!node->has_parameter(full)) node->declare_parameter(full, value);
    node->get_parameter(full, value);
  };
  read("clearance", parameters_.clearance);
  read("tracking_error", parameters_.tracking_error);
  read("resolution", parameters_.resolution);
  read("max_seconds", parameters_.max_seconds);
  read("repair", parameters_.repair);
  read("max_contacts", parameters_.max_contacts);
  read("interpolation", parameters_.interpolation);
  read("contacts_topic", parameters_.contacts_topic);
  if (!parameters_.contacts_topic.empty())
    markers_ = node->create_publisher<visualization_msgs::msg::MarkerArray>(
        parameters_.contacts_topic, rclcpp::SystemDefaultsQoS());
}

proven::Result<std::shared_ptr<const Translator>> ProveMotion::translator(
    const moveit::core::RobotModelConstPtr& model) const {
  const std::lock_guard lock(mutex_);
  if (translator_ && model_ == model) return translator_;
  proven::CheckOptions options;
  options.clearance = parameters_.clearance;
  options.tracking_error = parameters_.tracking_error;
  options.resolution = parameters_.resolution;
  auto built = Translator::build(model, options);
  if (!built.ok()) return built.error();
  model_ = model;
  translator_ = std::move(built).value();
  return translator_;
}

void ProveMotion::adapt(const planning_scene::PlanningSceneConstPtr& planning_scene,
                        const planning_interface::MotionPlanRequest& req,
                        planning_interface::MotionPlanResponse& res) const {
  if (!res.trajectory) return mark_invalid(res, "there is no trajectory");
  judge(*planning_scene, req, res);
}

void ProveMotion::judge(const planning_scene::PlanningScene& scene,
                        const planning_interface::MotionPlanRequest& req,
                        planning_interface::MotionPlanResponse& res) const {
  const auto interpolation = to_interpolation(parameters_.interpolation);
  if (!interpolation)
    return mark_invalid(res, "the parameter interpolation is '" + parameters_.interpolation +
                                 "'; it must be as_given, linear, cubic or quintic");
  const auto of_model = translator(scene.getRobotModel());
  if (!of_model.ok()) return mark_invalid(res, of_model.error().text());
  const Translator& translator = *of_model.value();
  const auto trajectory = translator.trajectory(*res.trajectory);
  if (!trajectory.ok()) return mark_invalid(res, trajectory.error().text());
  Question question;
  question.world = scene.getWorld().get();
  question.matrix = &scene.getAllowedCollisionMatrix();
  question.padded = scene.getCollisionEnv().get();
  question.group = req.group_name;
  const moveit::core::RobotState& first = res.trajectory->getWayPoint(0);
  const auto around = translator.surroundings(question, first);
  if (!around.ok()) return mark_invalid(res, around.error().text());
  const std::vector<double> rest = translator.configuration(first);
  const proven::Budget budget = parameters_.max_seconds > 0
                                    ? proven::Budget::of_seconds(parameters_.max_seconds)
                                    : proven::Budget{};
  const auto most = static_cast<std::size_t>(std::max(1, parameters_.max_contacts));
  const auto answer = translator.guard().check(around.value(), rest, trajectory.value(), most,
                                               *interpolation, budget);
  if (!answer.ok()) return mark_invalid(res, answer.error().text());
  if (markers_) markers_->publish(to_markers(answer.value().contacts, scene.getPlanningFrame()));
  if (answer.value().verdict == proven::Verdict::free) return;
  if (!parameters_.repair) return mark_invalid(res, answer.value().text);
  const std::string found = answer.value().text;
  if (constrained(req.path_constraints))
    return mark_invalid(res, found + "; not repaired, since the request has path constraints");
  const auto repaired = translator.guard().repair(around.value(), rest, trajectory.value(),
                                                  speed_of(req), *interpolation, 1, budget);
  if (!repaired.ok())
    return mark_invalid(res, found + "; not repaired: " + repaired.error().text());
  if (!repaired.value().trajectory)
    return mark_invalid(res, found + "; not repaired: " + repaired.value().text);
  RCLCPP_INFO(logger(), "repaired: %s", found.c_str());
  translator.write(*repaired.value().trajectory, *res.trajectory);
}

}  // namespace proven_moveit

PLUGINLIB_EXPORT_CLASS(proven_moveit::ProveMotion, planning_interface::PlanningResponseAdapter)
