// JSON by RFC 8259.
#include <fmt/format.h>

#include "verify/readers/value.h"

namespace proven::verifier {
namespace {

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::filesystem::path& file)
      : text_(text), file_(file), maker_(&file) {}

  Value parse() {
    value();
    skip_blanks();
    if (at_ != text_.size()) fail("text after the end of the JSON");
    return maker_.take();
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    refuse(line_place(file_, line_), fmt::format("not valid JSON: {}", message));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    for (; at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos;
         ++at_)
      line_ += text_[at_] == '\n';
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void value() {
    skip_blanks();
    Value v;
    if (peek() == '{' || peek() == '[') return container(peek() == '{');
    if (peek() == '"') {
      v.kind = Value::Kind::text;
      v.words = string();
    } else if (take_word("true")) {
      v.kind = Value::Kind::boolean;
      v.truth = true;
    } else if (take_word("false")) {
      v.kind = Value::Kind::boolean;
    } else if (!take_word("null")) {
      v.kind = Value::Kind::number;
      v.figure = number();
    }
    maker_.add(std::move(v), line_);
  }

  // The depth of the recursion is bounded by that of the tree.
  void container(bool object) {
    maker_.open(object ? Value::Kind::object : Value::Kind::list, line_);
    ++at_;
    const char end = object ? '}' : ']';
    skip_blanks();
    for (bool first = true; !take(end); first = false) {
      if (!first && !take(',')) fail("expected ',' or an end");
      skip_blanks();
      if (object) {
        if (peek() != '"') fail("expected a key");
        maker_.name(string(), line_);
        skip_blanks();
        if (!take(':')) fail("expected ':'");
      }
      value();
      skip_blanks();
    }
    maker_.close();
  }

  double number() {
    const std::size_t begin = at_;
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits();
    }
    const auto value = decimal(text_.substr(begin, at_ - begin));
    if (!value) fail("a number beyond doubles");
    return *value;
  }
  void digits() {
    if (!(peek() >= '0' && peek() <= '9')) fail("expected a value");
    while (peek() >= '0' && peek() <= '9') ++at_;
  }

  std::string string() {
    std::string result;
    for (++at_; !take('"');) {
      if (at_ == text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20)
        fail("a text is not closed");
      if (take('\\'))
        escape(result);
      else
        result += text_[at_++];
    }
    return result;
  }

  void escape(std::string& result) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (take('u')) return append_utf8(code_point(), result);
    const std::size_t which = at_ < text_.size() ? kNames.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) fail("an unknown escape");
    result += kMeant[which];
    ++at_;
  }
  unsigned code_unit() {
    unsigned unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) fail("four hexadecimal digits must follow \\u");
      unit = 16 * unit + static_cast<unsigned>(digit);
    }
    return unit;
  }
  unsigned code_point() {
    const unsigned high = code_unit();
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high > 0xDBFF || !take_word("\\u")) fail("half a surrogate pair");
    const unsigned low = code_unit();
    if (low < 0xDC00 || low > 0xDFFF) fail("half a surrogate pair");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  static void append_utf8(unsigned point, std::string& result) {
    const auto tail = [&](unsigned shift) {
      result += static_cast<char>(0x80 | (point >> shift & 0x3F));
    };
    if (point < 0x80) {
      result += static_cast<char>(point);
    } else if (point < 0x800) {
      result += static_cast<char>(0xC0 | point >> 6);
      tail(0);
    } else if (point < 0x10000) {
      result += static_cast<char>(0xE0 | point >> 12);
      tail(6), tail(0);
    } else {
      result += static_cast<char>(0xF0 | point >> 18);
      tail(12), tail(6), tail(0);
    }
  }

  std::string_view text_;
  const std::filesystem::path& file_;
  TreeMaker maker_;
  std::size_t at_ = 0;
  long line_ = 1;
};

}  // namespace

void parse_json(std::string_view text, Tree& tree) {
  tree.root = JsonParser(text, *tree.file).parse();
}

}  // namespace proven::verifier
