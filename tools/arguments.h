// Options and positional arguments of a command. A thin face of CLI11, so that its headers are
// compiled once and not in every command.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace proven::tools {

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

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

 private:
  CLI::App& app_;
};

}  // namespace proven::tools
