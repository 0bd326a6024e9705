// xacro to URDF: the common part of the macro language, expanded by a reader of our own.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "proven/base/result.h"

namespace proven {

struct XacroOptions {
  std::map<std::string, std::string> arguments;           // for $(arg NAME)
  std::map<std::string, std::filesystem::path> packages;  // for $(find NAME), as in UrdfOptions
};

// The text of the URDF that the file stands for. Read are properties (lazily, with ${expressions}),
// macros with defaults and blocks, includes, arguments, if and unless (docs/formats.md). All else
// is an error, "file:line: ...", that names it and the command that expands it.
Result<std::string> expand_xacro(const std::filesystem::path& file,
                                 const XacroOptions& options = {});

}  // namespace proven
