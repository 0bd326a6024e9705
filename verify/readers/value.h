// Chapter 13, continued: JSON and YAML as one tree of values that know their line.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "verify/readers/source.h"

namespace proven::verifier {

struct Value {
  enum class Kind { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  bool truth = false;
  double figure = 0;
  std::string words;            // of a text
  std::vector<Value> items;     // of a list, or the members of an object
  std::vector<double> figures;  // a list of numbers alone is kept here, and `items` is empty
  std::string key;              // of a member
  long line = 0;
  const std::filesystem::path* file = nullptr;

  [[noreturn]] void fail(std::string message) const;
  // Each fails unless the value is such a one. Numbers are finite, texts are not empty.
  bool boolean() const;
  double number() const;
  const std::string& text() const;
  const std::vector<Value>& list() const;      // of anything but numbers alone
  const std::vector<double>& numbers() const;  // a list of numbers, perhaps empty
  const std::vector<double>& numbers(std::size_t count) const;
  Vec3 vector() const;
  std::vector<std::string> texts() const;
  bool empty() const;  // null, or a text, list or object with nothing in it
  std::size_t size() const { return items.size() + figures.size(); }  // of a list
  // Members of an object.
  const Value* find(std::string_view name) const;
  const Value& at(std::string_view name) const;
  void only(std::initializer_list<std::string_view> names) const;
  void version() const;  // "proven": 1

  // Runs `read`, whose Unreadable without a place gets this one.
  template <class Read>
  auto here(Read&& read) const {
    return at_place(line_place(*file, line), read);
  }
  // Runs `read` on a file that this value names; one that cannot be used at all fails here.
  template <class Read>
  auto naming(const std::filesystem::path& named, Read&& read) const {
    try {
      return read(named);
    } catch (const Unreadable& error) {
      if (error.place != named.string()) throw;
      fail(error.place + ": " + error.message);
    }
  }
};

// Where the whole tree lives, and the name of its file, which its values point to.
struct Tree {
  std::unique_ptr<std::filesystem::path> file;
  Value root;
};

// By the ending: .yaml and .yml are YAML, all else JSON. Repeated keys, aliases, tags, numbers
// beyond doubles, more than 100 levels or 20 million values are refused.
Tree read_tree(const std::filesystem::path& file);
bool is_yaml(const std::filesystem::path& file);
void parse_json(std::string_view text, Tree& tree);
void parse_yaml(const std::string& text, Tree& tree);

// Collects values from the outside in; both parsers use it.
class TreeMaker {
 public:
  explicit TreeMaker(const std::filesystem::path* file) : file_(file) {}
  void open(Value::Kind kind, long line);  // a list or an object
  void close();
  void name(std::string key, long line);
  void add(Value value, long line);
  bool wants_name() const {
    return !open_.empty() && open_.back().kind == Value::Kind::object && !named_;
  }
  bool done() const { return done_; }
  Value take() { return std::move(root_); }

 private:
  const std::filesystem::path* file_;
  std::vector<Value> open_;
  Value root_;
  std::string name_;
  bool named_ = false, done_ = false;
  long values_ = 0;
};

}  // namespace proven::verifier
