// What it costs to change one thing in a scene that is ready for questions.
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "bench/bench.h"
#include "bench/kinematics/statistics.h"
#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kScenes[] = {"demo", "car-a", "workshop"};

double microseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return 1e6 * std::chrono::duration<double>(Clock::now() - start).count();
}

// The least of so many runs: what the work takes on a machine that does nothing else.
double least_microseconds(int runs, const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) least = std::min(least, microseconds(work));
  return least;
}

SceneSource plain(SceneSource source) {
  for (RobotSource& robot : source.robots)
    for (RobotLink& link : robot.robot.links) link.geometry = nullptr;
  for (ObstacleSource& obstacle : source.obstacles) obstacle.geometry = nullptr;
  for (AttachedSource& object : source.attached) object.geometry = nullptr;
  return source;
}

struct Edit {
  const char* name;
  std::function<Result<Scene>(const Scene&)> make;
};

// The first obstacle is moved, put into the hand of the first robot and taken out again; a box
// comes and goes.
std::vector<Edit> edits_of(const Scene& scene) {
  const SceneSource source = scene.description();
  const std::string obstacle = source.obstacles[0].name;
  const Pose X = source.obstacles[0].X_WB;
  std::string link;
  for (const Body& body : scene.bodies())
    if (scene.tree().rigid_root(body.link) != 0) link = body.name;
  const ObstacleSource box{
      "a new box", {{Box{{0.05, 0.1, 0.15}}, {}, "box"}}, Pose::translation({0.1, 0.2, 3})};
  return {
      {"move",
       [=](const Scene& s) {
         return s.with_pose(obstacle, Pose::translation({0.01, 0, 0}) * X);
       }},
      {"add", [=](const Scene& s) { return s.with_obstacle(box); }},
      {"remove", [=](const Scene& s) { return s.without(obstacle); }},
      {"attach", [=](const Scene& s) { return s.with_attached(obstacle, link, s.home()); }},
      {"detach",
       [=](const Scene& s) -> Result<Scene> {
         auto held = s.with_attached(obstacle, link, s.home());
         if (!held.ok()) return held.error();
         return held.value().detached(obstacle, s.home());
       }},
  };
}

// Whether models answer alike: verdict, counts and certificate.
bool same_answers(const CheckModel& edited, const CheckModel& anew, std::uint64_t seed, int cases) {
  Random random(seed);
  Scratch scratch;
  for (int i = 0; i < cases; ++i) {
    const KinematicTree& tree = edited.scene().tree();
    const std::vector<double> from = random_configuration(tree, random);
    std::vector<double> to(from.size());
    interpolate(tree, from, random_configuration(tree, random), 0.2, to);
    const Path path{{from, to}, {}, {}};
    const CheckResult x = edited.check(path, scratch).value(),
                      y = anew.check(path, scratch).value();
    if (x.verdict != y.verdict || x.stats.box_tests != y.stats.box_tests ||
        x.certificate != y.certificate)
      return false;
  }
  return true;
}

Result<void> measure(const std::string& name, const Options& options, Report& report) {
  const auto source = make_scene(name);
  if (!source.ok()) return source.error();
  const auto scene = build_scene(source.value());
  if (!scene.ok()) return scene.error();
  CheckOptions check;
  check.certificate = true;
  const CheckModel model = CheckModel::build(scene.value(), check).value();
  const int runs = options.quick ? 20 : 200;
  for (const Edit& edit : edits_of(scene.value())) {
    Result<Scene> edited = edit.make(scene.value());
    if (!edited.ok()) return edited.error();
    const double scene_us = least_microseconds(runs, [&] { (void)edit.make(scene.value()).ok(); });
    const double model_us =
        least_microseconds(runs, [&] { (void)model.with_scene(edited.value()); });
    const SceneSource description = plain(edited.value().description());
    std::optional<CheckModel> anew;
    const double rebuild_us = least_microseconds(options.quick ? 1 : 3, [&] {
      anew = CheckModel::build(build_scene(description).value(), check).value();
    });
    const bool same = same_answers(model.with_scene(edited.value()), *anew, options.seed,
                                   options.quick ? 20 : 200);
    if (!same) return Error{ErrorCode::bad_input, "an edited scene answers otherwise", name};
    report.rows.push_back(Row{}
                              .add("scene", name)
                              .add("edit", edit.name)
                              .add("us: scene", scene_us)
                              .add("us: model", model_us)
                              .add("us: both", scene_us + model_us)
                              .add("us: rebuilding", rebuild_us)
                              .add("ratio", rebuild_us / (scene_us + model_us))
                              .add("same answers", same ? "yes" : "no"));
  }
  return {};
}

// A question to the prepared model: what the call costs beyond the search itself.
void measure_call(const std::string& name, const Options& options, Report& report) {
  const Scene scene = build_scene(make_scene(name).value()).value();
  const CheckModel model = CheckModel::build(scene).value();
  Random random(options.seed);
  Scratch scratch;
  Path path;
  while (path.waypoints.empty() || model.check(path, scratch).value().verdict != Verdict::free) {
    const std::vector<double> from = random_configuration(scene.tree(), random);
    std::vector<double> to(from.size());
    interpolate(scene.tree(), from, random_configuration(scene.tree(), random), 0.1, to);
    path.waypoints = {from, to};
  }
  double search_us = std::numeric_limits<double>::infinity();
  const double call_us = least_microseconds(options.quick ? 200 : 2000, [&] {
    search_us = std::min(search_us, 1e6 * model.check(path, scratch).value().stats.seconds);
  });
  const double build_us =
      least_microseconds(options.quick ? 20 : 200, [&] { (void)CheckModel::build(scene).ok(); });
  report.rows.push_back(Row{}
                            .add("scene", name)
                            .add("edit", "(a check)")
                            .add("us: search", search_us)
                            .add("us: call", call_us)
                            .add("us: overhead", call_us - search_us)
                            .add("us: a model anew", build_us));
}

Result<Report> run(const Options& options) {
  Report report;
  int done = 0;
  for (const char* name : kScenes) {
    if (auto measured = measure(name, options, report); !measured.ok()) return measured.error();
    measure_call(name, options, report);
    options.progress(++done / static_cast<double>(std::size(kScenes)));
  }
  report.notes = {
      "Least of many runs, one thread. 'detach' first attaches, then detaches. 'rebuilding' builds "
      "the "
      "scene from its description, geometry included, and the model.",
      "'(a check)': a free segment asked of the prepared model; the overhead is what the call "
      "takes "
      "beyond its own count of seconds.",
      "'same answers': verdicts, box tests and certificate bytes of random segments, edited "
      "against "
      "built anew."};
  return report;
}

}  // namespace

Benchmark edit() {
  return {"edit", "Moving, adding, removing, attaching one body, against rebuilding", run};
}

}  // namespace proven::bench
