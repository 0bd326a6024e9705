// proven time: a smooth motion along a path within the limits of the joints, proved as it is run.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/plan/timing.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/scene_argument.h"
#include "tools/timing_report.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

struct TimeArguments {
  std::string path, output, certificate;
  PathReading reading;
  TimingOptions options;
  CheckOptions check;
  bool stop = false, no_proof = false;
};

Result<TimingResult> time_within(const Scene& scene, const Path& path,
                                 const TimeArguments& arguments, const CommonOptions& common) {
  const Work work("time", common, OnInterrupt::end);
  if (arguments.no_proof) return time_path(scene.tree(), path, arguments.options);
  return time_path(scene, path, arguments.options, arguments.check, work.budget());
}

// Says what `check` would of a path, or motion, that is not free.
int report_unproved(const CheckResult& result, const Scene& scene, const Motion& motion,
                    const TimeArguments& arguments, const CommonOptions& common) {
  if (common.json)
    fmt::print("{}\n", to_json(result, scene, motion, arguments.check).dump());
  else
    print(result, scene, motion, arguments.check);
  return exit_code(result.verdict);
}

Result<void> save(const Scene& scene, const TimeArguments& arguments, const TimingResult& timed) {
  const Unfinished motion(arguments.output), certificate(arguments.certificate);
  if (!arguments.output.empty())
    if (auto saved = save_path(arguments.output, timed.motion, scene); !saved.ok()) return saved;
  if (arguments.certificate.empty()) return {};
  return save_certificate(arguments.certificate, timed.certificate);
}

int time_and_report(const Scene& scene, const Path& path, const TimeArguments& arguments,
                    const CommonOptions& common) {
  const auto timed = time_within(scene, path, arguments, common);
  if (!timed.ok()) return report(timed.error());
  const TimingResult& result = timed.value();
  if (!arguments.no_proof && result.input.verdict != Verdict::free)
    return report_unproved(result.input, scene, path, arguments, common);
  if (!arguments.no_proof && result.proof.verdict != Verdict::free)
    return report_unproved(result.proof, scene, result.motion, arguments, common);
  if (auto saved = save(scene, arguments, result); !saved.ok()) return report_any(saved.error());
  if (common.json) {
    nlohmann::ordered_json json = {{"verdict", nullptr}};
    if (!arguments.no_proof) json["verdict"] = to_string(result.proof.verdict);
    json.update(timing_json(result));
    json["warnings"] = remarks_json(scene);
    fmt::print("{}\n", json.dump());
    return kOk;
  }
  print_timing(result);
  if (arguments.no_proof)
    fmt::print("  not proved: run `proven check` on it\n");
  else
    fmt::print("  proved free as it is run{}\n",
               arguments.certificate.empty()
                   ? ""
                   : fmt::format(": certificate of {} bytes", result.certificate.size()));
  if (arguments.output.empty()) fmt::print("  not written: give -o FILE to keep it\n");
  return kOk;
}

int run(const SceneArgument& scene_argument, TimeArguments& arguments,
        const CommonOptions& common) {
  keep_stdout_for(arguments.output);
  if (arguments.no_proof && !arguments.certificate.empty()) {
    fmt::print(stderr, "proven: --no-proof leaves nothing to write to --certificate\n");
    return kUsage;
  }
  if (arguments.stop) arguments.options.blend = 0;
  arguments.check.certificate = !arguments.certificate.empty();
  const Preparation preparation("the scene and the path", common);
  arguments.check.limits = arguments.reading.limits();
  const auto loaded = load(scene_argument);
  if (!loaded.ok()) return report(loaded.error());
  const Scene scene = scene_as_tested(loaded.value(), arguments.check);
  print_remarks(scene, common);
  const auto path = load_path(arguments.path, scene, arguments.reading.options());
  if (!path.ok()) return report(path.error());
  return time_and_report(scene, path.value(), arguments, common);
}

void add_options(Arguments& arguments, TimeArguments& chosen) {
  TimingOptions& options = chosen.options;
  arguments.add_required("path", chosen.path, "Path file; it must be free");
  arguments.add("-o,--output", chosen.output, "Write the timed motion to this file");
  arguments.add("--certificate", chosen.certificate,
                "Write a proof of the timed motion that 'proven verify' checks");
  arguments.add("--velocity", options.velocity, "For joints without a limit, in rad/s or m/s");
  arguments.add("--acceleration", options.acceleration,
                "For joints without a limit, in rad/s² or m/s²");
  arguments.add("--jerk", options.jerk, "For all joints, in rad/s³ or m/s³");
  arguments.add("--scale", options.scale, "Share of the limits to use");
  arguments.add("--blend", options.blend,
                "How far corners may be cut at most, in joint space (radians, metres)");
  arguments.add_flag("--stop", chosen.stop, "Stop at every waypoint instead of cutting corners");
  arguments.add("--interval", options.interval, "No piece lasts longer, in seconds");
  arguments.add_clearance(chosen.check.clearance);
  arguments.add_tracking_error(chosen.check.tracking_error);
  arguments.add_flag("--no-proof", chosen.no_proof, "Time the path without a look at obstacles");
  add_path_options(arguments, chosen.reading);
  arguments.honour(Common::budget);
  arguments.honour(Common::no_cache);
}

}  // namespace

Command time_command() {
  return {"time", "Turn a path into a smooth timed motion within joint limits, and prove it",
          "  proven time cell.json path.json -o timed.json\n"
          "  proven time cell.json path.json --jerk 50 --scale 0.5 --certificate timed.proof\n"
          "  proven time cell.json path.json --stop",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<TimeArguments>();
            add_options(arguments, *chosen);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
