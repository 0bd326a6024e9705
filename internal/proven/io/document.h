// The one reader of JSON and YAML: a file as a tree of nodes that know their line and their place,
// so that every message can name them: "scene.json:7: obstacles[2].box[1]: expected ...".
//
// Readers end with a Failure (proven/base/failure.h) on what they do not honour; read_document_with
// turns it into an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/vec3.h"
#include "proven/base/words.h"

namespace proven::io {

class Node {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  // Whether it is null, or a text, list or object with nothing in it.
  bool is_empty() const;

  // Each fails, naming the place, unless the node is what is asked for.
  bool boolean() const;
  double number() const;  // finite
  double positive_number() const;
  double nonnegative_number() const;
  long integer(long least, long most) const;
  const std::string& string() const;         // not empty
  const std::vector<Node>& array() const;    // the elements
  const std::vector<Node>& members() const;  // the values of an object, each with key()
  const std::vector<Node>& array_of(std::size_t size) const;
  std::vector<double> numbers() const;
  Vec3 vec3() const;
  std::vector<std::string> strings() const;
  // One of the enum's words.
  template <class Enum>
  Enum word() const {
    return static_cast<Enum>(index_in(kWords<Enum>));
  }
  // The place of the node's text in the list; fails and suggests the nearest one if it is not
  // there.
  std::size_t index_in(std::span<const std::string_view> words) const;

  const std::string& key() const { return parts().key; }  // of a member of an object
  const Node* find(std::string_view key) const;           // nullptr if it is absent
  const Node& at(std::string_view key) const;             // fails if it is absent
  // Fails on a key that is not listed, and suggests the nearest one.
  void allow_keys(std::span<const std::string_view> keys) const;
  void allow_keys(std::initializer_list<std::string_view> keys) const {
    allow_keys(std::span(keys.begin(), keys.size()));
  }
  // Fails unless the object says "proven": 1, the version of all our formats.
  void require_version() const;

  // Fails with "file:line: place: message".
  [[noreturn]] void fail(std::string message) const;
  std::string place() const;
  // A short form of the value for messages.
  std::string summary() const;

 private:
  friend class TreeBuilder;
  [[noreturn]] void fail_expecting(std::string_view what) const;
  std::string path() const;

  // What only some nodes have. A long path has millions of plain numbers, which must stay small.
  struct Parts {
    std::string text, key;
    std::vector<Node> children;
    const std::filesystem::path* file = nullptr;  // root only
  };
  const Parts& parts() const;
  Parts& own_parts();

  Kind kind_ = Kind::null;
  bool boolean_ = false;
  std::int32_t line_ = 0;
  double number_ = 0;
  std::unique_ptr<Parts> parts_;
  const Node* parent_ = nullptr;
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

// Calls `read` with the root of a file; what it throws becomes an Error.
Result<void> read_document_with(const std::filesystem::path& file,
                                const std::function<void(const Node&)>& read);

// The same of a text of JSON, which would be a line of the file.
Result<void> read_json_with(const std::filesystem::path& file, std::string_view text,
                            const std::function<void(const Node&)>& read);

// A pose as in scene files: {"xyz": [...]} with "rpy", "quaternion" (x, y, z, w) or "rotation"
// (three rows); all optional.
Pose read_pose(const Node& node);

}  // namespace proven::io
