#include "places.h"

namespace proven::test {

std::string source_dir() {
  return PROVEN_SOURCE_DIR;
}

std::string build_dir() {
  return PROVEN_BINARY_DIR;
}

std::string program() {
  return build_dir() + "/tools/proven";
}

}  // namespace proven::test
