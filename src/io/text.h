// Whole files as text, and words for messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proven::io {

// Larger files are refused before they are read: no model, path or mesh of a robot needs them, and
// what stands behind the limits is memory, about 50 bytes per byte of text.
inline constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20;
inline constexpr std::uintmax_t kMaxXmlBytes = std::uintmax_t{64} << 20;

// The bytes of a regular file of at most max_bytes; fails otherwise.
std::string read_bytes(const std::filesystem::path& file, std::uintmax_t max_bytes = kMaxFileBytes);
// The same, without a byte order mark; fails unless it is UTF-8 without null bytes.
std::string read_text(const std::filesystem::path& file, std::uintmax_t max_bytes = kMaxFileBytes);
// Fails unless everything was written.
void write_bytes(const std::filesystem::path& file, std::string_view bytes);

// The file's ending in lower case, e.g. ".json".
std::string extension(const std::filesystem::path& file);
// "file:line"
std::string place(const std::filesystem::path& file, long line);

// The text on one line: control characters are escaped, long texts are cut.
std::string printable(std::string_view text);
// The same in quotes.
std::string quote(std::string_view text);
// ", did you mean 'x'?" for the candidate nearest to `name`, or nothing if none is near.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

std::string_view trimmed(std::string_view text);
// Pieces between blanks.
std::vector<std::string_view> words(std::string_view text);

// Lines of a text without their ends ("\n" or "\r\n"), counted from 1.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line);
  long number() const { return number_; }

 private:
  std::string_view rest_;
  long number_ = 0;
};

}  // namespace proven::io
