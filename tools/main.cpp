#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>

#include "proven/base/floating_point.h"
#include "proven/base/simd.h"
#include "tools/actions.h"
#include "tools/command.h"
#include "tools/command_line.h"
#include "tools/usage.h"
#include "tools/work.h"

namespace proven::tools {

Command audit_command();
Command bench_command();
Command check_command();
Command cloud_command();
Command completion_command(const Catalogue& catalogue);
Command demo_command();
Command distance_command();
Command doctor_command();
Command man_command(const Catalogue& catalogue);
Command move_command();
Command plan_command();
Command render_command();
Command roadmap_command();
Command scene_command();
Command convert_command();
Command serve_command();
Command smooth_command();
Command task_command();
Command time_command();
Command traffic_command();
Command verify_command();
Command view_command();

std::vector<std::string>& command_words() {
  static std::vector<std::string> words;
  return words;
}

int report(const Error& error) {
  fmt::print(stderr, "proven: {}\n", error.text());
  return kBadInput;
}

int worse(int a, int b) {
  const auto rank = [](int code) {
    return code == kBadInput ? 3 : code == kCollision ? 2 : code == kUndecided ? 1 : 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

int report_any(const Error& error) {
  report(error);
  return error.code == ErrorCode::exhausted ? kUndecided : kBadInput;
}

namespace {

std::vector<Command> commands(const Catalogue& catalogue) {
  return {demo_command(),        check_command(),    audit_command(),
          verify_command(),      view_command(),     plan_command(),
          smooth_command(),      time_command(),     move_command(),
          doctor_command(),      distance_command(), render_command(),
          scene_command(),       cloud_command(),    serve_command(),
          roadmap_command(),     traffic_command(),  convert_command(),
          task_command(),        bench_command(),    completion_command(catalogue),
          man_command(catalogue)};
}

constexpr const char* kFooter =
    "Examples:\n"
    "  proven demo                                     the whole story on a built-in scene\n"
    "  proven doctor robot.urdf                        what is in a model, and what looks wrong\n"
    "  proven check cell.json path.json                free, collision or undecided\n"
    "  proven plan cell.json query.json -o path.json   a path whose every segment is proved\n"
    "`proven COMMAND --help` explains a command and its options.\n\n"
    "Exit codes: 0 free/solved/accepted, 1 collision, 2 usage, 3 undecided, 4 bad input,\n"
    "5 certificate rejected, 130 interrupted.";

int run(int argc, char** argv) {
  CLI::App app{"Proven: proves robot motion free of collision, or shows the collision.", "proven"};
  app.set_version_flag("--version", PROVEN_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  CommonOptions common;
  Catalogue catalogue{PROVEN_VERSION, {}};
  const std::vector<Command> all = commands(catalogue);
  catalogue.commands.reserve(all.size());  // options are described where they stand
  std::vector<std::function<int()>> actions;
  std::vector<Arguments> arguments;
  for (const Command& command : all) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    catalogue.commands.push_back({command.name, command.summary, command.examples});
    CommandDescription& described = catalogue.commands.back();
    Arguments& added = arguments.emplace_back(*sub, described.options, common);
    actions.push_back(command.set_up(added, common));
    added.honour(Common::json);
    added.honour(Common::quiet);
    std::string footer = command.examples.empty() ? "" : "Examples:\n" + command.examples;
    if (!actions_of(described).empty())
      footer +=
          fmt::format("\n`proven {} ACTION --help` shows the options of one action.", command.name);
    if (!footer.empty()) sub->footer(footer);
  }
  if (const std::string help =
          action_help(catalogue, std::span(argv, static_cast<std::size_t>(argc)));
      !help.empty()) {
    fmt::print("{}", help);
    return kOk;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // help, version
    const std::span words(argv, static_cast<std::size_t>(argc));
    fmt::print(stderr, "proven: {}\n", usage_message(catalogue, words, e.what()));
    return kUsage;
  }
  for (int i = 2; i < argc; ++i) command_words().emplace_back(argv[i]);
  if (common.no_cache) setenv("PROVEN_CACHE", "off", 1);
  if (auto environment = check_floating_point_environment(); !environment.ok())
    return report(environment.error());
  if (auto environment = simd::check_environment(); !environment.ok())
    return report(environment.error());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (!app.got_subcommand(all[i].name)) continue;
    const std::string refusal = arguments[i].refusal();
    if (refusal.empty()) return actions[i]();
    fmt::print(stderr, "proven: {} (`proven {} --help`)\n", refusal, all[i].name);
  }
  return kUsage;
}

}  // namespace
}  // namespace proven::tools

int main(int argc, char** argv) {
  proven::tools::end_on_interrupt();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return proven::tools::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return proven::tools::report({proven::ErrorCode::exhausted, "out of memory", {}});
  } catch (const std::system_error& e) {
    // Whoever reads our output has seen enough, as in `proven bench | head`.
    if (e.code() == std::errc::broken_pipe) return 128 + SIGPIPE;
    return proven::tools::report({proven::ErrorCode::unsupported, e.what(), {}});
  } catch (const std::exception& e) {
    return proven::tools::report(
        {proven::ErrorCode::unsupported, fmt::format("internal error: {}", e.what()), {}});
  }
}
