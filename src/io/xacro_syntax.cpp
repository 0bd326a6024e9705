#include "io/xacro_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {
namespace {

using Kind = XacroSyntax::Kind;

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxTokens = 4000;  // bounds the depth of chains: 1 + 1 + 1 ...

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
}
bool in_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c));
}

XacroSyntax node(Kind kind, std::vector<XacroSyntax> children, std::string text = "") {
  XacroSyntax made;
  made.kind = kind;
  made.children = std::move(children);
  made.text = std::move(text);
  return made;
}

struct Token {
  enum class Kind : std::uint8_t { end, name, number, text, mark };
  Kind kind = Kind::end;
  std::string text;
  XacroValue value;
  std::size_t at = 0;
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {
    do {
      list_.push_back(read());
      if (list_.size() > kMaxTokens)
        fail("", fmt::format("an expression of more than {} words", kMaxTokens));
    } while (list_.back().kind != Token::Kind::end);
  }
  std::vector<Token> list() && { return std::move(list_); }

 private:
  Token read() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    Token token;
    token.at = at_;
    if (at_ >= text_.size()) return token;
    const char c = text_[at_];
    const bool dot_digit = c == '.' && at_ + 1 < text_.size() &&
                           std::isdigit(static_cast<unsigned char>(text_[at_ + 1]));
    if (std::isdigit(static_cast<unsigned char>(c)) || dot_digit) {
      token.kind = Token::Kind::number;
      token.value = number();
    } else if (c == '\'' || c == '"') {
      token.kind = Token::Kind::text;
      token.text = quoted();
    } else if (starts_name(c)) {
      token.kind = Token::Kind::name;
      while (at_ < text_.size() && in_name(text_[at_])) token.text += text_[at_++];
      if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"'))
        fail("", fmt::format("texts that begin with {} are not read", token.text));
    } else {
      token.kind = Token::Kind::mark;
      token.text = mark();
    }
    return token;
  }

  std::string mark() {
    static constexpr std::string_view kMarks[] = {
        "**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "+", "-", "*", "/", "%",
        "<",  ">",  "(",  ")",  "[",  "]",  ",",  ":",  ".",  "=", "&", "|", "^", "~"};
    for (const std::string_view mark : kMarks)
      if (text_.substr(at_).starts_with(mark)) {
        at_ += mark.size();
        return std::string(mark);
      }
    if (text_[at_] == '{' || text_[at_] == '}')
      fail("", "an expression of xacro ends at its first '}'; write dict(a=1) for {'a': 1}");
    fail("", fmt::format("{} is not read", quote(text_.substr(at_))));
  }

  std::string quoted() {
    const char end = text_[at_++];
    if (text_.substr(at_).starts_with(std::string(2, end))) fail("", "texts in three quotes");
    std::string inside;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == end) {
        ++at_;
        return inside;
      }
      if (c == '\n') break;
      if (c != '\\') {
        inside += c;
        continue;
      }
      static constexpr std::string_view kLetters = "nt\\'\"r", kMeant = "\n\t\\'\"\r";
      const std::size_t which = ++at_ < text_.size() ? kLetters.find(text_[at_]) : kLetters.npos;
      if (which == kLetters.npos) fail("", "this '\\' in a text is not read");
      inside += kMeant[which];
    }
    fail("", "a text is not closed");
  }

  XacroValue number() {
    const std::size_t begin = at_;
    const bool based = text_[at_] == '0' && at_ + 1 < text_.size() &&
                       std::isalpha(static_cast<unsigned char>(text_[at_ + 1])) &&
                       text_[at_ + 1] != 'e' && text_[at_ + 1] != 'E';
    while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.')) {
      const bool exponent = !based && (text_[at_] == 'e' || text_[at_] == 'E');
      ++at_;
      if (exponent && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    if (based) return with_base(word);
    // Python refuses 07, and so do its readers.
    const bool octal = word[0] == '0' && word.find_first_not_of("0_") != word.npos;
    const bool plain = word.find_first_not_of("0123456789_") == word.npos;
    if (const auto value = plain && !octal ? whole_of(word) : std::nullopt) return {*value};
    if (const auto value = plain ? std::nullopt : number_of(word)) return {*value};
    fail("", fmt::format("{} is no number", quote(word)));
  }
  static XacroValue with_base(const std::string& word) {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(word[1])));
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    std::int64_t value = 0;
    const char* last = word.data() + word.size();
    if (base != 0 && word.size() > 2 && word[2] != '-')
      if (const auto end = std::from_chars(word.data() + 2, last, value, base);
          end.ec == std::errc() && end.ptr == last)
        return {value};
    fail("", fmt::format("{} is no number", quote(word)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> list_;
};

// Recursive descent in the order of Python's precedence.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(Tokens(text).list()) {}

  XacroSyntax read() {
    XacroSyntax whole = expression();
    if (is_mark(",")) {  // a, b
      std::vector<XacroSyntax> items;
      items.push_back(std::move(whole));
      while (take(",") && !is_end()) items.push_back(expression());
      whole = node(Kind::tuple, std::move(items));
    }
    if (!is_end()) unexpected();
    return whole;
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  bool is_end() const { return now().kind == Token::Kind::end; }
  bool is_mark(std::string_view mark) const {
    return now().kind == Token::Kind::mark && now().text == mark;
  }
  bool is_word(std::string_view word) const {
    return now().kind == Token::Kind::name && now().text == word;
  }
  bool take(std::string_view token) {
    if (!is_mark(token) && !is_word(token)) return false;
    ++at_;
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) {
      if (is_end()) fail("", fmt::format("'{}' is missing at the end of {}", token, quote(text_)));
      fail("", fmt::format("'{}' is missing before {}", token, quote(text_.substr(now().at))));
    }
  }
  [[noreturn]] void unexpected() const {
    if (is_end()) fail("", fmt::format("the expression {} ends too early", quote(text_)));
    fail("", fmt::format("{} is not read here", quote(text_.substr(now().at))));
  }
  // Levels of the recursion, which ends before the stack does.
  struct Level {
    explicit Level(int& depth) : depth_(depth) {
      if (++depth_ > kMaxDepth) {
        --depth_;
        fail("", "an expression of more than 100 levels");
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth_;
  };

  XacroSyntax expression() {
    const Level level(depth_);
    XacroSyntax value = any_of();
    if (!take("if")) return value;
    std::vector<XacroSyntax> parts;
    parts.push_back(any_of());
    need("else");
    parts.push_back(std::move(value));
    parts.push_back(expression());
    return node(Kind::conditional, std::move(parts));
  }
  template <class Operand>
  XacroSyntax joined(Kind kind, std::string_view word, Operand operand) {
    XacroSyntax first = operand();
    if (!is_word(word)) return first;
    std::vector<XacroSyntax> operands;
    operands.push_back(std::move(first));
    while (take(word)) operands.push_back(operand());
    return node(kind, std::move(operands));
  }
  XacroSyntax any_of() {
    return joined(Kind::any_of, "or", [&] { return all_of(); });
  }
  XacroSyntax all_of() {
    return joined(Kind::all_of, "and", [&] { return negation(); });
  }
  XacroSyntax negation() {
    const Level level(depth_);
    if (!take("not")) return comparison();
    std::vector<XacroSyntax> operand;
    operand.push_back(negation());
    return node(Kind::unary, std::move(operand), "not");
  }
  std::string comparison_operator() {
    for (const std::string_view mark : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(mark)) return std::string(mark);
    if (take("in")) return "in";
    if (is_word("not") && tokens_[at_ + 1].text == "in") {
      at_ += 2;
      return "not in";
    }
    if (take("is")) return take("not") ? "is not" : "is";
    return "";
  }
  XacroSyntax comparison() {
    XacroSyntax first = level_of(0);
    std::vector<XacroSyntax> operands;
    std::vector<std::string> operators;
    for (std::string op = comparison_operator(); !op.empty(); op = comparison_operator()) {
      operators.push_back(op);
      operands.push_back(level_of(0));
    }
    if (operators.empty()) return first;
    operands.insert(operands.begin(), std::move(first));
    XacroSyntax made = node(Kind::comparison, std::move(operands));
    made.names = std::move(operators);
    return made;
  }
  // |, ^, &, shifts, sums, products.
  XacroSyntax level_of(std::size_t level) {
    static constexpr std::array<std::array<std::string_view, 4>, 6> kLevels = {
        {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%"}}};
    if (level == kLevels.size()) return sign();
    XacroSyntax left = level_of(level + 1);
    for (;;) {
      const auto& marks = kLevels[level];
      const auto* found = std::ranges::find_if(
          marks, [&](std::string_view mark) { return !mark.empty() && take(mark); });
      if (found == marks.end()) return left;
      std::vector<XacroSyntax> sides;
      sides.push_back(std::move(left));
      sides.push_back(level_of(level + 1));
      left = node(Kind::binary, std::move(sides), std::string(*found));
    }
  }
  XacroSyntax sign() {
    const Level level(depth_);
    for (const std::string_view mark : {"-", "+", "~"})
      if (take(mark)) {
        std::vector<XacroSyntax> operand;
        operand.push_back(sign());
        return node(Kind::unary, std::move(operand), std::string(mark));
      }
    XacroSyntax base = entry();
    if (!take("**")) return base;
    std::vector<XacroSyntax> sides;
    sides.push_back(std::move(base));
    sides.push_back(sign());
    return node(Kind::binary, std::move(sides), "**");
  }

  // A value with [index], .name or (arguments) behind it.
  XacroSyntax entry() {
    XacroSyntax value = atom();
    for (;;) {
      if (take("[")) {
        value = subscript(std::move(value));
      } else if (take(".")) {
        if (now().kind != Token::Kind::name) unexpected();
        std::vector<XacroSyntax> object;
        object.push_back(std::move(value));
        value = node(Kind::attribute, std::move(object), name());
      } else if (take("(")) {
        value = call(std::move(value));
      } else {
        return value;
      }
    }
  }
  std::string name() {
    std::string word = tokens_[at_++].text;
    if (word.starts_with("__"))
      fail("", fmt::format("{}: names that begin with __ are not read", quote(word)));
    return word;
  }
  XacroSyntax subscript(XacroSyntax object) {
    std::vector<XacroSyntax> parts;
    parts.push_back(std::move(object));
    bool is_slice = false;
    const auto bound = [&] {
      const bool absent = is_mark(":") || is_mark("]");
      parts.push_back(absent ? XacroSyntax{} : expression());
      return !absent;
    };
    const bool has_first = bound();
    while (take(":")) {
      is_slice = true;
      bound();
    }
    need("]");
    if (!is_slice && !has_first) fail("", "an index is missing in []");
    if (parts.size() > 4) fail("", "more than two ':' in []");
    if (is_slice) parts.resize(4);
    return node(is_slice ? Kind::slice : Kind::index, std::move(parts));
  }
  XacroSyntax call(XacroSyntax function) {
    XacroSyntax made = node(Kind::call, {});
    made.children.push_back(std::move(function));
    while (!take(")")) {
      if (is_mark("*") || is_mark("**")) fail("", "'*' before an argument is not read");
      std::string keyword;
      if (now().kind == Token::Kind::name && tokens_[at_ + 1].text == "=" &&
          tokens_[at_ + 1].kind == Token::Kind::mark) {
        keyword = name();
        need("=");
      }
      if (keyword.empty() && !made.names.empty() && !made.names.back().empty())
        fail("", "an argument by place follows one by name");
      if (!keyword.empty() && std::ranges::find(made.names, keyword) != made.names.end())
        fail("", fmt::format("argument {} is given twice", quote(keyword)));
      made.names.push_back(keyword);
      made.children.push_back(expression());
      if (is_word("for")) {
        made.children.back() = comprehension(std::move(made.children.back()), false);
        need(")");
        return made;
      }
      if (!take(",")) {
        need(")");
        break;
      }
    }
    return made;
  }
  XacroSyntax comprehension(XacroSyntax element, bool is_list) {
    XacroSyntax made = node(Kind::comprehension, {});
    made.is_list = is_list;
    made.children.push_back(std::move(element));
    while (take("for")) {
      XacroSyntax::Loop loop;
      const bool bracket = take("(");
      do {
        if (now().kind != Token::Kind::name || !is_xacro_name(now().text)) unexpected();
        loop.names.push_back(name());
      } while (take(","));
      if (bracket) need(")");
      need("in");
      loop.items = made.children.size();
      made.children.push_back(any_of());
      while (take("if")) {
        made.children.push_back(any_of());
        ++loop.num_conditions;
      }
      made.loops.push_back(std::move(loop));
    }
    return made;
  }

  XacroSyntax atom() {
    const Level level(depth_);
    const Token& token = now();
    if (token.kind == Token::Kind::number) {
      XacroSyntax made;
      made.value = tokens_[at_++].value;
      return made;
    }
    if (token.kind == Token::Kind::text) {
      std::string text;
      while (now().kind == Token::Kind::text) text += tokens_[at_++].text;
      XacroSyntax made;
      made.value = {std::move(text)};
      return made;
    }
    if (take("(")) return bracketed();
    if (take("[")) return listed();
    if (token.kind != Token::Kind::name) unexpected();
    for (const auto& [word, value] : {std::pair<std::string_view, XacroValue>{"True", {true}},
                                      {"False", {false}},
                                      {"None", {}}})
      if (take(word)) {
        XacroSyntax made;
        made.value = value;
        return made;
      }
    if (!is_xacro_name(token.text)) fail("", fmt::format("'{}' is not read here", token.text));
    return node(Kind::name, {}, name());
  }
  XacroSyntax bracketed() {
    if (take(")")) return node(Kind::tuple, {});
    XacroSyntax first = expression();
    if (is_word("for")) {
      XacroSyntax made = comprehension(std::move(first), false);
      need(")");
      return made;
    }
    if (take(")")) return first;
    std::vector<XacroSyntax> items;
    items.push_back(std::move(first));
    while (take(",") && !is_mark(")")) items.push_back(expression());
    need(")");
    return node(Kind::tuple, std::move(items));
  }
  XacroSyntax listed() {
    std::vector<XacroSyntax> items;
    while (!take("]")) {
      items.push_back(expression());
      if (items.size() == 1 && is_word("for")) {
        XacroSyntax made = comprehension(std::move(items[0]), true);
        need("]");
        return made;
      }
      if (!take(",")) {
        need("]");
        break;
      }
    }
    return node(Kind::list, std::move(items));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

XacroSyntax parse_xacro_expression(std::string_view text) {
  return Parser(text).read();
}

bool is_xacro_name(std::string_view name) {
  return !name.empty() && starts_name(name[0]) && std::ranges::all_of(name, in_name) &&
         std::ranges::find(kKeywords, name) == kKeywords.end();
}

}  // namespace proven::io
