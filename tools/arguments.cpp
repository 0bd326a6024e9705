#include "tools/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace proven::tools {

void Arguments::add(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help);
}

void Arguments::add(const std::string& name, std::vector<std::string>& values,
                    const std::string& help) {
  app_.add_option(name, values, help);
}

void Arguments::add(const std::string& name, int& value, const std::string& help, int lowest) {
  app_.add_option(name, value, help)
      ->check(CLI::Range(static_cast<double>(lowest),
                         static_cast<double>(std::numeric_limits<int>::max())));
}

void Arguments::add(const std::string& name, std::int64_t& value, const std::string& help,
                    std::int64_t lowest) {
  app_.add_option(name, value, help)
      ->check(CLI::Range(static_cast<double>(lowest), std::numeric_limits<double>::max()));
}

void Arguments::add(const std::string& name, std::uint64_t& value, const std::string& help) {
  app_.add_option(name, value, help);
}

void Arguments::add(const std::string& name, double& value, const std::string& help, double lowest,
                    double highest) {
  app_.add_option(name, value, help)->check(CLI::Range(lowest, highest));
}

void Arguments::add_required(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required();
}

void Arguments::add_choice(const std::string& name, std::string& value,
                           const std::vector<std::string>& choices, const std::string& help) {
  app_.add_option(name, value, help)->check(CLI::IsMember(choices));
}

void Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  app_.add_flag(name, value, help);
}

}  // namespace proven::tools
