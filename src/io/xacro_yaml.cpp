#include "io/xacro_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {
namespace {

constexpr std::string_view kStandard = "tag:yaml.org,2002:";
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxNodes = 1'000'000;

bool all_in(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == text.npos;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

// YAML 1.1: 10, -1_000, 0x1f, 0b11, 017. Empty: it is none.
std::optional<XacroValue> whole_scalar(const std::string& text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  int base = 10;
  std::string_view digits = rest;
  if (rest.starts_with("0x") && all_in(rest.substr(2), "0123456789abcdefABCDEF_"))
    base = 16, digits.remove_prefix(2);
  else if (rest.starts_with("0b") && all_in(rest.substr(2), "01_"))
    base = 2, digits.remove_prefix(2);
  else if (rest.size() > 1 && rest[0] == '0' && all_in(rest.substr(1), "01234567_"))
    base = 8;
  else if (!(rest == "0" ||
             (!rest.empty() && rest[0] >= '1' && rest[0] <= '9' && all_in(rest, "0123456789_"))))
    return std::nullopt;
  std::string plain = negative ? "-" : "";
  for (const char c : digits)
    if (c != '_') plain += c;
  std::int64_t value = 0;
  const char* end = plain.data() + plain.size();
  const auto read = std::from_chars(plain.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end)
    fail("", fmt::format("the whole number {} is not read", quote(text)));
  return XacroValue{value};
}

// YAML 1.1: a dot is needed, and a sign in the exponent. Empty: it is none.
std::optional<XacroValue> number_scalar(const std::string& text) {
  std::string_view rest = text;
  const double sign = rest.starts_with('-') ? -1 : 1;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (is_one_of(rest, {".inf", ".Inf", ".INF"}))
    return XacroValue{sign * std::numeric_limits<double>::infinity()};
  if (is_one_of(text, {".nan", ".NaN", ".NAN"}))
    return XacroValue{std::numeric_limits<double>::quiet_NaN()};
  const std::size_t dot = rest.find('.');
  if (dot == rest.npos) return std::nullopt;
  const std::string_view whole = rest.substr(0, dot);
  std::string_view part = rest.substr(dot + 1), exponent;
  if (const std::size_t e = part.find_first_of("eE"); e != part.npos) {
    exponent = part.substr(e + 1);
    part = part.substr(0, e);
    const bool has_sign = exponent.starts_with('-') || exponent.starts_with('+');
    if (!has_sign || !all_in(exponent.substr(1), "0123456789")) return std::nullopt;
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_signed = rest.size() < text.size();  // which .5 must not be
  if (whole.empty() ? is_signed || part.empty() || !is_digit(part[0])
                    : !is_digit(whole[0]) || !all_in(whole, "0123456789_"))
    return std::nullopt;
  if (!part.empty() && !all_in(part, "0123456789_")) return std::nullopt;
  std::string plain;
  for (const char c : text)
    if (c != '_') plain += c;
  return XacroValue{std::strtod(plain.c_str(), nullptr)};
}

// 1:30 and 2024-05-01, which YAML 1.1 takes for a number of base 60 and a date.
bool is_of_base_60_or_date(const std::string& text) {
  if (!all_in(text, "0123456789_:.+-TtZz ")) return false;
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos && colon > 0 && colon + 1 < text.size()) return true;
  return text.size() >= 8 && text.size() <= 10 && text[4] == '-' &&
         all_in(text.substr(0, 4), "0123456789") && text.find('-', 5) != std::string::npos;
}

XacroValue plain_scalar(const std::string& text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return {};
  if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}))
    return {true};
  if (is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"}))
    return {false};
  if (auto value = whole_scalar(text)) return std::move(*value);
  if (auto value = number_scalar(text)) return std::move(*value);
  if (is_of_base_60_or_date(text))
    fail("", fmt::format("{} is a number of base 60 or a date; put it in quotes", quote(text)));
  if (text == "=") fail("", "the value '=' is not read");
  return {text};
}

class Events : public YAML::EventHandler {
 public:
  Events(const std::filesystem::path& file,
         const std::function<XacroValue(const std::string&)>& evaluate,
         std::vector<std::string>& notes)
      : file_(file), evaluate_(evaluate), notes_(notes) {}

  XacroValue result;
  bool is_empty = true;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, {}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(mark, "an alias of what holds it");
    add(mark, 0, XacroValue(found->second));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    at_place([&] { return place(file_, mark.line + 1); },
             [&] { add(mark, anchor, scalar(tag, text)); });
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, tag, "seq", anchor, true);
  }
  void OnSequenceEnd() override { finish(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(mark, tag, "map", anchor, false);
  }
  void OnMapEnd() override { finish(); }

 private:
  struct Open {
    bool is_list = false, has_key = false;
    XacroValue::Items items;
    XacroValue::Entries entries;
    XacroValue key;
    std::map<std::string, std::size_t> keys;  // the entries, by what keys look like
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const {
    io::fail(place(file_, mark.line + 1), what + " is not read");
  }
  XacroValue scalar(const std::string& tag, const std::string& text) const {
    if (tag == "?" || tag.empty()) return plain_scalar(text);
    if (tag == "!" || tag == std::string(kStandard) + "str") return {text};
    static const std::map<std::string, double> kUnits = {
        {"!radians", 1},   {"!degrees", std::numbers::pi / 180},
        {"!meters", 1},    {"!millimeters", 0.001},
        {"!foot", 0.3048}, {"!inches", 0.0254}};
    if (const auto unit = kUnits.find(tag); unit != kUnits.end()) {
      const double value = call_number(evaluate_(text));
      return {unit->second == 1 ? value : value * unit->second};
    }
    if (tag == std::string(kStandard) + "int" || tag == std::string(kStandard) + "float") {
      const XacroValue value = plain_scalar(text);
      if (tag.ends_with("float")) return {call_number(value)};
      if (value.get<std::int64_t>()) return value;
    }
    fail("", fmt::format("the tag {} of {} is not read", quote(tag), quote(text)));
  }
  static double call_number(const XacroValue& value) {
    if (!value.is_text()) return value.number();
    if (const auto number = number_of(value.text())) return *number;
    fail("", fmt::format("{} is no number", quote(value.text())));
  }
  void start(const YAML::Mark& mark, const std::string& tag, const std::string& own,
             YAML::anchor_t anchor, bool is_list) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != std::string(kStandard) + own)
      refuse(mark, fmt::format("the tag {}", quote(tag)));
    if (open_.size() >= kMaxDepth) refuse(mark, "a depth of more than 100");
    open_.push_back({is_list, false, {}, {}, {}, {}, anchor, mark});
  }
  void finish() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(done.mark, done.anchor,
        done.is_list ? list_of(std::move(done.items)) : dict_of(std::move(done.entries)));
  }
  void add(const YAML::Mark& mark, YAML::anchor_t anchor, XacroValue value) {
    if (++num_nodes_ > kMaxNodes) refuse(mark, "more than a million values");
    if (anchor) anchors_[anchor] = value;
    is_empty = false;
    if (open_.empty()) {
      result = std::move(value);
      return;
    }
    Open& above = open_.back();
    if (above.is_list) {
      above.items.push_back(std::move(value));
    } else if (above.has_key) {
      above.has_key = false;
      set(mark, above, std::move(value));
    } else {
      if (value.is_text() && value.text() == "<<") refuse(mark, "the merge key '<<'");
      above.key = std::move(value);
      above.has_key = true;
    }
  }

  // Of entries with the same key the last counts, as for Python's reader; a person should know.
  void set(const YAML::Mark& mark, Open& above, XacroValue value) {
    const auto [known, is_new] = above.keys.emplace(to_repr(above.key), above.entries.size());
    if (is_new) {
      above.entries.emplace_back(std::move(above.key), std::move(value));
      return;
    }
    above.entries[known->second].second = std::move(value);
    notes_.push_back(fmt::format("{}: the key {} is there twice; the last counts",
                                 place(file_, mark.line + 1), known->first));
  }

  const std::filesystem::path& file_;
  const std::function<XacroValue(const std::string&)>& evaluate_;
  std::vector<std::string>& notes_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, XacroValue> anchors_;
  std::size_t num_nodes_ = 0;
};

}  // namespace

XacroValue read_xacro_yaml(const std::filesystem::path& file, const std::string& text,
                           const std::function<XacroValue(const std::string&)>& evaluate,
                           std::vector<std::string>& notes) {
  Events events(file, evaluate, notes);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(events)) return {};
    Events next(file, evaluate, notes);
    if (parser.HandleNextDocument(next) && !next.is_empty)
      fail(file.string(), "holds more than one YAML document");
  } catch (const YAML::Exception& exception) {
    fail(place(file, exception.mark.line + 1), fmt::format("not valid YAML: {}", exception.msg));
  }
  if (auto* list = std::get_if<XacroValue::List>(&events.result.value)) list->dotted = true;
  if (auto* dict = std::get_if<XacroValue::Dict>(&events.result.value)) dict->dotted = true;
  return events.result;
}

}  // namespace proven::io
