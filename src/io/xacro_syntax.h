// The syntax of xacro expressions: a part of Python's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/xacro_value.h"

namespace proven::io {

struct XacroSyntax {
  enum class Kind : std::uint8_t {
    constant,
    name,
    list,           // children: items
    tuple,          // children: items
    attribute,      // children: object; text: name
    index,          // children: object, index
    slice,          // children: object, begin, end, step; absent ones are None
    call,           // children: function, arguments; names: of the arguments, "" by place
    unary,          // children: operand; text: operator
    binary,         // children: left, right; text: operator
    comparison,     // children: operands; names: operators between them
    all_of,         // children: operands of `and`
    any_of,         // children: operands of `or`
    conditional,    // children: condition, value, other value
    comprehension,  // children: element, then per `for`: items and conditions; see `loops`
  };
  struct Loop {
    std::vector<std::string> names;
    std::size_t items = 0;  // the child that it goes through; its conditions follow it
    std::size_t num_conditions = 0;
  };
  Kind kind = Kind::constant;
  std::string text;
  XacroValue value;
  std::vector<XacroSyntax> children;
  std::vector<std::string> names;
  std::vector<Loop> loops;
  bool is_list = false;  // of a comprehension: [...], else a generator
};

// Fails, without a place, on what is no Python expression and on what is not read.
XacroSyntax parse_xacro_expression(std::string_view text);

// A name that a property can have: an identifier that Python does not keep for itself.
bool is_xacro_name(std::string_view name);

}  // namespace proven::io
