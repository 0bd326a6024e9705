#include "io/couplings.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

std::string content(const XmlElement& element) {
  const char* text = element.GetText();
  return std::string(trimmed(text ? text : ""));
}

double number(const XmlFile& urdf, const XmlElement& at, const std::string& text) {
  const auto value = parse_double(text);
  if (!value)
    urdf.fail(at, fmt::format("the coupling of a joint: expected a finite decimal number, got {}",
                              quote(text)));
  return *value;
}

// The text of the only child that `is` says; nothing if there is none.
template <class Is>
std::optional<std::string> text_of(const XmlFile& urdf, const XmlElement& parent, const char* what,
                                   Is is) {
  std::optional<std::string> found;
  for (const XmlElement* child = parent.FirstChildElement(); child;
       child = child->NextSiblingElement()) {
    if (!is(*child)) continue;
    if (found) urdf.fail(*child, fmt::format("the coupling says {} twice", quote(what)));
    found = content(*child);
    if (found->empty()) urdf.fail(*child, fmt::format("the coupling leaves {} empty", quote(what)));
  }
  return found;
}

void add_drake(const XmlFile& urdf, const XmlElement& joint, std::vector<Coupling>& couplings) {
  if (const XmlElement* at = urdf.child(joint, "drake:mimic"))
    couplings.push_back(
        {at, urdf.text(joint, "name"),
         Mimic{urdf.text(*at, "joint"), urdf.find_number(*at, "multiplier").value_or(1),
               urdf.find_number(*at, "offset").value_or(0)}});
}

// <joint name="follower"><param name="mimic">leader</param> ... </joint>; as an attribute, `mimic`
// says whether what <mimic> of the URDF says holds.
void add_ros2_control(const XmlFile& urdf, const XmlElement& block,
                      std::vector<Coupling>& couplings) {
  for (const XmlElement* joint : XmlFile::children(block, "joint")) {
    if (const auto says = urdf.find_text(*joint, "mimic"); says && trimmed(*says) != "true")
      urdf.fail(*joint,
                "'mimic' of a <joint> in <ros2_control> is read if it is true; for a joint "
                "that moves by itself remove it, and the joint's <mimic>");
    const auto param = [&](const char* name) {
      return text_of(urdf, *joint, name, [&](const XmlElement& e) {
        const char* called = e.Attribute("name");
        return std::string_view(e.Name()) == "param" && called && trimmed(called) == name;
      });
    };
    const auto leader = param("mimic");
    if (!leader) continue;
    const auto multiplier = param("multiplier"), offset = param("offset");
    couplings.push_back({joint, urdf.text(*joint, "name"),
                         Mimic{*leader, number(urdf, *joint, multiplier.value_or("1")),
                               number(urdf, *joint, offset.value_or("0"))}});
  }
}

// <plugin><joint>leader</joint><mimicJoint>follower</mimicJoint> ... </plugin>
void add_gazebo(const XmlFile& urdf, const XmlElement& block, std::vector<Coupling>& couplings) {
  for (const XmlElement* plugin : XmlFile::children(block, "plugin")) {
    const auto said = [&](const char* name) {
      return text_of(urdf, *plugin, name,
                     [&](const XmlElement& e) { return std::string_view(e.Name()) == name; });
    };
    if (!plugin->FirstChildElement("mimicJoint")) continue;
    const auto leader = said("joint"), follower = said("mimicJoint"),
               multiplier = said("multiplier"), offset = said("offset");
    if (!leader) urdf.fail(*plugin, "the coupling <mimicJoint> has no <joint> that it follows");
    couplings.push_back({plugin, *follower,
                         Mimic{*leader, number(urdf, *plugin, multiplier.value_or("1")),
                               number(urdf, *plugin, offset.value_or("0"))}});
  }
}

std::string text_of(const Mimic& mimic) {
  return fmt::format("{} {} + {}", mimic.multiplier, quote(mimic.joint), mimic.offset);
}

}  // namespace

std::vector<Coupling> find_couplings(const XmlFile& urdf) {
  std::vector<Coupling> couplings;
  for (const XmlElement* at = urdf.root().FirstChildElement(); at; at = at->NextSiblingElement()) {
    const std::string_view kind = at->Name();
    if (kind == "joint") add_drake(urdf, *at, couplings);
    if (kind == "ros2_control") add_ros2_control(urdf, *at, couplings);
    if (kind == "gazebo") add_gazebo(urdf, *at, couplings);
  }
  return couplings;
}

void add_couplings(const XmlFile& urdf, Robot& robot) {
  for (const Coupling& coupling : find_couplings(urdf)) {
    const auto joint = std::ranges::find(robot.joints, coupling.follower, &RobotJoint::name);
    if (joint == robot.joints.end())
      urdf.fail(*coupling.at,
                fmt::format("a coupling names joint {}, which the robot does not have",
                            quote(coupling.follower)));
    const bool moves = joint->type == JointType::revolute || joint->type == JointType::continuous ||
                       joint->type == JointType::prismatic;
    if (!moves)
      urdf.fail(*coupling.at, fmt::format("a coupling moves joint {}, which has not one value",
                                          quote(coupling.follower)));
    const Mimic &says = coupling.mimic, known = joint->mimic.value_or(says);
    if (known.joint != says.joint || known.multiplier != says.multiplier ||
        known.offset != says.offset)
      urdf.fail(*coupling.at,
                fmt::format("joint {} is {} here and {} elsewhere in the file; make them agree",
                            quote(coupling.follower), text_of(says), text_of(known)));
    if (joint->mimic) continue;
    joint->mimic = says;
    robot.warnings.push_back(fmt::format(
        "joint {} follows {}, as <{}> says", quote(coupling.follower), quote(says.joint),
        coupling.at->Name() == std::string_view("joint") ? "ros2_control" : coupling.at->Name()));
  }
}

}  // namespace proven::io
