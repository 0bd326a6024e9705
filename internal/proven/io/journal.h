// A file of lines that is written in order and survives being killed at any moment: a header that
// says what it is about, then a line per result. Opening it again goes on where it ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "proven/base/result.h"

namespace proven {

class Journal {
 public:
  // Creates the file, or goes on with one of the same header; a last line without an end is cut
  // off. Fails, and changes nothing, if the file is something else or another program writes it.
  static Result<Journal> open(const std::filesystem::path& file, const std::string& header);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;

  std::int64_t lines() const { return lines_; }                // besides the header
  const std::string& last_line() const { return last_line_; }  // when it was opened; may be empty
  // Whole lines, each with its end.
  Result<void> append(std::string_view lines);
  // Until this returns, a power cut may lose lines; a kill never does.
  Result<void> sync() const;

 private:
  Journal(std::filesystem::path file, int fd) : file_(std::move(file)), fd_(fd) {}

  std::filesystem::path file_;
  int fd_ = -1;
  std::int64_t lines_ = 0;
  std::string last_line_;
};

// Calls `take` with every line of a finished journal in order, the header first; an Error of `take`
// ends it.
Result<void> read_journal(const std::filesystem::path& file,
                          const std::function<Result<void>(std::string_view line)>& take);

}  // namespace proven
