// The rows of an audit as a table, for those who do not read JSON (docs/audit.md).
#pragma once

#include <filesystem>

#include "proven/base/result.h"

namespace proven::audit {

// Reads the rows once, whatever their number, and replaces the file at the end, as a whole.
Result<void> write_table(const std::filesystem::path& results, const std::filesystem::path& file);

}  // namespace proven::audit
