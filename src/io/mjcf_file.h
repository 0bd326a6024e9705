// MJCF files as one tree: included files stand where they are included, and attributes are looked
// up through the classes of defaults.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/xml.h"

namespace proven::io {

struct MjcfElement {
  const XmlElement* xml = nullptr;
  const XmlFile* file = nullptr;
  std::vector<MjcfElement> children;

  std::string_view name() const { return xml->Name(); }
  std::optional<std::string> text(const char* attribute) const {
    return file->find_text(*xml, attribute);
  }
  [[noreturn]] void fail(std::string message) const { file->fail(*xml, std::move(message)); }
};

// The attributes of an element, its own before those of its class.
class MjcfAttributes {
 public:
  // `defaults` in the order of the file: the last that says something counts.
  MjcfAttributes(const MjcfElement& element, const std::vector<const MjcfElement*>* defaults)
      : element_(element), defaults_(defaults) {}

  const MjcfElement& element() const { return element_; }
  [[noreturn]] void fail(std::string message) const { element_.fail(std::move(message)); }
  // The element that says it, or none.
  const MjcfElement* find(const char* attribute) const;
  bool is_own(const char* attribute) const { return element_.xml->Attribute(attribute); }

  std::string text(const char* attribute, const char* otherwise) const;
  bool flag(const char* attribute, bool otherwise) const;
  int whole(const char* attribute, int otherwise) const;
  std::optional<double> number(const char* attribute) const;
  std::optional<std::vector<double>> numbers(const char* attribute, std::size_t count) const;
  std::optional<Vec3> vec3(const char* attribute) const;
  // One to three numbers; those that a nearer element leaves out are the class's.
  std::vector<double> sizes(const char* attribute) const;

 private:
  const MjcfElement& element_;
  const std::vector<const MjcfElement*>* defaults_;
};

class MjcfFile {
 public:
  // Reads the file and what it includes; fails on what is neither read nor known to be without
  // meaning for bodies and joints.
  // Unknown elements and attributes with a name in `ignore` are passed over.
  MjcfFile(const std::filesystem::path& file, const std::set<std::string>& ignore);

  const MjcfElement& root() const { return root_; }
  const std::filesystem::path& path() const { return path_; }
  // What was passed over and a person should know of, and what was since somebody said so.
  const XmlFile::PassedOver& passed() const { return passed_; }
  bool ignores(std::string_view name) const { return ignore_.contains(std::string(name)); }
  // The children of the root's sections of this name, in order.
  std::vector<const MjcfElement*> in_sections(std::string_view section) const;

  // With the defaults of its `class`, else of `childclass`, for elements of this kind.
  MjcfAttributes attributes(const MjcfElement& element, const std::string& childclass,
                            std::string_view kind) const;
  void require_class(const MjcfElement& element, const std::string& name) const;

 private:
  using Defaults = std::map<std::string, std::vector<const MjcfElement*>, std::less<>>;

  MjcfElement read(const XmlFile& file, const XmlElement& xml, int depth);
  void include(const XmlFile& file, const XmlElement& xml, int depth,
               std::vector<MjcfElement>& into);
  void require(const MjcfElement& element, const std::string& parent);
  void require_attributes(const MjcfElement& element, const XmlFile::Rule& rule);
  void read_defaults(const MjcfElement& element, const std::string& name);

  std::filesystem::path path_;
  std::vector<std::unique_ptr<XmlFile>> files_;
  std::set<std::filesystem::path> included_;
  MjcfElement root_;
  std::set<std::string> ignore_;
  XmlFile::PassedOver passed_;
  std::map<std::string, Defaults, std::less<>> classes_;
};

}  // namespace proven::io
