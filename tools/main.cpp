#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "proven/base/floating_point.h"
#include "tools/command.h"

namespace proven::tools {

Command bench_command();
Command check_command();
Command demo_command();
Command distance_command();
Command doctor_command();
Command plan_command();
Command render_command();
Command roadmap_command();
Command scene_command();
Command smooth_command();
Command task_command();
Command time_command();
Command traffic_command();
Command verify_command();
Command view_command();

int report(const Error& error) {
  fmt::print(stderr, "proven: {}\n", error.text());
  return kBadInput;
}

namespace {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      demo_command(),   check_command(),   verify_command(),  view_command(),     plan_command(),
      smooth_command(), time_command(),    doctor_command(),  distance_command(), render_command(),
      scene_command(),  traffic_command(), roadmap_command(), bench_command(),    task_command()};
  return all;
}

void add_common_options(Arguments& arguments, CommonOptions& common) {
  arguments.add_flag("--json", common.json, "Print one JSON object on stdout");
  arguments.add_flag("--quiet", common.quiet, "No progress, no remarks");
  arguments.add("--threads", common.threads, "Threads to use; 0: all cores", 0);
  arguments.add("--seed", common.seed, "Seed of all random choices");
  arguments.add("--budget", common.budget_seconds, "Stop after this many seconds; 0: never", 0.0);
}

int run(int argc, char** argv) {
  CLI::App app{"Proven: proves robot motion free of collision, or shows the collision.", "proven"};
  app.set_version_flag("--version", PROVEN_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 free/solved/accepted, 1 collision, 2 usage, 3 undecided, 4 bad input,\n"
      "5 certificate rejected, 130 interrupted.");
  CommonOptions common;
  std::vector<std::function<int()>> actions;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    if (!command.examples.empty()) sub->footer("Examples:\n" + command.examples);
    Arguments arguments(*sub);
    actions.push_back(command.set_up(arguments, common));
    add_common_options(arguments, common);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
  }
  if (auto environment = check_floating_point_environment(); !environment.ok())
    return report(environment.error());
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (app.got_subcommand(commands()[i].name)) return actions[i]();
  return kUsage;
}

}  // namespace
}  // namespace proven::tools

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) { std::_Exit(proven::tools::kInterrupted); });
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return proven::tools::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return proven::tools::report({proven::ErrorCode::exhausted, "out of memory", {}});
  } catch (const std::exception& e) {
    return proven::tools::report(
        {proven::ErrorCode::unsupported, fmt::format("internal error: {}", e.what()), {}});
  }
}
