#include "messages.h"

#include <algorithm>

namespace proven_moveit {
namespace {

Eigen::Vector3d to_eigen(const proven::Vec3& v) {
  return {v.x, v.y, v.z};
}

collision_detection::BodyType type_of(const std::string& name,
                                      const proven::adapters::Surroundings& around) {
  const auto is = [&](const auto& thing) { return thing.name == name; };
  if (std::any_of(around.held.begin(), around.held.end(), is))
    return collision_detection::BodyTypes::ROBOT_ATTACHED;
  if (std::any_of(around.objects.begin(), around.objects.end(), is))
    return collision_detection::BodyTypes::WORLD_OBJECT;
  return collision_detection::BodyTypes::ROBOT_LINK;
}

}  // namespace

collision_detection::Contact to_contact(const proven::adapters::Contact& contact,
                                        const proven::adapters::Surroundings& around) {
  collision_detection::Contact result;
  const proven::Vec3 &a = contact.points[0], &b = contact.points[1];
  result.pos = to_eigen(0.5 * (a + b));
  result.normal = to_eigen(proven::normalized(b - a));
  result.depth = 0;  // how deep is not measured
  result.body_name_1 = contact.bodies[0];
  result.body_name_2 = contact.bodies[1];
  result.body_type_1 = type_of(contact.bodies[0], around);
  result.body_type_2 = type_of(contact.bodies[1], around);
  result.percent_interpolation = contact.t;
  result.nearest_points[0] = to_eigen(a);
  result.nearest_points[1] = to_eigen(b);
  return result;
}

visualization_msgs::msg::MarkerArray to_markers(
    const std::vector<proven::adapters::Contact>& contacts, const std::string& frame) {
  using visualization_msgs::msg::Marker;
  visualization_msgs::msg::MarkerArray array;
  array.markers.emplace_back();
  array.markers.back().action = Marker::DELETEALL;
  int id = 0;
  for (const auto& contact : contacts) {
    if (contact.bodies[0].empty()) continue;
    const proven::Vec3 at = 0.5 * (contact.points[0] + contact.points[1]);
    for (const bool text : {false, true}) {
      Marker& marker = array.markers.emplace_back();
      marker.header.frame_id = frame;
      marker.ns = text ? "proven_names" : "proven_contacts";
      marker.id = id;
      marker.type = text ? Marker::TEXT_VIEW_FACING : Marker::SPHERE;
      marker.action = Marker::ADD;
      marker.pose.position.x = at.x;
      marker.pose.position.y = at.y;
      marker.pose.position.z = at.z + (text ? 0.06 : 0);
      marker.pose.orientation.w = 1;
      marker.scale.x = marker.scale.y = marker.scale.z = 0.04;
      marker.color.r = 1;
      marker.color.g = contact.proved ? 0 : 0.8F;
      marker.color.a = 1;
      if (text) marker.text = contact.bodies[0] + " and " + contact.bodies[1];
    }
    ++id;
  }
  return array;
}

}  // namespace proven_moveit
