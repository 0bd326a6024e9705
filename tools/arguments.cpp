#include "tools/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "proven/base/gpu.h"
#include "proven/base/words.h"
#include "tools/claims.h"

namespace proven::tools {
namespace {

constexpr const char *kText = "TEXT", *kInteger = "N", *kReal = "X";

// Bounds that help does not print: the message of an error does.
CLI::Validator between(double lowest, double highest) {
  const auto refuse = [=](const std::string& text) -> std::string {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value)) return {};  // told by the conversion itself
    if (value < lowest) return fmt::format("{} is too small; at least {}", text, lowest);
    if (value > highest) return fmt::format("{} is too large; at most {}", text, highest);
    return {};
  };
  return CLI::Validator(refuse, "");
}

// The help of an option, with its value where it is not given.
void show(CLI::Option& option, const OptionDescription& described) {
  option.description(described.initial.empty()
                         ? described.help
                         : fmt::format("{} [{}]", described.help, described.initial));
}

// What is written by these options must not replace a file that the same command reads.
constexpr std::string_view kWritten[] = {"-o",     "--certificate", "--report",
                                         "--html", "--srdf",        "--write-srdf",
                                         "--csv",  "--record",      "--plot"};

std::string overwriting(const std::vector<CLI::Option*>& options) {
  const auto writes = [](const CLI::Option* option) {
    return option->count() > 0 && std::ranges::any_of(kWritten, [&](std::string_view name) {
             return option->check_name(std::string(name));
           });
  };
  for (const CLI::Option* output : options) {
    if (!writes(output)) continue;
    for (const CLI::Option* input : options) {
      if (!input->get_positional()) continue;
      for (const std::string& file : input->results()) {
        std::error_code none;
        if (std::filesystem::equivalent(output->results().front(), file, none) &&
            std::filesystem::is_regular_file(file, none))
          return fmt::format("{} would replace {}, which is read; name another file",
                             output->get_name(), file);
      }
    }
  }
  return {};
}

// Of options that take NAME=VALUE; without a name they are refused where they are read.
std::string named_twice(const std::vector<CLI::Option*>& options) {
  for (const CLI::Option* option : options) {
    std::set<std::string> names;
    for (const std::string& given : option->results()) {
      const std::string name = given.substr(0, given.find('='));
      if (!names.insert(name).second)
        return fmt::format("{} gives '{}' twice; say which counts", option->get_name(), name);
    }
  }
  return {};
}

}  // namespace

BatchDevice chosen_device(const std::string& word, const CommonOptions& common) {
  const BatchDevice device = parse_word<BatchDevice>(word).value_or(BatchDevice::threads);
  if (device == BatchDevice::threads || common.quiet) return device;
  if (const auto found = find_gpu(); !found.ok())
    fmt::print(stderr, "proven: --device {}: {}; threads do the work\n", word,
               found.error().text());
  return device;
}

OptionDescription& Arguments::describe(CLI::Option& option, const std::string& value,
                                       const std::string& initial) {
  OptionDescription& described = described_.emplace_back();
  options_.push_back(&option);
  if (!option.get_positional()) {
    for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  } else {
    described.names = {option.get_name()};
  }
  described.help = option.get_description();
  described.value = value;
  if (!value.empty()) option.type_name(value);
  if (initial != "0") described.initial = initial;
  show(option, described);
  return described;
}

void Arguments::add(const std::string& name, std::string& value, const std::string& help) {
  describe(*app_.add_option(name, value, help), kText, value);
}

void Arguments::add(const std::string& name, std::vector<std::string>& values,
                    const std::string& help) {
  describe(*app_.add_option(name, values, help), kText, "").many = true;
}

void Arguments::add_repeatable(const std::string& name, std::vector<std::string>& values,
                               const std::string& help) {
  add(name, values, help + " (repeatable)");
  options_.back()->allow_extra_args(false);
}

void Arguments::add_named(const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
  add_repeatable(name, values, help);
  named_.push_back(options_.back());
}

void Arguments::add(const std::string& name, int& value, const std::string& help, int lowest) {
  auto& option = *app_.add_option(name, value, help);
  option.check(between(lowest, std::numeric_limits<int>::max()));
  describe(option, kInteger, std::to_string(value));
}

void Arguments::add(const std::string& name, std::int64_t& value, const std::string& help,
                    std::int64_t lowest) {
  auto& option = *app_.add_option(name, value, help);
  option.check(between(static_cast<double>(lowest), std::numeric_limits<double>::max()));
  const bool bounded = value != std::numeric_limits<std::int64_t>::max();
  describe(option, kInteger, bounded ? std::to_string(value) : "");
}

void Arguments::add(const std::string& name, std::uint64_t& value, const std::string& help) {
  describe(*app_.add_option(name, value, help), kInteger, std::to_string(value));
}

void Arguments::add(const std::string& name, double& value, const std::string& help, double lowest,
                    double highest) {
  auto& option = *app_.add_option(name, value, help);
  option.check(between(lowest, highest));
  describe(option, kReal, std::isfinite(value) ? fmt::format("{}", value) : "");
}

void Arguments::add_clearance(Clearances& value) {
  const auto take = [&value](const std::string& text) {
    const auto parsed = parse_clearances(text);
    if (!parsed.ok()) throw CLI::ValidationError("--clearance", parsed.error().message);
    value = parsed.value();
  };
  describe(*app_.add_option_function<std::string>(
               "--clearance", take,
               "Required distance in metres, of the world and other robots; of a robot's own links "
               "and what it holds as self=X, attached=X"),
           "X[,CLASS=X]", "");
}

void Arguments::add_tracking_error(TrackingError& value) {
  const auto take = [&value](const std::string& text) {
    auto parsed = parse_tracking_error(text);
    if (!parsed.ok()) throw CLI::ValidationError("--tracking-error", parsed.error().message);
    value = std::move(parsed).value();
  };
  describe(*app_.add_option_function<std::string>(
               "--tracking-error", take,
               "Prove every motion whose joints stay within this of it (radians, metres)"),
           "X[,JOINT=X]", "");
}

void Arguments::add_required(const std::string& name, std::string& value, const std::string& help) {
  auto& option = *app_.add_option(name, value, help)->required();
  describe(option, kText, "").required = true;
}

void Arguments::add_choice(const std::string& name, std::string& value,
                           const std::vector<std::string>& choices, const std::string& help) {
  auto& option = *app_.add_option(name, value, help);
  option.check(CLI::IsMember(choices).description(""));
  describe(option, fmt::format("{}", fmt::join(choices, "|")), value).choices = choices;
}

void Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  describe(*app_.add_flag(name, value, help), "", "");
}

void Arguments::honour(Common option, std::vector<std::string> actions) {
  switch (option) {
    case Common::json:
      add_flag("--json", common_.json, "Print one JSON object on stdout");
      break;
    case Common::quiet:
      add_flag("--quiet", common_.quiet, "No progress and no remarks: only errors on stderr");
      break;
    case Common::threads:
      add("--threads", common_.threads, "Threads to use; 0: all cores", 0);
      break;
    case Common::seed:
      add("--seed", common_.seed, "Seed of all random choices");
      break;
    case Common::budget:
      add("--budget", common_.budget_seconds,
          "Stop after this many seconds, those to read files and to prepare them included", 1e-9);
      break;
    case Common::no_cache:
      add_flag("--no-cache", common_.no_cache,
               "Neither use nor keep prepared geometry of earlier runs");
      break;
  }
  if (!actions.empty()) only_for(std::move(actions));
}

void Arguments::only_for(std::vector<std::string> actions) {
  OptionDescription& described = described_.back();
  described.actions = std::move(actions);
  std::string help = described.help;
  const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(help[i]); };
  if (std::islower(letter(1))) help[0] = static_cast<char>(std::tolower(letter(0)));
  described.help = fmt::format("{}: {}", fmt::join(described.actions, ", "), help);
  show(*options_.back(), described);
}

std::string Arguments::refusal() const {
  if (std::string why = overwriting(options_); !why.empty()) return why;
  if (std::string why = named_twice(named_); !why.empty()) return why;
  if (!action_) return {};
  const std::string action = action_();
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const OptionDescription& option = described_[i];
    if (options_[i]->count() == 0 || option.actions.empty() ||
        std::ranges::find(option.actions, action) != option.actions.end())
      continue;
    return fmt::format("{} is for {}, not for {}", option.names.back(),
                       fmt::join(option.actions, " and "), action);
  }
  return {};
}

void Arguments::suggest(std::vector<std::string> values) {
  described_.back().suggestions = std::move(values);
}

}  // namespace proven::tools
