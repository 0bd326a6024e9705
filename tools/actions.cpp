#include "tools/actions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace proven::tools {
namespace {

constexpr std::size_t kColumn = 28, kWidth = 100;  // where help begins, and ends

const OptionDescription* first_argument(const CommandDescription& command) {
  const auto found = std::ranges::find_if(
      command.options, [](const OptionDescription& option) { return option.positional(); });
  return found == command.options.end() ? nullptr : &*found;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Without the actions that it is for, which its help begins with.
std::string own_help(const OptionDescription& option) {
  const std::string prefix = fmt::format("{}: ", fmt::join(option.actions, ", "));
  if (option.actions.empty() || !option.help.starts_with(prefix)) return option.help;
  std::string help = option.help.substr(prefix.size());
  if (!help.empty()) help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
  return help;
}

std::string entry(const OptionDescription& option) {
  std::string line = fmt::format("  {}", fmt::join(option.names, ","));
  if (!option.value.empty() && !option.positional()) line += " " + option.value;
  line += line.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ')
                                    : std::string(kColumn - line.size(), ' ');
  std::istringstream words(
      option.initial.empty() ? option.help : fmt::format("{} [{}]", option.help, option.initial));
  std::size_t column = kColumn;
  for (std::string word; words >> word; column += word.size() + 1) {
    if (column > kColumn && column + word.size() > kWidth) {
      line += "\n" + std::string(kColumn, ' ');
      column = kColumn;
    }
    line += (column > kColumn ? " " : "") + word;
  }
  return line + "\n";
}

std::string help_of(const CommandDescription& action, const std::string& summary) {
  std::string usage = "proven " + action.name + " [OPTIONS]", arguments, options;
  for (const OptionDescription& option : action.options) {
    (option.positional() ? arguments : options) += entry(option);
    if (!option.positional()) continue;
    const std::string name = option.names[0] + (option.many ? "..." : "");
    usage += option.required ? " " + name : " [" + name + "]";
  }
  return fmt::format("{}\nUsage: {}\n{}{}\nOptions:\n{}{}{}", summary, usage,
                     arguments.empty() ? "" : "\nPositionals:\n", arguments, options,
                     action.examples.empty() ? "" : "\nExamples:\n", action.examples);
}

}  // namespace

std::vector<std::string> actions_of(const CommandDescription& command) {
  const OptionDescription* first = first_argument(command);
  if (!first) return {};
  const auto& words = first->choices.empty() ? first->suggestions : first->choices;
  const bool any = std::ranges::any_of(command.options, [&](const OptionDescription& option) {
    return std::ranges::any_of(option.actions,
                               [&](const std::string& action) { return holds(words, action); });
  });
  return any ? words : std::vector<std::string>{};
}

CommandDescription of_action(const CommandDescription& command, const std::string& action) {
  CommandDescription own{command.name + " " + action, command.summary, ""};
  const OptionDescription* first = first_argument(command);
  for (const OptionDescription& option : command.options) {
    if (!option.actions.empty() && !holds(option.actions, action)) continue;
    if (&option == first && !first->many) continue;  // the action itself
    own.options.push_back(option);
    own.options.back().help = own_help(option);
  }
  std::istringstream examples(command.examples);
  for (std::string line; std::getline(examples, line);)
    if ((line + " ").starts_with(fmt::format("  proven {} ", own.name)))
      own.examples += line + "\n";
  return own;
}

std::string action_help(const Catalogue& catalogue, std::span<char* const> words) {
  if (words.size() < 4) return {};
  const bool asked = std::ranges::any_of(
      words.subspan(3), [](std::string_view word) { return word == "--help" || word == "-h"; });
  if (!asked) return {};
  for (const CommandDescription& command : catalogue.commands)
    if (command.name == words[1] && holds(actions_of(command), words[2]))
      return help_of(of_action(command, words[2]), command.summary);
  return {};
}

}  // namespace proven::tools
