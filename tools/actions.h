// Actions of a command that does several things, as `proven roadmap build`: each has help, examples
// and completion of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/catalogue.h"

namespace proven::tools {

// Words that the first argument offers and that options are for; none for most commands.
std::vector<std::string> actions_of(const CommandDescription& command);

// What of the command is for one of them, under the name "roadmap build": the options that it
// honours, and the examples that call it.
CommandDescription of_action(const CommandDescription& command, const std::string& action);

// If the words of the program ask for the help of an action, that; else empty.
std::string action_help(const Catalogue& catalogue, std::span<char* const> words);

}  // namespace proven::tools
