// SRDF: the pairs that may touch, the groups, and the joint that holds the robot in the world.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "verify/readers/robots.h"
#include "verify/readers/xml.h"

namespace proven::verifier {
namespace {

class Srdf {
 public:
  Srdf(const std::filesystem::path& file, bool virtual_joints, Robot& robot)
      : xml_(file, "robot",
             {"group", "group_state", "end_effector", "virtual_joint", "disable_collisions",
              "joint", "link", "chain"}),
        virtual_joints_(virtual_joints),
        robot_(robot) {
    for (const RobotLink& link : robot.links) links_.insert(link.name);
    for (const RobotJoint& joint : robot.joints) {
      joints_.emplace(joint.name, joint.type);
      above_.emplace(joint.child_link, std::pair(joint.name, joint.parent_link));
    }
  }

  void read() {
    const Element& root = xml_.root();
    xml_.holds(
        root, {"name", "version"},
        {"group", "group_state", "end_effector", "virtual_joint", "disable_collisions",
         "passive_joint", "joint_property", "link_sphere_approximation", "group_tcps",
         "kinematics_plugin_config", "contact_managers_plugin_config", "calibration_config"});
    for (const Element* pair : Xml::children(root, "disable_collisions")) read_pair(*pair);
    for (const Element* group : Xml::children(root, "group"))
      if (!groups_.emplace(xml_.need_text(*group, "name"), group).second)
        xml_.fail(*group, "two groups of one name");
    for (const Element* group : Xml::children(root, "group")) read_group(*group);
    for (const Element* effector : Xml::children(root, "end_effector"))
      read_end_effector(*effector);
    for (const Element* joint : Xml::children(root, "virtual_joint")) read_virtual_joint(*joint);
    for (const Element* state : Xml::children(root, "group_state")) read_state(*state);
  }

 private:
  // Names that the robot does not have are passed over: one SRDF may serve several URDFs.
  void read_pair(const Element& element) {
    xml_.holds(element, {"link1", "link2", "reason"}, {});
    DisabledPair pair{xml_.need_text(element, "link1"), xml_.need_text(element, "link2"),
                      xml_.text(element, "reason").value_or("none given")};
    if (!links_.contains(pair.link_a) || !links_.contains(pair.link_b)) return;
    if (pair.link_a == pair.link_b) xml_.fail(element, "a link and itself");
    robot_.disabled_pairs.push_back(std::move(pair));
  }

  void read_group(const Element& element) {
    if (Xml::children(element).empty()) return xml_.holds(element, {"name"}, {});
    std::set<std::string> members, open, done;
    collect(element, members, open, done);
    JointGroup group{xml_.need_text(element, "name"), {}};
    for (const RobotJoint& joint : robot_.joints)
      if (members.contains(joint.name) && joint.type != JointType::fixed && !joint.mimic)
        group.joints.push_back(joint.name);
    robot_.groups.push_back(std::move(group));
  }

  void collect(const Element& element, std::set<std::string>& members, std::set<std::string>& open,
               std::set<std::string>& done) {
    const std::string name = xml_.need_text(element, "name");
    if (done.contains(name)) return;
    if (!open.insert(name).second || open.size() + done.size() > 1000)
      xml_.fail(element, "a group holds itself, or too many");
    xml_.holds(element, {"name"}, {"joint", "link", "chain", "group", "passive_joint"});
    for (const Element* joint : Xml::children(element, "joint")) members.insert(name_of(*joint));
    for (const Element* link : Xml::children(element, "link"))
      if (const auto joint = above_.find(name_of(*link)); joint != above_.end())
        members.insert(joint->second.first);
    for (const Element* chain : Xml::children(element, "chain")) add_chain(*chain, members);
    for (const Element* group : Xml::children(element, "group"))
      if (const auto known = groups_.find(name_of(*group)); known != groups_.end())
        collect(*known->second, members, open, done);
    open.erase(name);
    done.insert(name);
  }
  std::string name_of(const Element& element) const {
    xml_.holds(element, {"name"}, {});
    return xml_.need_text(element, "name");
  }
  void add_chain(const Element& chain, std::set<std::string>& members) const {
    xml_.holds(chain, {"base_link", "tip_link"}, {});
    const std::string base = xml_.need_text(chain, "base_link");
    std::string link = xml_.need_text(chain, "tip_link");
    if (!links_.contains(base) || !links_.contains(link)) return;
    while (link != base) {
      const auto joint = above_.find(link);
      if (joint == above_.end()) xml_.fail(chain, "the base is not above the tip");
      members.insert(joint->second.first);
      link = joint->second.second;
    }
  }

  void read_end_effector(const Element& element) {
    xml_.holds(element, {"name", "parent_link", "group", "parent_group"}, {});
    EndEffector effector{xml_.need_text(element, "name"), xml_.need_text(element, "parent_link"),
                         xml_.need_text(element, "group")};
    need_group(element, effector.group);
    if (links_.contains(effector.parent_link)) robot_.end_effectors.push_back(std::move(effector));
  }
  void need_group(const Element& element, const std::string& name) const {
    if (!groups_.contains(name)) xml_.fail(element, fmt::format("there is no group '{}'", name));
  }

  void read_virtual_joint(const Element& element) {
    xml_.holds(element, {"name", "type", "parent_frame", "child_link"}, {});
    RobotJoint joint;
    joint.name = xml_.need_text(element, "name");
    joint.parent_link = xml_.need_text(element, "parent_frame");
    joint.child_link = xml_.need_text(element, "child_link");
    joint.axis = {0, 0, 1};
    const std::string type = xml_.need_text(element, "type");
    if (type != "fixed" && type != "planar" && type != "floating")
      xml_.fail(element, fmt::format("a virtual joint of type '{}'", type));
    joint.type = type == "planar"     ? JointType::planar
                 : type == "floating" ? JointType::floating
                                      : JointType::fixed;
    if (!links_.contains(joint.child_link)) return;
    if (robot_.virtual_joint) xml_.fail(element, "a second virtual joint");
    robot_.virtual_joint = joint;
    if (!virtual_joints_ || joint.type == JointType::fixed) return;
    if (above_.contains(joint.child_link))
      xml_.fail(element, "hangs on a link that is not the root");
    if (links_.contains(joint.parent_link))
      xml_.fail(element, "its parent frame is a link already");
    joints_.emplace(joint.name, joint.type);
    RobotLink root;
    root.name = joint.parent_link;
    robot_.links.insert(robot_.links.begin(), std::move(root));
    robot_.joints.insert(robot_.joints.begin(), std::move(joint));
  }

  // A state that names a joint which the robot does not have is left out. Fixed joints, and a
  // virtual one that stands still, have no value to take.
  void read_state(const Element& element) {
    xml_.holds(element, {"name", "group"}, {"joint"});
    GroupState state{xml_.need_text(element, "name"), xml_.need_text(element, "group"), {}};
    need_group(element, state.group);
    for (const GroupState& other : robot_.states)
      if (other.name == state.name && other.group == state.group)
        xml_.fail(element, "two states of one name");
    std::set<std::string> named;
    bool known = true;
    for (const Element* joint : Xml::children(element, "joint")) {
      xml_.holds(*joint, {"name", "value"}, {});
      const std::string name = xml_.need_text(*joint, "name");
      if (!named.insert(name).second) xml_.fail(*joint, "is named twice");
      const auto found = joints_.find(name);
      const auto& own = robot_.virtual_joint;
      known = known && (found != joints_.end() || (own && own->name == name));
      if (found == joints_.end() && !(own && own->name == name)) continue;
      const JointType type = found == joints_.end() ? own->type : found->second;
      const std::size_t count = type == JointType::planar ? 3 : type == JointType::floating ? 7 : 1;
      const auto values = xml_.numbers(*joint, "value", count);
      if (!values) xml_.fail(*joint, "no 'value'");
      if (found != joints_.end() && type != JointType::fixed)
        state.joints.emplace_back(name, *values);
    }
    if (known) robot_.states.push_back(std::move(state));
  }

  Xml xml_;
  bool virtual_joints_;
  Robot& robot_;
  std::set<std::string> links_;
  std::map<std::string, JointType> joints_;
  std::map<std::string, std::pair<std::string, std::string>> above_;  // link: joint, parent link
  std::map<std::string, const Element*> groups_;
};

}  // namespace

void read_srdf(const std::filesystem::path& file, bool virtual_joints, Robot& robot) {
  Srdf(file, virtual_joints, robot).read();
}

}  // namespace proven::verifier
