// Bytes of files that commands read and write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven::tools {

Result<std::vector<std::uint8_t>> read_bytes(const std::string& file);
Result<void> save_bytes(const std::string& file, std::span<const std::uint8_t> bytes);

}  // namespace proven::tools
