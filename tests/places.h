// Where the sources and the build are. Only places.cpp knows, so that tests compile the same in
// every checkout, for a compiler cache.
#pragma once

#include <string>

namespace proven::test {

std::string source_dir();
std::string build_dir();
std::string program();  // `proven`

}  // namespace proven::test
