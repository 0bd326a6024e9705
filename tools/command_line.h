// The command line of this program, for commands that write scripts with it.
#pragma once

#include <string>
#include <vector>

namespace proven::tools {

// The words behind the command's name; main fills it.
std::vector<std::string>& command_words();

}  // namespace proven::tools
