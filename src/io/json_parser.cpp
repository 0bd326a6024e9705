#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "io/failure.h"
#include "io/text.h"
#include "io/tree_builder.h"
#include "proven/io/document.h"

namespace proven::io {
namespace {

// How far the parser has read.
struct Position {
  long line = 1;
  char last = '\0';
};

// Walks over the text and keeps the position: nlohmann's events do not carry one.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->last = *at_;
    ++at_;
    if (position_->last == '\n') ++position_->line;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  Position* position_;
};

using Json = nlohmann::json;

class JsonEvents : public nlohmann::json_sax<Json> {
 public:
  JsonEvents(TreeBuilder& tree, const Position& position) : tree_(tree), position_(position) {}

  bool null() override { return tree_.null(position_.line), true; }
  bool boolean(bool value) override { return tree_.boolean(position_.line, value), true; }
  bool number_integer(number_integer_t value) override {
    return add_number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(static_cast<double>(value));
  }
  // The text is not used: it holds the locale's decimal point. The value is right in any locale.
  bool number_float(number_float_t value, const string_t&) override { return add_number(value); }
  bool string(string_t& value) override { return tree_.string(position_.line, value), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    return tree_.start(position_.line, Node::Kind::object), true;
  }
  bool key(string_t& value) override { return tree_.key(position_.line, value), true; }
  bool end_object() override { return tree_.end(), true; }
  bool start_array(std::size_t) override {
    return tree_.start(position_.line, Node::Kind::array), true;
  }
  bool end_array() override { return tree_.end(), true; }

  bool parse_error(std::size_t, const std::string& token, const Json::exception& error) override {
    constexpr int kNumberOverflow = 406;
    const std::string_view near = last_line(token);
    std::string message = fmt::format("not valid JSON near {}{}", quote(near), hint(near));
    if (error.id == kNumberOverflow)
      message = fmt::format("number {} does not fit a double", quote(near));
    else if (std::string_view(error.what()).find("unexpected end of input") !=
             std::string_view::npos)
      message = "the JSON is empty or ends too early";
    fail(place(tree_.file(), number_line()), std::move(message));
  }

 private:
  bool add_number(double value) { return tree_.number(number_line(), value), true; }
  // A number ends only at the character behind it, which may be the line's end.
  long number_line() const { return position_.line - (position_.last == '\n' ? 1 : 0); }

  // What the parser read last comes with line ends spelt out.
  static std::string_view last_line(std::string_view token) {
    constexpr std::string_view kLineEnd = "<U+000A>";
    const std::size_t end = token.rfind(kLineEnd);
    return trimmed(end == std::string_view::npos ? token : token.substr(end + kLineEnd.size()));
  }

  static std::string_view hint(std::string_view near) {
    if (near.starts_with('/')) return " (JSON has no comments)";
    if (near.ends_with("N") || near.ends_with("I")) return " (NaN and Infinity are not numbers)";
    return "";
  }

  TreeBuilder& tree_;
  const Position& position_;
};

}  // namespace

Document parse_json(const std::filesystem::path& file, std::string_view text, long first_line) {
  TreeBuilder tree(file);
  Position position;
  position.line = first_line;
  JsonEvents events(tree, position);
  const char* begin = text.data();
  Json::sax_parse(CountingIterator(begin, &position),
                  CountingIterator(begin + text.size(), &position), &events);
  return std::move(tree).finish();
}

}  // namespace proven::io
