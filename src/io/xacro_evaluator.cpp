#include "io/xacro_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/failure.h"
#include "io/text.h"
#include "io/xacro_syntax.h"

namespace proven::io {
namespace {

using Items = XacroValue::Items;
using Kind = XacroSyntax::Kind;

constexpr std::int64_t kMaxSteps = 1'000'000;  // of comprehensions

constexpr std::array<std::string_view, 11> kMethodsOfDict = {
    "clear", "copy",    "fromkeys",   "get",    "items", "keys",
    "pop",   "popitem", "setdefault", "update", "values"};
constexpr std::array<std::string_view, 11> kOfXacro = {
    "load_yaml", "abs_filename", "dotify", "message",        "warning", "error",
    "fatal",     "tokenize",     "arg",    "print_location", "debug"};
// Also known without "xacro." before them.
constexpr std::array<std::string_view, 3> kBareOfXacro = {"load_yaml", "abs_filename", "dotify"};

bool is_module(std::string_view name) {
  return name == "math" || name == "python" || name == "xacro";
}

class Evaluation {
 public:
  explicit Evaluation(const XacroNames& names) : names_(names) {}

  XacroValue of(const XacroSyntax& s) {
    switch (s.kind) {
      case Kind::constant:
        return s.value;
      case Kind::name:
        return named(s.text);
      case Kind::list:
        return list_of(each(s.children));
      case Kind::tuple:
        return tuple_of(each(s.children));
      case Kind::attribute:
        return attribute(of(s.children[0]), s.text);
      case Kind::index:
        return indexed(of(s.children[0]), of(s.children[1]));
      case Kind::slice:
        return sliced(s);
      case Kind::call:
        return call(s);
      case Kind::unary:
        return unary_operation(s.text, of(s.children[0]));
      case Kind::binary: {
        const XacroValue left = of(s.children[0]);
        return binary_operation(s.text, left, of(s.children[1]));
      }
      case Kind::comparison:
        return compared(s);
      case Kind::all_of:
      case Kind::any_of:
        return joined(s);
      case Kind::conditional:
        return of(s.children[of(s.children[0]).truth() ? 1 : 2]);
      case Kind::comprehension: {
        Items items;
        go_through(s, 0, items);
        return s.is_list ? list_of(std::move(items)) : stream_of(std::move(items));
      }
    }
    fail("", "an expression of no kind");
  }

 private:
  Items each(const std::vector<XacroSyntax>& parts) {
    Items items;
    for (const XacroSyntax& part : parts) items.push_back(of(part));
    return items;
  }

  XacroValue named(const std::string& name) {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
      if (local->first == name) return local->second;
    if (auto value = names_.find(name)) return std::move(*value);
    if (auto constant = find_math_constant(name)) return std::move(*constant);
    if (is_xacro_function(name) || std::ranges::find(kBareOfXacro, name) != kBareOfXacro.end())
      return {XacroValue::Function{name}};
    if (is_module(name)) return {XacroValue::Module{name}};
    std::vector<std::string> known = names_.known();
    if (name == "true" || name == "false") known = {name == "true" ? "True" : "False"};
    fail("", fmt::format("there is no property {}{}", quote(name), suggestion(name, known)));
  }

  XacroValue attribute(const XacroValue& object, const std::string& name) {
    if (const auto* module = object.get<XacroValue::Module>()) return of_module(module->name, name);
    if (const auto* space = object.get<XacroValue::Space>())
      return names_.find_in_space(space->space, name);
    const auto* dict = object.get<XacroValue::Dict>();
    if (!dict || !dict->dotted)
      fail("", fmt::format("{} has no .{}{}", kind_of(object), name,
                           dict ? fmt::format("; write ['{}']", name) : ""));
    if (std::ranges::find(kMethodsOfDict, name) != kMethodsOfDict.end())
      fail("", fmt::format(".{} is a method; for the entry of that name write ['{}']", name, name));
    return entry(*dict, {name});
  }
  static XacroValue of_module(const std::string& module, const std::string& name) {
    if (module == "math") {
      if (auto constant = find_math_constant(name)) return std::move(*constant);
      if (is_math_function(name)) return {XacroValue::Function{"math." + name}};
    }
    if (module == "python" && is_xacro_function(name) && !is_math_function(name))
      return {XacroValue::Function{"python." + name}};
    if (module == "xacro" && std::ranges::find(kOfXacro, name) != kOfXacro.end())
      return {XacroValue::Function{"xacro." + name}};
    fail("", fmt::format("{}.{} is not read", module, name));
  }

  // What is from YAML stays so.
  static XacroValue with_dots(XacroValue value, bool dotted) {
    if (auto* list = std::get_if<XacroValue::List>(&value.value)) list->dotted |= dotted;
    if (auto* dict = std::get_if<XacroValue::Dict>(&value.value)) dict->dotted |= dotted;
    return value;
  }
  static XacroValue entry(const XacroValue::Dict& dict, const XacroValue& key) {
    if (const XacroValue* found = find_entry(dict, key)) return with_dots(*found, dict.dotted);
    std::vector<std::string> known;
    for (const auto& [own, value] : *dict.entries)
      if (own.is_text()) known.push_back(own.text());
    const std::string name = key.is_text() ? quote(key.text()) : to_repr(key);
    fail("", fmt::format("there is no entry {}{}", name,
                         key.is_text() ? suggestion(key.text(), known) : ""));
  }
  static XacroValue indexed(const XacroValue& object, const XacroValue& index) {
    if (const auto* dict = object.get<XacroValue::Dict>()) return entry(*dict, index);
    const auto* stream = object.get<XacroValue::Stream>();
    if (object.is_number() || object.is_none() || (stream && !stream->is_indexed))
      fail("", fmt::format("{} has no entries", kind_of(object)));
    if (!index.is_whole())
      fail("", fmt::format("{} has no entry {}", kind_of(object), to_repr(index)));
    const Items items = items_of(object);
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t at = index.whole() < 0 ? index.whole() + size : index.whole();
    if (at < 0 || at >= size)
      fail("", fmt::format("entry {} of {} of {}", index.whole(), kind_of(object), size));
    const auto* list = object.get<XacroValue::List>();
    return with_dots(items[static_cast<std::size_t>(at)], list && list->dotted);
  }
  XacroValue sliced(const XacroSyntax& s) {
    const XacroValue object = of(s.children[0]);
    const auto* list = object.get<XacroValue::List>();
    if (!list && !object.get<XacroValue::Tuple>() && !object.is_text())
      fail("", fmt::format("a part of {} is not read", kind_of(object)));
    const Items items = items_of(object);
    const auto size = static_cast<std::int64_t>(items.size());
    const auto bound = [&](std::size_t child, std::int64_t absent, std::int64_t least,
                           std::int64_t most) {
      const XacroValue value = of(s.children[child]);
      if (value.is_none()) return absent;
      const std::int64_t at = value.whole() < 0 ? value.whole() + size : value.whole();
      return std::clamp(at, least, most);
    };
    const XacroValue stride = of(s.children[3]);
    const std::int64_t step = stride.is_none() ? 1 : stride.whole();
    if (step == 0) fail("", "a step of 0");
    const bool up = step > 0;
    const std::int64_t low = up ? 0 : -1, high = up ? size : size - 1;
    const std::int64_t begin = bound(1, up ? low : high, low, high);
    const std::int64_t end = bound(2, up ? high : low, low, high);
    Items part;
    for (std::int64_t i = begin; up ? i < end : i > end;) {
      part.push_back(items[static_cast<std::size_t>(i)]);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    if (!object.is_text())
      return list ? with_dots(list_of(std::move(part)), list->dotted) : tuple_of(std::move(part));
    std::string text;
    for (const XacroValue& letter : part) text += letter.text();
    return {text};
  }

  XacroValue call(const XacroSyntax& s) {
    const XacroSyntax& function = s.children[0];
    XacroCall made;
    std::optional<XacroValue> object;  // of a method
    if (function.kind == Kind::attribute) {
      object = of(function.children[0]);
      if (object->get<XacroValue::Module>()) {
        made.function = attribute(*object, function.text).get<XacroValue::Function>()
                            ? object->get<XacroValue::Module>()->name + "." + function.text
                            : "";
        object.reset();
      } else {
        made.function = function.text;
      }
    } else {
      const XacroValue value = of(function);
      if (const auto* named = value.get<XacroValue::Function>())
        made.function = named->name;
      else
        fail("", fmt::format("{} is no function", kind_of(value)));
    }
    for (std::size_t i = 0; i < s.names.size(); ++i) {
      XacroValue argument = of(s.children[i + 1]);
      if (s.names[i].empty())
        made.arguments.push_back(std::move(argument));
      else
        made.named.emplace_back(s.names[i], std::move(argument));
    }
    return object ? call_method(*object, made) : call_named(made);
  }
  XacroValue call_named(const XacroCall& call) {
    if (auto value = names_.call(call)) return std::move(*value);
    XacroCall plain = call;
    const bool of_math = call.function.starts_with("math.");
    const std::size_t dot = call.function.find('.');
    if (dot != std::string::npos) plain.function.erase(0, dot + 1);
    if (of_math || is_math_function(plain.function)) return call_math(plain);
    if (!is_xacro_function(plain.function))
      fail("", fmt::format("{}() is not read", call.function));
    return call_function(plain, [this](const XacroCall& inner) { return call_named(inner); });
  }

  XacroValue compared(const XacroSyntax& s) {
    XacroValue left = of(s.children[0]);
    for (std::size_t i = 0; i < s.names.size(); ++i) {
      XacroValue right = of(s.children[i + 1]);
      if (!holds(s.names[i], left, right)) return {false};
      left = std::move(right);
    }
    return {true};
  }
  static bool holds(const std::string& op, const XacroValue& a, const XacroValue& b) {
    if (op == "==") return are_equal(a, b);
    if (op == "!=") return !are_equal(a, b);
    if (op == "<") return is_less(a, b);
    if (op == ">") return is_less(b, a);
    if (op == "<=") return is_less(a, b) || are_equal(a, b);
    if (op == ">=") return is_less(b, a) || are_equal(a, b);
    if (op == "in" || op == "not in") return contains(b, a) == (op == "in");
    const auto single = [](const XacroValue& v) { return v.is_none() || v.get<bool>(); };
    if (!single(a) && !single(b)) fail("", "'is' of values other than None, True and False");
    const bool same = a.value.index() == b.value.index() && are_equal(a, b);
    return same == (op == "is");
  }
  static bool contains(const XacroValue& all, const XacroValue& one) {
    if (const auto* dict = all.get<XacroValue::Dict>()) return find_entry(*dict, one) != nullptr;
    if (all.is_text()) {
      if (!one.is_text()) fail("", fmt::format("'in' of {} and a text", kind_of(one)));
      return all.text().find(one.text()) != std::string::npos;
    }
    const Items items = items_of(all);
    return std::ranges::any_of(items, [&](const XacroValue& item) { return are_equal(item, one); });
  }

  XacroValue joined(const XacroSyntax& s) {
    const bool ends = s.kind == Kind::any_of;
    for (std::size_t i = 0; i + 1 < s.children.size(); ++i) {
      XacroValue value = of(s.children[i]);
      if (value.truth() == ends) return value;
    }
    return of(s.children.back());
  }

  void go_through(const XacroSyntax& s, std::size_t loop_index, Items& items) {
    if (loop_index == s.loops.size()) {
      items.push_back(of(s.children[0]));
      return;
    }
    const XacroSyntax::Loop& loop = s.loops[loop_index];
    const std::size_t outer = locals_.size();
    for (const XacroValue& item : items_of(of(s.children[loop.items]))) {
      if (++steps_ > kMaxSteps) fail("", "more than a million steps", ErrorCode::exhausted);
      locals_.resize(outer);
      if (loop.names.size() == 1) {
        locals_.emplace_back(loop.names[0], item);
      } else {
        const Items parts = items_of(item);
        if (parts.size() != loop.names.size())
          fail("", fmt::format("{} values for {} names", parts.size(), loop.names.size()));
        for (std::size_t i = 0; i < parts.size(); ++i)
          locals_.emplace_back(loop.names[i], parts[i]);
      }
      bool wanted = true;
      for (std::size_t i = 1; wanted && i <= loop.num_conditions; ++i)
        wanted = of(s.children[loop.items + i]).truth();
      if (wanted) go_through(s, loop_index + 1, items);
    }
    locals_.resize(outer);
  }

  const XacroNames& names_;
  std::vector<std::pair<std::string, XacroValue>> locals_;  // of comprehensions
  std::int64_t steps_ = 0;
};

}  // namespace

XacroValue evaluate_xacro(std::string_view expression, const XacroNames& names) {
  return Evaluation(names).of(parse_xacro_expression(expression));
}

bool is_global_xacro_name(std::string_view name) {
  // Of Python's functions these; the others are python.NAME.
  static constexpr std::array<std::string_view, 12> kBare = {"list", "dict",  "map",    "len",
                                                             "str",  "float", "int",    "min",
                                                             "max",  "round", "sorted", "range"};
  return is_math_function(name) || std::ranges::find(kBare, name) != kBare.end() ||
         find_math_constant(name).has_value() || is_module(name) ||
         std::ranges::find(kBareOfXacro, name) != kBareOfXacro.end();
}

}  // namespace proven::io
