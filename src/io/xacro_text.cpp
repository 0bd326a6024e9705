#include "io/xacro_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {

std::vector<XacroSegment> split_xacro_text(const std::string& text) {
  using Kind = XacroSegment::Kind;
  std::vector<XacroSegment> segments;
  std::string plain;
  const auto end_plain = [&] {
    if (!plain.empty()) segments.push_back({Kind::text, plain});
    plain.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      plain += text[at++];
      continue;
    }
    const std::size_t behind = std::min(text.find_first_not_of('$', at), text.size());
    const char next = behind < text.size() ? text[behind] : ' ';
    if (behind - at > 1) {
      if (next != '{' && next != '(')
        fail("", fmt::format("'$$' stands before '{{' or '(' only, in {}", quote(text)));
      plain += text.substr(at + 1, behind - at);
      at = behind + 1;
    } else if (next == '{' || next == '(') {
      const std::size_t end = text.find(next == '{' ? '}' : ')', behind);
      if (end == std::string::npos)
        fail("", fmt::format("'${}' is not closed in {}; '$$' stands for a '$' before a bracket",
                             next, quote(text.substr(at))));
      end_plain();
      segments.push_back({next == '{' ? Kind::expression : Kind::substitution,
                          text.substr(behind + 1, end - behind - 1)});
      at = end + 1;
    } else {
      plain += text[at++];
    }
  }
  end_plain();
  return segments;
}

std::string attribute_text(const char* value) {
  std::string text = value;
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return text;
}

namespace {

// The end of a part that holds no entities: a comment, CDATA, or an instruction.
std::size_t end_of_opaque(std::string_view text, std::size_t at) {
  static constexpr std::array<std::array<std::string_view, 2>, 3> kParts = {
      {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
  for (const auto& [begin, end] : kParts)
    if (text.substr(at).starts_with(begin)) {
      const std::size_t found = text.find(end, at + begin.size());
      return found == std::string_view::npos ? text.size() : found + end.size();
    }
  return at;
}

void refuse_entity(std::string_view name) {
  if (name == "lt" || name == "gt" || name == "amp" || name == "quot" || name == "apos") return;
  if (!name.starts_with('#'))
    fail("", fmt::format("the entity {} is not read; write what it stands for",
                         quote("&" + std::string(name) + ";")));
  const bool hexadecimal = name.starts_with("#x");
  const std::string digits(name.substr(hexadecimal ? 2 : 1));
  const bool valid =
      !digits.empty() && digits.size() < 8 && std::ranges::all_of(digits, [&](unsigned char c) {
        return hexadecimal ? std::isxdigit(c) != 0 : std::isdigit(c) != 0;
      });
  const long code = valid ? std::stol(digits, nullptr, hexadecimal ? 16 : 10) : 0;
  if (code < 32 || code > 0x10ffff)
    fail("", fmt::format("the reference {} is not read; write the character itself",
                         quote("&" + std::string(name) + ";")));
}

}  // namespace

void refuse_entities(const std::filesystem::path& file, std::string_view text) {
  const auto refused = [&](std::size_t at, auto&& refuse) {
    at_place(
        [&] {
          return place(file,
                       1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
        },
        refuse);
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = end_of_opaque(text, at);
    if (next != at) {
      at = next;
      continue;
    }
    if (text.substr(at).starts_with("<!"))
      refused(at, [] { fail("", "document types and entities are not read; remove them"); });
    if (text[at] == '&')
      refused(at, [&] {
        const std::size_t end = text.find(';', at);
        if (end == std::string_view::npos || end - at > 40)
          fail("", "'&' begins no reference; write '&amp;'");
        refuse_entity(text.substr(at + 1, end - at - 1));
      });
    ++at;
  }
}

namespace {

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Up to the bracket that stands before a blank or the end; 0: there is none.
std::size_t end_of_bracket(std::string_view text, char bracket) {
  for (std::size_t at = text.find(bracket); at != std::string_view::npos;
       at = text.find(bracket, at + 1))
    if (at + 1 == text.size() || is_blank(text[at + 1])) return at + 1;
  return 0;
}

// An initial value: ${...} or $(...) alone, or letters and quoted texts up to a blank.
std::size_t end_of_initial(std::string_view text) {
  if (text.starts_with("${"))
    if (const std::size_t end = end_of_bracket(text, '}')) return end;
  if (text.starts_with("$("))
    if (const std::size_t end = end_of_bracket(text, ')')) return end;
  std::size_t at = 0;
  while (at < text.size() && !is_blank(text[at])) {
    if (text[at] == '\'' || text[at] == '"') {
      const std::size_t end = text.find(text[at], at + 1);
      if (end == std::string_view::npos)
        fail("", fmt::format("a quote is not closed in params {}", quote(text)));
      at = end;
    }
    ++at;
  }
  return at;
}

}  // namespace

std::vector<XacroParameter> parse_xacro_parameters(const std::string& text) {
  std::vector<XacroParameter> list;
  std::string_view rest = text;
  const auto skip = [&] {
    while (!rest.empty() && is_blank(rest[0])) rest.remove_prefix(1);
  };
  for (skip(); !rest.empty(); skip()) {
    XacroParameter parameter;
    while (rest.starts_with('*') && ++parameter.stars) rest.remove_prefix(1);
    const auto ends = [](char c) { return is_blank(c) || c == ':' || c == '='; };
    while (!rest.empty() && !ends(rest[0])) {
      parameter.name += rest[0];
      rest.remove_prefix(1);
    }
    const std::string_view before = rest;
    skip();
    const bool assigns = rest.starts_with('=') || rest.starts_with(":=");
    if (assigns) {
      rest.remove_prefix(rest[0] == ':' ? 2 : 1);
      skip();
      if (rest.starts_with('^')) {
        parameter.inherits = true;
        rest.remove_prefix(rest.starts_with("^|") ? 2 : 1);
      }
      const std::size_t end = end_of_initial(rest);
      parameter.initial = rest.substr(0, end);
      parameter.has_initial = end > 0;
      rest.remove_prefix(end);
    } else {
      rest = before;
    }
    const bool unfinished = !rest.empty() && !is_blank(rest[0]);
    const bool odd = parameter.name.find_first_of("*'\"${}()^|,") != std::string::npos;
    if (parameter.name.empty() || odd || unfinished || parameter.stars > 2 ||
        (assigns && parameter.stars > 0))
      fail("", fmt::format("params {} are not understood at {}", quote(text),
                           quote(parameter.name + std::string(before))));
    for (const XacroParameter& other : list)
      if (other.name == parameter.name && (other.stars > 0) == (parameter.stars > 0))
        fail("", fmt::format("parameter {} is declared twice", quote(parameter.name)));
    list.push_back(std::move(parameter));
  }
  return list;
}

}  // namespace proven::io
