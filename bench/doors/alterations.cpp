#include "bench/doors/alterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace proven::bench {
namespace {

// A piece of the text: a name that the format gives, a number, or a text that the user gives.
struct Token {
  enum class Kind { key, number, text };
  Kind kind;
  std::size_t begin, size;
  std::string key;                        // of a number or text: the name before it
  std::size_t close = std::string::npos;  // where the name of an element stands again
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/' || c == ':' ||
         c == '.' || c == '-' || c == '+';
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// JSON and YAML alike: a word or quoted text before a colon is a key.
std::vector<Token> document_tokens(const std::string& text) {
  std::vector<Token> tokens;
  std::string key;
  for (std::size_t i = 0; i < text.size();) {
    const bool quoted = text[i] == '"';
    if (!quoted && !is_word(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i + quoted;
    std::size_t end = begin;
    while (end < text.size() && (quoted ? text[end] != '"' : is_word(text[end]))) ++end;
    std::size_t next = std::min(end + quoted, text.size());
    const bool bare_key = !quoted && end > begin && text[end - 1] == ':';
    if (bare_key) --end;
    i = next;
    if (end == begin || text.substr(begin, end - begin) == "-") continue;
    const std::string word = text.substr(begin, end - begin);
    if (bare_key || (quoted && next < text.size() && text[next] == ':')) {
      tokens.push_back({Token::Kind::key, begin, end - begin, word});
      key = word;
    } else {
      const bool is_number = !quoted && number(word);
      tokens.push_back(
          {is_number ? Token::Kind::number : Token::Kind::text, begin, end - begin, key});
    }
  }
  return tokens;
}

// Where the element that opens at `begin` is closed by name, if it is.
std::size_t closing_name(const std::string& text, std::size_t begin, const std::string& name) {
  const std::size_t end = text.find('>', begin);
  if (end == std::string::npos || text[end - 1] == '/') return std::string::npos;
  const std::size_t close = text.find("</" + name + ">", end);
  return close == std::string::npos ? close : close + 2;
}

// Names of elements (where they open) and attributes, and the words of attributes' values.
std::vector<Token> xml_tokens(const std::string& text) {
  std::vector<Token> tokens;
  bool in_tag = false;
  std::string key;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') in_tag = text[i + 1] != '/' && text[i + 1] != '?' && text[i + 1] != '!';
    if (text[i] == '>') in_tag = false;
    if (!in_tag) continue;
    if (text[i] == '"') {
      const std::size_t close = text.find('"', i + 1);
      for (std::size_t at = i + 1; at < close;) {
        const std::size_t end = std::min(text.find(' ', at), close);
        const bool is_number = number(text.substr(at, end - at)).has_value();
        tokens.push_back({is_number ? Token::Kind::number : Token::Kind::text, at, end - at, key});
        at = end + 1;
      }
      i = close;
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      const std::size_t begin = i;
      while (is_word(text[i + 1]) && text[i + 1] != '/') ++i;
      key = text.substr(begin, i + 1 - begin);
      const bool element = begin > 0 && text[begin - 1] == '<';
      tokens.push_back({Token::Kind::key, begin, i + 1 - begin, key,
                        element ? closing_name(text, begin, key) : std::string::npos});
    }
  }
  return tokens;
}

// A line of names, then numbers; or numbers alone.
std::vector<Token> table_tokens(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    const bool is_number = number(text.substr(begin, i - begin)).has_value();
    tokens.push_back({is_number ? Token::Kind::number : Token::Kind::key, begin, i - begin, ""});
  }
  return tokens;
}

// Slips of the finger.
std::vector<std::string> misspelt(const std::string& word) {
  std::vector<std::string> result = {word + word.back(), word + "s", "x" + word};
  if (word.size() > 1) result.push_back(word.substr(0, word.size() - 1));
  if (word.size() > 1 && word[0] != word[1]) {
    std::string swapped = word;
    std::swap(swapped[0], swapped[1]);
    result.push_back(swapped);
  }
  std::string capital = word;
  capital[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capital[0])));
  if (capital != word) result.push_back(capital);
  return result;
}

// A bound is honoured where it is met: a longest step that no step exceeds may be larger.
std::vector<std::string> altered_number(const std::string& word, const std::string& key) {
  if (key == "max_step") return {"0.25", "-1", "abc"};
  const double value = number(word).value_or(0);
  std::vector<std::string> result = {fmt::format("{}", value + 0.125 * (1 + std::fabs(value))),
                                     fmt::format("{}", -value - 0.37), "abc"};
  if (value == std::floor(value)) result.push_back(fmt::format("{}", value + 1));
  return result;
}

std::vector<std::string> altered_text(const std::string& word) {
  if (word == "true") return {"false", "7"};
  if (word == "false") return {"true", "7"};
  std::vector<std::string> result = {word + "x", word.substr(1)};
  std::erase(result, "");
  return result;
}

std::vector<Token> tokens_of(const std::string& file, const std::string& text) {
  if (file.ends_with(".urdf") || file.ends_with(".srdf")) return xml_tokens(text);
  if (file.ends_with(".csv") || file.ends_with(".txt")) return table_tokens(text);
  return document_tokens(text);
}

}  // namespace

std::vector<Alteration> alterations(const std::string& file, const std::string& text) {
  std::vector<Alteration> result;
  for (const Token& token : tokens_of(file, text)) {
    const std::string word = text.substr(token.begin, token.size);
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(token.begin), '\n');
    const std::vector<std::string> words = token.kind == Token::Kind::key ? misspelt(word)
                                           : token.kind == Token::Kind::number
                                               ? altered_number(word, token.key)
                                               : altered_text(word);
    for (const std::string& other : words) {
      std::string altered = text;
      if (token.close != std::string::npos) altered.replace(token.close, token.size, other);
      altered.replace(token.begin, token.size, other);
      result.push_back(
          {std::move(altered),
           fmt::format("{}:{}: {}'{}' -> '{}'", file, line,
                       token.kind == Token::Kind::key || token.key.empty() ? "" : token.key + ": ",
                       word, other)});
    }
  }
  return result;
}

}  // namespace proven::bench
