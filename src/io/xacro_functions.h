// What xacro expressions call: Python's functions, its math, methods of texts, lists and
// dictionaries.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "io/xacro_value.h"

namespace proven::io {

// The arguments of a call.
struct XacroCall {
  std::string function;
  XacroValue::Items arguments;                            // by place
  std::vector<std::pair<std::string, XacroValue>> named;  // by name, in order
};
// Calls what is in the call.
using XacroCaller = std::function<XacroValue(const XacroCall&)>;

// Functions that are known by their bare name: Python's and those of math.
bool is_xacro_function(std::string_view name);
// Constants of math; empty if the name is none.
std::optional<XacroValue> find_math_constant(std::string_view name);
bool is_math_function(std::string_view name);

// Fails, without a place, on wrong arguments and on what is not read. `caller` serves map(f, ...).
XacroValue call_function(const XacroCall& call, const XacroCaller& caller);
XacroValue call_math(const XacroCall& call);
XacroValue call_method(const XacroValue& object, const XacroCall& call);

// Python's text % values.
std::string format_text(const std::string& format, const XacroValue& values);
// Joins, repeats, adds...: the operators of two values.
XacroValue binary_operation(std::string_view op, const XacroValue& a, const XacroValue& b);
XacroValue unary_operation(std::string_view op, const XacroValue& a);

}  // namespace proven::io
