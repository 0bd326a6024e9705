#include "io/xacro_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {
namespace {

using Items = XacroValue::Items;
using Entries = XacroValue::Entries;

constexpr std::size_t kMaxItems = 1'000'000;

constexpr std::array<std::string_view, 24> kFunctions = {
    "list", "dict",     "map",    "len",   "str", "float", "int",       "min",
    "max",  "round",    "sorted", "range", "all", "any",   "enumerate", "filter",
    "repr", "reversed", "sum",    "tuple", "zip", "abs",   "bool",      "divmod"};

using OfOne = double (*)(double);
struct MathFunction {
  std::string_view name;
  OfOne of_one;
};
constexpr std::array<MathFunction, 26> kOfOne = {
    {{"acos", std::acos},   {"acosh", std::acosh}, {"asin", std::asin}, {"asinh", std::asinh},
     {"atan", std::atan},   {"atanh", std::atanh}, {"cbrt", std::cbrt}, {"cos", std::cos},
     {"cosh", std::cosh},   {"erf", std::erf},     {"erfc", std::erfc}, {"exp", std::exp},
     {"exp2", std::exp2},   {"expm1", std::expm1}, {"fabs", std::fabs}, {"log10", std::log10},
     {"log1p", std::log1p}, {"log2", std::log2},   {"sin", std::sin},   {"sinh", std::sinh},
     {"sqrt", std::sqrt},   {"tan", std::tan},     {"tanh", std::tanh}, {"log", std::log},
     {"degrees", nullptr},  {"radians", nullptr}}};
constexpr std::array<std::string_view, 17> kOtherMath = {
    "atan2",    "ceil",  "copysign", "dist", "floor", "fmod", "gcd",   "hypot",    "isclose",
    "isfinite", "isinf", "isnan",    "modf", "pow",   "prod", "trunc", "factorial"};

[[noreturn]] void refuse_arguments(const XacroCall& call) {
  fail("", fmt::format("{}() with {} argument{} is not read", call.function,
                       call.arguments.size() + call.named.size(),
                       call.arguments.size() + call.named.size() == 1 ? "" : "s"));
}

XacroValue whole_of_number(double value) {
  if (!std::isfinite(value)) fail("", "a whole number of what is no finite number");
  if (!(value >= -0x1p63 && value < 0x1p63)) fail("", "a whole number beyond 64 bits");
  return {static_cast<std::int64_t>(value)};
}

// Rounds to even at ties, in decimal, as Python does.
XacroValue rounded(const XacroValue& value, std::optional<std::int64_t> digits) {
  if (!digits)
    return value.is_whole() ? XacroValue{value.whole()}
                            : whole_of_number(std::nearbyint(value.number()));
  if (*digits < 0) fail("", "round() to tens is not read");
  if (value.is_whole()) return {value.whole()};
  if (!std::isfinite(value.number()) || *digits > 300) return value;
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(*digits), value.number());
  return {std::strtod(text, nullptr)};
}

XacroValue to_whole(const XacroValue& value) {
  if (value.is_whole()) return {value.whole()};
  if (value.is_number()) return whole_of_number(std::trunc(value.number()));
  if (!value.is_text()) fail("", fmt::format("int() of {}", kind_of(value)));
  if (const auto whole = whole_of(value.text())) return {*whole};
  fail("", fmt::format("int() of {}", quote(value.text())));
}

XacroValue to_number(const XacroValue& value) {
  if (value.is_number()) return {value.number()};
  if (!value.is_text()) fail("", fmt::format("float() of {}", kind_of(value)));
  if (const auto number = number_of(value.text())) return {*number};
  fail("", fmt::format("float() of {}", quote(value.text())));
}

XacroValue make_dict(const XacroCall& call) {
  Entries entries;
  const auto set = [&](const XacroValue& key, const XacroValue& value) {
    for (auto& [own, entry] : entries)
      if (are_equal(own, key)) {
        entry = value;
        return;
      }
    entries.emplace_back(key, value);
  };
  if (call.arguments.size() > 1) refuse_arguments(call);
  if (call.arguments.size() == 1) {
    if (const auto* dict = call.arguments[0].get<XacroValue::Dict>())
      entries = *dict->entries;
    else
      for (const XacroValue& pair : items_of(call.arguments[0])) {
        const Items parts = items_of(pair);
        if (parts.size() != 2) fail("", "dict() takes pairs of a key and a value");
        set(parts[0], parts[1]);
      }
  }
  for (const auto& [key, value] : call.named) set({key}, value);
  return dict_of(std::move(entries));
}

XacroValue length_of(const XacroValue& value) {
  if (const auto* s = value.get<XacroValue::Stream>(); s && !s->is_sized)
    fail("", "len() of an iterator; len(list(...)) counts it");
  return {static_cast<std::int64_t>(items_of(value).size())};
}

XacroValue make_range(const XacroCall& call) {
  const Items& a = call.arguments;
  if (a.empty() || a.size() > 3) refuse_arguments(call);
  for (const XacroValue& v : a)
    if (!v.is_whole()) fail("", fmt::format("range() of {}", kind_of(v)));
  const std::int64_t begin = a.size() > 1 ? a[0].whole() : 0,
                     step = a.size() > 2 ? a[2].whole() : 1;
  const std::int64_t end = a.size() > 1 ? a[1].whole() : a[0].whole();
  if (step == 0) fail("", "range() with a step of 0");
  Items items;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    items.push_back({i});
    if (items.size() > kMaxItems) fail("", "range() of more than a million", ErrorCode::exhausted);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return stream_of(std::move(items), true, true);
}

XacroValue least_or_most(const XacroCall& call) {
  const Items items = call.arguments.size() == 1 ? items_of(call.arguments[0]) : call.arguments;
  if (items.empty()) fail("", fmt::format("{}() of nothing", call.function));
  const XacroValue* best = &items[0];
  for (const XacroValue& item : items)
    if (call.function == "min" ? is_less(item, *best) : is_less(*best, item)) best = &item;
  return *best;
}

XacroValue sorted(const XacroCall& call) {
  bool reverse = false;
  for (const auto& [name, value] : call.named) {
    if (name != "reverse") fail("", fmt::format("'{}' of sorted() is not read", name));
    reverse = value.truth();
  }
  Items items = items_of(call.arguments[0]);
  if (reverse) std::ranges::reverse(items);
  std::ranges::stable_sort(items, is_less);
  if (reverse) std::ranges::reverse(items);
  return list_of(std::move(items));
}

XacroValue zipped(const Items& sources) {
  std::vector<Items> all;
  for (const XacroValue& source : sources) all.push_back(items_of(source));
  Items rows;
  for (std::size_t i = 0; !all.empty(); ++i) {
    Items row;
    for (const Items& items : all)
      if (i < items.size()) row.push_back(items[i]);
    if (row.size() < all.size()) break;
    rows.push_back(tuple_of(std::move(row)));
  }
  return stream_of(std::move(rows));
}

XacroValue mapped(const XacroCall& call, const XacroCaller& caller) {
  const auto* function = call.arguments[0].get<XacroValue::Function>();
  if (!function) fail("", fmt::format("{}() of {}", call.function, kind_of(call.arguments[0])));
  Items results;
  if (call.function == "filter") {
    for (const XacroValue& item : items_of(call.arguments.at(1)))
      if (caller({function->name, {item}, {}}).truth()) results.push_back(item);
    return stream_of(std::move(results));
  }
  const Items sources(call.arguments.begin() + 1, call.arguments.end());
  for (const XacroValue& row : items_of(zipped(sources)))
    results.push_back(caller({function->name, items_of(row), {}}));
  return stream_of(std::move(results));
}

// Functions of one argument; empty: the name is none of theirs.
std::optional<XacroValue> call_of_one(const std::string& name, const XacroValue& a) {
  if (name == "list") return list_of(items_of(a));
  if (name == "tuple") return tuple_of(items_of(a));
  if (name == "str") return XacroValue{to_text(a)};
  if (name == "repr") return XacroValue{to_repr(a)};
  if (name == "bool") return XacroValue{a.truth()};
  if (name == "int") return to_whole(a);
  if (name == "float") return to_number(a);
  if (name == "len") return length_of(a);
  if (name == "abs") {
    if (!a.is_whole()) return XacroValue{std::fabs(a.number())};
    return a.whole() < 0 ? unary_operation("-", a) : XacroValue{a.whole()};
  }
  if (name == "all" || name == "any") {
    const bool wanted = name == "any";
    for (const XacroValue& item : items_of(a))
      if (item.truth() == wanted) return XacroValue{wanted};
    return XacroValue{!wanted};
  }
  if (name == "reversed") {
    Items items = items_of(a);
    std::ranges::reverse(items);
    return stream_of(std::move(items));
  }
  return std::nullopt;
}

XacroValue summed(const Items& arguments) {
  XacroValue total = arguments.size() > 1 ? arguments[1] : XacroValue{std::int64_t{0}};
  if (total.is_text()) fail("", "sum() of texts");
  for (const XacroValue& item : items_of(arguments[0])) total = binary_operation("+", total, item);
  return total;
}

}  // namespace

bool is_xacro_function(std::string_view name) {
  return std::ranges::find(kFunctions, name) != kFunctions.end() || is_math_function(name);
}

bool is_math_function(std::string_view name) {
  return std::ranges::find(kOfOne, name, &MathFunction::name) != kOfOne.end() ||
         std::ranges::find(kOtherMath, name) != kOtherMath.end();
}

std::optional<XacroValue> find_math_constant(std::string_view name) {
  if (name == "pi") return XacroValue{std::numbers::pi};
  if (name == "tau") return XacroValue{2 * std::numbers::pi};
  if (name == "e") return XacroValue{std::numbers::e};
  if (name == "inf") return XacroValue{std::numeric_limits<double>::infinity()};
  if (name == "nan") return XacroValue{std::numeric_limits<double>::quiet_NaN()};
  return std::nullopt;
}

XacroValue call_function(const XacroCall& call, const XacroCaller& caller) {
  const Items& a = call.arguments;
  const std::string& name = call.function;
  if (name == "dict") return make_dict(call);
  if (name == "sorted" && a.size() == 1) return sorted(call);
  if (name == "round" && a.size() == 1 && call.named.size() == 1 &&
      call.named[0].first == "ndigits")
    return rounded(a[0], call.named[0].second.whole());
  if (!call.named.empty())
    fail("", fmt::format("'{}=' in {}() is not read", call.named[0].first, name));
  if (a.empty() && name == "list") return list_of({});
  if (a.empty() && name == "tuple") return tuple_of({});
  if (a.empty() && name == "str") return {std::string()};
  if (a.empty() && name == "int") return {std::int64_t{0}};
  if (a.empty() && name == "float") return {0.0};
  if (a.empty() && name == "bool") return {false};
  if (name == "range") return make_range(call);
  if (name == "zip") return zipped(a);
  if (!a.empty() && (name == "min" || name == "max")) return least_or_most(call);
  if (a.size() >= 2 && (name == "map" || (name == "filter" && a.size() == 2)))
    return mapped(call, caller);
  if (name == "sum" && (a.size() == 1 || a.size() == 2)) return summed(a);
  if (name == "round" && (a.size() == 1 || a.size() == 2))
    return rounded(a[0],
                   a.size() == 2 && !a[1].is_none() ? std::optional(a[1].whole()) : std::nullopt);
  if (name == "divmod" && a.size() == 2)
    return tuple_of({binary_operation("//", a[0], a[1]), binary_operation("%", a[0], a[1])});
  if (name == "enumerate" && (a.size() == 1 || a.size() == 2)) {
    Items rows;
    std::int64_t i = a.size() == 2 ? a[1].whole() : 0;
    for (const XacroValue& item : items_of(a[0])) rows.push_back(tuple_of({{i++}, item}));
    return stream_of(std::move(rows));
  }
  if (a.size() == 1)
    if (auto value = call_of_one(name, a[0])) return std::move(*value);
  refuse_arguments(call);
}

namespace {

XacroValue checked(const XacroCall& call, double value) {
  const bool finite = std::ranges::all_of(
      call.arguments, [](const XacroValue& v) { return std::isfinite(v.number()); });
  const bool number = std::ranges::none_of(
      call.arguments, [](const XacroValue& v) { return std::isnan(v.number()); });
  if ((std::isnan(value) && number) || (std::isinf(value) && finite))
    fail("", fmt::format("{}() of {} has no value", call.function, to_text(call.arguments[0])));
  return {value};
}

XacroValue math_of_two(const XacroCall& call) {
  const double x = call.arguments[0].number(), y = call.arguments[1].number();
  const std::string& name = call.function;
  if (name == "atan2") return {std::atan2(x, y)};
  if (name == "copysign") return {std::copysign(x, y)};
  if (name == "fmod") return checked(call, std::fmod(x, y));
  if (name == "pow") return checked(call, std::pow(x, y));
  if (name == "log") {
    const XacroValue a = checked({"log", {call.arguments[0]}, {}}, std::log(x));
    const XacroValue b = checked({"log", {call.arguments[1]}, {}}, std::log(y));
    return binary_operation("/", a, b);
  }
  if (name == "isclose") {
    if (x == y) return {true};
    if (std::isinf(x) || std::isinf(y)) return {false};
    return {std::fabs(x - y) <= 1e-9 * std::max(std::fabs(x), std::fabs(y))};
  }
  if (name == "gcd") return {std::gcd(call.arguments[0].whole(), call.arguments[1].whole())};
  refuse_arguments(call);
}

XacroValue math_of_one(const XacroCall& call) {
  const XacroValue& a = call.arguments[0];
  const std::string& name = call.function;
  const bool rounds = name == "floor" || name == "ceil" || name == "trunc";
  if (rounds && a.is_whole()) return {a.whole()};
  if (name == "prod") {
    XacroValue total{std::int64_t{1}};
    for (const XacroValue& item : items_of(a)) total = binary_operation("*", total, item);
    return total;
  }
  const double x = a.number();
  if (name == "floor") return whole_of_number(std::floor(x));
  if (name == "ceil") return whole_of_number(std::ceil(x));
  if (name == "trunc") return whole_of_number(std::trunc(x));
  if (name == "isnan") return {std::isnan(x)};
  if (name == "isinf") return {std::isinf(x)};
  if (name == "isfinite") return {std::isfinite(x)};
  if (name == "radians") return {x * (std::numbers::pi / 180)};
  if (name == "degrees") return {x * (180 / std::numbers::pi)};
  if (name == "modf") {
    double whole = 0;
    const double rest = std::modf(x, &whole);
    return tuple_of({{rest}, {whole}});
  }
  if (name == "factorial") {
    XacroValue total{std::int64_t{1}};
    if (a.whole() < 0) refuse_arguments(call);
    for (std::int64_t i = 2; i <= a.whole(); ++i) total = binary_operation("*", total, {i});
    return total;
  }
  const auto* found = std::ranges::find(kOfOne, name, &MathFunction::name);
  if (found == kOfOne.end()) refuse_arguments(call);
  return checked(call, found->of_one(x));
}

// Rounded once: squares and their sum are kept with more digits.
double length(const std::vector<double>& parts) {
  long double sum = 0;
  for (const double part : parts) sum += static_cast<long double>(part) * part;
  return static_cast<double>(std::sqrt(sum));
}

}  // namespace

XacroValue call_math(const XacroCall& call) {
  if (!call.named.empty())
    fail("", fmt::format("'{}=' in {}() is not read", call.named[0].first, call.function));
  std::vector<double> parts;
  if (call.function == "hypot") {
    for (const XacroValue& v : call.arguments) parts.push_back(v.number());
    return {length(parts)};
  }
  if (call.function == "dist" && call.arguments.size() == 2) {
    const Items a = items_of(call.arguments[0]), b = items_of(call.arguments[1]);
    if (a.size() != b.size()) fail("", "dist() of points of different dimensions");
    for (std::size_t i = 0; i < a.size(); ++i) parts.push_back(a[i].number() - b[i].number());
    return {length(parts)};
  }
  if (call.arguments.size() == 1) return math_of_one(call);
  if (call.arguments.size() == 2) return math_of_two(call);
  refuse_arguments(call);
}

}  // namespace proven::io
