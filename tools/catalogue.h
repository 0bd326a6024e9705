// What the program's commands and their options are, as data: completion scripts and manual pages
// are written from it.
#pragma once

#include <string>
#include <vector>

namespace proven::tools {

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--output"; one without dashes is positional
  std::string help;
  std::string value;    // what it takes: "TEXT", "N", "X" or its choices; empty for a flag
  std::string initial;  // its value where it is not given; empty if that is nothing, or 0
  std::vector<std::string> choices;      // the only values; empty: any
  std::vector<std::string> suggestions;  // values worth offering, besides the names of files
  std::vector<std::string> actions;      // of the command that honour it; empty: all
  bool required = false, many = false;

  bool positional() const { return names[0][0] != '-'; }
  bool number() const { return value == "N" || value == "X"; }
};

struct CommandDescription {
  std::string name, summary, examples;
  std::vector<OptionDescription> options = {};
};

struct Catalogue {
  std::string version;
  std::vector<CommandDescription> commands;
};

}  // namespace proven::tools
