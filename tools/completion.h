// Completion scripts for shells, from what the program says of itself.
#pragma once

#include <string>

#include "tools/catalogue.h"

namespace proven::tools {

std::string bash_completion(const Catalogue& catalogue);
std::string zsh_completion(const Catalogue& catalogue);
std::string fish_completion(const Catalogue& catalogue);

}  // namespace proven::tools
