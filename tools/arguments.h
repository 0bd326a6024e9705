// Options and positional arguments of a command. A thin face of CLI11, so that its headers are
// compiled once and not in every command.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tools/catalogue.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace proven::tools {

class Arguments {
 public:
  // `described` receives what is added.
  Arguments(CLI::App& app, std::vector<OptionDescription>& described)
      : app_(app), described_(described) {}

  // Names: "path" is positional, "--step" an option, "-o,--output" an option with a short form.
  void add(const std::string& name, std::string& value, const std::string& help);
  void add(const std::string& name, std::vector<std::string>& values, const std::string& help);
  void add(const std::string& name, int& value, const std::string& help,
           int lowest = std::numeric_limits<int>::min());
  void add(const std::string& name, std::int64_t& value, const std::string& help,
           std::int64_t lowest = std::numeric_limits<std::int64_t>::min());
  void add(const std::string& name, std::uint64_t& value, const std::string& help);
  void add(const std::string& name, double& value, const std::string& help,
           double lowest = -std::numeric_limits<double>::infinity(),
           double highest = std::numeric_limits<double>::infinity());
  void add_required(const std::string& name, std::string& value, const std::string& help);
  void add_choice(const std::string& name, std::string& value,
                  const std::vector<std::string>& choices, const std::string& help);
  void add_flag(const std::string& name, bool& value, const std::string& help);
  // Values that a shell offers, besides files, for what was added last.
  void suggest(std::vector<std::string> values);

 private:
  // `value`: what it takes; `initial`: what it is where it is not given.
  OptionDescription& describe(CLI::Option& option, const std::string& value,
                              const std::string& initial);

  CLI::App& app_;
  std::vector<OptionDescription>& described_;
};

}  // namespace proven::tools
