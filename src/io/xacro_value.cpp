#include "io/xacro_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "io/failure.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

using List = XacroValue::List;
using Dict = XacroValue::Dict;

constexpr double kWholeLimit = 0x1p53;  // beyond it Python's integers and doubles differ

XacroValue make(double value) {
  if (!std::isfinite(value)) fail("", "the result is not a finite number");
  return {value};
}
XacroValue make_whole(double value) {
  if (!(std::fabs(value) < kWholeLimit)) fail("", "a whole number beyond 2^53");
  return {static_cast<std::int64_t>(value)};
}
bool whole(const XacroValue& v) {
  return v.is_whole() || std::holds_alternative<bool>(v.value);
}

std::string kind_of(const XacroValue& v) {
  static constexpr const char* kKinds[] = {"None",   "a truth value", "a whole number", "a number",
                                           "a text", "a list",        "a dictionary"};
  return kKinds[v.value.index()];
}

}  // namespace

double XacroValue::number() const {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  fail("", fmt::format("expected a number, got {}", kind_of(*this)));
}

bool XacroValue::truth() const {
  if (std::holds_alternative<std::monostate>(value)) return false;
  if (is_number()) return number() != 0;
  if (is_text()) return !text().empty();
  if (const auto* list = std::get_if<List>(&value)) return !list->empty();
  return !std::get<Dict>(value).empty();
}

bool operator==(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  return a.value == b.value;
}

std::string to_text(const XacroValue& v) {
  if (std::holds_alternative<std::monostate>(v.value)) return "None";
  if (const auto* b = std::get_if<bool>(&v.value)) return *b ? "True" : "False";
  if (const auto* i = std::get_if<std::int64_t>(&v.value)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&v.value)) {
    std::string text = fmt::format("{}", *d);
    const bool plain = text.find_first_of(".en") == std::string::npos;
    return plain ? text + ".0" : text;
  }
  if (v.is_text()) return v.text();
  fail("", fmt::format("{} is not a text; take an entry of it", kind_of(v)));
}

XacroValue from_literal(const std::string& text) {
  const std::string_view word = trimmed(text);
  if (word == "true" || word == "True") return {true};
  if (word == "false" || word == "False") return {false};
  if (word.size() >= 2 && (word[0] == '\'' || word[0] == '"') && word.back() == word[0])
    return {std::string(word.substr(1, word.size() - 2))};
  const bool digits = !word.empty() && word.find_first_not_of("0123456789+-.eE") == word.npos;
  if (const auto number = digits ? parse_double(word) : std::nullopt) {
    const bool is_whole = word.find_first_of(".eE") == std::string_view::npos;
    return is_whole && std::fabs(*number) < kWholeLimit ? make_whole(*number) : make(*number);
  }
  return {text};
}

namespace {

// Recursive descent in the order of Python's precedence.
class Expression {
 public:
  Expression(std::string_view text, const XacroNames& names) : text_(text), names_(names) {}

  XacroValue read() {
    XacroValue value = conditional();
    blanks();
    if (at_ < text_.size()) fail("", fmt::format("{} is not read here", quote(text_.substr(at_))));
    return value;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  bool take(std::string_view token) {
    blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    const char next = at_ + token.size() < text_.size() ? text_[at_ + token.size()] : ' ';
    if (is_letter(token.back()) && is_letter(next)) return false;
    at_ += token.size();
    return true;
  }
  // An operator that is not the beginning of a longer one.
  bool take_but(std::string_view token, std::string_view not_before) {
    blanks();
    const std::size_t end = at_ + token.size();
    if (text_.substr(at_).starts_with(token) && end < text_.size() &&
        not_before.find(text_[end]) != std::string_view::npos)
      return false;
    return take(token);
  }
  void need(std::string_view token) {
    if (!take(token)) fail("", fmt::format("'{}' is missing in {}", token, quote(text_)));
  }

  // Both branches are evaluated; a name that only the other branch knows is an error.
  XacroValue conditional() {
    if (++depth_ > 100) fail("", "an expression of more than 100 levels");
    XacroValue value = any_of();
    if (take("if")) {
      const bool condition = any_of().truth();
      need("else");
      XacroValue other = conditional();
      if (!condition) value = std::move(other);
    }
    --depth_;
    return value;
  }
  XacroValue any_of() {
    XacroValue value = all_of();
    while (take("or")) {
      XacroValue other = all_of();
      if (!value.truth()) value = std::move(other);
    }
    return value;
  }
  XacroValue all_of() {
    XacroValue value = negation();
    while (take("and")) {
      XacroValue other = negation();
      if (value.truth()) value = std::move(other);
    }
    return value;
  }
  XacroValue negation() {
    if (take("not")) return {!negation().truth()};
    return comparison();
  }
  XacroValue comparison() {
    XacroValue a = sum();
    bool chained = false, holds = true;
    for (;;) {
      static constexpr std::string_view kOperators[] = {"==", "!=", "<=", ">=", "<", ">"};
      const auto* op = std::find_if(std::begin(kOperators), std::end(kOperators),
                                    [&](std::string_view token) { return take(token); });
      const bool is_in = op == std::end(kOperators) && take("in");
      if (op == std::end(kOperators) && !is_in) break;
      XacroValue b = sum();
      holds = holds && (is_in ? contains(b, a) : compare(*op, a, b));
      chained = true;
      a = std::move(b);
    }
    return chained ? XacroValue{holds} : a;
  }
  static bool contains(const XacroValue& all, const XacroValue& one) {
    if (const auto* list = std::get_if<List>(&all.value))
      return std::find(list->begin(), list->end(), one) != list->end();
    if (const auto* dict = std::get_if<Dict>(&all.value))
      return one.is_text() && std::any_of(dict->begin(), dict->end(),
                                          [&](const auto& e) { return e.first == one.text(); });
    if (all.is_text() && one.is_text()) return all.text().find(one.text()) != std::string::npos;
    fail("", fmt::format("'in' of {}", kind_of(all)));
  }
  static bool compare(std::string_view op, const XacroValue& a, const XacroValue& b) {
    if (op == "==") return a == b;
    if (op == "!=") return !(a == b);
    const bool texts = a.is_text() && b.is_text();
    const int order =
        texts ? a.text().compare(b.text()) : (a.number() > b.number()) - (a.number() < b.number());
    if (op == "<=") return order <= 0;
    if (op == ">=") return order >= 0;
    return op == "<" ? order < 0 : order > 0;
  }

  XacroValue sum() {
    XacroValue a = product();
    for (;;) {
      if (take("+")) {
        const XacroValue b = product();
        if (a.is_text() && b.is_text())
          a = {a.text() + b.text()};
        else if (auto* list = std::get_if<List>(&a.value);
                 list && b.value.index() == a.value.index())
          list->insert(list->end(), std::get<List>(b.value).begin(), std::get<List>(b.value).end());
        else
          a = result(a, b, a.number() + b.number());
      } else if (take("-")) {
        const XacroValue b = product();
        a = result(a, b, a.number() - b.number());
      } else {
        return a;
      }
    }
  }
  static XacroValue result(const XacroValue& a, const XacroValue& b, double value) {
    return whole(a) && whole(b) ? make_whole(value) : make(value);
  }
  XacroValue product() {
    XacroValue a = sign();
    for (;;) {
      if (take("//")) {
        const XacroValue b = divisor();
        a = result(a, b, std::floor(a.number() / b.number()));
      } else if (take("/")) {
        const XacroValue b = divisor();
        a = make(a.number() / b.number());
      } else if (take("%")) {
        const XacroValue b = divisor();
        const double rest = std::fmod(a.number(), b.number());
        const bool other_sign = rest != 0 && (rest < 0) != (b.number() < 0);
        a = result(a, b, other_sign ? rest + b.number() : rest);
      } else if (take_but("*", "*")) {
        const XacroValue b = sign();
        a = result(a, b, a.number() * b.number());
      } else {
        return a;
      }
    }
  }
  XacroValue divisor() {
    XacroValue b = sign();
    if (b.number() == 0) fail("", "a division by zero");
    return b;
  }
  XacroValue sign() {
    if (++depth_ > 100) fail("", "an expression of more than 100 levels");
    XacroValue value;
    if (take("-")) {
      value = sign();
      value = whole(value) ? make_whole(-value.number()) : make(-value.number());
    } else if (take("+")) {
      value = sign();
      (void)value.number();
    } else {
      value = power();
    }
    --depth_;
    return value;
  }
  XacroValue power() {
    const XacroValue a = entry();
    if (!take("**")) return a;
    const XacroValue b = sign();
    const double value = std::pow(a.number(), b.number());
    return whole(a) && whole(b) && b.number() >= 0 ? make_whole(value) : make(value);
  }

  // A value with [index], .name behind it.
  XacroValue entry() {
    XacroValue value = atom();
    for (;;) {
      if (take("[")) {
        const XacroValue key = conditional();
        need("]");
        value = key.is_text() ? of_key(value, key.text()) : of_index(value, key);
      } else if (take(".")) {
        value = of_key(value, name());
      } else {
        return value;
      }
    }
  }
  static XacroValue of_key(const XacroValue& value, const std::string& key) {
    if (const auto* dict = std::get_if<Dict>(&value.value)) {
      for (const auto& [own, entry] : *dict)
        if (own == key) return entry;
      fail("", fmt::format("there is no entry {}", quote(key)));
    }
    fail("", fmt::format("{} has no entry {}", kind_of(value), quote(key)));
  }
  static XacroValue of_index(const XacroValue& value, const XacroValue& key) {
    const auto* list = std::get_if<List>(&value.value);
    if (!list || !whole(key)) fail("", fmt::format("{} has no such entry", kind_of(value)));
    const auto size = static_cast<std::int64_t>(list->size());
    const auto index = static_cast<std::int64_t>(key.number());
    const std::int64_t from_front = index < 0 ? index + size : index;
    if (from_front < 0 || from_front >= size)
      fail("", fmt::format("entry {} of a list of {}", index, size));
    return (*list)[static_cast<std::size_t>(from_front)];
  }

  XacroValue atom() {
    blanks();
    if (at_ >= text_.size())
      fail("", fmt::format("the expression {} ends too early", quote(text_)));
    const char c = text_[at_];
    if (take("(")) {
      XacroValue value = conditional();
      need(")");
      return value;
    }
    if (c == '\'' || c == '"') return quoted();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return digits();
    if (take("[")) return {items("]")};
    if (take("{")) return dictionary();
    if (!is_letter(c)) fail("", fmt::format("{} is not read", quote(text_.substr(at_))));
    const std::string word = name();
    if (take("(")) return call(word, items(")"));
    return word == "math" && take(".") ? math_name() : constant(word);
  }
  XacroValue math_name() {
    const std::string word = name();
    if (take("(")) return call(word, items(")"));
    if (word == "pi" || word == "e") return constant(word);
    fail("", fmt::format("'math.{}' is not read", word));
  }
  XacroValue constant(const std::string& word) {
    if (word == "True" || word == "true") return {true};
    if (word == "False" || word == "false") return {false};
    if (word == "None") return {};
    if (word == "lambda" || word == "for" || word == "xacro" || word == "is")
      fail("", fmt::format("'{}' is not read", word));
    try {
      return names_(word);
    } catch (const Failure&) {
      if (word == "pi") return {std::numbers::pi};
      if (word == "tau") return {2 * std::numbers::pi};
      if (word == "e") return {std::numbers::e};
      throw;
    }
  }
  std::string name() {
    blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    if (begin == at_) fail("", "a name is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }
  XacroValue quoted() {
    const char mark = text_[at_++];
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) fail("", "a text is not closed");
    const std::string_view inside = text_.substr(at_, end - at_);
    if (inside.find('\\') != std::string_view::npos) fail("", "'\\' in a text is not read");
    at_ = end + 1;
    return {std::string(inside)};
  }
  XacroValue digits() {
    const std::size_t begin = at_;
    const auto run = [&] {
      while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.')) {
        const bool exponent = text_[at_] == 'e' || text_[at_] == 'E';
        ++at_;
        if (exponent && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      }
    };
    run();
    const std::string word(text_.substr(begin, at_ - begin));
    const XacroValue value = from_literal(word);
    if (!value.is_number()) fail("", fmt::format("{} is no number", quote(word)));
    return value;
  }
  List items(std::string_view end) {
    List list;
    if (take(end)) return list;
    do {
      if (take(end)) return list;
      list.push_back(conditional());
    } while (take(","));
    need(end);
    return list;
  }
  XacroValue dictionary() {
    Dict dict;
    while (!take("}")) {
      const XacroValue key = conditional();
      if (!key.is_text()) fail("", "keys of dictionaries are texts");
      need(":");
      dict.emplace_back(key.text(), conditional());
      if (!take(",")) {
        need("}");
        break;
      }
    }
    return {std::move(dict)};
  }

  static XacroValue call(const std::string& function, const List& a) {
    if (function == "dict" || function == "load_yaml" || function == "eval")
      fail("", fmt::format("{}() is not read", function));
    if (const auto value = call_of_numbers(function, a)) return *value;
    if (a.size() != 1)
      fail("", fmt::format("{}() with {} arguments is not read", function, a.size()));
    if (function == "str") return {to_text(a[0])};
    if (function == "bool") return {a[0].truth()};
    if (function == "float")
      return make(a[0].is_text() ? from_literal(a[0].text()).number() : a[0].number());
    if (function == "int")
      return make_whole(
          std::trunc(a[0].is_text() ? from_literal(a[0].text()).number() : a[0].number()));
    if (function == "len") {
      if (a[0].is_text()) return make_whole(static_cast<double>(a[0].text().size()));
      if (const auto* list = std::get_if<List>(&a[0].value))
        return make_whole(static_cast<double>(list->size()));
    }
    fail("", fmt::format("{}() is not read", function));
  }
  static std::optional<XacroValue> call_of_numbers(const std::string& function, const List& a) {
    static const std::map<std::string, double (*)(double)> kOne = {
        {"sin", [](double x) { return std::sin(x); }},
        {"cos", [](double x) { return std::cos(x); }},
        {"tan", [](double x) { return std::tan(x); }},
        {"asin", [](double x) { return std::asin(x); }},
        {"acos", [](double x) { return std::acos(x); }},
        {"atan", [](double x) { return std::atan(x); }},
        {"sqrt", [](double x) { return std::sqrt(x); }},
        {"exp", [](double x) { return std::exp(x); }},
        {"radians", [](double x) { return x * (std::numbers::pi / 180); }},
        {"degrees", [](double x) { return x * (180 / std::numbers::pi); }},
        {"fabs", [](double x) { return std::fabs(x); }}};
    if (const auto one = kOne.find(function); one != kOne.end() && a.size() == 1)
      return make(one->second(a[0].number()));
    if (a.size() == 1 && (function == "floor" || function == "ceil"))
      return make_whole(function == "floor" ? std::floor(a[0].number()) : std::ceil(a[0].number()));
    if (a.size() == 1 && function == "abs") return result(a[0], a[0], std::fabs(a[0].number()));
    if (a.size() == 2 && function == "atan2") return make(std::atan2(a[0].number(), a[1].number()));
    if (a.size() == 2 && function == "pow") return make(std::pow(a[0].number(), a[1].number()));
    if (a.size() == 2 && function == "hypot") return make(std::hypot(a[0].number(), a[1].number()));
    if (a.size() >= 2 && (function == "min" || function == "max")) {
      const XacroValue* best = &a[0];
      for (const XacroValue& v : a)
        if (function == "min" ? v.number() < best->number() : v.number() > best->number())
          best = &v;
      return *best;
    }
    return std::nullopt;
  }

  std::string_view text_;
  const XacroNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

XacroValue evaluate_xacro(std::string_view expression, const XacroNames& names) {
  return Expression(expression, names).read();
}

}  // namespace proven::io
