// Robots as their files describe them.
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include <optional>

#include "archive.h"
#include "convert.h"
#include "docs.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::python {
namespace {

const char* name_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return "fixed";
    case JointType::revolute:
      return "revolute";
    case JointType::continuous:
      return "continuous";
    case JointType::prismatic:
      return "prismatic";
    case JointType::planar:
      return "planar";
    case JointType::floating:
      return "floating";
  }
  return "";
}

std::vector<std::string> link_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const RobotLink& link : robot.links) names.push_back(link.name);
  return names;
}

std::string describe(const Robot& robot) {
  std::size_t moving = 0, collide = 0;
  for (const RobotJoint& joint : robot.joints)
    moving += joint.type != JointType::fixed && !joint.mimic;
  for (const RobotLink& link : robot.links) collide += !link.collision.empty();
  return fmt::format(
      "<proven.Robot {}: {} links, {} of them with collision geometry, {} joints "
      "that move>",
      robot.name, robot.links.size(), collide, moving);
}

using Packages = std::map<std::string, std::filesystem::path>;

Robot parse_robot(const std::string& text, const std::optional<std::string>& srdf,
                  const std::filesystem::path& folder, const Packages& packages, bool load_meshes) {
  py::gil_scoped_release release;
  Robot robot = value_of(parse_urdf(text, folder / "URDF text", {packages, load_meshes}));
  if (srdf) value_of(apply_srdf_text(*srdf, "SRDF text", robot));
  return robot;
}

}  // namespace

void bind_robot(py::module_& module) {
  py::class_<RobotJoint> joint(module, "RobotJoint", doc::robot_joint);
  pickles(joint);
  joint.def_readonly("name", &RobotJoint::name)
      .def_property_readonly("type", [](const RobotJoint& j) { return name_of(j.type); })
      .def_readonly("parent_link", &RobotJoint::parent_link)
      .def_readonly("child_link", &RobotJoint::child_link)
      .def_property_readonly("axis", [](const RobotJoint& j) { return to_array(j.axis); })
      .def_property_readonly(
          "limits",
          [](const RobotJoint& j) { return py::make_tuple(j.limits.lower, j.limits.upper); })
      .def_property_readonly("velocity", [](const RobotJoint& j) { return j.limits.velocity; })
      .def_property_readonly("mimic",
                             [](const RobotJoint& j) -> py::object {
                               if (!j.mimic) return py::none();
                               return py::make_tuple(j.mimic->joint, j.mimic->multiplier,
                                                     j.mimic->offset);
                             })
      .def("__repr__", [](const RobotJoint& j) {
        return fmt::format("<proven.RobotJoint {}: {}, {} to {}>", j.name, name_of(j.type),
                           j.parent_link, j.child_link);
      });
  py::class_<Robot> robot(module, "Robot", doc::robot);
  pickles(robot);
  robot.def_readonly("name", &Robot::name)
      .def_property_readonly("links", link_names, "Names of all links.")
      .def_readonly("joints", &Robot::joints)
      .def_readonly("warnings", &Robot::warnings)
      .def("__repr__", describe);
  module.def(
      "load_urdf",
      [](const std::filesystem::path& file, const Packages& packages, bool load_meshes) {
        py::gil_scoped_release release;
        return value_of(load_urdf(file, {packages, load_meshes}));
      },
      py::arg("file"), py::kw_only(), py::arg("packages") = Packages{},
      py::arg("load_meshes") = true, doc::load_urdf);
  module.def("parse_urdf", parse_robot, py::arg("text"), py::kw_only(),
             py::arg("srdf") = py::none(), py::arg("folder") = "", py::arg("packages") = Packages{},
             py::arg("load_meshes") = true, doc::parse_urdf);
}

}  // namespace proven::python
