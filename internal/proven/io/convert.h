// Robots in other languages as URDF, which everything else reads: xacro, MJCF, SDF.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven {

// What becomes of the planes of MJCF, which URDF has no word for: an error; nothing, which the URDF
// says (Robot::ignored); or a box of 200 m by 200 m by 10 m below the plane.
enum class Planes { refuse, skip, box };

struct ConvertOptions {
  std::map<std::string, std::string> arguments;           // of xacro: for $(arg NAME)
  std::map<std::string, std::filesystem::path> packages;  // as in UrdfOptions
  // Where the URDF will stand: its meshes are named relative to it; empty: by absolute paths.
  std::filesystem::path folder;
  Planes planes = Planes::refuse;
  // MJCF: unknown elements and attributes, and couplings that URDF cannot say, with these names are
  // left out, which the URDF says (Robot::ignored).
  std::set<std::string> ignore_elements = {};
  std::string model;  // the one to convert of an SDF world, by name; may be empty if it is alone
  std::set<std::string>* used_packages = nullptr;  // gets the names of those that are looked for
};

struct Converted {
  std::string urdf;
  // What URDF has no words for: pairs of links that the file does not test, named states. Empty for
  // xacro, which is URDF.
  std::string srdf;
  bool needs_srdf = false;         // it says something
  std::vector<std::string> notes;  // what a person should know
};

// The robot of the file, by its root element: <robot> is xacro, <mujoco> MJCF, <sdf> SDF. What
// cannot be said in URDF and SRDF is an error, "file:line: ...", with a remedy (docs/formats.md).
Result<Converted> convert_robot(const std::filesystem::path& file,
                                const ConvertOptions& options = {});

}  // namespace proven
