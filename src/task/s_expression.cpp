#include "task/s_expression.h"

#include <fmt/format.h>

namespace proven::task {
namespace {

// Far above any real domain; keeps recursion over the tree within a thread's stack.
constexpr int kMaxDepth = 400;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<SExpression> read_all() {
    skip_blank();
    if (at_end()) return error(place_, "the file is empty");
    auto result = read(0);
    if (!result.ok()) return result;
    if (!result.value().is_list()) return error(result.value().place, "expected '(define ...)'");
    skip_blank();
    if (!at_end()) return error(place_, "text after the closing bracket of the definition");
    return result;
  }

 private:
  bool at_end() const { return next_ >= text_.size(); }

  void advance() {
    if (text_[next_] == '\n') {
      ++place_.line;
      place_.column = 0;
    }
    ++place_.column;
    ++next_;
  }

  void skip_blank() {
    while (!at_end()) {
      const char c = text_[next_];
      if (c == ';') {
        while (!at_end() && text_[next_] != '\n') advance();
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        advance();
      } else {
        return;
      }
    }
  }

  Result<SExpression> read(int depth) {
    if (depth > kMaxDepth)
      return error(place_, fmt::format("brackets nested deeper than {}", kMaxDepth));
    const char c = text_[next_];
    if (c == '(' || c == '[') return read_list(depth, c == '(' ? ')' : ']');
    if (c == ')' || c == ']') return error(place_, fmt::format("unexpected '{}'", c));
    return read_token();
  }

  Result<SExpression> read_list(int depth, char closing) {
    SExpression list;
    list.kind = closing == ')' ? SExpression::Kind::list : SExpression::Kind::call;
    list.place = place_;
    advance();
    for (;;) {
      skip_blank();
      if (at_end())
        return error(list.place, fmt::format("this bracket is never closed by '{}'", closing));
      if (text_[next_] == closing) {
        advance();
        return list;
      }
      auto item = read(depth + 1);
      if (!item.ok()) return item;
      list.items.push_back(std::move(item).value());
    }
  }

  Result<SExpression> read_token() {
    SExpression token;
    token.place = place_;
    while (!at_end()) {
      const char c = text_[next_];
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v')
        return error(place_, fmt::format("control character 0x{:02x}", byte));
      if (byte <= 0x20 || c == '(' || c == ')' || c == '[' || c == ']' || c == ';') break;
      token.raw += c;
      advance();
    }
    token.text = token.raw;
    if (token.raw.find('@') == std::string::npos)
      for (char& c : token.text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return token;
  }

  Error error(Place place, std::string message) const {
    return bad_input(std::move(message), place_text(file_, place));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t next_ = 0;
  Place place_{1, 1};
};

}  // namespace

std::string place_text(const std::string& file, Place place) {
  return fmt::format("{}:{}:{}", file, place.line, place.column);
}

Result<SExpression> read_s_expression(std::string_view text, const std::string& file) {
  return Reader(text, file).read_all();
}

}  // namespace proven::task
