#include "proven/io/convert.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/converted_robot.h"
#include "io/failure.h"
#include "io/model_readers.h"
#include "io/text.h"
#include "io/urdf_writer.h"
#include "io/xml.h"
#include "proven/io/urdf.h"
#include "proven/io/xacro.h"

namespace proven {
namespace io {
namespace {

namespace fs = std::filesystem;

std::string claim(std::set<std::string>& taken, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

Converted write(const ConvertedRobot& converted, const fs::path& file,
                const ConvertOptions& options) {
  const auto mesh = [&](const std::string&, const Shape& shape) {
    const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape);
    const auto* solid = std::get_if<std::shared_ptr<const TriangleMesh>>(&shape);
    const auto& named =
        converted.meshes.at(hull ? static_cast<const void*>(hull->get()) : solid->get());
    const fs::path absolute = fs::absolute(named.file).lexically_normal();
    const fs::path name =
        options.folder.empty()
            ? absolute
            : absolute.lexically_proximate(fs::absolute(options.folder).lexically_normal());
    const Vec3& s = named.scale;
    XmlAttributes attributes = {{"filename", name.string()}};
    if (s != Vec3{1, 1, 1})
      attributes.emplace_back("scale", fmt::format("{} {} {}", s.x, s.y, s.z));
    if (hull) attributes.emplace_back("convex", "true");
    return attributes;
  };
  const Robot& robot = converted.robot;
  Converted result{urdf_text(robot, file.string(), mesh), srdf_text(robot, ""),
                   !robot.disabled_pairs.empty() || !robot.states.empty(), robot.warnings};
  // What is a tree of joints, and which numbers are too large, its reader knows.
  UrdfOptions reading;
  reading.load_meshes = false;
  const auto read = parse_urdf(result.urdf, file, reading);
  if (!read.ok()) fail(file.string(), "it cannot be said in URDF: " + read.error().message);
  return result;
}

void require_used(const fs::path& file, const ConvertOptions& options,
                  const std::set<std::string>& used) {
  at_place([&] { return file.string(); }, [&] { require_packages_used(options.packages, used); });
}

Converted convert(const fs::path& file, const ConvertOptions& options) {
  at_place([&] { return file.string(); }, [&] { require_package_folders(options.packages); });
  const XmlFile xml(file, nullptr);
  const std::string_view root = xml.root().Name();
  if (root == "robot") {
    if (!options.model.empty() || options.planes != Planes::refuse ||
        !options.ignore_elements.empty())
      xml.fail(xml.root(),
               "--planes and --ignore-elements are for MJCF, --model is for SDF; what reads the "
               "URDF that is written has --ignore-elements, too");
    const XacroOptions xacro{options.arguments, options.packages};
    ExpandedXacro expanded = unwrap(expand_xacro(file, xacro));
    require_used(file, options, {expanded.used_packages.begin(), expanded.used_packages.end()});
    return {std::move(expanded.urdf), "", false, std::move(expanded.notes)};
  }
  if (root != "mujoco" && root != "sdf")
    xml.fail(xml.root(), fmt::format("expected <robot> (xacro), <mujoco> (MJCF) or <sdf>, got <{}>",
                                     printable(root)));
  if (!options.arguments.empty())
    xml.fail(xml.root(), fmt::format("<{}> has no arguments; --arg is for xacro", root));
  if (root != "sdf" && !options.model.empty())
    xml.fail(xml.root(), "--model is for SDF; a file of MJCF is one model");
  if (root != "mujoco" && (options.planes != Planes::refuse || !options.ignore_elements.empty()))
    xml.fail(xml.root(), "--planes and --ignore-elements are for MJCF");
  std::set<std::string> used;
  ConvertOptions reading = options;
  reading.used_packages = &used;
  const ConvertedRobot robot = root == "sdf" ? read_sdf(file, reading) : read_mjcf(file, reading);
  require_used(file, options, used);
  return write(robot, file, options);
}

}  // namespace

std::string ConvertedRobot::new_link_name(const std::string& wanted) {
  return claim(link_names, wanted);
}

std::string ConvertedRobot::new_joint_name(const std::string& wanted) {
  return claim(joint_names, wanted);
}

void ConvertedRobot::add_link(const std::string& name) {
  RobotLink made;
  made.name = name;
  robot.links.push_back(std::move(made));
}

RobotLink& ConvertedRobot::link(const std::string& name) {
  return *std::ranges::find(robot.links, name, &RobotLink::name);
}

void ConvertedRobot::add_fixed(const std::string& parent, const std::string& child, const Pose& X) {
  add_link(child);
  RobotJoint joint;
  joint.name = new_joint_name(child + "_fixed");
  joint.parent_link = parent;
  joint.child_link = child;
  joint.X_PJ = X;
  robot.joints.push_back(std::move(joint));
}

}  // namespace io

Result<Converted> convert_robot(const std::filesystem::path& file, const ConvertOptions& options) {
  return io::guarded<Converted>(file, [&] { return io::convert(file, options); });
}

}  // namespace proven
