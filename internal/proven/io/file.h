// Bytes of files: the one place where the project reads and writes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "proven/base/result.h"

namespace proven {

// Larger files are refused before they are read: no model, path, mesh or proof of a robot needs
// them, and what stands behind the limit is memory, about 50 bytes per byte of text.
inline constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20;

// The bytes of a regular file of at most max_bytes. "-" is standard input, to its end.
Result<std::string> read_file(const std::filesystem::path& file,
                              std::uintmax_t max_bytes = kMaxFileBytes);

// Written beside and renamed: whatever happens, the file is the old one or the new one as a whole.
// What is no regular file (a pipe, /dev/stdout) is written in place. The folder must be there.
Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace proven
