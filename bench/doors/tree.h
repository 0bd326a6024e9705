// XML and JSON as one kind of tree, whose files can say what no library would write: names and keys
// twice, elements in the wrong place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proven::bench {

// Of XML: an element, with the text of one that holds no other. Of JSON: `name` is the key that it
// stands under ("item" in a list), `text` a value as it is written.
struct Tree {
  enum class Kind { element, object, list, value };

  Kind kind = Kind::element;
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Tree> children;
  std::string text;

  bool is_leaf() const { return children.empty() && kind != Kind::object && kind != Kind::list; }
  const std::string* attribute(std::string_view wanted) const;
  const Tree* child(std::string_view wanted) const;
};

// Of well-formed text alone: XML without CDATA and document types, whose comments and prolog are
// left out. Entities stay as they are written.
Tree parse_xml(const std::string& text);
Tree parse_json(const std::string& text);
std::string xml_text(const Tree& tree);
std::string json_text(const Tree& tree);

// The element that these numbers of children lead to.
const Tree& at(const Tree& tree, const std::vector<std::size_t>& path);
Tree& at(Tree& tree, const std::vector<std::size_t>& path);
// "lanelet[2]/leftBound/point[3]", numbers from 1 on where there are several.
std::string place_of(const Tree& tree, const std::vector<std::size_t>& path);

}  // namespace proven::bench
