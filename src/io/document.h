// A JSON or YAML file as one tree of nodes that know their line and their JSON pointer, so that
// every message can name the place: "scene.json:7: /obstacles/2/box/1: expected ...".
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::io {

class Node {
 public:
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  // Whether it is null, or a text, list or object with nothing in it.
  bool is_empty() const;

  // Each fails, naming the place, unless the node is what is asked for.
  bool boolean() const;
  double number() const;  // finite
  double positive_number() const;
  double nonnegative_number() const;
  const std::string& string() const;         // not empty
  const std::vector<Node>& array() const;    // the elements
  const std::vector<Node>& members() const;  // the values of an object, each with key()
  const std::vector<Node>& array_of(std::size_t size) const;
  std::vector<double> numbers() const;
  Vec3 vec3() const;
  std::vector<std::string> strings() const;

  const std::string& key() const { return key_; }  // of a member of an object
  const Node* find(std::string_view key) const;    // nullptr if it is absent
  const Node& at(std::string_view key) const;      // fails if it is absent
  // Fails on a key that is not listed, and suggests the nearest one.
  void allow_keys(std::initializer_list<std::string_view> keys) const;

  // Fails with "file:line: pointer: message".
  [[noreturn]] void fail(std::string message) const;
  std::string place() const;
  // A short form of the value for messages.
  std::string summary() const;

 private:
  friend class TreeBuilder;
  [[noreturn]] void fail_expecting(std::string_view what) const;
  std::string pointer() const;

  Kind kind_ = Kind::null;
  bool boolean_ = false;
  double number_ = 0;
  std::string text_;
  std::string key_;
  std::vector<Node> children_;
  long line_ = 0;
  const Node* parent_ = nullptr;
  const std::filesystem::path* file_ = nullptr;  // root only
};

class Document {
 public:
  const Node& root() const { return *root_; }

 private:
  friend class TreeBuilder;
  // Behind pointers, so that nodes stay where they are when a Document moves.
  std::unique_ptr<std::filesystem::path> file_;
  std::unique_ptr<Node> root_;
};

// Strict JSON: repeated keys, numbers beyond doubles, depth beyond 100 and trailing text fail.
// `first_line` is the number of the text's first line.
Document parse_json(const std::filesystem::path& file, std::string_view text, long first_line = 1);
// One YAML document; repeated keys, aliases, tags and depth beyond 100 fail. Plain scalars that are
// numbers by base/numbers.h become numbers.
Document parse_yaml(const std::filesystem::path& file, const std::string& text);
// Reads a file: YAML by its ending ".yaml" or ".yml", JSON otherwise.
Document read_document(const std::filesystem::path& file);
bool is_yaml(const std::filesystem::path& file);

}  // namespace proven::io
