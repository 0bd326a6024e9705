// Manual pages, from what the program says of itself.
#pragma once

#include <string>

#include "tools/catalogue.h"

namespace proven::tools {

// proven(1): the program as a whole.
std::string manual_page(const Catalogue& catalogue);
// proven-NAME(1): one command.
std::string manual_page(const Catalogue& catalogue, const CommandDescription& command);

}  // namespace proven::tools
