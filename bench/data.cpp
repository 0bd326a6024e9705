#include "bench/data.h"

#include <cstdlib>

namespace proven::bench {

std::filesystem::path data_dir() {
  if (const char* dir = std::getenv("PROVEN_DATA")) return dir;
  return std::filesystem::path(PROVEN_SOURCE_DIR).parent_path() / "shared" / "data";
}

}  // namespace proven::bench
