#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/failure.h"
#include "io/text.h"
#include "io/xacro_functions.h"

namespace proven::io {
namespace {

using Items = XacroValue::Items;

constexpr std::int64_t kExactWhole = std::int64_t{1} << 53;  // beyond it doubles have gaps
constexpr std::size_t kMaxItems = 1'000'000;

[[noreturn]] void too_large() {
  fail("", "the result is a whole number beyond 64 bits");
}

// Python divides whole numbers without rounding them first.
double exact(const XacroValue& v) {
  if (v.is_whole() && (v.whole() > kExactWhole || v.whole() < -kExactWhole))
    fail("", "a whole number beyond 2^53 is not divided");
  return v.number();
}

[[noreturn]] void refuse_operands(std::string_view op, const XacroValue& a, const XacroValue& b) {
  fail("", fmt::format("'{}' of {} and {}", op, kind_of(a), kind_of(b)));
}

XacroValue power(const XacroValue& a, const XacroValue& b) {
  if (a.is_whole() && b.is_whole() && b.whole() >= 0) {
    std::int64_t value = 1, base = a.whole(), exponent = b.whole();
    while (exponent > 0) {
      if ((exponent & 1) && __builtin_mul_overflow(value, base, &value)) too_large();
      exponent >>= 1;
      if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) too_large();
    }
    return {value};
  }
  const double x = a.number(), y = b.number();
  if (x == 0 && y < 0) fail("", "zero to a negative power");
  if (x < 0 && std::isfinite(y) && y != std::floor(y)) fail("", "a root of a negative number");
  const double value = std::pow(x, y);
  if (std::isinf(value) && std::isfinite(x) && std::isfinite(y))
    fail("", "the result is too large a number");
  return {value};
}

XacroValue floor_divided(const XacroValue& a, const XacroValue& b) {
  if (b.number() == 0) fail("", "a division by zero");
  if (a.is_whole() && b.is_whole()) {
    const std::int64_t x = a.whole(), y = b.whole();
    if (x == std::numeric_limits<std::int64_t>::min() && y == -1) too_large();
    const std::int64_t value = x / y;
    return {x % y != 0 && (x < 0) != (y < 0) ? value - 1 : value};
  }
  const double x = a.number(), y = b.number();
  double rest = std::fmod(x, y), value = (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0)) value -= 1;
  if (value == 0) return {std::copysign(0.0, x / y)};
  const double down = std::floor(value);
  return {value - down > 0.5 ? down + 1 : down};
}

XacroValue remainder(const XacroValue& a, const XacroValue& b) {
  if (b.number() == 0) fail("", "a division by zero");
  if (a.is_whole() && b.is_whole()) {
    const std::int64_t y = b.whole(), rest = y == -1 ? 0 : a.whole() % y;
    return {rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest};
  }
  const double y = b.number(), rest = std::fmod(a.number(), y);
  if (rest == 0) return {std::copysign(0.0, y)};
  return {(rest < 0) != (y < 0) ? rest + y : rest};
}

Items repeated(const Items& items, std::int64_t times) {
  Items result;
  if (times > 0 &&
      items.size() * static_cast<std::size_t>(std::min<std::int64_t>(times, kMaxItems + 1)) >
          kMaxItems)
    fail("", "a list of more than a million items", ErrorCode::exhausted);
  for (std::int64_t i = 0; i < times && !items.empty(); ++i)
    result.insert(result.end(), items.begin(), items.end());
  return result;
}

std::string repeated(const std::string& text, std::int64_t times) {
  std::string result;
  if (times > 0 &&
      text.size() * static_cast<std::size_t>(std::min<std::int64_t>(times, kMaxItems + 1)) >
          kMaxItems)
    fail("", "a text of more than a million letters", ErrorCode::exhausted);
  for (std::int64_t i = 0; i < times && !text.empty(); ++i) result += text;
  return result;
}

XacroValue times(const XacroValue& a, const XacroValue& b) {
  if (!a.is_number() && b.is_whole()) {
    if (a.is_text()) return {repeated(a.text(), b.whole())};
    if (const auto* l = a.get<XacroValue::List>()) return list_of(repeated(*l->items, b.whole()));
    if (const auto* t = a.get<XacroValue::Tuple>()) return tuple_of(repeated(*t->items, b.whole()));
  }
  if (a.is_whole() && !b.is_number()) return times(b, a);
  if (!a.is_number() || !b.is_number()) refuse_operands("*", a, b);
  if (!a.is_whole() || !b.is_whole()) return {a.number() * b.number()};
  std::int64_t value = 0;
  if (__builtin_mul_overflow(a.whole(), b.whole(), &value)) too_large();
  return {value};
}

XacroValue plus(const XacroValue& a, const XacroValue& b) {
  if (a.is_text() && b.is_text()) return {a.text() + b.text()};
  const auto both = [](const Items& x, const Items& y) {
    Items items = x;
    items.insert(items.end(), y.begin(), y.end());
    if (items.size() > kMaxItems) fail("", "a list of more than a million items");
    return items;
  };
  if (a.get<XacroValue::List>() && b.get<XacroValue::List>())
    return list_of(both(*a.get<XacroValue::List>()->items, *b.get<XacroValue::List>()->items));
  if (a.get<XacroValue::Tuple>() && b.get<XacroValue::Tuple>())
    return tuple_of(both(*a.get<XacroValue::Tuple>()->items, *b.get<XacroValue::Tuple>()->items));
  if (!a.is_number() || !b.is_number()) refuse_operands("+", a, b);
  if (!a.is_whole() || !b.is_whole()) return {a.number() + b.number()};
  std::int64_t value = 0;
  if (__builtin_add_overflow(a.whole(), b.whole(), &value)) too_large();
  return {value};
}

XacroValue minus(const XacroValue& a, const XacroValue& b) {
  if (!a.is_whole() || !b.is_whole()) return {a.number() - b.number()};
  std::int64_t value = 0;
  if (__builtin_sub_overflow(a.whole(), b.whole(), &value)) too_large();
  return {value};
}

XacroValue bits(std::string_view op, const XacroValue& a, const XacroValue& b) {
  const std::int64_t x = a.whole(), y = b.whole();
  if (op == "<<" || op == ">>") {
    if (y < 0 || y > 62) fail("", "a shift by less than 0 or more than 62");
    if (op == ">>") return {x >> y};
    std::int64_t value = 0;
    if (__builtin_mul_overflow(x, std::int64_t{1} << y, &value)) too_large();
    return {value};
  }
  const std::int64_t value = op == "&" ? x & y : op == "|" ? x | y : x ^ y;
  if (a.get<bool>() && b.get<bool>()) return {value != 0};
  return {value};
}

}  // namespace

XacroValue binary_operation(std::string_view op, const XacroValue& a, const XacroValue& b) {
  if (op == "%" && a.is_text()) return {format_text(a.text(), b)};
  if (op == "+") return plus(a, b);
  if (op == "*") return times(a, b);
  if (!a.is_number() || !b.is_number()) refuse_operands(op, a, b);
  if (op == "-") return minus(a, b);
  if (op == "**") return power(a, b);
  if (op == "//") return floor_divided(a, b);
  if (op == "%") return remainder(a, b);
  if (op != "/") return bits(op, a, b);
  if (b.number() == 0) fail("", "a division by zero");
  if (a.is_whole() && b.is_whole()) return {exact(a) / exact(b)};
  return {a.number() / b.number()};
}

XacroValue unary_operation(std::string_view op, const XacroValue& a) {
  if (op == "not") return {!a.truth()};
  if (!a.is_number()) fail("", fmt::format("'{}' of {}", op, kind_of(a)));
  if (op == "~") return {~a.whole()};
  if (!a.is_whole()) return {op == "-" ? -a.number() : a.number()};
  const std::int64_t value = a.whole();
  if (op == "+") return {value};
  if (value == std::numeric_limits<std::int64_t>::min()) too_large();
  return {-value};
}

namespace {

struct Directive {
  std::string flags, width, precision;
  char letter = 0;
};

// After the '%'.
Directive take_directive(const std::string& format, std::size_t& at) {
  Directive d;
  const auto run = [&](std::string_view letters, std::string& into) {
    while (at < format.size() && letters.find(format[at]) != letters.npos) into += format[at++];
  };
  if (at < format.size() && format[at] == '(') fail("", "'%(name)' in a format is not read");
  run("-+ 0#", d.flags);
  run("0123456789", d.width);
  if (at < format.size() && format[at] == '.') {
    d.precision = format[at++];
    run("0123456789", d.precision);
    if (d.precision.size() == 1) d.precision += '0';
  }
  if (d.width.size() > 3 || d.precision.size() > 4)
    fail("", fmt::format("the format {} is too wide", quote(format)));
  if (at >= format.size()) fail("", fmt::format("the format {} ends too early", quote(format)));
  d.letter = format[at++];
  return d;
}

std::string printed(const std::string& spec, auto value) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, spec.c_str(), value)), ' ');
  std::snprintf(text.data(), text.size() + 1, spec.c_str(), value);
  return text;
}

std::string formatted(const Directive& d, const XacroValue& value) {
  const std::string spec = "%" + d.flags + d.width + d.precision;
  switch (d.letter) {
    case 's':
    case 'r': {
      std::string text = d.letter == 's' ? to_text(value) : to_repr(value);
      if (letters_of(text).size() != text.size() && (!d.width.empty() || !d.precision.empty()))
        fail("", "a width of letters beyond ASCII is not read");
      const bool left = d.flags.find('-') != std::string::npos;
      return printed(std::string("%") + (left ? "-" : "") + d.width + d.precision + "s",
                     text.c_str());
    }
    case 'd':
    case 'i': {
      const XacroValue whole = value.get<double>() ? call_math({"trunc", {value}, {}}) : value;
      return printed(spec + "lld", static_cast<long long>(whole.whole()));
    }
    case 'x':
    case 'X':
    case 'o':
      if (value.whole() < 0 || d.flags.find('#') != std::string::npos)
        fail("", "this format of a negative number or with '#' is not read");
      return printed(spec + "ll" + d.letter, static_cast<long long>(value.whole()));
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      if (!std::isfinite(value.number())) fail("", "a format of what is no finite number");
      return printed(spec + d.letter, value.number());
    default:
      fail("", fmt::format("'%{}' in a format is not read", d.letter));
  }
}

}  // namespace

std::string format_text(const std::string& format, const XacroValue& values) {
  const auto* tuple = values.get<XacroValue::Tuple>();
  const Items items = tuple ? *tuple->items : Items{values};
  std::string text;
  std::size_t used = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    const Directive d = take_directive(format, ++at);
    if (d.letter == '%') {
      text += '%';
      continue;
    }
    if (used >= items.size())
      fail("", fmt::format("the format {} needs more values", quote(format)));
    text += formatted(d, items[used++]);
  }
  const bool unused_dict = !tuple && values.get<XacroValue::Dict>() && used == 0;
  if (used < items.size() && !unused_dict)
    fail("", fmt::format("the format {} does not use all its values", quote(format)));
  return text;
}

}  // namespace proven::io
