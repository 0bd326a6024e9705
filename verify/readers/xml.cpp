#include "verify/readers/xml.h"

#include <fmt/format.h>

#include <algorithm>

namespace proven::verifier {

Xml::Xml(std::filesystem::path file, std::string_view root, std::vector<std::string_view> meant)
    : file_(std::move(file)), meant_(std::move(meant)) {
  const std::string text = file_text(file_, kMostXmlBytes);
  if (std::count(text.begin(), text.end(), '<') > 2'000'000)
    refuse(file_.string(), "more than two million tags");
  for (const char* declaration : {"<!DOCTYPE", "<!ENTITY"})
    if (text.find(declaration) != std::string::npos)
      refuse(file_.string(), "document types and entities are not read");
  if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS ||
      !document_.RootElement())
    refuse(line_place(file_, document_.ErrorLineNum()), "not valid XML");
  only_root();
  if (document_.RootElement()->Name() != root)
    fail(*document_.RootElement(), fmt::format("expected <{}>", root));
  refuse_xacro(*document_.RootElement());
}

// A document is one element; before and behind it stand comments and instructions alone. Nowhere
// in it stands a declaration ("<!...>"), which is of document types.
void Xml::only_root() const {
  for (const tinyxml2::XMLNode* node = document_.FirstChild(); node; node = node->NextSibling())
    if (node != document_.RootElement() && !node->ToComment() && !node->ToDeclaration())
      refuse(line_place(file_, node->GetLineNum()), "something stands beside the root element");
  std::vector<const tinyxml2::XMLNode*> open = {document_.RootElement()};
  while (!open.empty()) {
    const tinyxml2::XMLNode* node = open.back();
    open.pop_back();
    if (node->ToUnknown()) refuse(line_place(file_, node->GetLineNum()), "a declaration");
    for (node = node->FirstChild(); node; node = node->NextSibling()) open.push_back(node);
  }
}

// Whether an element that is not listed is somebody else's, and none of our business.
bool Xml::of_others(const Element& parent, std::string_view name) const {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return false;
  // Pairs that Drake leaves out, its motors, friction and looks.
  constexpr std::string_view kHarmless[] = {"accepting_renderer",   "collision_filter_group",
                                            "controller_gains",     "declare_convex",
                                            "diffuse_map",          "gear_ratio",
                                            "hydroelastic",         "illustration_properties",
                                            "linear_bushing_rpy",   "perception_properties",
                                            "proximity_properties", "rotor_inertia"};
  if (name.starts_with("drake:") &&
      std::find(std::begin(kHarmless), std::end(kHarmless), name.substr(6)) != std::end(kHarmless))
    return true;
  const std::string_view word = name.substr(colon + 1);
  return &parent == &root() && !word.ends_with("_constraint") &&
         std::find(meant_.begin(), meant_.end(), word) == meant_.end();
}

bool Xml::of_xml(std::string_view attribute) {
  return attribute == "xmlns" || attribute.starts_with("xmlns:") || attribute.starts_with("xml:") ||
         attribute.starts_with("xsi:");
}

void Xml::refuse_xacro(const Element& parent) const {
  for (const Element* element : children(parent)) {
    if (std::string_view(element->Name()).starts_with("xacro:"))
      fail(*element, "xacro is not read");
    refuse_xacro(*element);
  }
}

std::string Xml::place(const Element& element) const {
  return line_place(file_, element.GetLineNum());
}

void Xml::fail(const Element& element, std::string message) const {
  refuse(place(element), fmt::format("<{}>: {}", element.Name(), message));
}

std::vector<const Element*> Xml::children(const Element& parent) {
  std::vector<const Element*> found;
  for (const Element* child = parent.FirstChildElement(); child;
       child = child->NextSiblingElement())
    found.push_back(child);
  return found;
}

std::vector<const Element*> Xml::children(const Element& parent, std::string_view name) {
  std::vector<const Element*> found = children(parent);
  std::erase_if(found, [&](const Element* child) { return child->Name() != name; });
  return found;
}

const Element* Xml::child(const Element& parent, std::string_view name) const {
  const std::vector<const Element*> found = children(parent, name);
  if (found.size() > 1) fail(parent, fmt::format("several <{}>", name));
  return found.empty() ? nullptr : found[0];
}

const Element& Xml::need(const Element& parent, std::string_view name) const {
  const Element* found = child(parent, name);
  if (!found) fail(parent, fmt::format("no <{}>", name));
  return *found;
}

void Xml::holds(const Element& element, std::initializer_list<std::string_view> attributes,
                std::initializer_list<std::string_view> names) const {
  const auto listed = [](std::initializer_list<std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a; a = a->Next())
    if (!listed(attributes, a->Name()) && !of_xml(a->Name()))
      fail(element, fmt::format("unknown attribute '{}'", a->Name()));
  for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToElement() && !listed(names, node->Value()) && !of_others(element, node->Value()))
      fail(element, fmt::format("unknown element <{}>", node->Value()));
    if (node->ToText() && &element != &root() && !without_blanks(node->Value()).empty())
      fail(element, "holds a text");
  }
}

std::optional<std::string> Xml::text(const Element& element, const char* attribute) const {
  const char* value = element.Attribute(attribute);
  if (!value) return std::nullopt;
  if (without_blanks(value).empty()) fail(element, fmt::format("'{}' is empty", attribute));
  return value;
}

std::string Xml::need_text(const Element& element, const char* attribute) const {
  auto value = text(element, attribute);
  if (!value) fail(element, fmt::format("no '{}'", attribute));
  return *value;
}

std::vector<double> Xml::parse(const Element& element, std::string_view text) const {
  std::vector<double> values;
  for (const std::string_view word : split_blanks(text)) {
    const auto value = decimal(word);
    if (!value) fail(element, fmt::format("'{}' is no number", word.substr(0, 40)));
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<double>> Xml::numbers(const Element& element, const char* attribute,
                                                std::size_t count) const {
  const char* value = element.Attribute(attribute);
  if (!value) return std::nullopt;
  std::vector<double> values = parse(element, value);
  if (values.size() != count)
    fail(element, fmt::format("'{}': expected {} numbers", attribute, count));
  return values;
}

std::optional<double> Xml::number(const Element& element, const char* attribute) const {
  const auto values = numbers(element, attribute, 1);
  return values ? std::optional<double>((*values)[0]) : std::nullopt;
}

std::optional<Vec3> Xml::vector(const Element& element, const char* attribute) const {
  const auto v = numbers(element, attribute, 3);
  return v ? std::optional<Vec3>({(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
}

std::vector<double> Xml::contents(const Element& element) const {
  std::vector<double> values;
  for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling())
    if (node->ToText())
      for (const double value : parse(element, node->Value())) values.push_back(value);
  return values;
}

}  // namespace proven::verifier
