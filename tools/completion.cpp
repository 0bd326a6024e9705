#include "tools/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/actions.h"

namespace proven::tools {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Within single quotes of bash and zsh.
std::string quoted(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

// What can stand for the value of an option or argument.
const std::vector<std::string>& offers(const OptionDescription& option) {
  return option.choices.empty() ? option.suggestions : option.choices;
}

std::vector<std::string> command_names(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const CommandDescription& command : catalogue.commands) names.push_back(command.name);
  return names;
}

template <class Take>
std::vector<std::string> option_names(const CommandDescription& command, Take take) {
  std::vector<std::string> names;
  for (const OptionDescription& option : command.options)
    if (!option.positional() && take(option))
      names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// One branch per command: its options, those that take a value, and the words to offer for values
// and for the n-th argument.
std::string bash_branch(const CommandDescription& command) {
  const auto all = option_names(command, [](const auto&) { return true; });
  const auto valued =
      option_names(command, [](const OptionDescription& o) { return !o.value.empty(); });
  std::string branch = fmt::format("    {})\n      options='{} --help'\n      valued=' {} '\n",
                                   command.name, fmt::join(all, " "), fmt::join(valued, " "));
  if (const auto actions = actions_of(command); !actions.empty()) {
    branch += "      case ${COMP_WORDS[2]} in\n";
    for (const std::string& action : actions) {
      const auto own = option_names(of_action(command, action), [](const auto&) { return true; });
      branch += fmt::format("        {}) options='{} --help' ;;\n", action, fmt::join(own, " "));
    }
    branch += "      esac\n";
  }
  std::string words;
  int place = 0;
  for (const OptionDescription& option : command.options) {
    const auto& values = offers(option);
    const std::string key = option.positional()
                                ? option.many ? std::string("[0-9]*") : std::to_string(++place)
                                : fmt::format("{}", fmt::join(option.names, "|"));
    if (values.empty() && !option.number()) continue;
    words += fmt::format("        {}) words='{}'", key, fmt::join(values, " "));
    words += option.choices.empty() && !option.number() ? " ;;\n" : "; files= ;;\n";
  }
  if (!words.empty()) branch += "      case $what in\n" + words + "      esac\n";
  return branch + "      ;;\n";
}

constexpr const char* kBashHead =
    R"(# bash completion for proven; written by `proven completion bash`
_proven() {
  local cur=${COMP_WORDS[COMP_CWORD]} commands='@COMMANDS@'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
    return
  fi
  local options= valued= words= files=yes what= pass
  # The first pass finds the command's options, the second what stands at the cursor: the value of
  # an option, or the n-th argument.
  for pass in 1 2; do
    case ${COMP_WORDS[1]} in
)";

constexpr const char* kBashTail = R"(    esac
    [ "$pass" = 2 ] && break
    local i=2 place=1
    while [ "$i" -lt "$COMP_CWORD" ]; do
      case $valued in
        *" ${COMP_WORDS[i]} "*) i=$((i + 1)) ;;
        *) case ${COMP_WORDS[i]} in -*) ;; *) place=$((place + 1)) ;; esac ;;
      esac
      i=$((i + 1))
    done
    what=$place
    [ "$i" -gt "$COMP_CWORD" ] && what=${COMP_WORDS[COMP_CWORD - 1]}
  done
  case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *)
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
      if [ -n "$files" ]; then
        local IFS=$'\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$cur"))
      fi
      ;;
  esac
}
complete -F _proven proven
)";

// In a specification of zsh's _arguments brackets and colons have a meaning.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_values(const OptionDescription& option) {
  const std::string label = option.positional() ? option.names[0] : "value";
  if (!option.choices.empty())
    return fmt::format(":{}:({})", label, fmt::join(option.choices, " "));
  if (option.number()) return ":number: ";
  if (option.suggestions.empty()) return fmt::format(":{}:_files", label);
  return fmt::format(":{0}:{{_alternative \"names:name:({1})\" \"files:file:_files\"}}", label,
                     fmt::join(option.suggestions, " "));
}

std::vector<std::string> zsh_specifications(const CommandDescription& command) {
  std::vector<std::string> specifications = {quoted("--help[Print this help message and exit]")};
  for (const OptionDescription& option : command.options) {
    if (option.positional()) {
      specifications.push_back(quoted((option.many ? "*" : "") + zsh_values(option)));
      continue;
    }
    const std::string help = fmt::format("[{}]{}", zsh_text(option.help),
                                         option.value.empty() ? "" : zsh_values(option));
    for (const std::string& name : option.names)
      specifications.push_back(quoted((option.many ? "*" : "") + name + help));
  }
  return specifications;
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_line(const CommandDescription& command, const OptionDescription& option) {
  const auto actions = actions_of(command);
  const bool of_actions =
      !option.actions.empty() && std::ranges::all_of(option.actions, [&](const std::string& each) {
        return std::ranges::find(actions, each) != actions.end();
      });
  std::string line = fmt::format(
      "complete -c proven -n '__fish_seen_subcommand_from {}{}'", command.name,
      of_actions
          ? fmt::format("; and __fish_seen_subcommand_from {}", fmt::join(option.actions, " "))
          : "");
  const auto& values = offers(option);
  if (option.positional()) {
    if (values.empty()) return {};  // files, as everywhere
    return fmt::format("{} -{} {}\n", line, option.choices.empty() ? "a" : "fa",
                       fish_quoted(fmt::format("{}", fmt::join(values, " "))));
  }
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) line += option.choices.empty() && !option.number() ? " -r" : " -x";
  if (!values.empty()) line += " -a " + fish_quoted(fmt::format("{}", fmt::join(values, " ")));
  return line + " -d " + fish_quoted(option.help) + "\n";
}

}  // namespace

std::string bash_completion(const Catalogue& catalogue) {
  std::string script = replaced(kBashHead, "@COMMANDS@",
                                fmt::format("{}", fmt::join(command_names(catalogue), " ")));
  for (const CommandDescription& command : catalogue.commands) script += bash_branch(command);
  return script + kBashTail;
}

std::string zsh_completion(const Catalogue& catalogue) {
  std::string script =
      "#compdef proven\n# zsh completion for proven; written by `proven completion zsh`\n"
      "_proven() {\n  local -a commands=(\n";
  for (const CommandDescription& command : catalogue.commands)
    script += fmt::format("    {}\n", quoted(zsh_text(command.name) + ":" + command.summary));
  script +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandDescription& command : catalogue.commands) {
    script += fmt::format("    {})\n", command.name);
    if (const auto actions = actions_of(command); !actions.empty()) {
      script += "      case $words[2] in\n";
      for (const std::string& action : actions) {
        auto own = zsh_specifications(of_action(command, action));
        if (command.options.front().positional() && !command.options.front().many)
          own.push_back(quoted("1: :(" + action + ")"));
        script += fmt::format("        {}) _arguments -S \\\n        {}; return ;;\n", action,
                              fmt::join(own, " \\\n        "));
      }
      script += "      esac\n";
    }
    script += fmt::format("      _arguments -S \\\n        {} ;;\n",
                          fmt::join(zsh_specifications(command), " \\\n        "));
  }
  return script + "  esac\n}\n_proven \"$@\"\n";
}

std::string fish_completion(const Catalogue& catalogue) {
  std::string script = "# fish completion for proven; written by `proven completion fish`\n";
  for (const CommandDescription& command : catalogue.commands) {
    script += fmt::format("complete -c proven -n __fish_use_subcommand -f -a {} -d {}\n",
                          command.name, fish_quoted(command.summary));
    for (const OptionDescription& option : command.options) script += fish_line(command, option);
  }
  return script;
}

}  // namespace proven::tools
