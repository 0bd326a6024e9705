#include "io/xml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/failure.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

constexpr long kMaxElements = 2'000'000;  // bounds memory: an element takes about 150 bytes

std::string_view explain(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "a tag is closed that is not open";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "a tag is malformed";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is malformed or repeated";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "the file ends inside a text";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment is not closed";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "a CDATA section is not closed";
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "the file is empty";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "tags are nested deeper than 100 levels";
    default:
      return "it ends too early or is malformed";
  }
}

}  // namespace

XmlFile::XmlFile(std::filesystem::path file, const char* root_name, const std::string* text)
    : file_(std::move(file)) {
  const std::string xml = text ? *text : read_text(file_, kMaxXmlBytes);
  if (std::count(xml.begin(), xml.end(), '<') > kMaxElements)
    io::fail(file_.string(), fmt::format("more than {} elements", kMaxElements),
             ErrorCode::exhausted);
  const tinyxml2::XMLError error = document_.Parse(xml.data(), xml.size());
  refuse_type_declaration(xml);
  if (error != tinyxml2::XML_SUCCESS) {
    const int line = document_.ErrorLineNum();
    io::fail(line > 0 ? io::place(file_, line) : file_.string(),
             fmt::format("not valid XML: {}", explain(error)));
  }
  const XmlElement* root = document_.RootElement();
  if (!root) io::fail(file_.string(), "not valid XML: no element");
  if (!root_name) return;
  const std::string_view name = root->Name();
  if (name != root_name && (name == "mujoco" || name == "sdf"))
    fail(*root, fmt::format("<{}> is {}, not URDF; run: proven convert {} -o robot.urdf", name,
                            name == "sdf" ? "SDF" : "MJCF", file_.filename().string()));
  if (name != root_name)
    fail(*root, fmt::format("expected <{}>, got <{}>", root_name, printable(root->Name())));
  refuse_xacro(*root);
}

// Entities are how XML bombs multiply. tinyxml2 never expands them; a file that defines some would
// be misread, so it is refused.
void XmlFile::refuse_type_declaration(std::string_view text) const {
  const std::size_t at = std::min(text.find("<!DOCTYPE"), text.find("<!ENTITY"));
  if (at == std::string_view::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  io::fail(io::place(file_, line), "document types and entities are not read; remove them");
}

// At any depth: what xacro would put there is not known.
void XmlFile::refuse_xacro(const XmlElement& above) const {
  for (const XmlElement* element = above.FirstChildElement(); element;
       element = element->NextSiblingElement()) {
    if (std::string_view(element->Name()).starts_with("xacro:"))
      fail(*element, fmt::format("<{}> is xacro, not URDF; run: proven convert {} -o robot.urdf",
                                 element->Name(), file_.filename().string()));
    refuse_xacro(*element);
  }
}

std::string XmlFile::place(const XmlElement& element) const {
  return io::place(file_, element.GetLineNum());
}

void XmlFile::fail(const XmlElement& element, std::string message) const {
  io::fail(place(element), std::move(message));
}

const XmlElement* XmlFile::child(const XmlElement& parent, const char* name) const {
  const XmlElement* first = parent.FirstChildElement(name);
  if (first)
    if (const XmlElement* second = first->NextSiblingElement(name))
      fail(*second, fmt::format("<{}> holds more than one <{}>", parent.Name(), name));
  return first;
}

const XmlElement& XmlFile::required_child(const XmlElement& parent, const char* name) const {
  const XmlElement* found = child(parent, name);
  if (!found) fail(parent, fmt::format("<{}> has no <{}>", parent.Name(), name));
  return *found;
}

std::vector<const XmlElement*> XmlFile::children(const XmlElement& parent, const char* name) {
  std::vector<const XmlElement*> result;
  for (const XmlElement* element = parent.FirstChildElement(name); element;
       element = element->NextSiblingElement(name))
    result.push_back(element);
  return result;
}

namespace {

bool has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_prefixed(std::string_view name) {
  return name.find(':') != std::string_view::npos || name == "xmlns";
}

// ", did you mean ...?", or all words if none is near.
std::string nearest(std::string_view name, const std::vector<std::string_view>& words) {
  const std::vector<std::string> known(words.begin(), words.end());
  if (const std::string meant = suggestion(name, known); !meant.empty()) return meant;
  return known.empty() ? "; there are none" : fmt::format("; there are {}", fmt::join(known, ", "));
}

const XmlFile::Rule* find_rule(const XmlElement& element, std::span<const XmlFile::Rule> rules) {
  const tinyxml2::XMLNode* above = element.Parent();
  const XmlElement* parent = above ? above->ToElement() : nullptr;
  const std::string in_parent = fmt::format("{}/{}", parent ? parent->Name() : "", element.Name());
  const XmlFile::Rule* found = nullptr;
  for (const XmlFile::Rule& rule : rules) {
    if (rule.element == in_parent) return &rule;
    if (rule.element == element.Name()) found = &rule;
  }
  return found;
}

}  // namespace

struct XmlFile::Requirement {
  std::span<const Rule> rules;
  const std::set<std::string>* ignore;
  PassedOver passed;

  // The nearest word; for what is no slip of the finger, how it is passed over.
  std::string remedy(std::string_view name, const std::vector<std::string_view>& words) const {
    std::string text = nearest(name, words);
    if (ignore && !text.starts_with(", did you mean"))
      text += fmt::format(
          ". If it says nothing of bodies and joints, --ignore-elements {} passes it over", name);
    return text;
  }
};

XmlFile::PassedOver XmlFile::require(std::span<const Rule> rules,
                                     const std::set<std::string>* ignore) const {
  return require(root(), rules, ignore);
}

XmlFile::PassedOver XmlFile::require(const XmlElement& element, std::span<const Rule> rules,
                                     const std::set<std::string>* ignore) const {
  Requirement all{rules, ignore, {}};
  if (const Rule* rule = find_rule(element, rules)) require(element, *rule, all);
  return std::move(all.passed);
}

void XmlFile::require_attributes(const XmlElement& element, const Rule& rule) const {
  for (const tinyxml2::XMLAttribute* attribute = element.FirstAttribute(); attribute;
       attribute = attribute->Next())
    if (!has(rule.attributes, attribute->Name()) &&
        !has(rule.noted_attributes, attribute->Name()) && !is_prefixed(attribute->Name()))
      fail(element, fmt::format("unknown attribute {} of <{}>{}", quote(attribute->Name()),
                                element.Name(), nearest(attribute->Name(), rule.attributes)));
}

void XmlFile::refuse_child(const XmlElement& child, const char* parent, const Rule& rule) const {
  fail(child, fmt::format("unknown element <{}> in <{}>{}", printable(child.Name()), parent,
                          nearest(child.Name(), rule.children)));
}

void XmlFile::require(const XmlElement& element, const Rule& rule, Requirement& all) const {
  for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a; a = a->Next()) {
    if (has(rule.attributes, a->Name()) || is_prefixed(a->Name())) continue;
    const std::string label = fmt::format("'{}' of <{}>", a->Name(), element.Name());
    if (has(rule.noted_attributes, a->Name()))
      ++all.passed.noted[label];
    else if (all.ignore && all.ignore->contains(a->Name()))
      ++all.passed.ignored[label];
    else
      fail(element, fmt::format("unknown attribute {} of <{}>{}", quote(a->Name()), element.Name(),
                                all.remedy(a->Name(), rule.attributes)));
  }
  for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
    if (const tinyxml2::XMLText* text = node->ToText(); text && &element != &root())
      if (!trimmed(text->Value()).empty())
        fail(element, fmt::format("the text {} in <{}> is not read; it has attributes only",
                                  quote(trimmed(text->Value())), element.Name()));
    const XmlElement* child = node->ToElement();
    if (!child || has(rule.passed, child->Name())) continue;
    const bool known = has(rule.children, child->Name());
    if (has(rule.noted, child->Name()) || is_prefixed(child->Name()))
      ++all.passed.noted[fmt::format("<{}>", child->Name())];
    else if (!known && all.ignore && all.ignore->contains(child->Name()))
      ++all.passed.ignored[fmt::format("<{}> in <{}>", child->Name(), element.Name())];
    else if (!known)
      fail(*child, fmt::format("unknown element <{}> in <{}>{}", printable(child->Name()),
                               element.Name(), all.remedy(child->Name(), rule.children)));
    if (const Rule* below = known ? find_rule(*child, all.rules) : nullptr)
      require(*child, *below, all);
  }
}

std::optional<std::string> XmlFile::find_text(const XmlElement& element,
                                              const char* attribute) const {
  const char* value = element.Attribute(attribute);
  if (!value) return std::nullopt;
  if (trimmed(value).empty())
    fail(element, fmt::format("'{}' of <{}> is empty", attribute, element.Name()));
  return value;
}

std::string XmlFile::text(const XmlElement& element, const char* attribute) const {
  std::optional<std::string> value = find_text(element, attribute);
  if (!value) fail(element, fmt::format("<{}> has no '{}'", element.Name(), attribute));
  return std::move(*value);
}

std::optional<double> XmlFile::find_number(const XmlElement& element, const char* attribute) const {
  const auto numbers = find_numbers(element, attribute, 1);
  return numbers ? std::optional<double>((*numbers)[0]) : std::nullopt;
}

double XmlFile::number(const XmlElement& element, const char* attribute) const {
  const std::optional<double> value = find_number(element, attribute);
  if (!value) fail(element, fmt::format("<{}> has no '{}'", element.Name(), attribute));
  return *value;
}

double XmlFile::positive_number(const XmlElement& element, const char* attribute) const {
  const double value = number(element, attribute);
  if (!(value > 0))
    fail(element, fmt::format("'{}' of <{}>: expected a positive number, got {}", attribute,
                              element.Name(), value));
  return value;
}

std::optional<std::vector<double>> XmlFile::find_numbers(const XmlElement& element,
                                                         const char* attribute,
                                                         std::size_t count) const {
  const char* value = element.Attribute(attribute);
  if (!value) return std::nullopt;
  const std::vector<std::string_view> parts = words(value);
  if (parts.size() != count)
    fail(element, fmt::format("'{}' of <{}>: expected {} number{}, got {}", attribute,
                              element.Name(), count, count == 1 ? "" : "s", quote(value)));
  std::vector<double> numbers;
  for (const std::string_view part : parts) {
    const std::optional<double> number = parse_double(part);
    if (!number)
      fail(element, fmt::format("'{}' of <{}>: expected a finite decimal number, got {}", attribute,
                                element.Name(), quote(part)));
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<Vec3> XmlFile::find_vec3(const XmlElement& element, const char* attribute) const {
  const auto v = find_numbers(element, attribute, 3);
  return v ? std::optional<Vec3>(Vec3{(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
}

std::vector<std::string> counted(const XmlFile::Counts& counts) {
  std::vector<std::string> list;
  for (const auto& [what, times] : counts) list.push_back(fmt::format("{} ({})", what, times));
  return list;
}

}  // namespace proven::io
