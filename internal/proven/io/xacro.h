// xacro to URDF: the macro language of ROS, expanded by a reader of our own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven {

struct XacroOptions {
  std::map<std::string, std::string> arguments;           // for $(arg NAME)
  std::map<std::string, std::filesystem::path> packages;  // for $(find NAME), as in UrdfOptions
};

struct ExpandedXacro {
  std::string urdf;
  std::vector<std::string> notes;          // of xacro.warning() and its like, and files not found
  std::vector<std::string> used_packages;  // of `packages`: those that $(find) or a mesh names
};

// The URDF that the file stands for, as the reference implementation expands it (ROS 2). All that
// is not read is an error, "file:line: ...", that names it and a remedy (docs/formats.md). An
// argument that the file never asks for is an error too.
Result<ExpandedXacro> expand_xacro(const std::filesystem::path& file,
                                   const XacroOptions& options = {});

}  // namespace proven
