#include "io/xacro_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {
namespace {

using Items = XacroValue::Items;
using Entries = XacroValue::Entries;

constexpr std::int64_t kExactWhole = std::int64_t{1} << 53;  // beyond it doubles have gaps
constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxText = std::size_t{1} << 24;

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view strip(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

XacroValue list_of(Items items) {
  return {XacroValue::List{std::make_shared<const Items>(std::move(items))}};
}
XacroValue tuple_of(Items items) {
  return {XacroValue::Tuple{std::make_shared<const Items>(std::move(items))}};
}
XacroValue dict_of(Entries entries) {
  return {XacroValue::Dict{std::make_shared<const Entries>(std::move(entries))}};
}
XacroValue stream_of(Items items, bool is_sized, bool is_indexed) {
  return {XacroValue::Stream{std::make_shared<const Items>(std::move(items)),
                             is_sized || is_indexed, is_indexed}};
}

std::string kind_of(const XacroValue& value) {
  static constexpr const char* kKinds[] = {
      "None",    "a truth value", "a whole number", "a number",   "a text",   "a list",
      "a tuple", "a dictionary",  "an iterator",    "a function", "a module", "a namespace"};
  return kKinds[value.value.index()];
}

std::int64_t XacroValue::whole() const {
  if (const auto* b = get<bool>()) return *b ? 1 : 0;
  if (const auto* i = get<std::int64_t>()) return *i;
  fail("", fmt::format("expected a whole number, got {}", kind_of(*this)));
}

double XacroValue::number() const {
  if (const auto* d = get<double>()) return *d;
  if (is_whole()) return static_cast<double>(whole());
  fail("", fmt::format("expected a number, got {}", kind_of(*this)));
}

bool XacroValue::truth() const {
  return std::visit(Match{[](std::monostate) { return false; }, [](bool b) { return b; },
                          [](std::int64_t i) { return i != 0; }, [](double d) { return d != 0; },
                          [](const std::string& s) { return !s.empty(); },
                          [](const List& l) { return !l.items->empty(); },
                          [](const Tuple& t) { return !t.items->empty(); },
                          [](const Dict& d) { return !d.entries->empty(); },
                          [](const Stream& s) { return !s.is_sized || !s.items->empty(); },
                          [](const Function&) { return true; }, [](const Module&) { return true; },
                          [](const Space&) -> bool { fail("", "a namespace is no condition"); }},
                    value);
}

namespace {

std::string text_of(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
  const std::string text = fmt::format("{}", d);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string quoted(const std::string& text) {
  const bool doubled = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char mark = doubled ? '"' : '\'';
  std::string result(1, mark);
  for (const char c : text) {
    if (c == mark || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\r')
      result += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + mark;
}

std::string repr(const XacroValue& v, int depth);

std::string joined(const Items& items, int depth) {
  std::string text;
  for (const XacroValue& item : items) {
    text += (text.empty() ? "" : ", ") + repr(item, depth + 1);
    if (text.size() > kMaxText) fail("", "a list of more than 16 MiB", ErrorCode::exhausted);
  }
  return text;
}

std::string repr(const XacroValue& v, int depth) {
  if (depth > kMaxDepth) fail("", "lists in each other more than 100 deep");
  const auto no_text = [&]() -> std::string {
    fail("", fmt::format("{} has no text; take an entry of it, or list(...)", kind_of(v)));
  };
  return std::visit(
      Match{[](std::monostate) { return std::string("None"); },
            [](bool b) { return std::string(b ? "True" : "False"); },
            [](std::int64_t i) { return fmt::format("{}", i); },
            [](double d) { return text_of(d); }, [](const std::string& s) { return quoted(s); },
            [&](const XacroValue::List& l) { return "[" + joined(*l.items, depth) + "]"; },
            [&](const XacroValue::Tuple& t) {
              return "(" + joined(*t.items, depth) + (t.items->size() == 1 ? ",)" : ")");
            },
            [&](const XacroValue::Dict& d) {
              std::string text;
              for (const auto& [key, entry] : *d.entries)
                text += (text.empty() ? "" : ", ") + repr(key, depth + 1) + ": " +
                        repr(entry, depth + 1);
              return "{" + text + "}";
            },
            [&](const XacroValue::Stream&) { return no_text(); },
            [&](const XacroValue::Function&) { return no_text(); },
            [&](const XacroValue::Module&) { return no_text(); },
            [&](const XacroValue::Space&) { return no_text(); }},
      v.value);
}

bool same_items(const Items& a, const Items& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), are_equal);
}

// -1, 0, 1; 2: one is no number.
int order_of_numbers(const XacroValue& a, const XacroValue& b) {
  if (a.is_whole() && b.is_whole()) return (a.whole() > b.whole()) - (a.whole() < b.whole());
  for (const XacroValue* v : {&a, &b})
    if (v->is_whole() && (v->whole() > kExactWhole || v->whole() < -kExactWhole))
      fail("", "a whole number beyond 2^53 is not compared with a fraction");
  const double x = a.number(), y = b.number();
  if (std::isnan(x) || std::isnan(y)) return 2;
  return (x > y) - (x < y);
}

}  // namespace

std::string to_text(const XacroValue& value) {
  return value.is_text() ? value.text() : repr(value, 0);
}
std::string to_repr(const XacroValue& value) {
  return repr(value, 0);
}

bool are_equal(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b) == 0;
  if (a.value.index() != b.value.index()) return false;
  if (a.is_text()) return a.text() == b.text();
  if (a.is_none()) return true;
  if (const auto* l = a.get<XacroValue::List>())
    return same_items(*l->items, *b.get<XacroValue::List>()->items);
  if (const auto* t = a.get<XacroValue::Tuple>())
    return same_items(*t->items, *b.get<XacroValue::Tuple>()->items);
  if (const auto* d = a.get<XacroValue::Dict>()) {
    const auto& other = *b.get<XacroValue::Dict>();
    return d->entries->size() == other.entries->size() &&
           std::ranges::all_of(*d->entries, [&](const auto& entry) {
             const XacroValue* found = find_entry(other, entry.first);
             return found && are_equal(*found, entry.second);
           });
  }
  fail("", fmt::format("{} is not compared", kind_of(a)));
}

bool is_less(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b) == -1;
  if (a.is_text() && b.is_text()) return a.text() < b.text();
  const auto of = [](const XacroValue& v) -> const Items* {
    if (const auto* l = v.get<XacroValue::List>()) return l->items.get();
    if (const auto* t = v.get<XacroValue::Tuple>()) return t->items.get();
    return nullptr;
  };
  const Items *x = of(a), *y = of(b);
  if (!x || !y || a.value.index() != b.value.index())
    fail("", fmt::format("{} and {} have no order", kind_of(a), kind_of(b)));
  for (std::size_t i = 0; i < std::min(x->size(), y->size()); ++i)
    if (!are_equal((*x)[i], (*y)[i])) return is_less((*x)[i], (*y)[i]);
  return x->size() < y->size();
}

Items items_of(const XacroValue& value) {
  if (const auto* l = value.get<XacroValue::List>()) return *l->items;
  if (const auto* t = value.get<XacroValue::Tuple>()) return *t->items;
  if (const auto* s = value.get<XacroValue::Stream>()) return *s->items;
  Items items;
  if (const auto* d = value.get<XacroValue::Dict>()) {
    for (const auto& [key, entry] : *d->entries) items.push_back(key);
    return items;
  }
  if (!value.is_text()) fail("", fmt::format("{} holds no items", kind_of(value)));
  for (std::string& letter : letters_of(value.text())) items.push_back({std::move(letter)});
  return items;
}

const XacroValue* find_entry(const XacroValue::Dict& dict, const XacroValue& key) {
  if (!key.is_text() && !key.is_number() && !key.is_none() && !key.get<XacroValue::Tuple>())
    fail("", fmt::format("{} is no key", kind_of(key)));
  for (const auto& [own, entry] : *dict.entries)
    if (are_equal(own, key)) return &entry;
  return nullptr;
}

std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (continues && !letters.empty())
      letters.back() += c;
    else
      letters.emplace_back(1, c);
  }
  return letters;
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Digits with single '_' between them; what follows them is left.
bool take_digits(std::string_view& rest, std::string& digits) {
  if (rest.empty() || !is_digit(rest[0])) return false;
  while (!rest.empty()) {
    const bool separator = rest[0] == '_' && rest.size() > 1 && is_digit(rest[1]);
    if (!is_digit(rest[0]) && !separator) break;
    if (!separator) digits += rest[0];
    rest.remove_prefix(1);
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> whole_of(const std::string& text) {
  std::string_view rest = strip(text);
  std::string digits;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    if (rest[0] == '-') digits += '-';
    rest.remove_prefix(1);
  }
  if (!take_digits(rest, digits) || !rest.empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end.ec != std::errc())
    fail("", fmt::format("the whole number {} is beyond 64 bits", quote(text)));
  return value;
}

std::optional<double> number_of(const std::string& text) {
  std::string_view rest = strip(text);
  std::string plain;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    if (rest[0] == '-') plain += '-';
    rest.remove_prefix(1);
  }
  std::string word(rest);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  const double sign = plain.empty() ? 1 : -1;
  if (word == "inf" || word == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool before = take_digits(rest, plain);
  bool behind = false;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    plain += '.';
    behind = take_digits(rest, plain);
  }
  if (!before && !behind) return std::nullopt;
  if (!rest.empty() && (rest[0] == 'e' || rest[0] == 'E')) {
    rest.remove_prefix(1);
    plain += 'e';
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
      plain += rest[0];
      rest.remove_prefix(1);
    }
    if (!take_digits(rest, plain)) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  return std::strtod(plain.c_str(), nullptr);
}

XacroValue from_literal(const std::string& text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'')
    return {text.substr(1, text.size() - 2)};
  if (text.find('_') != std::string::npos) return {text};
  if (const auto value = whole_of(text)) return {*value};
  if (const auto value = number_of(text)) return {*value};
  if (text == "true" || text == "True") return {true};
  if (text == "false" || text == "False") return {false};
  return {text};
}

std::optional<bool> condition_of(const XacroValue& value) {
  if (!value.is_text()) return value.truth();
  if (value.text() == "true" || value.text() == "True") return true;
  if (value.text() == "false" || value.text() == "False") return false;
  const auto whole = whole_of(value.text());
  return whole ? std::optional<bool>(*whole != 0) : std::nullopt;
}

}  // namespace proven::io
