// proven demo: the main job on a built-in scene.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/certify/check.h"
#include "proven/io/path_file.h"
#include "proven/plan/plan.h"
#include "proven/plan/smooth.h"
#include "proven/verify/verify.h"
#include "scenes/scenes.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/view/least_clearance.h"
#include "tools/view/page.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

// The scene's query as full configurations.
std::array<std::vector<double>, 2> ends_of(const SceneInfo& info, const Scene& scene) {
  std::vector<double> start(scene.home().begin(), scene.home().end()), goal = start;
  for (std::size_t i = 0; i < info.query.joints.size(); ++i) {
    const auto index = static_cast<std::size_t>(scene.tree().find_coordinate(info.query.joints[i]));
    start[index] = info.query.start[i];
    goal[index] = info.query.goal[i];
  }
  return {start, goal};
}

// A motion around what is in the way: planned, shortened, proved, and the proof verified.
struct Story {
  SceneSource source;
  Scene scene;
  Path direct;
  CheckResult straight;  // of the direct way
  PlanResult planned;
  SmoothResult smoothed;
  CheckResult proof;  // of the smoothed path, with its certificate
  LeastClearance clearance;
  VerifyReport verified;
};

Result<Story> tell(const SceneInfo& info, std::uint64_t seed, const Budget& budget) {
  Story story;
  auto source = make_scene(info.name);
  if (!source.ok()) return source.error();
  story.source = std::move(source).value();
  auto scene = build_scene(story.source);
  if (!scene.ok()) return scene.error();
  story.scene = std::move(scene).value();
  const auto [start, goal] = ends_of(info, story.scene);

  Scratch scratch;
  story.direct.waypoints = {start, goal};
  CheckOptions options;
  options.certificate = true;
  auto straight = check(story.scene, story.direct, options, scratch, budget);
  if (!straight.ok()) return straight.error();
  story.straight = std::move(straight).value();

  Query problem;
  problem.start = start;
  problem.goal = goal;
  PlanOptions plan_options;
  plan_options.seed = seed;
  plan_options.margin = kMargin;
  auto planned = plan(story.scene, problem, plan_options, budget);
  if (!planned.ok()) return planned.error();
  story.planned = std::move(planned).value();
  if (story.planned.status != PlanStatus::solved)
    return Error{ErrorCode::exhausted, story.planned.reason, {}};

  SmoothOptions smooth_options;
  smooth_options.seed = seed;
  smooth_options.margin = story.planned.margin_kept;
  smooth_options.waypoint_cost = kWaypointCost;
  smooth_options.input_is_proved = story.planned.proved;
  auto smoothed = smooth(story.scene, story.planned.path, smooth_options, budget);
  if (!smoothed.ok()) return smoothed.error();
  story.smoothed = std::move(smoothed).value();

  auto proof = check(story.scene, story.smoothed.path, options, scratch, budget);
  if (!proof.ok()) return proof.error();
  story.proof = std::move(proof).value();
  if (story.proof.verdict == Verdict::undecided)
    return Error{ErrorCode::exhausted, "the proof was stopped by the budget", {}};
  LeastClearanceOptions sought;
  // At least what was kept as a margin is proved.
  sought.nearest = kNearestShown;
  sought.check = with_margin(options, story.smoothed.margin_kept);
  auto clearance = least_clearance(story.scene, story.smoothed.path, sought, budget);
  if (!clearance.ok()) return clearance.error();
  story.clearance = std::move(clearance).value();
  story.verified = verify(story.source, story.smoothed.path, story.proof.certificate);
  return story;
}

Result<void> write_report(const std::string& file, const SceneInfo& info, const Story& story) {
  ViewDocument document("A motion around what is in the way");
  document.set_scene(story.scene, fmt::format("{}: {}", info.caption, size_of(story.scene)));
  const auto add = [&](const char* name, const Path& path, const CheckResult& result,
                       const std::optional<LeastClearance>& least) {
    ShownMotion motion;
    motion.name = name;
    motion.path = path;
    motion.result = result;
    motion.least = least;
    verify_motion(story.source, result.certificate, false, motion);
    document.add_motion(story.scene, motion);
  };
  add("Straight", story.direct, story.straight, std::nullopt);
  add("Around", story.smoothed.path, story.proof, story.clearance);
  return write_page(file, document);
}

PathReport path_report(const Story& story, const CheckOptions& required) {
  return {story.smoothed.path, required, kMargin, story.smoothed.margin_kept,
          story.planned.margin_reason};
}

void print_story(const Story& story) {
  const CheckOptions options;
  fmt::print("{}\n", paint(Colour::bold, "Straight from start to goal"));
  print(story.straight, story.scene, story.direct, options);
  fmt::print("\n{}\n", paint(Colour::bold, "A way around"));
  fmt::print("planned in {:.1f} ms, shortened from {:.2f} to {:.2f} in {:.1f} ms\n",
             1e3 * story.planned.stats.seconds, story.smoothed.length_before,
             story.smoothed.length_after, 1e3 * story.smoothed.seconds);
  print(story.proof, story.scene, story.smoothed.path, options);
  print_path(story.scene, path_report(story, options));
  for (const std::string& line :
       least_clearance_lines(story.scene, story.smoothed.path, story.clearance))
    fmt::print("  {}\n", line);
  const VerifyReport& verified = story.verified;
  fmt::print("  certificate of {} bytes: {} by the independent verifier, {} leaves in {:.1f} ms\n",
             story.proof.certificate.size(),
             verified.accepted ? paint(Colour::green, "accepted") : paint(Colour::red, "rejected"),
             verified.leaves, 1e3 * verified.seconds);
  if (!verified.accepted) fmt::print("  {}\n", verified.reason);
}

Result<Story> tell_within(const SceneInfo& info, const CommonOptions& common) {
  const Work work("demo", common, OnInterrupt::end);
  return tell(info, common.seed, work.budget());
}

int run(const std::string& report_file, const CommonOptions& common) {
  const Unfinished page(report_file);
  const SceneInfo& info = *find_scene("demo");
  const auto told = tell_within(info, common);
  if (!told.ok()) return report_any(told.error());
  const Story& story = told.value();
  if (has_viewer())
    if (auto written = write_report(report_file, info, story); !written.ok())
      return report(written.error());
  if (common.json) {
    const CheckOptions options;
    nlohmann::ordered_json json = {
        {"verdict", to_string(story.proof.verdict)},
        {"verified", story.verified.accepted},
        {"straight", to_json(story.straight, story.scene, story.direct, options)},
        {"detour", to_json(story.proof, story.scene, story.smoothed.path, options)},
        {"report", nullptr}};
    json["detour"].update(path_json(story.scene, path_report(story, options)));
    json["detour"]["least_clearance"] =
        least_clearance_json(story.scene, story.smoothed.path, story.clearance);
    if (has_viewer()) json["report"] = report_file;
    fmt::print("{}\n", json.dump());
  } else {
    print_story(story);
    fmt::print("\nreport: {}\n", has_viewer() ? report_file : "none; built without the viewer");
  }
  return story.verified.accepted ? exit_code(story.proof.verdict) : kRejected;
}

}  // namespace

Command demo_command() {
  return {
      "demo",
      "The main job on a built-in scene: plan a motion, prove it, verify the proof, write a report",
      "  proven demo\n  proven demo --report demo.html",
      [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
        auto file = std::make_shared<std::string>("proven-demo.html");
        arguments.add("--report", *file, "The page to write");
        arguments.honour(Common::seed);
        arguments.honour(Common::budget);
        return [file, &common] { return run(*file, common); };
      }};
}

}  // namespace proven::tools
