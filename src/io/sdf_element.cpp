#include "io/sdf_element.h"

#include <fmt/format.h>

#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {

std::optional<SdfElement> SdfElement::child(const char* name) const {
  const XmlElement* found = file->child(*xml, name);
  return found ? std::optional(SdfElement{file, found}) : std::nullopt;
}

SdfElement SdfElement::required(const char* name) const {
  return {file, &file->required_child(*xml, name)};
}

std::string SdfElement::name_of(const char* attribute) const {
  const char* value = xml->Attribute(attribute);
  return value ? std::string(trimmed(value)) : "";
}

std::string SdfElement::content() const {
  // Those that have attributes are looked at where they are read; <sdf> is that of a model.config.
  const std::string_view name = xml->Name();
  if (name != "pose" && name != "xyz" && name != "sdf")
    file->require_attributes(*xml, {name, {}, {}, {}, {}});
  std::string found;
  for (const tinyxml2::XMLNode* node = xml->FirstChild(); node; node = node->NextSibling()) {
    if (const XmlElement* inner = node->ToElement())
      file->fail(*inner, fmt::format("<{}> holds text alone", xml->Name()));
    if (node->ToText()) found += node->Value();  // comments stand between
  }
  return std::string(trimmed(found));
}

std::vector<double> SdfElement::numbers(std::size_t count) const {
  const std::string found = content();
  std::vector<double> list;
  for (const std::string_view word : words(found)) {
    const auto number = parse_double(word);
    if (!number)
      fail(fmt::format("<{}>: expected a finite decimal number, got {}", xml->Name(), quote(word)));
    list.push_back(*number);
  }
  if (list.size() != count)
    fail(fmt::format("<{}>: expected {} number{}, got {}", xml->Name(), count,
                     count == 1 ? "" : "s", quote(found)));
  return list;
}

Vec3 SdfElement::vec3() const {
  const auto v = numbers(3);
  return {v[0], v[1], v[2]};
}

bool SdfElement::flag(const std::string& value) const {
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  fail(fmt::format("<{}>: expected true or false, got {}", xml->Name(), quote(value)));
}

}  // namespace proven::io
