// Evaluates xacro expressions. Operands are evaluated when they are needed and only then.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/xacro_functions.h"
#include "io/xacro_value.h"

namespace proven::io {

// What an expression sees besides Python's functions and math.
struct XacroNames {
  // The value of a property; empty: there is none of that name.
  std::function<std::optional<XacroValue>(const std::string& name)> find;
  std::function<XacroValue(const void* space, const std::string& name)> find_in_space;
  // Functions of the document, such as load_yaml and xacro.load_yaml; empty: not one of them.
  std::function<std::optional<XacroValue>(const XacroCall& call)> call;
  std::function<std::vector<std::string>()> known;  // names, for suggestions
};

// Fails, without a place, on all that is no Python or not read.
XacroValue evaluate_xacro(std::string_view expression, const XacroNames& names);

// Names that hold without any property: pi, sin, len...
bool is_global_xacro_name(std::string_view name);

}  // namespace proven::io
