// XML files through tinyxml2, with the line in every message.
#pragma once

#include <tinyxml2.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::io {

using XmlElement = tinyxml2::XMLElement;

class XmlFile {
 public:
  // Fails on syntax errors, document type declarations, depth beyond 100, too many elements, and a
  // root element that is not <root_name>.
  XmlFile(std::filesystem::path file, const char* root_name);

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

 private:
  void refuse_type_declaration(std::string_view text) const;
  void refuse_xacro() const;

  std::filesystem::path file_;
  tinyxml2::XMLDocument document_;
};

}  // namespace proven::io
