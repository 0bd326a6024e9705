// proven check: is the whole path free?
#include "proven/certify/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/io/query_file.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/terminal.h"
#include "tools/view/least_clearance.h"
#include "tools/view/page.h"
#include "tools/view/visuals.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

struct CheckArguments {
  std::string path, checker = "directional", cover = "midpoint", certificate, report, constraints;
  CheckOptions options;
  PathReading reading;
  std::vector<RobotVisuals> visuals;  // of the report
  bool least_clearance = false;
};

constexpr const char *kOne = "one path", *kMany = "*.jsonl";

bool is_many(const CheckArguments& arguments) {
  return arguments.path.ends_with(".jsonl");
}

// The page that shows the motion, and the proof or the collision.
Result<void> write_report(const SceneArgument& scene_argument, const SceneSource& source,
                          const Scene& scene, const Path& path, const CheckArguments& arguments,
                          const CheckResult& result, const std::optional<LeastClearance>& least,
                          const Budget& budget) {
  ShownMotion motion;
  motion.path = path;
  motion.options = arguments.options;
  motion.result = result;
  motion.least = least;
  if (!result.certificate.empty())
    verify_motion(source, result.certificate, scene_argument.trust_srdf_never, motion);
  if (!least) find_clearance(scene, motion, budget);
  ViewDocument document(std::filesystem::path(arguments.path).filename().string());
  document.set_scene(scene, fmt::format("in {}: {}", scene_argument.scene, size_of(scene)));
  add_visuals(source, arguments.visuals, scene, kMostVisualTriangles, document);
  document.add_motion(scene, motion);
  return write_page(arguments.report, document);
}

// What a motion must keep, if anything was asked.
class Kept {
 public:
  static Result<Kept> load(const std::string& file, const Scene& scene,
                           const TrackingError& tracking_error) {
    Kept kept;
    if (file.empty()) return kept;
    auto constraints = load_constraints(file, scene);
    if (!constraints.ok()) return constraints.error();
    kept.prover_.emplace(scene.tree(), std::move(constraints).value(), tracking_error);
    return kept;
  }
  // Nothing if nothing was asked.
  std::optional<ConstraintResult> check(const Motion& motion, const Budget& budget) {
    if (!prover_) return std::nullopt;
    return prover_->check(motion, budget);
  }
  std::string text(const Scene& scene, const ConstraintResult& result) const {
    return describe(scene.tree(), prover_->constraints(), result);
  }
  nlohmann::ordered_json json(const Scene& scene, const Motion& motion,
                              const ConstraintResult& result) const {
    nlohmann::ordered_json json = {{"verdict", to_string(result.verdict)},
                                   {"constraints", prover_->constraints().size()},
                                   {"text", text(scene, result)}};
    if (result.verdict == ConstraintVerdict::kept) return json;
    json["constraint"] = result.constraint;
    json["segment"] = result.segment;
    json["t"] = result.t;
    if (!motion.times.empty()) json["time"] = result.time;
    json["configuration"] = result.configuration;
    json["beyond"] = result.beyond;
    return json;
  }

 private:
  std::optional<ConstraintProver> prover_;
};

int code_of(const std::optional<ConstraintResult>& kept) {
  if (!kept || kept->verdict == ConstraintVerdict::kept) return kOk;
  return kept->verdict == ConstraintVerdict::broken ? kCollision : kUndecided;
}

Result<CheckResult> check_within(const Scene& scene, const Path& path, const CheckOptions& options,
                                 const CommonOptions& common) {
  const Work work("check", common, OnInterrupt::end);
  Scratch scratch;
  return check(scene, path, options, scratch, work.budget());
}

// Nothing unless it was asked for.
Result<std::optional<LeastClearance>> clearance_of(const Scene& scene, const Path& path,
                                                   const CheckArguments& arguments,
                                                   const CommonOptions& common) {
  if (!arguments.least_clearance) return std::optional<LeastClearance>();
  const Work work("clearance", common, OnInterrupt::end);
  LeastClearanceOptions options;
  options.check = arguments.options;
  if (!arguments.report.empty()) options.nearest = kNearestShown;
  auto found = least_clearance(scene, path, options, work.budget());
  if (!found.ok()) return found.error();
  return std::optional(std::move(found).value());
}

int check_one(const SceneArgument& scene_argument, const SceneSource& source, const Scene& scene,
              const CheckArguments& arguments, const CommonOptions& common) {
  const auto path = load_path(arguments.path, scene, arguments.reading.options());
  if (!path.ok()) return report(path.error());
  auto keeps = Kept::load(arguments.constraints, scene, arguments.options.tracking_error);
  if (!keeps.ok()) return report(keeps.error());
  const Budget whole = common.budget();
  const auto result = check_within(scene, path.value(), arguments.options, common);
  if (!result.ok()) return report(result.error());
  const auto least = clearance_of(scene, path.value(), arguments, common);
  if (!least.ok()) return report(least.error());
  const auto kept = keeps.value().check(path.value(), common.budget());
  const Unfinished certificate(arguments.certificate), page(arguments.report);
  const bool written = !arguments.certificate.empty() && !result.value().certificate.empty();
  if (written)
    if (const auto saved = save_certificate(arguments.certificate, result.value().certificate);
        !saved.ok())
      return report(saved.error());
  if (!arguments.report.empty())
    if (const auto shown = write_report(scene_argument, source, scene, path.value(), arguments,
                                        result.value(), least.value(), whole);
        !shown.ok())
      return report(shown.error());
  if (common.json) {
    nlohmann::ordered_json json = to_json(result.value(), scene, path.value(), arguments.options);
    if (written) json["certificate"] = arguments.certificate;
    if (!arguments.report.empty()) json["report"] = arguments.report;
    if (least.value())
      json["least_clearance"] = least_clearance_json(scene, path.value(), *least.value());
    if (kept) json["constraints"] = keeps.value().json(scene, path.value(), *kept);
    fmt::print("{}\n", json.dump());
  } else {
    print(result.value(), scene, path.value(), arguments.options);
    if (least.value())
      for (const std::string& line : least_clearance_lines(scene, path.value(), *least.value()))
        fmt::print("  {}\n", line);
    if (written)
      fmt::print("  certificate of {} bytes: {}\n", result.value().certificate.size(),
                 arguments.certificate);
    if (!arguments.report.empty()) fmt::print("  report: {}\n", arguments.report);
    if (kept)
      fmt::print("{}: {}\n",
                 paint(code_of(kept) == kOk          ? Colour::green
                       : code_of(kept) == kCollision ? Colour::red
                                                     : Colour::yellow,
                       to_string(kept->verdict)),
                 keeps.value().text(scene, *kept));
  }
  return worse(exit_code(result.value().verdict), code_of(kept));
}

// The certificate of a path in a folder of many; what an earlier run left there goes.
Result<std::string> save_one_of_many(const std::string& folder, std::size_t line,
                                     const Certificate& certificate) {
  const std::filesystem::path file = certificate_of_many(folder, line);
  std::error_code ignored;
  if (certificate.empty()) {
    std::filesystem::remove(file, ignored);
    return std::string();
  }
  if (auto saved = save_certificate(file, certificate); !saved.ok()) return saved.error();
  return file.string();
}

// One line of the answer; gives the exit code of this path.
int print_line(const Scene& scene, const Result<Path>& path, const Result<CheckResult>* result,
               const Result<std::string>& certificate, const CheckOptions& options, Kept& keeps,
               const Budget& budget, bool json) {
  const Error* error = path.ok() ? nullptr : &path.error();
  if (result && !result->ok()) error = &result->error();
  if (!error && !certificate.ok()) error = &certificate.error();
  if (error) {
    if (json)
      fmt::print("{}\n", nlohmann::ordered_json{{"error", error->text()}}.dump());
    else
      fmt::print("error: {}\n", error->text());
    return kBadInput;
  }
  const auto kept = keeps.check(path.value(), budget);
  if (json) {
    nlohmann::ordered_json line = to_json(result->value(), scene, path.value(), options);
    if (!certificate.value().empty()) line["certificate"] = certificate.value();
    if (kept) line["constraints"] = keeps.json(scene, path.value(), *kept);
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{}{}\n", to_string(result->value().verdict),
               kept ? fmt::format(", {}", to_string(kept->verdict)) : "");
  }
  return worse(exit_code(result->value().verdict), code_of(kept));
}

// Answers come in batches: a reader sees them early, and an interrupt loses one batch at most.
int check_many(const Scene& scene, const CheckArguments& arguments, const CommonOptions& common) {
  const auto loaded = load_paths(arguments.path, scene, arguments.reading.options());
  if (!loaded.ok()) return report(loaded.error());
  auto keeps = Kept::load(arguments.constraints, scene, arguments.options.tracking_error);
  if (!keeps.ok()) return report(keeps.error());
  constexpr std::size_t kBatch = 256;
  const std::vector<Result<Path>>& lines = loaded.value();
  const std::string& folder = arguments.certificate;
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed)
    return report(
        Error{ErrorCode::bad_input, "cannot make this folder: " + failed.message(), folder});
  // Where answers scroll over the terminal there is no place for a progress line.
  CommonOptions silent = common;
  silent.quiet |= isatty(STDOUT_FILENO) != 0;
  const Work work("check", silent, OnInterrupt::end);
  int code = kOk;
  for (std::size_t begin = 0; begin < lines.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, lines.size());
    std::vector<Path> paths;
    for (std::size_t line = begin; line < end; ++line)
      if (lines[line].ok()) paths.push_back(lines[line].value());
    const auto results = check_all(scene, paths, arguments.options, common.threads, work.budget());
    std::size_t next = 0;
    for (std::size_t line = begin; line < end; ++line) {
      const Result<CheckResult>* result = lines[line].ok() ? &results[next++] : nullptr;
      Result<std::string> saved = std::string();
      if (!folder.empty())
        saved = save_one_of_many(
            folder, line, result && result->ok() ? result->value().certificate : Certificate{});
      code = worse(code, print_line(scene, lines[line], result, saved, arguments.options,
                                    keeps.value(), work.budget(), common.json));
    }
    std::fflush(stdout);
    work.budget().report("paths", static_cast<std::int64_t>(end),
                         static_cast<std::int64_t>(lines.size()));
  }
  return code;
}

int run(const SceneArgument& scene_argument, CheckArguments& arguments,
        const CommonOptions& common) {
  arguments.options.checker = parse_word<Checker>(arguments.checker).value();
  arguments.options.cover = parse_word<Cover>(arguments.cover).value();
  const bool one_page =
      !arguments.report.empty() && arguments.options.checker == Checker::directional;
  arguments.options.certificate = !arguments.certificate.empty() || one_page;
  if (auto valid = validate(arguments.options); !valid.ok()) {
    fmt::print(stderr, "proven: {}\n", valid.error().text());
    return kUsage;
  }
  const Preparation preparation("the scene and the path", common);
  if (arguments.least_clearance && arguments.options.checker != Checker::directional) {
    fmt::print(stderr, "proven: only the checker directional proves the least clearance\n");
    return kUsage;
  }
  // A page shows what the verifier says, which never sees the cache.
  Result<SceneSource> source = SceneSource{};
  if (!arguments.report.empty()) source = load_source(scene_argument, &arguments.visuals);
  if (!source.ok()) return report(source.error());
  const auto loaded =
      arguments.report.empty() ? load(scene_argument) : build(scene_argument, source.value());
  if (!loaded.ok()) return report(loaded.error());
  arguments.options.limits = arguments.reading.limits();
  const Scene scene = scene_as_tested(loaded.value(), arguments.options);
  print_remarks(scene, common);
  return is_many(arguments) ? check_many(scene, arguments, common)
                            : check_one(scene_argument, source.value(), scene, arguments, common);
}

void add_options(Arguments& arguments, CheckArguments& chosen) {
  CheckOptions& options = chosen.options;
  arguments.add_required("path", chosen.path, "Path file; *.jsonl holds one path per line");
  arguments.add_choice("--checker", chosen.checker, {"directional", "classic", "refined", "fixed"},
                       "By which rule");
  arguments.add(
      "--certificate", chosen.certificate,
      "Write a proof of 'free', or a witness of 'collision', that 'proven verify' checks; of "
      "*.jsonl into this folder, as 1.proof and so on");
  arguments.add("--report", chosen.report, "Write a page that shows the motion and its proof");
  arguments.only_for({kOne});
  arguments.add("--constraints", chosen.constraints,
                "File with what frames must keep all along the path, cones and boxes: proved, or "
                "shown where it is broken");
  arguments.add_flag("--least-clearance", chosen.least_clearance,
                     "Say how near things come: a proved bound from below and a measured one from "
                     "above, of all pairs, of every segment and of the nearest pairs");
  arguments.only_for({kOne});
  arguments.add_tracking_error(options.tracking_error);
  arguments.add_choice("--cover", chosen.cover, {"midpoint", "uncovered", "forward"},
                       "Where to split (classic only)");
  arguments.add_clearance(options.clearance);
  arguments.add("--resolution", options.resolution,
                "Closer than clearance + this without a proof is undecided, in metres");
  arguments.add("--step", options.step,
                "Checker fixed: largest step in joint space between samples");
  arguments.add_flag("--explain", options.explain,
                     "Say which pairs and stretches cost most, and where the gaps are smallest");
  arguments.add_flag("--first", options.first, "The earliest contact along the path, not just any");
  arguments.add("--max-cells", options.max_cells, "Give up after this many cells", 1);
  add_path_options(arguments, chosen.reading);
  arguments.honour(Common::budget);
  arguments.honour(Common::no_cache);
  arguments.honour(Common::threads, {kMany});
}

}  // namespace

Command check_command() {
  return {"check", "Prove a whole path free of collision, or show the collision",
          "  proven check cell.json path.json\n"
          "  proven check cell.json path.json --clearance 0.01 --first\n"
          "  proven check cell.json path.json --certificate path.proof --report path.html\n"
          "  proven check cell.json paths.jsonl --json\n"
          "  proven check cell.json path.json --constraints upright.json\n"
          "  proven check cell.json path.json --least-clearance",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<CheckArguments>();
            add_options(arguments, *chosen);
            add_require_solid(arguments, *scene);
            arguments.set_action([chosen] { return is_many(*chosen) ? kMany : kOne; });
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
