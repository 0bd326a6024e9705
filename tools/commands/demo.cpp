// proven demo: the main job on a built-in scene.
#include <fmt/format.h>

#include <algorithm>
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
#include "tools/html_report.h"
#include "tools/render/render.h"
#include "tools/terminal.h"

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
  VerifyReport verified;
};

Result<Story> tell(const SceneInfo& info, std::uint64_t seed) {
  Story story;
  auto source = make_scene(info.name);
  if (!source.ok()) return source.error();
  story.source = std::move(source).value();
  auto scene = build_scene(story.source);
  if (!scene.ok()) return scene.error();
  story.scene = std::move(scene).value();
  const auto [start, goal] = ends_of(info, story.scene);

  Workspace workspace;
  story.direct.waypoints = {start, goal};
  auto straight = check(story.scene, story.direct, {}, workspace);
  if (!straight.ok()) return straight.error();
  story.straight = std::move(straight).value();

  PlanProblem problem;
  problem.start = start;
  problem.goal = goal;
  PlanOptions plan_options;
  plan_options.seed = seed;
  auto planned = plan(story.scene, problem, plan_options);
  if (!planned.ok()) return planned.error();
  story.planned = std::move(planned).value();
  if (story.planned.status != PlanStatus::solved) return bad_input(story.planned.reason);

  SmoothOptions smooth_options;
  smooth_options.seed = seed;
  auto smoothed = smooth(story.scene, story.planned.path, smooth_options);
  if (!smoothed.ok()) return smoothed.error();
  story.smoothed = std::move(smoothed).value();

  CheckOptions options;
  options.certificate = true;
  auto proof = check(story.scene, story.smoothed.path, options, workspace);
  if (!proof.ok()) return proof.error();
  story.proof = std::move(proof).value();
  story.verified = verify(story.source, story.smoothed.path, story.proof.certificate);
  return story;
}

Result<void> add_picture(HtmlReport& page, const Scene& scene, const std::vector<double>& q,
                         const std::string& caption) {
  RenderOptions view;
  view.azimuth = -0.35;  // from here no pillar hides the arm
  const auto image = render(scene, q, view);
  if (!image.ok()) return image.error();
  page.picture(image.value(), caption);
  return {};
}

std::string place_of(const Scene& scene, const Witness& w) {
  return fmt::format("{} meets {} at segment {}, t = {:.6g}", scene.body(w.bodies[0]).name,
                     scene.body(w.bodies[1]).name, w.segment, w.t);
}

Result<void> write_page(const std::string& file, const SceneInfo& info, const Story& story) {
  const Scene& scene = story.scene;
  const Path& path = story.smoothed.path;
  HtmlReport page("Proven: is the whole motion free of collision?");
  page.paragraph(fmt::format("Scene '{}': {}. {} bodies, {} pairs tested, {} excluded.", info.name,
                             info.caption, scene.bodies().size(), scene.pairs().size(),
                             scene.excluded_pairs().size()));
  if (auto added = add_picture(page, scene, path.waypoints.front(), "The start"); !added.ok())
    return added;
  page.heading("Straight from start to goal");
  page.verdict(std::string(to_string(story.straight.verdict)),
               story.straight.collision ? place_of(scene, *story.straight.collision) : "");
  if (story.straight.collision)
    if (auto added = add_picture(page, scene, story.straight.collision->configuration,
                                 "The arm at the contact that was found");
        !added.ok())
      return added;
  page.heading("A way around");
  page.verdict(std::string(to_string(story.proof.verdict)),
               fmt::format("every configuration of all {} segments, for all {} pairs",
                           path.num_segments(), scene.pairs().size()));
  const CheckStats& stats = story.proof.stats;
  page.table({"planned in", "shortened by", "configurations", "box tests", "proved in",
              "certificate", "verified in"},
             {{fmt::format("{:.2f} ms", 1e3 * story.planned.stats.seconds),
               fmt::format("{:.0f} %",
                           100 * (1 - story.smoothed.length_after / story.smoothed.length_before)),
               fmt::format("{}", stats.configurations), fmt::format("{}", stats.box_tests),
               fmt::format("{:.2f} ms", 1e3 * stats.seconds),
               fmt::format("{} bytes", story.proof.certificate.size()),
               fmt::format("{:.1f} ms", 1e3 * story.verified.seconds)}});
  page.heading(story.verified.accepted ? "What the independent verifier has proved"
                                       : "The independent verifier rejects the certificate");
  if (!story.verified.accepted) page.paragraph(story.verified.reason);
  for (const std::string& sentence : story.verified.theorem) page.paragraph(sentence);
  // Not every waypoint of a shortened path: a few show the way.
  constexpr std::size_t kPictures = 4;
  const std::size_t segments = path.waypoints.size() - 1, shown = std::min(kPictures, segments);
  for (std::size_t picture = 1; picture <= shown; ++picture) {
    const std::size_t i = picture * segments / shown;
    if (auto added = add_picture(page, scene, path.waypoints[i],
                                 i == segments ? "The goal" : fmt::format("Waypoint {}", i));
        !added.ok())
      return added;
  }
  return page.write(file);
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
  const VerifyReport& verified = story.verified;
  fmt::print("  certificate of {} bytes: {} by the independent verifier, {} leaves in {:.1f} ms\n",
             story.proof.certificate.size(),
             verified.accepted ? paint(Colour::green, "accepted") : paint(Colour::red, "rejected"),
             verified.leaves, 1e3 * verified.seconds);
  if (!verified.accepted) fmt::print("  {}\n", verified.reason);
}

int run(const std::string& report_file, const CommonOptions& common) {
  const SceneInfo& info = *find_scene("demo");
  const auto told = tell(info, common.seed);
  if (!told.ok()) return report(told.error());
  const Story& story = told.value();
  if (auto written = write_page(report_file, info, story); !written.ok())
    return report(written.error());
  if (common.json) {
    const CheckOptions options;
    fmt::print("{}\n",
               nlohmann::ordered_json{
                   {"verdict", to_string(story.proof.verdict)},
                   {"verified", story.verified.accepted},
                   {"straight", to_json(story.straight, story.scene, story.direct, options)},
                   {"detour", to_json(story.proof, story.scene, story.smoothed.path, options)},
                   {"report", report_file}}
                   .dump());
  } else {
    print_story(story);
    fmt::print("\nreport: {}\n", report_file);
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
        arguments.add("--report", *file, "The HTML page to write");
        return [file, &common] { return run(*file, common); };
      }};
}

}  // namespace proven::tools
