#include <fmt/format.h>

#include <algorithm>

#include "io/failure.h"
#include "io/text.h"
#include "io/xacro_functions.h"

namespace proven::io {
namespace {

using Items = XacroValue::Items;

constexpr std::string_view kBlanks = " \t\n\r\v\f";

[[noreturn]] void refuse(const XacroValue& object, const XacroCall& call) {
  fail("", fmt::format(".{}() of {} with {} argument{} is not read", call.function, kind_of(object),
                       call.arguments.size(), call.arguments.size() == 1 ? "" : "s"));
}

bool is_ascii(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
}

std::vector<std::string> pieces(const std::string& text, const std::string& between,
                                std::int64_t most) {
  if (between.empty()) fail("", "split() at an empty text");
  std::vector<std::string> result;
  std::size_t at = 0;
  for (std::size_t next = text.find(between); next != std::string::npos && most != 0; --most) {
    result.push_back(text.substr(at, next - at));
    at = next + between.size();
    next = text.find(between, at);
  }
  result.push_back(text.substr(at));
  return result;
}

// At blanks, which never leave empty pieces.
std::vector<std::string> words_of(const std::string& text, std::int64_t most) {
  std::vector<std::string> result;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string::npos; --most) {
    std::size_t end = most == 0 ? text.find_last_not_of(kBlanks) + 1
                                : std::min(text.find_first_of(kBlanks, at), text.size());
    result.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return result;
}

std::string reversed(std::string text) {
  std::ranges::reverse(text);
  return text;
}

XacroValue split(const std::string& text, const XacroCall& call) {
  const Items& a = call.arguments;
  const std::int64_t most = a.size() > 1 ? a[1].whole() : -1;
  const bool at_blanks = a.empty() || a[0].is_none();
  const bool from_right = call.function == "rsplit" && most >= 0;
  if (from_right && !is_ascii(text)) fail("", "rsplit() of letters beyond ASCII is not read");
  const std::string source = from_right ? reversed(text) : text;
  std::vector<std::string> parts;
  if (at_blanks)
    parts = words_of(source, most);
  else
    parts = pieces(source, from_right ? reversed(a[0].text()) : a[0].text(), most);
  Items items;
  for (const std::string& part : parts) items.push_back({from_right ? reversed(part) : part});
  if (from_right) std::ranges::reverse(items);
  return list_of(std::move(items));
}

std::string stripped(const std::string& text, const XacroCall& call) {
  const bool own = call.arguments.size() == 1 && call.arguments[0].is_text();
  const std::string letters = own ? call.arguments[0].text() : std::string(kBlanks);
  if (!is_ascii(letters)) fail("", "strip() of letters beyond ASCII is not read");
  const std::size_t begin = call.function == "rstrip" ? 0 : text.find_first_not_of(letters);
  const std::size_t end =
      call.function == "lstrip" ? text.size() : text.find_last_not_of(letters) + 1;
  return begin == std::string::npos || begin >= end ? "" : text.substr(begin, end - begin);
}

std::string replaced(const std::string& text, const XacroCall& call) {
  const std::int64_t most = call.arguments.size() > 2 ? call.arguments[2].whole() : -1;
  const std::string& to = call.arguments[1].text();
  if (call.arguments[0].text().empty()) fail("", "replace() of an empty text is not read");
  std::string result;
  bool first = true;
  for (const std::string& part : pieces(text, call.arguments[0].text(), most)) {
    result += (first ? "" : to) + part;
    first = false;
  }
  return result;
}

std::string cased(const std::string& text, const std::string& how) {
  if (!is_ascii(text)) fail("", fmt::format("{}() of letters beyond ASCII is not read", how));
  std::string result = text;
  bool begins = true;
  for (char& c : result) {
    const auto u = static_cast<unsigned char>(c);
    const bool upper = how == "upper" || (how == "capitalize" && &c == result.data()) ||
                       (how == "title" && begins) || (how == "swapcase" && std::islower(u));
    begins = !std::isalpha(u);
    c = static_cast<char>(upper ? std::toupper(u) : std::tolower(u));
  }
  return result;
}

// isdigit() and its like: true of no empty text.
bool is_all(const std::string& text, const std::string& what) {
  if (!is_ascii(text)) fail("", fmt::format("{}() of letters beyond ASCII is not read", what));
  return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    if (what == "isalpha") return std::isalpha(c) != 0;
    if (what == "isalnum") return std::isalnum(c) != 0;
    if (what == "isspace") return std::isspace(c) != 0;
    return std::isdigit(c) != 0;
  });
}

std::string padded(const std::string& text, const XacroCall& call) {
  const auto length = static_cast<std::int64_t>(letters_of(text).size());
  const std::int64_t missing = call.arguments[0].whole() - length;
  if (missing <= 0) return text;
  if (missing > 10000) fail("", fmt::format("{}() to more than 10000", call.function));
  const auto count = static_cast<std::size_t>(missing);
  if (call.function == "zfill") {
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    return text.substr(0, sign) + std::string(count, '0') + text.substr(sign);
  }
  const std::string fill = call.arguments.size() > 1 ? call.arguments[1].text() : " ";
  if (fill.size() != 1) fail("", fmt::format("{}() fills with one letter", call.function));
  const std::string blanks(count, fill[0]);
  return call.function == "rjust" ? blanks + text : text + blanks;
}

bool begins_or_ends(const std::string& text, const XacroCall& call) {
  const auto* tuple = call.arguments[0].get<XacroValue::Tuple>();
  for (const XacroValue& part : tuple ? *tuple->items : Items{call.arguments[0]}) {
    if (!part.is_text()) refuse({text}, call);
    if (call.function == "startswith" ? text.starts_with(part.text()) : text.ends_with(part.text()))
      return true;
  }
  return false;
}

XacroValue parted(const std::string& text, const XacroCall& call) {
  const std::string& mark = call.arguments[0].text();
  if (mark.empty()) fail("", "partition() at an empty text");
  const bool last = call.function == "rpartition";
  const std::size_t at = last ? text.rfind(mark) : text.find(mark);
  const std::string none;
  if (at == std::string::npos)
    return last ? tuple_of({{none}, {none}, {text}}) : tuple_of({{text}, {none}, {none}});
  return tuple_of({{text.substr(0, at)}, {mark}, {text.substr(at + mark.size())}});
}

XacroValue place_in_text(const std::string& text, const XacroCall& call) {
  const std::string& part = call.arguments[0].text();
  if (!is_ascii(text))
    fail("", fmt::format("{}() in letters beyond ASCII is not read", call.function));
  if (call.function == "count") {
    if (part.empty()) return {static_cast<std::int64_t>(text.size()) + 1};
    return {static_cast<std::int64_t>(pieces(text, part, -1).size()) - 1};
  }
  const std::size_t at = call.function == "rfind" ? text.rfind(part) : text.find(part);
  if (at != std::string::npos) return {static_cast<std::int64_t>(at)};
  if (call.function == "index") fail("", fmt::format("{} is not in {}", quote(part), quote(text)));
  return {std::int64_t{-1}};
}

XacroValue method_of_text(const std::string& text, const XacroCall& call) {
  const Items& a = call.arguments;
  const std::string& name = call.function;
  const bool texts = std::ranges::all_of(a, &XacroValue::is_text);
  if (name == "split" || name == "rsplit") {
    const bool first = a.empty() || a[0].is_text() || a[0].is_none();
    if (first && (a.size() < 2 || (a.size() == 2 && a[1].is_whole()))) return split(text, call);
  } else if (name == "strip" || name == "lstrip" || name == "rstrip") {
    if (a.size() < 2 && (a.empty() || a[0].is_text() || a[0].is_none()))
      return {stripped(text, call)};
  } else if (name == "replace") {
    const bool counted = a.size() == 3 && a[0].is_text() && a[1].is_text() && a[2].is_whole();
    if ((a.size() == 2 && texts) || counted) return {replaced(text, call)};
  } else if (name == "upper" || name == "lower" || name == "capitalize" || name == "title" ||
             name == "swapcase") {
    if (a.empty()) return {cased(text, name)};
  } else if (name == "isdigit" || name == "isalpha" || name == "isalnum" || name == "isspace" ||
             name == "isnumeric" || name == "isdecimal") {
    if (a.empty()) return {is_all(text, name)};
  } else if (name == "zfill" || name == "ljust" || name == "rjust") {
    const bool filled = a.size() == 2 && a[1].is_text() && name != "zfill";
    if ((a.size() == 1 || filled) && a[0].is_whole()) return {padded(text, call)};
  } else if (name == "startswith" || name == "endswith") {
    if (a.size() == 1) return {begins_or_ends(text, call)};
  } else if (name == "find" || name == "rfind" || name == "index" || name == "count") {
    if (a.size() == 1 && texts) return place_in_text(text, call);
  } else if (name == "partition" || name == "rpartition") {
    if (a.size() == 1 && texts) return parted(text, call);
  } else if (name == "join" && a.size() == 1) {
    std::string joined;
    bool first = true;
    for (const XacroValue& item : items_of(a[0])) {
      if (!item.is_text()) fail("", fmt::format("join() of {}", kind_of(item)));
      joined += (first ? "" : text) + item.text();
      first = false;
    }
    return {joined};
  }
  refuse({text}, call);
}

XacroValue method_of_dict(const XacroValue& object, const XacroValue::Dict& dict,
                          const XacroCall& call) {
  Items items;
  if (call.function == "get" && (call.arguments.size() == 1 || call.arguments.size() == 2)) {
    if (const XacroValue* found = find_entry(dict, call.arguments[0])) return *found;
    return call.arguments.size() == 2 ? call.arguments[1] : XacroValue{};
  }
  if (!call.arguments.empty()) refuse(object, call);
  if (call.function == "copy") return dict_of(*dict.entries);
  for (const auto& [key, entry] : *dict.entries) {
    if (call.function == "keys")
      items.push_back(key);
    else if (call.function == "values")
      items.push_back(entry);
    else if (call.function == "items")
      items.push_back(tuple_of({key, entry}));
    else
      break;
  }
  if (call.function != "keys" && call.function != "values" && call.function != "items")
    refuse(object, call);
  return stream_of(std::move(items), true);
}

}  // namespace

XacroValue call_method(const XacroValue& object, const XacroCall& call) {
  if (!call.named.empty())
    fail("", fmt::format("'{}=' in .{}() is not read", call.named[0].first, call.function));
  if (object.is_text()) return method_of_text(object.text(), call);
  if (const auto* dict = object.get<XacroValue::Dict>()) return method_of_dict(object, *dict, call);
  const bool listed = object.get<XacroValue::List>() || object.get<XacroValue::Tuple>();
  if (listed && call.arguments.size() == 1) {
    const Items items = items_of(object);
    const auto same = [&](const XacroValue& v) { return are_equal(v, call.arguments[0]); };
    if (call.function == "count")
      return {static_cast<std::int64_t>(std::ranges::count_if(items, same))};
    if (call.function == "index") {
      const auto found = std::ranges::find_if(items, same);
      if (found == items.end())
        fail("", fmt::format("{} is not in the list", to_repr(call.arguments[0])));
      return {static_cast<std::int64_t>(found - items.begin())};
    }
  }
  refuse(object, call);
}

}  // namespace proven::io
