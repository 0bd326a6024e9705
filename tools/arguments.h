// Options and positional arguments of a command. A thin face of CLI11, so that its headers are
// compiled once and not in every command.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/batch.h"
#include "proven/scene/scene_source.h"
#include "tools/catalogue.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace proven::tools {

// Options that mean the same in every command that has them. --json and --quiet are in all.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
  double budget_seconds = std::numeric_limits<double>::infinity();
  // When these seconds began: with the program, or with one of many items that have as many each.
  Budget::Clock::time_point begun = Budget::Clock::now();
  bool no_cache = false;

  // What is left of them.
  Budget budget(const std::atomic<bool>* cancel = nullptr) const {
    const std::chrono::duration<double> gone = Budget::Clock::now() - begun;
    return Budget::of_seconds(budget_seconds - gone.count(), cancel);
  }
};

// What --device names. Where automatic finds no GPU it says why, and that threads do the work.
BatchDevice chosen_device(const std::string& word, const CommonOptions& common);

enum class Common { json, quiet, threads, seed, budget, no_cache };

class Arguments {
 public:
  // `described` receives what is added.
  Arguments(CLI::App& app, std::vector<OptionDescription>& described, CommonOptions& common)
      : app_(app), described_(described), common_(common) {}

  // Names: "path" is positional, "--step" an option, "-o,--output" an option with a short form.
  void add(const std::string& name, std::string& value, const std::string& help);
  void add(const std::string& name, std::vector<std::string>& values, const std::string& help);
  // The same, but one value each time it is given: what stands behind is another argument.
  void add_repeatable(const std::string& name, std::vector<std::string>& values,
                      const std::string& help);
  // The same of NAME=VALUE: a name that is given twice is an error of usage.
  void add_named(const std::string& name, std::vector<std::string>& values,
                 const std::string& help);
  void add(const std::string& name, int& value, const std::string& help,
           int lowest = std::numeric_limits<int>::min());
  void add(const std::string& name, std::int64_t& value, const std::string& help,
           std::int64_t lowest = std::numeric_limits<std::int64_t>::min());
  void add(const std::string& name, std::uint64_t& value, const std::string& help);
  void add(const std::string& name, double& value, const std::string& help,
           double lowest = -std::numeric_limits<double>::infinity(),
           double highest = std::numeric_limits<double>::infinity());
  // --clearance and --tracking-error, which mean the same everywhere.
  void add_clearance(Clearances& value);
  void add_tracking_error(TrackingError& value);
  void add_required(const std::string& name, std::string& value, const std::string& help);
  void add_choice(const std::string& name, std::string& value,
                  const std::vector<std::string>& choices, const std::string& help);
  void add_flag(const std::string& name, bool& value, const std::string& help);
  // A common option that the command, or some of its actions, honours.
  void honour(Common option, std::vector<std::string> actions = {});
  // Values that a shell offers, besides files, for what was added last.
  void suggest(std::vector<std::string> values);
  // What was added last is for these actions of the command alone.
  void only_for(std::vector<std::string> actions);
  // How a command that does several things tells which of them it was asked for.
  void set_action(std::function<std::string()> action) { action_ = std::move(action); }
  // After parsing: what is wrong with an option that the chosen action does not honour; else empty.
  std::string refusal() const;

 private:
  // `value`: what it takes; `initial`: what it is where it is not given.
  OptionDescription& describe(CLI::Option& option, const std::string& value,
                              const std::string& initial);

  CLI::App& app_;
  std::vector<OptionDescription>& described_;
  CommonOptions& common_;
  std::vector<CLI::Option*> options_;  // as in described_
  std::vector<CLI::Option*> named_;    // those that take NAME=VALUE
  std::function<std::string()> action_;
};

}  // namespace proven::tools
