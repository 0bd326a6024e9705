#include "verify/readers/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace proven::verifier {

void Value::fail(std::string message) const {
  refuse(line_place(*file, line), key.empty() ? message : fmt::format("{}: {}", key, message));
}

bool Value::boolean() const {
  if (kind != Kind::boolean) fail("expected true or false");
  return truth;
}

double Value::number() const {
  if (kind != Kind::number || !std::isfinite(figure)) fail("expected a number");
  return figure;
}

const std::string& Value::text() const {
  if (kind != Kind::text || words.empty()) fail("expected a text");
  return words;
}

const std::vector<Value>& Value::list() const {
  if (kind != Kind::list || !figures.empty()) fail("expected a list, not of numbers");
  return items;
}

const std::vector<double>& Value::numbers() const {
  if (kind != Kind::list || !items.empty()) fail("expected a list of numbers");
  return figures;
}

const std::vector<double>& Value::numbers(std::size_t count) const {
  if (numbers().size() != count) fail(fmt::format("expected {} numbers", count));
  return figures;
}

Vec3 Value::vector() const {
  const std::vector<double>& v = numbers(3);
  return {v[0], v[1], v[2]};
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> result;
  for (const Value& item : list()) result.push_back(item.text());
  return result;
}

bool Value::empty() const {
  return kind != Kind::boolean && kind != Kind::number && words.empty() && size() == 0;
}

const Value* Value::find(std::string_view name) const {
  if (kind != Kind::object) fail("expected an object");
  for (const Value& member : items)
    if (member.key == name) return &member;
  return nullptr;
}

const Value& Value::at(std::string_view name) const {
  const Value* member = find(name);
  if (!member) fail(fmt::format("'{}' is missing", name));
  return *member;
}

void Value::only(std::initializer_list<std::string_view> names) const {
  if (kind != Kind::object) fail("expected an object");
  for (const Value& member : items)
    if (std::find(names.begin(), names.end(), member.key) == names.end())
      member.fail("unknown key");
}

void Value::version() const {
  if (at("proven").number() != 1) at("proven").fail("only format 1 is known");
}

void TreeMaker::open(Value::Kind kind, long line) {
  if (open_.size() >= 100) refuse(line_place(*file_, line), "more than 100 levels");
  Value value;
  value.kind = kind;
  value.line = line;
  value.file = file_;
  value.key = std::move(name_);
  named_ = false;
  name_.clear();
  open_.push_back(std::move(value));
}

void TreeMaker::name(std::string key, long) {
  name_ = std::move(key);
  named_ = true;
}

void TreeMaker::add(Value value, long line) {
  if (++values_ > 20'000'000) refuse(line_place(*file_, line), "more than 20 million values");
  value.line = line;
  value.file = file_;
  if (named_) value.key = std::move(name_);
  named_ = false;
  name_.clear();
  if (open_.empty()) {
    root_ = std::move(value);
    done_ = true;
  } else {
    open_.back().items.push_back(std::move(value));
  }
}

void TreeMaker::close() {
  Value value = std::move(open_.back());
  open_.pop_back();
  if (value.kind == Value::Kind::object) {
    std::set<std::string_view> keys;
    for (const Value& member : value.items)
      if (!keys.insert(member.key).second) member.fail("repeated key");
  } else if (std::all_of(value.items.begin(), value.items.end(),
                         [](const Value& item) { return item.kind == Value::Kind::number; })) {
    value.figures.reserve(value.items.size());
    for (const Value& item : value.items) value.figures.push_back(item.number());
    value.items = {};
  }
  if (!value.key.empty()) name(std::move(value.key), value.line);
  const long line = value.line;
  add(std::move(value), line);
}

bool is_yaml(const std::filesystem::path& file) {
  return ending_of(file) == ".yaml" || ending_of(file) == ".yml";
}

Tree read_tree(const std::filesystem::path& file) {
  Tree tree{std::make_unique<std::filesystem::path>(file), {}};
  const std::string text = file_text(file);
  if (is_yaml(file))
    parse_yaml(text, tree);
  else
    parse_json(text, tree);
  return tree;
}

}  // namespace proven::verifier
