#include "bench/doors/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace proven::bench {
namespace {

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

class XmlParser {
 public:
  explicit XmlParser(const std::string& text) : text_(text) {}

  Tree parse() {
    skip_to_element();
    return element();
  }

 private:
  bool sees(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }
  void pass(std::string_view end) {
    at_ = std::min(text_.find(end, at_), text_.size()) + end.size();
  }
  void skip_to_element() {
    while (at_ < text_.size() && (text_[at_] != '<' || sees("<?") || sees("<!"))) {
      if (sees("<!--"))
        pass("-->");
      else if (sees("<?"))
        pass("?>");
      else
        ++at_;
    }
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '=' && text_[at_] != '>' &&
           text_[at_] != '/')
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Tree element() {
    ++at_;  // <
    Tree tree;
    tree.name = word();
    for (skip_blanks(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/';
         skip_blanks()) {
      std::string name = word();
      pass("=");
      skip_blanks();
      const char mark = text_[at_++];
      const std::size_t end = text_.find(mark, at_);
      tree.attributes.emplace_back(std::move(name), text_.substr(at_, end - at_));
      at_ = end + 1;
    }
    const bool is_empty = text_[at_] == '/';
    pass(">");
    if (!is_empty) contents(tree);
    return tree;
  }

  void contents(Tree& tree) {
    std::string text;
    while (at_ < text_.size() && !sees("</")) {
      if (sees("<!--"))
        pass("-->");
      else if (text_[at_] == '<')
        tree.children.push_back(element());
      else
        text += text_[at_++];
    }
    pass(">");
    tree.text = trimmed(text);
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

class JsonParser {
 public:
  explicit JsonParser(const std::string& text) : text_(text) {}

  Tree parse() {
    Tree tree = value();
    tree.name = "file";
    return tree;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ',' || text_[at_] == ':'))
      ++at_;
  }
  std::string quoted() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Tree value() {
    skip();
    Tree tree;
    if (text_[at_] == '{' || text_[at_] == '[') {
      const char close = text_[at_] == '{' ? '}' : ']';
      tree.kind = close == '}' ? Tree::Kind::object : Tree::Kind::list;
      for (++at_, skip(); at_ < text_.size() && text_[at_] != close; skip()) {
        std::string key = "item";
        if (close == '}') {
          key = quoted();
          key = key.substr(1, key.size() - 2);
        }
        tree.children.push_back(value());
        tree.children.back().name = key;
      }
      ++at_;
      return tree;
    }
    tree.kind = Tree::Kind::value;
    if (text_[at_] == '"') {
      tree.text = quoted();
      return tree;
    }
    const std::size_t end = std::min(text_.find_first_of(",]} \n\t\r", at_), text_.size());
    tree.text = text_.substr(at_, end - at_);
    at_ = end;
    return tree;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

void write_xml(const Tree& tree, int depth, std::string& out) {
  out.append(static_cast<std::size_t>(2 * depth), ' ');
  out += "<" + tree.name;
  for (const auto& [name, value] : tree.attributes) {
    const char mark = value.find('"') == std::string::npos ? '"' : '\'';
    out += " " + name + "=" + mark + value + mark;
  }
  if (tree.children.empty()) {
    out += tree.text.empty() ? "/>\n" : ">" + tree.text + "</" + tree.name + ">\n";
    return;
  }
  out += ">" + tree.text + "\n";
  for (const Tree& child : tree.children) write_xml(child, depth + 1, out);
  out.append(static_cast<std::size_t>(2 * depth), ' ');
  out += "</" + tree.name + ">\n";
}

void write_json(const Tree& tree, bool in_object, int depth, std::string& out) {
  out.append(static_cast<std::size_t>(depth), ' ');
  if (in_object) out += "\"" + tree.name + "\": ";
  if (tree.kind == Tree::Kind::value) {
    out += tree.text;
    return;
  }
  const bool is_object = tree.kind == Tree::Kind::object;
  out += is_object ? "{" : "[";
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    out += i > 0 ? ",\n" : "\n";
    write_json(tree.children[i], is_object, depth + 1, out);
  }
  out += is_object ? "}" : "]";
}

}  // namespace

const std::string* Tree::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return &value;
  return nullptr;
}

const Tree* Tree::child(std::string_view wanted) const {
  const auto found = std::ranges::find(children, wanted, &Tree::name);
  return found == children.end() ? nullptr : &*found;
}

Tree parse_xml(const std::string& text) {
  return XmlParser(text).parse();
}

Tree parse_json(const std::string& text) {
  return JsonParser(text).parse();
}

std::string xml_text(const Tree& tree) {
  std::string out = "<?xml version=\"1.0\"?>\n";
  write_xml(tree, 0, out);
  return out;
}

std::string json_text(const Tree& tree) {
  std::string out;
  write_json(tree, false, 0, out);
  return out + "\n";
}

const Tree& at(const Tree& tree, const std::vector<std::size_t>& path) {
  const Tree* found = &tree;
  for (const std::size_t i : path) found = &found->children[i];
  return *found;
}

Tree& at(Tree& tree, const std::vector<std::size_t>& path) {
  return const_cast<Tree&>(at(static_cast<const Tree&>(tree), path));
}

std::string place_of(const Tree& tree, const std::vector<std::size_t>& path) {
  const Tree* above = &tree;
  std::string place;
  for (const std::size_t i : path) {
    const Tree& found = above->children[i];
    const auto alike = [&](const Tree& other) { return other.name == found.name; };
    const auto before = std::count_if(
        above->children.begin(), above->children.begin() + static_cast<std::ptrdiff_t>(i), alike);
    place += (place.empty() ? "" : "/") + found.name;
    if (std::ranges::count_if(above->children, alike) > 1) place += fmt::format("[{}]", before + 1);
    above = &found;
  }
  return place.empty() ? tree.name : place;
}

}  // namespace proven::bench
