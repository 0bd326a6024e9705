#include "io/tree_builder.h"

#include <fmt/format.h>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {
namespace {

constexpr std::size_t kMaxDepth = 100;  // no format read here needs more than 10
constexpr long kMaxNodes = 20'000'000;  // bounds memory: a list of six numbers takes 350 bytes

}  // namespace

TreeBuilder::TreeBuilder(std::filesystem::path file) {
  document_.file_ = std::make_unique<std::filesystem::path>(std::move(file));
  document_.root_ = std::make_unique<Node>();
}

Node TreeBuilder::make(long line, Node::Kind kind) {
  if (++nodes_ > kMaxNodes)
    fail(io::place(file(), line), fmt::format("more than {} values", kMaxNodes),
         ErrorCode::exhausted);
  Node node;
  node.kind_ = kind;
  node.line_ = static_cast<std::int32_t>(line);
  if (std::exchange(has_key_, false)) node.own_parts().key = std::move(pending_key_);
  return node;
}

void TreeBuilder::place(Node node) {
  if (open_.empty()) {
    *document_.root_ = std::move(node);
    has_root_ = true;
  } else {
    open_.back().node.own_parts().children.push_back(std::move(node));
  }
}

void TreeBuilder::null(long line) {
  place(make(line, Node::Kind::null));
}

void TreeBuilder::boolean(long line, bool value) {
  Node node = make(line, Node::Kind::boolean);
  node.boolean_ = value;
  place(std::move(node));
}

void TreeBuilder::number(long line, double value) {
  Node node = make(line, Node::Kind::number);
  node.number_ = value;
  place(std::move(node));
}

void TreeBuilder::string(long line, std::string text) {
  Node node = make(line, Node::Kind::string);
  node.own_parts().text = std::move(text);
  place(std::move(node));
}

void TreeBuilder::start(long line, Node::Kind kind) {
  if (open_.size() >= kMaxDepth)
    fail(io::place(file(), line), fmt::format("nested deeper than {} levels", kMaxDepth),
         ErrorCode::exhausted);
  open_.push_back({make(line, kind), {}});
}

void TreeBuilder::end() {
  Node node = std::move(open_.back().node);
  open_.pop_back();
  if (node.parts_) node.parts_->children.shrink_to_fit();
  place(std::move(node));
}

void TreeBuilder::key(long line, std::string key) {
  if (!open_.back().keys.insert(key).second)
    fail(io::place(file(), line), fmt::format("repeated key {}", quote(key)));
  pending_key_ = std::move(key);
  has_key_ = true;
}

bool TreeBuilder::wants_key() const {
  return !has_key_ && !open_.empty() && open_.back().node.is(Node::Kind::object);
}

void TreeBuilder::link_children(Node& root) {
  std::vector<Node*> rest = {&root};
  while (!rest.empty()) {
    Node* node = rest.back();
    rest.pop_back();
    if (!node->parts_) continue;
    for (Node& child : node->parts_->children) {
      child.parent_ = node;
      rest.push_back(&child);
    }
  }
}

Document TreeBuilder::finish() && {
  if (!has_root_) fail(file().string(), "is empty");
  document_.root_->own_parts().file = document_.file_.get();
  link_children(*document_.root_);
  return std::move(document_);
}

}  // namespace proven::io
