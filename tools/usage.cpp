#include "tools/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace proven::tools {
namespace {

// Letters to insert, delete or replace; two neighbours that changed places count once.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + !same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = std::exchange(last, now);
  }
  return last[b.size()];
}

// "; did you mean 'check'?", or nothing if no name is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  std::size_t nearest = 1 + word.size() / 3;
  std::string found;
  for (const std::string& name : names)
    if (const std::size_t distance = edit_distance(word, name); distance <= nearest) {
      if (distance == nearest && !found.empty()) continue;
      nearest = distance;
      found = name;
    }
  return found.empty() ? "" : fmt::format("; did you mean '{}'?", found);
}

// "; it is an option of demo, plan", or nothing if no command has it.
std::string commands_with(const Catalogue& catalogue, std::string_view name) {
  std::vector<std::string> found;
  for (const CommandDescription& command : catalogue.commands)
    for (const OptionDescription& option : command.options)
      if (std::ranges::find(option.names, name) != option.names.end())
        found.push_back(command.name);
  return found.empty() ? "" : fmt::format("; it is an option of {}", fmt::join(found, ", "));
}

}  // namespace

std::string usage_message(const Catalogue& catalogue, std::span<char* const> arguments,
                          const std::string& message) {
  if (arguments.size() < 2) return "a command is missing; `proven --help` lists them";
  const std::string_view word = arguments[1];
  std::vector<std::string> commands, options = {"--help"};
  const CommandDescription* chosen = nullptr;
  for (const CommandDescription& command : catalogue.commands) {
    commands.push_back(command.name);
    if (command.name == word) chosen = &command;
  }
  if (!chosen && word == "help")
    return "there is no command 'help'; `proven --help` lists commands, `proven COMMAND --help` "
           "explains one";
  if (!chosen && !word.starts_with('-'))
    return fmt::format("there is no command '{}'{}", word, suggestion(word, commands));
  if (!chosen) return message;
  for (const OptionDescription& option : chosen->options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  for (const std::string_view argument : arguments.subspan(2)) {
    const std::string_view name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::ranges::find(options, name) != options.end()) continue;
    const std::string elsewhere = commands_with(catalogue, name);
    return fmt::format("'{}' has no option {}{}", chosen->name, name,
                       elsewhere.empty() ? suggestion(name, options) : elsewhere);
  }
  return fmt::format("{} (`proven {} --help`)", message, chosen->name);
}

}  // namespace proven::tools
