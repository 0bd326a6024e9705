// Whole files as text, and words for messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/io/file.h"

namespace proven::io {

using proven::kMaxFileBytes;
inline constexpr std::uintmax_t kMaxXmlBytes = std::uintmax_t{64} << 20;

// read_file and write_file (proven/io/file.h) that fail.
std::string read_bytes(const std::filesystem::path& file, std::uintmax_t max_bytes = kMaxFileBytes);
void write_bytes(const std::filesystem::path& file, std::string_view bytes);
// The bytes without a byte order mark; fails unless it is UTF-8 without null bytes.
std::string read_text(const std::filesystem::path& file, std::uintmax_t max_bytes = kMaxFileBytes);

// The file's ending in lower case, e.g. ".json"; standard input ("-") holds JSON.
std::string extension(const std::filesystem::path& file);
// "file:line"
std::string place(const std::filesystem::path& file, long line);

// What is wrong with a name; empty if nothing is. Control characters would go to terminals.
std::string refuse_name(std::string_view name);
// The text on one line: control characters are escaped, long texts are cut.
std::string printable(std::string_view text);
// The same in quotes.
std::string quote(std::string_view text);
// ", did you mean 'x'?" for the candidate nearest to `name`, or nothing if none is near.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

std::string_view trimmed(std::string_view text);
// The cells of a line of a table, without blanks and quotes around them.
std::vector<std::string_view> split_commas(std::string_view line);
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
