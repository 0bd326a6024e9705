// The texts of xacro files: what stands in them besides text, and what XML makes of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace proven::io {

struct XacroSegment {
  enum class Kind : std::uint8_t {
    text,
    expression,    // ${...}, which ends at the first '}'
    substitution,  // $(...), which ends at the first ')'
  };
  Kind kind = Kind::text;
  std::string text;  // inside of the brackets
};
// "$${" and "$$(" are texts with one '$' less. Fails, without a place, on brackets that do not
// close and on "$$" before anything else.
std::vector<XacroSegment> split_xacro_text(const std::string& text);

// The value of an attribute as XML has it: line breaks and tabs are blanks.
std::string attribute_text(const char* value);

// Fails on what XML and tinyxml2 read differently: document types, entities that are not XML's own,
// and references to line breaks, which attributes would lose.
void refuse_entities(const std::filesystem::path& file, std::string_view text);

// A parameter of a macro.
struct XacroParameter {
  std::string name, initial;
  bool has_initial = false;
  bool inherits = false;  // ^: what the caller has of that name
  int stars = 0;          // *: a block, **: the contents of one
};
// "a b:=1 c:='x y' d:=^ e:=^|2 *block **contents"; fails without a place.
std::vector<XacroParameter> parse_xacro_parameters(const std::string& text);

}  // namespace proven::io
