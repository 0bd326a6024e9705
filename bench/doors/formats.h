// The formats whose files `doors` alters, and how each is read.
#pragma once

#include <string>
#include <vector>

#include "bench/temporary_folder.h"
#include "proven/base/result.h"

namespace proven::bench {

// Reads the file of that name in the folder, as the format says, and returns the digest of it.
using Read = Result<std::string> (*)(const TemporaryFolder& folder, const std::string& name);

struct Format {
  const char* name;
  std::vector<std::string> files;
  Read read;
};

// By who reads them.
const std::vector<Format>& checker_formats();
const std::vector<Format>& verifier_formats();

// In an error of a format that two readers read: they do not agree on what the file says.
constexpr const char* kDiffers = "the two readers differ";

}  // namespace proven::bench
