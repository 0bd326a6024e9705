// Builds a Document from the events of a JSON or YAML parser.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proven/io/document.h"

namespace proven::io {

class TreeBuilder {
 public:
  explicit TreeBuilder(std::filesystem::path file);

  void null(long line);
  void boolean(long line, bool value);
  void number(long line, double value);
  void string(long line, std::string text);
  void start(long line, Node::Kind kind);  // array or object
  void end();
  void key(long line, std::string key);  // before each member of an object
  bool wants_key() const;                // inside an object, with no key pending

  bool is_null() const { return document_.root_->is(Node::Kind::null); }
  const std::filesystem::path& file() const { return *document_.file_; }
  Document finish() &&;

 private:
  // A container that is still open; its node is complete only when it ends.
  struct Open {
    Node node;
    std::set<std::string> keys;
  };
  Node make(long line, Node::Kind kind);
  void place(Node node);
  static void link_children(Node& root);

  Document document_;
  std::vector<Open> open_;
  std::string pending_key_;
  bool has_key_ = false, has_root_ = false;
  long nodes_ = 0;
};

}  // namespace proven::io
