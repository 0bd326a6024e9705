#include "io/urdf_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <cmath>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {

// Close to a pitch of a right angle roll and yaw turn about nearly one axis: each alone is lost in
// rounding, and only one that is found beside the other gives the rotation back.
RollPitchYaw roll_pitch_yaw(const Mat3& R) {
  constexpr double kUpright = 1e-3;
  const double across = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), across), yaw = std::atan2(R(1, 0), R(0, 0));
  const double s = std::sin(yaw), c = std::cos(yaw);
  const double roll = across > kUpright
                          ? std::atan2(R(2, 1), R(2, 2))
                          : std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  const Vec3 angles{roll, pitch, yaw};
  return {angles, rotation_from_rpy(angles) == R};
}

namespace {

using Printer = tinyxml2::XMLPrinter;

std::string text_of(const Vec3& v) {
  return fmt::format("{} {} {}", v.x, v.y, v.z);
}

void write_element(Printer& xml, const char* name, const XmlAttributes& attributes) {
  xml.OpenElement(name);
  for (const auto& [key, value] : attributes) xml.PushAttribute(key, value.c_str());
  xml.CloseElement();
}

void write_origin(Printer& xml, const Pose& X) {
  if (X == Pose{}) return;
  const RollPitchYaw rpy = roll_pitch_yaw(X.R);
  XmlAttributes attributes = {{"xyz", text_of(X.p)}, {"rpy", text_of(rpy.angles)}};
  if (!rpy.exact)
    attributes.emplace_back("rotation", fmt::format("{} {} {}", text_of(X.R.row[0]),
                                                    text_of(X.R.row[1]), text_of(X.R.row[2])));
  write_element(xml, "origin", attributes);
}

void write_round(Printer& xml, const char* name, double radius, double half_length) {
  write_element(
      xml, name,
      {{"radius", fmt::format("{}", radius)}, {"length", fmt::format("{}", 2 * half_length)}});
}

void write_collision(Printer& xml, const std::string& link, const CollisionElement& element,
                     const MeshNamer& mesh) {
  xml.OpenElement("collision");
  write_origin(xml, element.X_BS);
  xml.OpenElement("geometry");
  if (const auto* box = std::get_if<Box>(&element.shape))
    write_element(xml, "box", {{"size", text_of(2 * box->half_extents)}});
  else if (const auto* sphere = std::get_if<Sphere>(&element.shape))
    write_element(xml, "sphere", {{"radius", fmt::format("{}", sphere->radius)}});
  else if (const auto* cylinder = std::get_if<Cylinder>(&element.shape))
    write_round(xml, "cylinder", cylinder->radius, cylinder->half_length);
  else if (const auto* capsule = std::get_if<Capsule>(&element.shape))
    write_round(xml, "capsule", capsule->radius, capsule->half_length);
  else if (is_sensed(element.shape))
    fail(link, "a cloud or a voxel set cannot be said in URDF", ErrorCode::unsupported);
  else
    write_element(xml, "mesh", mesh(link, element.shape));
  xml.CloseElement();
  xml.CloseElement();
}

const char* type_name(const RobotJoint& joint, const std::string& place) {
  const bool lower = std::isfinite(joint.limits.lower), upper = std::isfinite(joint.limits.upper);
  switch (joint.type) {
    case JointType::fixed:
      return "fixed";
    case JointType::continuous:
      return "continuous";
    case JointType::planar:
      return "planar";
    case JointType::floating:
      return "floating";
    case JointType::revolute:
      if (lower && upper) return "revolute";
      if (!lower && !upper) return "continuous";
      break;
    case JointType::prismatic:
      if (lower && upper) return "prismatic";
      break;
  }
  fail(place, fmt::format("the limits of joint {} cannot be said in URDF", quote(joint.name)),
       ErrorCode::unsupported);
}

// Effort and velocity are required by the standard; 0 stands for unknown.
void write_limits(Printer& xml, const JointLimits& limits, bool bounded) {
  const auto rate = [](double value) {
    return fmt::format("{}", std::isfinite(value) ? value : 0.0);
  };
  XmlAttributes attributes;
  if (bounded)
    attributes = {{"lower", fmt::format("{}", limits.lower)},
                  {"upper", fmt::format("{}", limits.upper)}};
  attributes.emplace_back("effort", "0");
  attributes.emplace_back("velocity", rate(limits.velocity));
  if (std::isfinite(limits.acceleration))
    attributes.emplace_back("acceleration", rate(limits.acceleration));
  write_element(xml, "limit", attributes);
}

void write_joint(Printer& xml, const RobotJoint& joint, const std::string& place) {
  const std::string_view type = type_name(joint, place);
  xml.OpenElement("joint");
  xml.PushAttribute("name", joint.name.c_str());
  xml.PushAttribute("type", type.data());
  write_origin(xml, joint.X_PJ);
  write_element(xml, "parent", {{"link", joint.parent_link}});
  write_element(xml, "child", {{"link", joint.child_link}});
  if (joint.type != JointType::fixed) write_element(xml, "axis", {{"xyz", text_of(joint.axis)}});
  const bool bounded = type == "revolute" || type == "prismatic";
  if (bounded || type == "continuous") write_limits(xml, joint.limits, bounded);
  if (joint.mimic)
    write_element(xml, "mimic",
                  {{"joint", joint.mimic->joint},
                   {"multiplier", fmt::format("{}", joint.mimic->multiplier)},
                   {"offset", fmt::format("{}", joint.mimic->offset)}});
  xml.CloseElement();
}

}  // namespace

std::string urdf_text(const Robot& robot, const std::string& place, const MeshNamer& mesh) {
  Printer xml;
  xml.PushHeader(false, true);
  xml.OpenElement("robot");
  xml.PushAttribute("name", robot.name.c_str());
  for (const std::string& what : robot.ignored) {  // "element (count)"
    const std::size_t at = what.rfind(" (");
    write_element(
        xml, "ignored",
        {{"element", what.substr(0, at)}, {"count", what.substr(at + 2, what.size() - at - 3)}});
  }
  for (const RobotLink& link : robot.links) {
    xml.OpenElement("link");
    xml.PushAttribute("name", link.name.c_str());
    for (const CollisionElement& element : link.collision)
      write_collision(xml, link.name, element, mesh);
    xml.CloseElement();
  }
  for (const RobotJoint& joint : robot.joints) write_joint(xml, joint, place);
  xml.CloseElement();
  return xml.CStr();
}

std::string srdf_text(const Robot& robot, const std::string& comment) {
  Printer xml;
  xml.PushHeader(false, true);
  if (!comment.empty()) xml.PushComment(comment.c_str());
  xml.OpenElement("robot");
  xml.PushAttribute("name", robot.name.c_str());
  for (const JointGroup& group : robot.groups) {
    xml.OpenElement("group");
    xml.PushAttribute("name", group.name.c_str());
    for (const std::string& joint : group.joints) write_element(xml, "joint", {{"name", joint}});
    xml.CloseElement();
  }
  for (const GroupState& state : robot.states) {
    xml.OpenElement("group_state");
    xml.PushAttribute("name", state.name.c_str());
    xml.PushAttribute("group", state.group.c_str());
    for (const auto& [joint, values] : state.joints)
      write_element(xml, "joint",
                    {{"name", joint}, {"value", fmt::format("{}", fmt::join(values, " "))}});
    xml.CloseElement();
  }
  for (const EndEffector& effector : robot.end_effectors)
    write_element(xml, "end_effector",
                  {{"name", effector.name},
                   {"parent_link", effector.parent_link},
                   {"group", effector.group}});
  // A scene that lets the base move has the joint among the others.
  if (const auto& joint = robot.virtual_joint; joint && !comment.empty())
    write_element(xml, "virtual_joint",
                  {{"name", joint->name},
                   {"type", joint->type == JointType::planar     ? "planar"
                            : joint->type == JointType::floating ? "floating"
                                                                 : "fixed"},
                   {"parent_frame", joint->parent_link},
                   {"child_link", joint->child_link}});
  for (const DisabledPair& pair : robot.disabled_pairs)
    write_element(xml, "disable_collisions",
                  {{"link1", pair.link_a}, {"link2", pair.link_b}, {"reason", pair.reason}});
  xml.CloseElement();
  return xml.CStr();
}

}  // namespace proven::io
