// What load_yaml() reads: YAML 1.1, as Python's reader takes it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/xacro_value.h"

namespace proven::io {

// `evaluate` is for !radians and !degrees. Fails, with the line, on aliases of values that hold
// themselves, merge keys, dates, other tags and several documents; notes keys that are there twice.
XacroValue read_xacro_yaml(const std::filesystem::path& file, const std::string& text,
                           const std::function<XacroValue(const std::string&)>& evaluate,
                           std::vector<std::string>& notes);

}  // namespace proven::io
