#include "io/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/failure.h"

namespace proven::io {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Searching kBlanks for every character of a large mesh takes longer than all else.
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The length of the UTF-8 sequence at the start of `text`, or 0 if it is not one (overlong forms,
// surrogates and values beyond U+10FFFF included).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

void require_utf8(const std::filesystem::path& file, std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<signed char>(text[i]) > 0) {  // ASCII
      ++i;
      continue;
    }
    const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text.substr(i));
    if (length == 0) {
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(i), '\n');
      fail(place(file, line), "not a text file in UTF-8");
    }
    i += length;
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string read_text(const std::filesystem::path& file, std::uintmax_t max_bytes) {
  std::string text = read_bytes(file, max_bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  require_utf8(file, text);
  return text;
}

std::string extension(const std::filesystem::path& file) {
  if (file == "-") return ".json";
  std::string ending = file.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

std::string place(const std::filesystem::path& file, long line) {
  return fmt::format("{}:{}", file.string(), line);
}

namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::string refuse_name(std::string_view name) {
  if (std::none_of(name.begin(), name.end(), is_control)) return "";
  return fmt::format("the name {} holds a control character; rename it", quote(name));
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::size_t length = std::min(text.size(), kLongest);
  while (length < text.size() && (text[length] & 0xC0) == 0x80) --length;  // keep characters whole
  std::string result;
  for (const char c : text.substr(0, length)) {
    if (is_control(c))
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  if (length < text.size()) result += "...";
  return result;
}

std::string quote(std::string_view text) {
  return fmt::format("'{}'", printable(text));
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 100;  // names this long are no slips of the finger
  if (name.size() > kLongest) return "";
  const std::string* nearest = nullptr;
  std::size_t nearest_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < nearest_distance) {
      nearest = &candidate;
      nearest_distance = distance;
    }
  }
  return nearest ? fmt::format(", did you mean {}?", quote(*nearest)) : "";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split_commas(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::string_view cell = trimmed(line.substr(begin, end - begin));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    begin = end + 1;
  }
  return cells;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return result;
    const char* const first = at;
    while (at != end && !is_blank(*at)) ++at;
    result.emplace_back(first, static_cast<std::size_t>(at - first));
  }
}

bool LineReader::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line = rest_.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return true;
}

}  // namespace proven::io
