// What to tell somebody who mistyped a command or an option.
#pragma once

#include <span>
#include <string>

#include "tools/catalogue.h"

namespace proven::tools {

// One line: the parser's message, or a better one, with the name that was probably meant.
std::string usage_message(const Catalogue& catalogue, std::span<char* const> arguments,
                          const std::string& message);

}  // namespace proven::tools
