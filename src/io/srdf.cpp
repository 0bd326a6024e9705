#include "proven/io/srdf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/text.h"
#include "io/xml.h"

namespace proven {
namespace io {
namespace {

// What an SRDF may hold. Solvers, tool frames and approximations for planners exclude no pair.
const std::vector<XmlFile::Rule>& srdf_rules() {
  static const std::vector<XmlFile::Rule> kRules = {
      {"robot",
       {"name", "version"},
       {"group", "group_state", "end_effector", "virtual_joint", "disable_collisions"},
       {"passive_joint"},
       {"joint_property", "link_sphere_approximation", "group_tcps", "kinematics_plugin_config",
        "contact_managers_plugin_config", "calibration_config"}},
      {"group", {"name"}, {"joint", "link", "chain", "group"}, {"passive_joint"}, {}},
      {"group/group", {"name"}, {}, {}, {}},
      {"group/joint", {"name"}, {}, {}, {}},
      {"group/link", {"name"}, {}, {}, {}},
      {"chain", {"base_link", "tip_link"}, {}, {}, {}},
      {"group_state", {"name", "group"}, {"joint"}, {}, {}},
      {"group_state/joint", {"name", "value"}, {}, {}, {}},
      {"end_effector", {"name", "parent_link", "group", "parent_group"}, {}, {}, {}},
      {"virtual_joint", {"name", "type", "parent_frame", "child_link"}, {}, {}, {}},
      {"disable_collisions", {"link1", "link2", "reason"}, {}, {}, {}},
  };
  return kRules;
}

class SrdfReader {
 public:
  SrdfReader(const std::filesystem::path& file, Robot& robot, const SrdfOptions& options,
             const std::string* text = nullptr)
      : xml_(file, "robot", text), robot_(robot), options_(options) {
    for (const RobotLink& link : robot.links) links_.insert(link.name);
    for (const RobotJoint& joint : robot.joints) parent_joint_.emplace(joint.child_link, joint);
  }

  void read() {
    refuse_defaults();
    if (const auto noted = counted(xml_.require(srdf_rules()).noted); !noted.empty())
      robot_.warnings.push_back(fmt::format("{}: not read, as it excludes no pair: {}",
                                            xml_.path().filename().string(),
                                            fmt::join(noted, ", ")));
    check_name();
    for (const XmlElement* pair : XmlFile::children(xml_.root(), "disable_collisions"))
      read_pair(*pair);
    for (const XmlElement* group : XmlFile::children(xml_.root(), "group"))
      if (!groups_.emplace(xml_.text(*group, "name"), group).second)
        xml_.fail(*group, fmt::format("two groups are named {}", quote(xml_.text(*group, "name"))));
    for (const XmlElement* group : XmlFile::children(xml_.root(), "group"))
      if (group->FirstChildElement()) read_group(*group);
    for (const XmlElement* effector : XmlFile::children(xml_.root(), "end_effector"))
      read_end_effector(*effector);
    for (const XmlElement* joint : XmlFile::children(xml_.root(), "virtual_joint"))
      read_virtual_joint(*joint);
    for (const XmlElement* state : XmlFile::children(xml_.root(), "group_state"))
      read_state(*state);
    if (!unknown_.empty()) warn_of_unknown_names();
  }

 private:
  // MoveIt's defaults would exclude a link against everything, obstacles included.
  void refuse_defaults() const {
    for (const char* name : {"disable_default_collisions", "enable_collisions"})
      if (const XmlElement* element = xml_.root().FirstChildElement(name))
        xml_.fail(*element, fmt::format("<{}> is not supported: list the pairs that may touch with "
                                        "<disable_collisions link1 link2 reason>",
                                        name));
  }

  void check_name() {
    const std::string name = xml_.find_text(xml_.root(), "name").value_or(robot_.name);
    if (name != robot_.name)
      robot_.warnings.push_back(fmt::format("{} is of robot {}, not of {}",
                                            xml_.path().filename().string(), quote(name),
                                            quote(robot_.name)));
  }

  // A state that names a joint which the robot does not have is left out, with the warning.
  void read_state(const XmlElement& element) {
    GroupState state{xml_.text(element, "name"), xml_.text(element, "group"), {}};
    if (!groups_.contains(state.group)) xml_.fail(element, unknown_group(state.group));
    for (const GroupState& other : robot_.states)
      if (other.name == state.name && other.group == state.group)
        xml_.fail(element,
                  fmt::format("group {} has two states {}", quote(state.group), quote(state.name)));
    bool known = true;
    for (const XmlElement* joint : XmlFile::children(element, "joint"))
      known &= read_state_joint(*joint, state);
    if (known) robot_.states.push_back(std::move(state));
  }

  bool read_state_joint(const XmlElement& element, GroupState& state) {
    const std::string name = xml_.text(element, "name");
    for (const auto& [other, values] : state.joints)
      if (other == name) xml_.fail(element, fmt::format("joint {} is named twice", quote(name)));
    const auto joint = std::find_if(robot_.joints.begin(), robot_.joints.end(),
                                    [&](const RobotJoint& j) { return j.name == name; });
    const bool is_virtual = robot_.virtual_joint && robot_.virtual_joint->name == name;
    if (joint == robot_.joints.end() && !is_virtual) {
      unknown_.insert(name);
      return false;
    }
    const JointType type = joint == robot_.joints.end() ? robot_.virtual_joint->type : joint->type;
    const std::size_t count = type == JointType::planar ? 3 : type == JointType::floating ? 7 : 1;
    const auto values = xml_.find_numbers(element, "value", count);
    if (!values) xml_.fail(element, "<joint> has no 'value'");
    // A virtual joint that is not asked for stands still; a fixed one has no value to take.
    const bool moves = joint != robot_.joints.end() && type != JointType::fixed;
    if (moves) state.joints.emplace_back(name, *values);
    return true;
  }

  std::string unknown_group(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& [group, element] : groups_) known.push_back(group);
    return fmt::format("there is no group {}{}", quote(name), suggestion(name, known));
  }

  bool knows_link(const std::string& name) {
    if (links_.contains(name)) return true;
    unknown_.insert(name);
    return false;
  }

  void read_pair(const XmlElement& element) {
    DisabledPair pair{xml_.text(element, "link1"), xml_.text(element, "link2"),
                      xml_.find_text(element, "reason").value_or("none given")};
    const bool known_a = knows_link(pair.link_a), known_b = knows_link(pair.link_b);
    if (known_a && known_b && pair.link_a == pair.link_b)
      xml_.fail(element, fmt::format("link {} is disabled against itself", quote(pair.link_a)));
    if (known_a && known_b) robot_.disabled_pairs.push_back(std::move(pair));
  }

  void read_group(const XmlElement& element) {
    std::set<std::string> members;
    std::map<const XmlElement*, bool> visited;
    collect(element, members, visited);
    JointGroup group{xml_.text(element, "name"), {}};
    for (const RobotJoint& joint : robot_.joints)
      if (members.contains(joint.name) && joint.type != JointType::fixed && !joint.mimic)
        group.joints.push_back(joint.name);
    robot_.groups.push_back(std::move(group));
  }

  // The joints of a group: named, above a named link, along a chain, or of a subgroup. `visited`
  // says of each group met whether it is complete; one that is met again before holds itself.
  void collect(const XmlElement& element, std::set<std::string>& members,
               std::map<const XmlElement*, bool>& visited) {
    constexpr std::size_t kMaxGroups = 1000;  // bounds the depth of the recursion
    const auto [place, is_new] = visited.emplace(&element, false);
    if (visited.size() > kMaxGroups)
      xml_.fail(element, fmt::format("a group of more than {} groups", kMaxGroups));
    if (!is_new && !place->second)
      xml_.fail(element, fmt::format("group {} holds itself", quote(xml_.text(element, "name"))));
    if (!is_new) return;
    for (const XmlElement* joint : XmlFile::children(element, "joint"))
      add_joint(xml_.text(*joint, "name"), members);
    for (const XmlElement* link : XmlFile::children(element, "link"))
      if (const std::string name = xml_.text(*link, "name"); knows_link(name))
        if (const auto above = parent_joint_.find(name); above != parent_joint_.end())
          members.insert(above->second.name);
    for (const XmlElement* chain : XmlFile::children(element, "chain")) add_chain(*chain, members);
    for (const XmlElement* subgroup : XmlFile::children(element, "group")) {
      const auto named = groups_.find(xml_.text(*subgroup, "name"));
      if (named == groups_.end())
        unknown_.insert(xml_.text(*subgroup, "name"));
      else
        collect(*named->second, members, visited);
    }
    place->second = true;
  }

  void add_joint(const std::string& name, std::set<std::string>& members) {
    const bool known = std::any_of(robot_.joints.begin(), robot_.joints.end(),
                                   [&](const RobotJoint& joint) { return joint.name == name; });
    (known ? members : unknown_).insert(name);
  }

  void add_chain(const XmlElement& chain, std::set<std::string>& members) {
    const std::string base = xml_.text(chain, "base_link");
    const std::string tip = xml_.text(chain, "tip_link");
    const bool known_base = knows_link(base), known_tip = knows_link(tip);
    if (!known_base || !known_tip) return;
    for (std::string link = tip; link != base;) {
      const auto above = parent_joint_.find(link);
      if (above == parent_joint_.end())
        xml_.fail(chain, fmt::format("link {} is not above link {}", quote(base), quote(tip)));
      members.insert(above->second.name);
      link = above->second.parent_link;
    }
  }

  void read_end_effector(const XmlElement& element) {
    EndEffector effector{xml_.text(element, "name"), xml_.text(element, "parent_link"),
                         xml_.text(element, "group")};
    if (!groups_.contains(effector.group)) xml_.fail(element, unknown_group(effector.group));
    if (const auto parent = xml_.find_text(element, "parent_group");
        parent && !groups_.contains(*parent))
      xml_.fail(element, unknown_group(*parent));
    if (knows_link(effector.parent_link)) robot_.end_effectors.push_back(std::move(effector));
  }

  void read_virtual_joint(const XmlElement& element) {
    RobotJoint joint;
    joint.name = xml_.text(element, "name");
    joint.parent_link = xml_.text(element, "parent_frame");
    joint.child_link = xml_.text(element, "child_link");
    joint.axis = {0, 0, 1};
    const std::string type = xml_.text(element, "type");
    if (type != "fixed" && type != "planar" && type != "floating")
      xml_.fail(element, fmt::format("unknown type {} of a virtual joint; use fixed, planar or "
                                     "floating",
                                     quote(type)));
    joint.type = type == "planar"     ? JointType::planar
                 : type == "floating" ? JointType::floating
                                      : JointType::fixed;
    if (!knows_link(joint.child_link)) return;
    if (robot_.virtual_joint) xml_.fail(element, "there is a virtual joint already");
    robot_.virtual_joint = joint;
    if (joint.type == JointType::fixed) return;
    if (options_.virtual_joints)
      add_virtual_joint(element, std::move(joint));
    else
      robot_.warnings.push_back(fmt::format(
          "the {} virtual joint {} of {} is not used: the base stands still; a scene can ask for "
          "it with \"virtual_joints\": true",
          type, quote(joint.name), xml_.path().filename().string()));
  }

  void add_virtual_joint(const XmlElement& element, RobotJoint joint) {
    if (parent_joint_.contains(joint.child_link))
      xml_.fail(element, fmt::format("virtual joint {} hangs on {}, which is not the root link",
                                     quote(joint.name), quote(joint.child_link)));
    if (links_.contains(joint.parent_link))
      xml_.fail(element, fmt::format("virtual joint {}: the parent frame {} is a link already",
                                     quote(joint.name), quote(joint.parent_link)));
    RobotLink new_root;
    new_root.name = joint.parent_link;
    links_.insert(new_root.name);
    parent_joint_.emplace(joint.child_link, joint);
    robot_.links.insert(robot_.links.begin(), std::move(new_root));
    robot_.joints.insert(robot_.joints.begin(), std::move(joint));
  }

  void warn_of_unknown_names() {
    std::string names;
    for (const std::string& name : unknown_) names += (names.empty() ? "" : ", ") + name;
    robot_.warnings.push_back(fmt::format("{} names what the robot does not have (ignored): {}",
                                          xml_.path().filename().string(), names));
  }

  XmlFile xml_;
  Robot& robot_;
  const SrdfOptions& options_;
  std::set<std::string> links_;
  std::map<std::string, RobotJoint> parent_joint_;  // by child link
  std::map<std::string, const XmlElement*> groups_;
  std::set<std::string> unknown_;
};

}  // namespace

void read_srdf(const std::filesystem::path& file, Robot& robot, const SrdfOptions& options) {
  Robot changed = robot;
  SrdfReader(file, changed, options).read();
  robot = std::move(changed);
}

}  // namespace io

Result<void> apply_srdf_text(const std::string& text, const std::filesystem::path& name,
                             Robot& robot, const SrdfOptions& options) {
  return io::guarded<void>(name, [&] {
    Robot changed = robot;
    io::SrdfReader(name, changed, options, &text).read();
    robot = std::move(changed);
  });
}

Result<void> apply_srdf(const std::filesystem::path& file, Robot& robot,
                        const SrdfOptions& options) {
  return io::guarded<void>(file, [&] { io::read_srdf(file, robot, options); });
}

}  // namespace proven
