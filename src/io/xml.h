// XML files through tinyxml2, with the line in every message.
#pragma once

#include <tinyxml2.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::io {

using XmlElement = tinyxml2::XMLElement;

class XmlFile {
 public:
  // Fails on syntax errors, document type declarations, depth beyond 100, too many elements, and a
  // root element that is not <root_name>, if one is asked for. With `text` nothing is read: the
  // file is its name alone.
  XmlFile(std::filesystem::path file, const char* root_name, const std::string* text = nullptr);

  const std::filesystem::path& path() const { return file_; }
  const XmlElement& root() const { return *document_.RootElement(); }
  std::string place(const XmlElement& element) const;
  // Fails with "file:line: message".
  [[noreturn]] void fail(const XmlElement& element, std::string message) const;

  // The only child of that name, or nullptr; several fail.
  const XmlElement* child(const XmlElement& parent, const char* name) const;
  const XmlElement& required_child(const XmlElement& parent, const char* name) const;
  static std::vector<const XmlElement*> children(const XmlElement& parent, const char* name);

  // Attributes; absent ones are nullopt or, if required, fail. Texts must not be empty.
  std::optional<std::string> find_text(const XmlElement& element, const char* attribute) const;
  std::string text(const XmlElement& element, const char* attribute) const;
  std::optional<double> find_number(const XmlElement& element, const char* attribute) const;
  double number(const XmlElement& element, const char* attribute) const;
  double positive_number(const XmlElement& element, const char* attribute) const;
  std::optional<std::vector<double>> find_numbers(const XmlElement& element, const char* attribute,
                                                  std::size_t count) const;
  std::optional<Vec3> find_vec3(const XmlElement& element, const char* attribute) const;

  // What an element may hold; found by "parent/element", else by "element". Children that are
  // `passed` are known to say nothing of bodies and joints; `noted` ones too, but a person should
  // know that they were not read. `noted_attributes` are the same of attributes.
  struct Rule {
    std::string_view element;
    std::vector<std::string_view> attributes, children, passed, noted;
    std::vector<std::string_view> noted_attributes = {};
  };
  // What was passed over, and how often: "<sensor>" (ignored: "<sensor> in <link>"), "'group' of
  // <collision>".
  using Counts = std::map<std::string, int>;
  struct PassedOver {
    Counts noted;    // known to say nothing of bodies and joints
    Counts ignored;  // not known, and passed over since somebody said so
  };
  // Fails on attributes, elements and texts inside the root that no rule allows, and suggests the
  // nearest word. Names with a prefix ("drake:...") are noted; texts between the elements of the
  // root pass. With `ignore`, unknown elements and attributes with these names are passed over, and
  // errors name that way out. A child that is both read and noted is looked into, too.
  PassedOver require(std::span<const Rule> rules,
                     const std::set<std::string>* ignore = nullptr) const;
  // The same of one element and what is in it.
  PassedOver require(const XmlElement& element, std::span<const Rule> rules,
                     const std::set<std::string>* ignore = nullptr) const;
  // The same of single elements.
  void require_attributes(const XmlElement& element, const Rule& rule) const;
  [[noreturn]] void refuse_child(const XmlElement& child, const char* parent,
                                 const Rule& rule) const;

 private:
  struct Requirement;
  void require(const XmlElement& element, const Rule& rule, Requirement& all) const;
  void refuse_type_declaration(std::string_view text) const;
  void refuse_xacro(const XmlElement& above) const;

  std::filesystem::path file_;
  tinyxml2::XMLDocument document_;
};

// "<sensor> (2)" for each.
std::vector<std::string> counted(const XmlFile::Counts& counts);

}  // namespace proven::io
