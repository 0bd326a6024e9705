// Robots from URDF files.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "proven/base/result.h"
#include "proven/kinematics/robot.h"

namespace proven {

struct UrdfOptions {
  // Folders of packages, by name, for "package://name/...".
  std::map<std::string, std::filesystem::path> packages;
  bool load_meshes = true;  // false: links are without their meshes, for a look at the joints alone
  bool allow_empty = true;  // false: a robot without any collision geometry is an error
  // Unknown elements and attributes with these names are passed over; Robot::ignored lists them.
  std::set<std::string> ignore_elements = {};
  std::set<std::string>* used_packages = nullptr;  // gets the names of those that are looked for
};

// Reads a URDF: all joint types, mimic, limits; boxes, cylinders, spheres, capsules (<capsule
// radius length>, the length without the caps) and meshes with scale. Axes keep their length and
// sign. The joints are checked to form a tree. Errors say "file:line: ...".
//
// Meshes: "package://name/..." is in the folder that options.packages maps. A package that is not
// mapped is sought in the folders from the URDF's own upwards that hold a folder of that name, have
// that name, or have a package.xml with it. One that is mapped to no folder, or that the URDF never
// names, is an error;
// other paths are relative to the URDF, absolute, or "file://". A mesh that is not found is an
// error that lists every path tried.
//
// Beyond the standard, to be exact: <origin rotation="9 numbers"> gives the rotation matrix, row by
// row, in place of rpy; <mesh convex="true"> is the convex hull of the file's vertices. Tags and
// attributes that are neither read nor known to say nothing of bodies and joints are errors that
// name the nearest word (docs/formats.md lists them); xacro is refused.
Result<Robot> load_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});

// The same of a text. `name` stands in messages, and paths of meshes are relative to its folder.
Result<Robot> parse_urdf(const std::string& text, const std::filesystem::path& name,
                         const UrdfOptions& options = {});

}  // namespace proven
