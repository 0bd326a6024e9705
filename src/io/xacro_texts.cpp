#include "io/xacro_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/text.h"
#include "io/xacro_yaml.h"

namespace proven::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 100;                           // of properties that need each other
constexpr std::size_t kMaxText = std::size_t{16} << 20;  // texts that double each other end here

std::vector<std::string> split_at_blanks(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// What $(eval ...) takes an argument for: a number if it can be, a truth value, or a text.
XacroValue typed(const std::string& text) {
  if (text.find('.') != std::string::npos) {
    if (const auto number = number_of(text)) return {*number};
  } else if (const auto whole = whole_of(text)) {
    return {*whole};
  }
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "true" || lower == "false") return {lower == "true"};
  return {text};
}

// xacro.tokenize(text, sep=',; ', skip_empty=True)
XacroValue tokens_of(const XacroCall& call) {
  std::string separators = ",; ";
  bool skip_empty = true;
  std::vector<XacroValue> by_place = call.arguments;
  for (const auto& [name, value] : call.named) {
    if (name == "sep")
      separators = value.text();
    else if (name == "skip_empty")
      skip_empty = value.truth();
    else
      fail("", fmt::format("'{}=' in tokenize() is not read", name));
  }
  if (by_place.empty() || by_place.size() > 3 || !by_place[0].is_text())
    fail("", "tokenize() takes a text");
  if (by_place.size() > 1) separators = by_place[1].text();
  if (by_place.size() > 2) skip_empty = by_place[2].truth();
  if (separators.find_first_of("\\]^-[") != std::string::npos)
    fail("", "separators of tokenize() with \\ ] [ ^ - are not read");
  XacroValue::Items tokens;
  const std::string& text = by_place[0].text();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at || !skip_empty) tokens.push_back({text.substr(at, end - at)});
    at = end + 1;
  }
  return list_of(std::move(tokens));
}

const std::string& text_argument(const XacroCall& call) {
  if (call.arguments.size() != 1 || !call.named.empty() || !call.arguments[0].is_text())
    fail("", fmt::format("{}() takes one text", call.function));
  return call.arguments[0].text();
}

}  // namespace

XacroTexts::XacroTexts(const fs::path& file, const XacroOptions& options)
    : options_(options), files_{file}, arguments_(options.arguments) {
  search_.packages = options.packages;
}

fs::path XacroTexts::resolve(const std::string& name) const {
  return file().parent_path() / name;
}

void XacroTexts::declare_argument(const std::string& name) {
  known_arguments_.insert(name);
}

void XacroTexts::set_default(const std::string& name, const std::string& value) {
  arguments_.emplace(name, value);
}

void XacroTexts::require_used_arguments() const {
  const std::vector<std::string> known(known_arguments_.begin(), known_arguments_.end());
  for (const auto& [name, value] : options_.arguments)
    if (!known_arguments_.contains(name))
      fail(files_.front().string(), fmt::format("it has no argument {}{}; leave it out",
                                                quote(name), suggestion(name, known)));
}

XacroValue XacroTexts::evaluate(const std::string& text, XacroScope& scope) {
  if (text.find('$') == std::string::npos) return {text};
  using Kind = XacroSegment::Kind;
  const std::vector<XacroSegment> segments = split_xacro_text(text);
  if (++depth_ > kMaxDepth) fail("", "properties need each other more than 100 deep");
  std::string result;
  for (const XacroSegment& segment : segments) {
    switch (segment.kind) {
      case Kind::text:
        result += segment.text;
        break;
      case Kind::expression: {
        XacroValue value = expression(segment.text, scope);
        if (segments.size() == 1) {
          --depth_;
          return value;
        }
        result += to_text(value);
        break;
      }
      case Kind::substitution:
        result += substitution(segment.text, scope);
        break;
    }
    if (result.size() > kMaxText) fail("", "a text of more than 16 MiB", ErrorCode::exhausted);
  }
  --depth_;
  return {std::move(result)};
}

// $(...) in an expression is replaced before it is evaluated. Whoever wrote Python that is not read
// has a program that reads it.
XacroValue XacroTexts::expression(const std::string& text, XacroScope& scope) {
  const std::string source = to_text(evaluate(text, scope));
  try {
    return evaluate_xacro(source, names_of(scope));
  } catch (const Failure& failure) {
    const std::string& why = failure.error().message;
    if (why.find("> robot.urdf") != std::string::npos) throw;
    if (!failure.error().context.empty()) throw;
    io::fail("",
             fmt::format("{}, in '${{{}}}'; if it is right for xacro, run: xacro {} > robot.urdf",
                         why, printable(source), files_.front().filename().string()),
             failure.error().code);
  }
}

XacroNames XacroTexts::names_of(XacroScope& scope) {
  const auto evaluate_in = [this](const std::string& text, XacroScope& where) {
    return evaluate(text, where);
  };
  return {[&scope, evaluate_in](const std::string& name) { return scope.find(name, evaluate_in); },
          [evaluate_in](const void* space, const std::string& name) {
            // Spaces are scopes of ours, and live as long as what holds their names.
            auto* inner = static_cast<XacroScope*>(const_cast<void*>(space));
            if (auto value = inner->find(name, evaluate_in)) return std::move(*value);
            std::vector<std::string> known;
            inner->collect_names(known);
            fail("", fmt::format("there is no property {} in the namespace{}", quote(name),
                                 suggestion(name, known)));
          },
          [this, &scope](const XacroCall& made) { return call(made, scope); },
          [&scope] {
            std::vector<std::string> known;
            scope.collect_names(known);
            return known;
          }};
}

std::optional<XacroValue> XacroTexts::call(const XacroCall& call, XacroScope&) {
  const std::string& name = call.function;
  const bool bare = name == "load_yaml" || name == "abs_filename" || name == "dotify";
  if (!bare && !name.starts_with("xacro.")) return std::nullopt;
  const std::string own = bare ? name : name.substr(6);
  if (own == "load_yaml") return load_yaml(call);
  if (own == "abs_filename") return XacroValue{resolve(text_argument(call)).string()};
  if (own == "tokenize") return tokens_of(call);
  if (own == "arg") return XacroValue{argument(text_argument(call))};
  if (own == "print_location") return XacroValue{std::string()};
  if (own == "dotify") {
    if (call.arguments.size() != 1 || !call.arguments[0].get<XacroValue::Dict>())
      fail("", "dotify() takes a dictionary");
    XacroValue value = call.arguments[0];
    std::get<XacroValue::Dict>(value.value).dotted = true;
    return value;
  }
  std::string message;
  for (const XacroValue& part : call.arguments)
    message += (message.empty() ? "" : " ") + to_text(part);
  if (own == "fatal") fail("", message);
  notes.push_back(fmt::format("{}: {}: {}", file().filename().string(), own, printable(message)));
  return XacroValue{std::string()};
}

XacroValue XacroTexts::load_yaml(const XacroCall& call) {
  const fs::path path = resolve(text_argument(call));
  if (const auto known = yaml_.find(path); known != yaml_.end()) return known->second;
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    fail("", fmt::format("{} is not found", quote(path.string())), ErrorCode::not_found);
  XacroScope none;
  const XacroValue value = read_xacro_yaml(
      path, read_text(path),
      [&](const std::string& text) { return evaluate_xacro(text, names_of(none)); }, notes);
  return yaml_.emplace(path, value).first->second;
}

std::string XacroTexts::argument(const std::string& name) {
  known_arguments_.insert(name);
  const auto found = arguments_.find(name);
  if (found != arguments_.end()) return found->second;
  fail("", fmt::format("argument '{}' has no value; give one with --arg {}=VALUE", printable(name),
                       printable(name)));
}

std::string XacroTexts::find(const std::string& package) {
  if (options_.packages.contains(package)) used_packages.insert(package);
  return fs::absolute(find_package(package, file(), search_)).lexically_normal().string();
}

std::string XacroTexts::substitution(const std::string& text, XacroScope& scope) {
  const std::string inside = to_text(evaluate(text, scope));
  if (inside.starts_with("eval ")) return substitution_of_eval(inside.substr(5), scope);
  const std::vector<std::string> parts = split_at_blanks(inside);
  const std::string word = parts.empty() ? "" : parts[0];
  const auto environment = [](const std::string& name) { return std::getenv(name.c_str()); };
  std::string result;
  if (inside == "cwd") return fs::current_path().string();
  if (parts.size() == 1 && word == "dirname") {
    result = fs::absolute(file()).lexically_normal().parent_path().string();
  } else if (parts.size() == 2 && word == "find") {
    result = find(parts[1]);
  } else if (parts.size() == 2 && word == "arg") {
    result = argument(parts[1]);
  } else if (parts.size() == 2 && word == "env") {
    const char* value = environment(parts[1]);
    if (!value)
      fail("", fmt::format("the environment has no {}; $(optenv NAME VALUE) has a default",
                           quote(parts[1])));
    result = value;
  } else if (parts.size() >= 2 && word == "optenv") {
    const char* value = environment(parts[1]);
    for (std::size_t i = 2; !value && i < parts.size(); ++i)
      result += (i > 2 ? " " : "") + parts[i];
    if (value) result = value;
  } else {
    fail("", fmt::format("$({}) is not read; there are $(arg NAME), $(find PACKAGE), $(env NAME), "
                         "$(optenv NAME VALUE), $(dirname), $(cwd) and $(eval ...)",
                         printable(inside)));
  }
  if (result.find("$(") != std::string::npos)
    fail("", fmt::format("$({}) stands for {}, which would be replaced again; write it out",
                         printable(inside), quote(result)));
  return result;
}

std::string XacroTexts::substitution_of_eval(const std::string& expression, XacroScope&) {
  XacroNames names;
  names.find = [this](const std::string& name) -> std::optional<XacroValue> {
    if (name == "true" || name == "false") return XacroValue{name == "true"};
    if (name == "arg" || name == "env" || name == "optenv" || name == "find" || name == "dirname")
      return XacroValue{XacroValue::Function{"eval." + name}};
    if (is_global_xacro_name(name) || !arguments_.contains(name)) return std::nullopt;
    return typed(argument(name));
  };
  names.find_in_space = [](const void*, const std::string&) { return XacroValue{}; };
  names.call = [](const XacroCall& made) -> std::optional<XacroValue> {
    if (!made.function.starts_with("eval.")) return std::nullopt;
    fail("", "a function cannot be called in $(eval ...), which ends at the first ')'; use ${...}");
  };
  names.known = [this] {
    std::vector<std::string> known;
    for (const auto& [name, value] : arguments_) known.push_back(name);
    return known;
  };
  try {
    return to_text(evaluate_xacro(expression, names));
  } catch (const Failure& failure) {
    if (!failure.error().context.empty()) throw;
    fail("", fmt::format("{}, in '$(eval {})', which ends at the first ')'; write ${{...}} instead",
                         failure.error().message, printable(expression)));
  }
}

}  // namespace proven::io
