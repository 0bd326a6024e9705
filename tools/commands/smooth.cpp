// proven smooth: a shorter path, every piece proved.
#include "proven/plan/smooth.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/scene_argument.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char *kOne = "one path", *kMany = "*.jsonl";

struct SmoothArguments {
  PathReading reading;
  std::string path, output, certificate, method = "window", checker{to_string(kProvingChecker)};
  std::string device = "threads";
  SmoothOptions options;

  // A file with one path per line.
  bool many() const { return path.ends_with(".jsonl"); }
};

PathReport path_report(const SmoothResult& result, const SmoothArguments& arguments) {
  return {result.path, arguments.options.check, arguments.options.margin, result.margin_kept,
          result.margin_reason};
}

void print_shortened(const SmoothResult& result, const Scene& scene,
                     const SmoothArguments& arguments) {
  fmt::print("{}: length {:.4g} to {:.4g} ({:.1f} %), {} waypoints, every segment proved free\n",
             paint(Colour::green, "smoothed"), result.length_before, result.length_after,
             100 * result.length_after / std::max(result.length_before, 1e-300),
             result.path.waypoints.size());
  print_path(scene, path_report(result, arguments));
  if (result.rounds > 0)
    fmt::print("  {} other paths were tried, {} led to a shorter one\n", result.rounds,
               result.better);
  fmt::print("  {} steps, {} shortcuts tried, {} taken, {}, {:.3f} s\n", result.steps, result.tried,
             result.taken,
             result.converged ? "converged"
             : interrupted()  ? "interrupted"
                              : "stopped by its budget",
             result.seconds);
  if (!result.certificate.empty())
    fmt::print("  certificate of {} bytes: {}\n", result.certificate.size(), arguments.certificate);
  if (interrupted() && !arguments.certificate.empty())
    fmt::print("  no certificate: `proven check` with --certificate writes one\n");
  if (arguments.output.empty()) fmt::print("  not written: give -o FILE to keep the path\n");
}

Json shortened_json(const SmoothResult& result, const Scene& scene,
                    const SmoothArguments& arguments) {
  Json json = {{"status", "smoothed"},
               {"method", arguments.method},
               {"length_before", result.length_before},
               {"length_after", result.length_after},
               {"steps", result.steps},
               {"tried", result.tried},
               {"taken", result.taken},
               {"converged", result.converged},
               {"rounds", result.rounds},
               {"joints", Json::array()},
               {"waypoints", result.path.waypoints},
               {"seconds", result.seconds}};
  for (const Coordinate& c : scene.tree().coordinates()) json["joints"].push_back(c.name);
  json.update(path_json(scene, path_report(result, arguments)));
  json["warnings"] = remarks_json(scene);
  if (!result.certificate.empty()) json["certificate"] = arguments.certificate;
  return json;
}

// Writes what was asked for.
Result<void> save(const Scene& scene, const SmoothArguments& arguments,
                  const SmoothResult& result) {
  if (!arguments.output.empty())
    if (auto saved = save_path(arguments.output, result.path, scene); !saved.ok()) return saved;
  if (arguments.certificate.empty() || interrupted()) return {};
  if (result.certificate.empty())
    return Error{ErrorCode::exhausted, "the proof of the path was stopped; nothing is written",
                 arguments.certificate};
  return save_certificate(arguments.certificate, result.certificate);
}

Result<SmoothResult> smooth_within(const Scene& scene, const Path& path,
                                   const SmoothOptions& options, const CommonOptions& common) {
  const Work work("smooth", common, OnInterrupt::stop, "steps");
  return smooth(scene, path, options, work.budget());
}

int smooth_and_report(const Scene& scene, const Path& path, SmoothArguments& arguments,
                      const CommonOptions& common) {
  const auto result = smooth_within(scene, path, arguments.options, common);
  if (!result.ok()) return report(result.error());
  const CheckResult& input = result.value().input;
  // A path that is not free is not made free: say what `check` would.
  if (input.verdict != Verdict::free) {
    if (common.json)
      fmt::print("{}\n", to_json(input, scene, path, arguments.options.check).dump());
    else
      print(input, scene, path, arguments.options.check);
    return unless_interrupted(exit_code(input.verdict));
  }
  const Unfinished shorter(arguments.output), certificate(arguments.certificate);
  if (auto saved = save(scene, arguments, result.value()); !saved.ok())
    return report_any(saved.error());
  if (common.json)
    fmt::print("{}\n", shortened_json(result.value(), scene, arguments).dump());
  else
    print_shortened(result.value(), scene, arguments);
  return unless_interrupted(kOk);
}

// One line of the answer; gives the exit code of this path.
int report_line(const Scene& scene, const Path& path, const Result<SmoothResult>& result,
                const SmoothArguments& arguments, bool json) {
  const auto fail = [&](const Error& error) { return print_line_error(error, json); };
  remove_files({arguments.output, arguments.certificate});
  if (!result.ok()) return fail(result.error());
  const CheckResult& input = result.value().input;
  if (input.verdict != Verdict::free) {
    if (json)
      fmt::print("{}\n", to_json(input, scene, path, arguments.options.check).dump());
    else
      fmt::print("{}\n", to_string(input.verdict));
    return exit_code(input.verdict);
  }
  if (auto saved = save(scene, arguments, result.value()); !saved.ok()) return fail(saved.error());
  if (json) {
    Json line = shortened_json(result.value(), scene, arguments);
    if (!arguments.output.empty()) line["file"] = arguments.output;
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("smoothed: length {:.4g} to {:.4g}, {} waypoints\n", result.value().length_before,
               result.value().length_after, result.value().path.waypoints.size());
  }
  return kOk;
}

// Paths of one file, on one model, one line of the answer each.
int smooth_many(const Scene& scene, const SmoothArguments& arguments, const CommonOptions& common) {
  const auto loaded = load_paths(arguments.path, scene, arguments.reading.options());
  if (!loaded.ok()) return report(loaded.error());
  if (auto made = make_folders({arguments.output, arguments.certificate}); !made.ok())
    return report(made.error());
  const auto model = CheckModel::build(scene, arguments.options.check);
  if (!model.ok()) return report(model.error());
  CommonOptions silent = common;  // where answers scroll over the terminal there is no place
  silent.quiet |= isatty(STDOUT_FILENO) != 0;
  const Work work("smooth", silent, OnInterrupt::stop);
  const BatchOptions batch{.device = chosen_device(arguments.device, common),
                           .threads = common.threads};
  const std::vector<Result<Path>>& lines = loaded.value();
  const std::size_t some = lines_at_a_time(arguments.device);
  int code = kOk;
  for (std::size_t begin = 0; begin < lines.size() && !interrupted(); begin += some) {
    const std::size_t end = std::min(begin + some, lines.size());
    std::vector<Path> paths;
    for (std::size_t line = begin; line < end; ++line)
      if (lines[line].ok()) paths.push_back(lines[line].value());
    const auto results = smooth_all(model.value(), paths, arguments.options, batch, work.budget());
    if (!results.ok()) return report(results.error());
    std::size_t next = 0;
    for (std::size_t line = begin; line < end; ++line) {
      SmoothArguments one = arguments;
      one.output = file_of_line(arguments.output, line, ".json");
      one.certificate = file_of_line(arguments.certificate, line, ".proof");
      const Path& path = lines[line].ok() ? paths[next] : Path{};
      const Result<SmoothResult> result =
          lines[line].ok() ? results.value()[next++] : Result<SmoothResult>(lines[line].error());
      code = worse(code, report_line(scene, path, result, one, common.json));
    }
    std::fflush(stdout);
  }
  return unless_interrupted(code);
}

int run(const SceneArgument& scene_argument, SmoothArguments& arguments,
        const CommonOptions& common) {
  keep_stdout_for(arguments.output);
  arguments.options.smoother = parse_word<Smoother>(arguments.method).value();
  arguments.options.check.checker = parse_word<Checker>(arguments.checker).value();
  arguments.options.check.certificate = !arguments.certificate.empty();
  arguments.options.check.limits = arguments.reading.limits();
  arguments.options.seed = common.seed;
  if (std::isfinite(common.budget_seconds)) arguments.options.rounds = kRoundsForBudget;
  const Preparation preparation("the scene and the path", common);
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  print_remarks(scene.value(), common);
  if (arguments.many()) return smooth_many(scene.value(), arguments, common);
  const auto path = load_path(arguments.path, scene.value(), arguments.reading.options());
  if (!path.ok()) return report(path.error());
  return smooth_and_report(scene.value(), path.value(), arguments, common);
}

void add_options(Arguments& arguments, SmoothArguments& chosen) {
  SmoothOptions& options = chosen.options;
  options.margin = kMargin;
  options.waypoint_cost = kWaypointCost;
  arguments.add_required("path", chosen.path,
                         "Path file; it must be free. *.jsonl holds one path per line");
  add_path_options(arguments, chosen.reading);
  arguments.add(
      "-o,--output", chosen.output,
      "Write the shorter path to this file; of *.jsonl into this folder, as 1.json and so on");
  arguments.add("--certificate", chosen.certificate,
                "Write a proof of the shorter path that 'proven verify' checks; of *.jsonl into "
                "this folder, as 1.proof and so on");
  arguments.add_choice("--method", chosen.method, {"window", "midpoint"},
                       "Shortcuts in a window that adapts, or by halving around random points");
  arguments.add_choice("--checker", chosen.checker, {"directional", "classic", "refined"},
                       "By which rule motions are proved");
  arguments.add_clearance(options.check.clearance);
  arguments.add("--margin", options.margin, kMarginHelp, 0.0);
  arguments.add("--steps", options.max_steps, "At most so many steps", 0);
  arguments.add("--patience", options.patience,
                "Converged after so many steps of little use; 0: never", 0);
  arguments.add_choice("--device", chosen.device, {"threads", "automatic"},
                       "What proves shortcuts of many paths; automatic: a GPU, if any");
  arguments.only_for({kMany});
  arguments.honour(Common::threads, {kMany});
  arguments.honour(Common::seed);
  arguments.honour(Common::budget, {kOne});
  arguments.honour(Common::no_cache);
}

}  // namespace

Command smooth_command() {
  return {"smooth", "Shorten a path by shortcuts, every piece proved",
          "  proven smooth cell.json path.json -o shorter.json\n"
          "  proven smooth cell.json path.json --method midpoint --steps 500\n"
          "  proven smooth cell.json paths.jsonl --device automatic -o shorter",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<SmoothArguments>();
            add_options(arguments, *chosen);
            arguments.set_action([chosen] { return chosen->many() ? kMany : kOne; });
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
