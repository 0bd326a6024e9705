#include "collision_env.h"

#include <algorithm>
#include <rclcpp/logging.hpp>

#include "messages.h"

namespace proven_moveit {
namespace {

using collision_detection::AllowedCollisionMatrix;
using collision_detection::CollisionRequest;
using collision_detection::CollisionResult;

rclcpp::Logger logger() {
  return rclcpp::get_logger("proven_moveit.collision_env");
}

// Planners ask often: balls around the bodies are tried first.
proven::CheckOptions check_options() {
  proven::CheckOptions options;
  options.sweep = true;
  return options;
}

std::shared_ptr<const Translator> make_translator(const moveit::core::RobotModelConstPtr& model,
                                                  std::string& error) {
  auto translator = Translator::build(model, check_options());
  if (translator.ok()) return std::move(translator).value();
  error = translator.error().text();
  return nullptr;
}

}  // namespace

const std::string ProvenCollisionDetectorAllocator::NAME = "Proven";

ProvenCollisionEnv::ProvenCollisionEnv(const moveit::core::RobotModelConstPtr& model,
                                       double padding, double scale)
    : CollisionEnv(model, padding, scale), translator_(make_translator(model, error_)) {}

ProvenCollisionEnv::ProvenCollisionEnv(const moveit::core::RobotModelConstPtr& model,
                                       const collision_detection::WorldPtr& world, double padding,
                                       double scale)
    : CollisionEnv(model, world, padding, scale), translator_(make_translator(model, error_)) {}

ProvenCollisionEnv::ProvenCollisionEnv(const ProvenCollisionEnv& other,
                                       const collision_detection::WorldPtr& world)
    : CollisionEnv(other, world), translator_(other.translator_), error_(other.error_) {}

Question ProvenCollisionEnv::question(const CollisionRequest& req, Scope scope,
                                      const AllowedCollisionMatrix* acm) const {
  Question result;
  result.world = getWorld().get();
  result.matrix = acm;
  result.padded = this;
  result.pad_world = req.pad_environment_collisions;
  result.pad_self = req.pad_self_collisions;
  result.group = req.group_name;
  result.scope = scope;
  return result;
}

void ProvenCollisionEnv::judge(const CollisionRequest& req, CollisionResult& res, Scope scope,
                               const moveit::core::RobotState& state,
                               const moveit::core::RobotState* to,
                               const AllowedCollisionMatrix* acm) const {
  // What cannot be asked is not proved free, and counts as a collision.
  const auto refused = [&](const std::string& why) {
    RCLCPP_ERROR(logger(), "reported as a collision: %s", why.c_str());
    res.collision = true;
  };
  if (!translator_) return refused(error_);
  if (req.cost) RCLCPP_WARN(logger(), "costs of collisions are not computed");
  const auto around = translator_->surroundings(question(req, scope, acm), state);
  if (!around.ok()) return refused(around.error().text());
  const std::vector<double> from = translator_->configuration(state);
  const std::size_t most = req.contacts ? std::max<std::size_t>(1, req.max_contacts) : 1;
  const auto& guard = translator_->guard();
  const auto answer =
      to ? guard.check_between(around.value(), from, translator_->configuration(*to), most)
         : guard.check_state(around.value(), from, most);
  if (!answer.ok()) return refused(answer.error().text());
  if (req.distance && !to) {
    collision_detection::DistanceRequest wanted;
    wanted.acm = acm;
    wanted.group_name = req.group_name;
    wanted.enable_nearest_points = req.detailed_distance;
    collision_detection::DistanceResult measured;
    measure(wanted, measured, scope, state);
    res.distance = std::min(res.distance, measured.minimum_distance.distance);
    if (req.detailed_distance) res.distance_result = measured;
  }
  if (answer.value().verdict == proven::Verdict::free) return;
  res.collision = true;
  if (req.verbose) RCLCPP_INFO(logger(), "%s", answer.value().text.c_str());
  if (!req.contacts) return;
  for (const auto& contact : answer.value().contacts) {
    if (contact.bodies[0].empty() || res.contact_count >= req.max_contacts) continue;
    const auto& names = contact.bodies;
    const auto key =
        names[0] < names[1] ? std::pair(names[0], names[1]) : std::pair(names[1], names[0]);
    auto& of_pair = res.contacts[key];
    if (of_pair.size() >= req.max_contacts_per_pair) continue;
    of_pair.push_back(to_contact(contact, around.value()));
    ++res.contact_count;
  }
}

void ProvenCollisionEnv::checkSelfCollision(const CollisionRequest& req, CollisionResult& res,
                                            const moveit::core::RobotState& state) const {
  judge(req, res, Scope::self, state, nullptr, nullptr);
}
void ProvenCollisionEnv::checkSelfCollision(const CollisionRequest& req, CollisionResult& res,
                                            const moveit::core::RobotState& state,
                                            const AllowedCollisionMatrix& acm) const {
  judge(req, res, Scope::self, state, nullptr, &acm);
}
void ProvenCollisionEnv::checkRobotCollision(const CollisionRequest& req, CollisionResult& res,
                                             const moveit::core::RobotState& state) const {
  judge(req, res, Scope::world, state, nullptr, nullptr);
}
void ProvenCollisionEnv::checkRobotCollision(const CollisionRequest& req, CollisionResult& res,
                                             const moveit::core::RobotState& state,
                                             const AllowedCollisionMatrix& acm) const {
  judge(req, res, Scope::world, state, nullptr, &acm);
}
void ProvenCollisionEnv::checkRobotCollision(const CollisionRequest& req, CollisionResult& res,
                                             const moveit::core::RobotState& state1,
                                             const moveit::core::RobotState& state2,
                                             const AllowedCollisionMatrix& acm) const {
  judge(req, res, Scope::world, state1, &state2, &acm);
}
void ProvenCollisionEnv::checkRobotCollision(const CollisionRequest& req, CollisionResult& res,
                                             const moveit::core::RobotState& state1,
                                             const moveit::core::RobotState& state2) const {
  judge(req, res, Scope::world, state1, &state2, nullptr);
}

void ProvenCollisionEnv::measure(const collision_detection::DistanceRequest& req,
                                 collision_detection::DistanceResult& res, Scope scope,
                                 const moveit::core::RobotState& state) const {
  const auto refused = [&](const std::string& why) {
    RCLCPP_ERROR(logger(), "reported as a distance of 0: %s", why.c_str());
    res.collision = true;
    res.minimum_distance.distance = 0;
  };
  if (!translator_) return refused(error_);
  CollisionRequest plain;
  plain.group_name = req.group_name;
  const auto around = translator_->surroundings(question(plain, scope, req.acm), state);
  if (!around.ok()) return refused(around.error().text());
  const auto distances =
      translator_->guard().distances(around.value(), translator_->configuration(state));
  if (!distances.ok()) return refused(distances.error().text());
  for (const auto& pair : distances.value()) {
    if (pair.distance > req.distance_threshold) continue;
    proven::adapters::Contact contact;
    contact.bodies = pair.bodies;
    contact.points = pair.points;
    const collision_detection::Contact as_contact = to_contact(contact, around.value());
    collision_detection::DistanceResultsData data;
    data.distance = pair.distance;
    data.link_names[0] = as_contact.body_name_1;
    data.link_names[1] = as_contact.body_name_2;
    data.body_types[0] = as_contact.body_type_1;
    data.body_types[1] = as_contact.body_type_2;
    data.nearest_points[0] = as_contact.nearest_points[0];
    data.nearest_points[1] = as_contact.nearest_points[1];
    data.normal = as_contact.normal;
    res.collision = res.collision || pair.distance <= 0;
    if (data.distance < res.minimum_distance.distance) res.minimum_distance = data;
    if (req.type == collision_detection::DistanceRequestTypes::GLOBAL) continue;
    const auto& names = pair.bodies;
    res.distances[names[0] < names[1] ? std::pair(names[0], names[1])
                                      : std::pair(names[1], names[0])] = {data};
  }
}

void ProvenCollisionEnv::distanceSelf(const collision_detection::DistanceRequest& req,
                                      collision_detection::DistanceResult& res,
                                      const moveit::core::RobotState& state) const {
  measure(req, res, Scope::self, state);
}
void ProvenCollisionEnv::distanceRobot(const collision_detection::DistanceRequest& req,
                                       collision_detection::DistanceResult& res,
                                       const moveit::core::RobotState& state) const {
  measure(req, res, Scope::world, state);
}

}  // namespace proven_moveit
