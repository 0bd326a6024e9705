// Where the real robots and problem sets are. They are not part of the repository.
#pragma once

#include <filesystem>

namespace proven::bench {

// PROVEN_DATA, or ../shared/data beside the repository. May not exist.
std::filesystem::path data_dir();

// The sources of this program; may not exist where it was installed.
std::filesystem::path source_dir();

}  // namespace proven::bench
