// Chapter 13, continued: XML. tinyxml2 knows its syntax.
#pragma once

#include <tinyxml2.h>

#include <initializer_list>
#include <optional>

#include "verify/readers/source.h"

namespace proven::verifier {

using Element = tinyxml2::XMLElement;

class Xml {
 public:
  // Refuses document types, entities, more than 100 levels or two million tags, another root, and
  // anything but comments beside it. `meant` are words that mean something to us below a prefix,
  // too.
  Xml(std::filesystem::path file, std::string_view root, std::vector<std::string_view> meant = {});

  const std::filesystem::path& file() const { return file_; }
  const Element& root() const { return *document_.RootElement(); }
  std::string place(const Element& element) const;
  [[noreturn]] void fail(const Element& element, std::string message) const;

  // All children, those of a name, the only one of a name (or none), and one that must be there.
  static std::vector<const Element*> children(const Element& parent);
  static std::vector<const Element*> children(const Element& parent, std::string_view name);
  const Element* child(const Element& parent, std::string_view name) const;
  const Element& need(const Element& parent, std::string_view name) const;
  // Refuses attributes and children that are not listed, and text. Names with a prefix ("a:b") are
  // other people's: they may stand in the root if their word means nothing to us, and below it if
  // they are known to mean no more. Between the children of the root text may stand.
  void holds(const Element& element, std::initializer_list<std::string_view> attributes,
             std::initializer_list<std::string_view> children) const;
  // Such an element; and an attribute by which XML itself says what prefixes and schemas are.
  bool of_others(const Element& parent, std::string_view name) const;
  static bool of_xml(std::string_view attribute);

  // Attributes: a text is not blank; numbers are finite.
  std::optional<std::string> text(const Element& element, const char* attribute) const;
  std::string need_text(const Element& element, const char* attribute) const;
  std::optional<std::vector<double>> numbers(const Element& element, const char* attribute,
                                             std::size_t count) const;
  std::optional<double> number(const Element& element, const char* attribute) const;
  std::optional<Vec3> vector(const Element& element, const char* attribute) const;
  // The numbers that stand in the element.
  std::vector<double> contents(const Element& element) const;

 private:
  void refuse_xacro(const Element& parent) const;
  void only_root() const;
  std::vector<double> parse(const Element& element, std::string_view text) const;

  std::filesystem::path file_;
  std::vector<std::string_view> meant_;
  tinyxml2::XMLDocument document_;
};

}  // namespace proven::verifier
