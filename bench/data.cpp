#include "bench/data.h"

#include <cstdlib>

namespace proven::bench {

std::filesystem::path source_dir() {
  return PROVEN_SOURCE_DIR;
}

std::filesystem::path data_dir() {
  if (const char* dir = std::getenv("PROVEN_DATA")) return dir;
  return source_dir().parent_path() / "shared" / "data";
}

}  // namespace proven::bench
