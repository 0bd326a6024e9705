// Values of xacro expressions: a small part of Python's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace proven::io {

struct XacroValue {
  using List = std::vector<XacroValue>;
  using Dict = std::vector<std::pair<std::string, XacroValue>>;  // keys are texts
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Dict> value;

  bool is_number() const {
    return std::holds_alternative<bool>(value) || is_whole() ||
           std::holds_alternative<double>(value);
  }
  bool is_whole() const { return std::holds_alternative<std::int64_t>(value); }
  bool is_text() const { return std::holds_alternative<std::string>(value); }
  const std::string& text() const { return std::get<std::string>(value); }
  double number() const;
  bool truth() const;  // as Python's bool()
  friend bool operator==(const XacroValue& a, const XacroValue& b);
};

// As Python's str() writes it.
std::string to_text(const XacroValue& value);
// A text as xacro takes it from an attribute: a number, a truth value, a quoted text or the text.
XacroValue from_literal(const std::string& text);

// Names that an expression may use; fails on one that is not known.
using XacroNames = std::function<XacroValue(const std::string& name)>;
// The value of what stands in ${...}. Fails, without a place, on all that is not read.
XacroValue evaluate_xacro(std::string_view expression, const XacroNames& names);

}  // namespace proven::io
