#include "proven/io/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {

static_assert(sizeof(Node) <= 32, "a long path has millions of nodes");

const Node::Parts& Node::parts() const {
  static const Parts kNone;
  return parts_ ? *parts_ : kNone;
}

Node::Parts& Node::own_parts() {
  if (!parts_) parts_ = std::make_unique<Parts>();
  return *parts_;
}

bool Node::is_empty() const {
  return kind_ != Kind::boolean && kind_ != Kind::number && parts().text.empty() &&
         parts().children.empty();
}

bool Node::boolean() const {
  if (kind_ != Kind::boolean) fail_expecting("true or false");
  return boolean_;
}

double Node::number() const {
  if (kind_ != Kind::number) fail_expecting("a number");
  if (!std::isfinite(number_)) fail_expecting("a finite number");
  return number_;
}

double Node::positive_number() const {
  if (kind_ != Kind::number || !(number() > 0)) fail_expecting("a positive number");
  return number_;
}

double Node::nonnegative_number() const {
  if (kind_ != Kind::number || !(number() >= 0)) fail_expecting("a number that is not negative");
  return number_;
}

long Node::integer(long least, long most) const {
  if (kind_ != Kind::number || !(number() >= static_cast<double>(least)) ||
      !(number_ <= static_cast<double>(most)) || number_ != std::floor(number_))
    fail_expecting(fmt::format("a whole number from {} to {}", least, most));
  return static_cast<long>(number_);
}

const std::string& Node::string() const {
  if (kind_ != Kind::string || parts().text.empty()) fail_expecting("a text");
  return parts().text;
}

const std::vector<Node>& Node::array() const {
  if (kind_ != Kind::array) fail_expecting("a list");
  return parts().children;
}

const std::vector<Node>& Node::members() const {
  if (kind_ != Kind::object) fail_expecting("an object");
  return parts().children;
}

const std::vector<Node>& Node::array_of(std::size_t size) const {
  if (array().size() != size)
    fail(fmt::format("expected a list of {}, got {}", size, parts().children.size()));
  return parts().children;
}

std::vector<double> Node::numbers() const {
  std::vector<double> result;
  result.reserve(array().size());
  for (const Node& child : parts().children) result.push_back(child.number());
  return result;
}

Vec3 Node::vec3() const {
  const std::vector<Node>& v = array_of(3);
  return {v[0].number(), v[1].number(), v[2].number()};
}

std::vector<std::string> Node::strings() const {
  std::vector<std::string> result;
  for (const Node& child : array()) result.push_back(child.string());
  return result;
}

std::size_t Node::index_in(std::span<const std::string_view> words) const {
  const auto found = std::find(words.begin(), words.end(), string());
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::vector<std::string> known(words.begin(), words.end());
  fail(fmt::format("unknown word {}{}; there are {}", quote(parts().text),
                   suggestion(parts().text, known), fmt::join(words, ", ")));
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::find_if(members().begin(), members().end(),
                                  [&](const Node& member) { return member.key() == key; });
  return found == parts().children.end() ? nullptr : &*found;
}

const Node& Node::at(std::string_view key) const {
  const Node* member = find(key);
  if (!member) fail(fmt::format("has no '{}'", key));
  return *member;
}

void Node::allow_keys(std::span<const std::string_view> keys) const {
  for (const Node& member : members()) {
    if (std::find(keys.begin(), keys.end(), member.key()) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    member.fail(
        fmt::format("unknown key {}{}", quote(member.key()), suggestion(member.key(), known)));
  }
}

void Node::require_version() const {
  const Node* version = find("proven");
  static const std::vector<std::string> kKey = {"proven"};
  for (const Node& member : members())
    if (const std::string meant = suggestion(member.key(), kKey); !version && !meant.empty())
      member.fail(fmt::format("unknown key {}{}", quote(member.key()), meant));
  if (!version) fail("it has no \"proven\": 1");
  if (version->number() != 1)
    version->fail(fmt::format("format {} is not known to this program, which reads format 1",
                              version->summary()));
}

void Node::fail(std::string message) const {
  io::fail(place(), std::move(message));
}

void Node::fail_expecting(std::string_view what) const {
  fail(fmt::format("expected {}, got {}", what, summary()));
}

std::string Node::place() const {
  const Node* root = this;
  while (root->parent_) root = root->parent_;
  const std::string path = this->path();
  const std::string line = io::place(*root->parts().file, line_);
  return path.empty() ? line : fmt::format("{}: {}", line, path);
}

std::string Node::path() const {
  if (!parent_) return "";
  const std::string above = parent_->path();
  if (parent_->kind_ == Kind::array)
    return fmt::format("{}[{}]", above, this - parent_->parts().children.data());
  const bool plain = std::all_of(key().begin(), key().end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!plain || key().empty()) return fmt::format("{}[{}]", above, quote(key()));
  return above.empty() ? printable(key()) : above + "." + printable(key());
}

std::string Node::summary() const {
  switch (kind_) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return boolean_ ? "true" : "false";
    case Kind::number:
      return fmt::format("{}", number_);
    case Kind::string:
      return parts().text.empty() ? "an empty text" : quote(parts().text);
    case Kind::array:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "nothing";
}

bool is_yaml(const std::filesystem::path& file) {
  const std::string ending = extension(file);
  return ending == ".yaml" || ending == ".yml";
}

Document read_document(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  return is_yaml(file) ? parse_yaml(file, text) : parse_json(file, text);
}

Result<void> read_document_with(const std::filesystem::path& file,
                                const std::function<void(const Node&)>& read) {
  return guarded<void>(file, [&] {
    const Document document = read_document(file);
    read(document.root());
  });
}

Result<void> read_json_with(const std::filesystem::path& file, std::string_view text,
                            const std::function<void(const Node&)>& read) {
  return guarded<void>(file, [&] {
    const Document document = parse_json(file, text);
    read(document.root());
  });
}

}  // namespace proven::io
