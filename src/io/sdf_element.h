// Elements of SDF files, which say most things as text between their tags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/xml.h"

namespace proven::io {

struct SdfElement {
  const XmlFile* file = nullptr;
  const XmlElement* xml = nullptr;

  [[noreturn]] void fail(std::string message) const { file->fail(*xml, std::move(message)); }

  std::optional<SdfElement> child(const char* name) const;  // several fail
  SdfElement required(const char* name) const;

  std::string text(const char* attribute) const { return file->text(*xml, attribute); }
  // An attribute that names a frame; left empty, it is as if it were not there.
  std::string name_of(const char* attribute) const;

  // What stands between the tags, of an element without children.
  std::string content() const;
  std::vector<double> numbers(std::size_t count) const;
  Vec3 vec3() const;
  bool is_true() const { return flag(content()); }
  bool flag(const std::string& value) const;
};

}  // namespace proven::io
