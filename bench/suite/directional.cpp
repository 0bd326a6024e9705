// The checker directional against classic and against sampling with FCL, on the same segments, one
// thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "bench/certify/segments.h"
#include "bench/suite/fcl_oracle.h"

namespace proven::bench {
namespace {

struct Environment {
  const char* name;
  const char* scene;
  int quick, full;    // segments of each group
  double spread = 1;  // SegmentWish
};

// Uniform configurations of the lattice's arm hang beside the grids; within a fiftieth of the
// ranges it stays threaded through their holes.
constexpr Environment kEnvironments[] = {{"cage-a", "cage-a", 20, 300},
                                         {"lattice-1", "lattice-1", 6, 60},
                                         {"lattice-1, threaded", "lattice-1", 20, 300, 0.02},
                                         {"workshop", "workshop", 20, 300},
                                         {"car-a", "car-a", 10, 100}};

struct Method {
  const char* name;
  Checker checker;
  double resolution;
  bool as_planners_ask =
      false;  // one prepared model, sweeps first, starts that are known to be free
};

constexpr Method kFree[] = {{"classic 1e-3", Checker::classic, 1e-3},
                            {"classic 1e-6", Checker::classic, 1e-6},
                            {"directional 1e-3", Checker::directional, 1e-3},
                            {"directional 1e-6", Checker::directional, 1e-6},
                            {"as planners ask", Checker::directional, 1e-6, true}};
constexpr Method kColliding[] = {{"classic 1e-3", Checker::classic, 1e-3},
                                 {"directional 1e-6", Checker::directional, 1e-6},
                                 {"as planners ask", Checker::directional, 1e-6, true}};

// Milliseconds per segment of sampling with FCL, and how many segments it calls colliding.
struct Sampled {
  double milliseconds = 0;
  int hits = 0;
};

Sampled sample(const Scene& scene, const std::vector<Path>& segments, double step) {
  const FclModel model(scene);
  FclOracle oracle(model);
  Sampled result;
  const auto start = std::chrono::steady_clock::now();
  for (const Path& path : segments)
    result.hits += oracle.sample(path.waypoints[0], path.waypoints[1], step).has_value();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  result.milliseconds = took.count() / static_cast<double>(segments.size());
  return result;
}

// The pre-check as planners use it, once sweeps are prepared.
Result<MeasuredWork> measure_as_planners_ask(const Scene& scene, const std::vector<Path>& segments,
                                             CheckOptions options) {
  options.sweep = true;
  const auto model = CheckModel::build(scene, options);
  if (!model.ok()) return model.error();
  Scratch scratch;
  model.value().prepare_sweeps();
  CheckStats total;
  MeasuredWork work;
  const auto start = std::chrono::steady_clock::now();
  for (const Path& path : segments) {
    const PreCheck result = model.value().pre_check(
        {.from = path.waypoints[0], .to = path.waypoints[1], .from_is_free = true},
        CheckModel::Effort::thorough, scratch);
    total += result.stats;
    ++(result.verdict == PreVerdict::clear     ? work.free
       : result.verdict == PreVerdict::contact ? work.collision
                                               : work.undecided);
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const auto n = static_cast<double>(segments.size());
  work.mean = {static_cast<double>(total.box_tests) / n,
               static_cast<double>(total.triangle_tests) / n, took.count() / n,
               static_cast<double>(total.configurations) / n};
  return work;
}

class Comparison {
 public:
  explicit Comparison(Report& report) : report_(report) {}

  Result<void> run(const Environment& environment, const Options& options) {
    const Result<Scene> scene = built_in_scene(environment.scene);
    if (!scene.ok()) return scene.error();
    const int count = options.cases_or(environment.quick, environment.full);
    for (const Verdict verdict : {Verdict::free, Verdict::collision}) {
      SegmentWish wish;
      wish.verdict = verdict;
      wish.spread = environment.spread;
      const auto segments =
          random_segments(scene.value(), wish, count, options.seed, options.threads);
      if (!segments.ok()) return segments.error();
      const auto done = verdict == Verdict::free
                            ? compare_free(environment.name, scene.value(), segments.value())
                            : compare_colliding(environment.name, scene.value(), segments.value());
      if (!done.ok()) return done;
    }
    return {};
  }

  // How many times faster than FCL planners are served: over all scenes, and where it is least.
  std::string speedups() const {
    return fmt::format(
        "As planners ask, free segments are proved {:.0f} times faster than FCL samples them at "
        "0.005 rad (geometric mean of all scenes; least {:.0f}), colliding ones {:.1f} times "
        "faster "
        "than at 0.05 rad (least {:.1f}).",
        std::exp(logarithms_[1] / count_[1]), least_[1], std::exp(logarithms_[0] / count_[0]),
        least_[0]);
  }

 private:
  Result<void> compare_free(const char* name, const Scene& scene,
                            const std::vector<Path>& segments) {
    const Sampled fcl = sample(scene, segments, 0.005);
    add_sampling(name, "free", "FCL at 0.005 rad", fcl, segments);
    return compare(name, "free", scene, segments, kFree, fcl);
  }
  Result<void> compare_colliding(const char* name, const Scene& scene,
                                 const std::vector<Path>& segments) {
    const Sampled fcl = sample(scene, segments, 0.05);
    add_sampling(name, "colliding", "FCL at 0.05 rad", fcl, segments);
    return compare(name, "colliding", scene, segments, kColliding, fcl);
  }

  void add_sampling(const char* name, const char* group, const char* method, const Sampled& fcl,
                    const std::vector<Path>& segments) {
    Row& row = report_.rows.emplace_back();
    row.add("scene", name).add("segments", group).add("method", method);
    row.add("count", static_cast<std::int64_t>(segments.size())).add("collision", fcl.hits);
    row.add("ms", fcl.milliseconds);
  }

  Result<void> compare(const char* name, const char* group, const Scene& scene,
                       const std::vector<Path>& segments, std::span<const Method> methods,
                       const Sampled& fcl) {
    std::vector<MeasuredWork> works;
    for (const Method& method : methods) {
      CheckOptions options;
      options.checker = method.checker;
      options.resolution = method.resolution;
      const auto work = method.as_planners_ask ? measure_as_planners_ask(scene, segments, options)
                                               : measure(scene, segments, options, 1);
      if (!work.ok()) return work.error();
      works.push_back(work.value());
      const Work& mean = work.value().mean;
      Row& row = report_.rows.emplace_back();
      row.add("scene", name).add("segments", group).add("method", method.name);
      row.add("count", static_cast<std::int64_t>(segments.size()));
      row.add("free", work.value().free).add("collision", work.value().collision);
      row.add("undecided", work.value().undecided);
      row.add("boxes", mean.boxes).add("triangles", mean.triangles);
      row.add("configurations", mean.configurations).add("ms", mean.milliseconds);
      row.add("times faster than FCL", fcl.milliseconds / mean.milliseconds);
      if (method.checker == Checker::classic) continue;
      if (method.as_planners_ask) {
        note_speedup(group, fcl.milliseconds / mean.milliseconds);
        continue;
      }
      // The one of classic at the same resolution; of colliding segments the only one.
      const std::size_t rival = (methods.size() - 1) / 2;
      row.add("boxes of classic / ours", works[works.size() - 1 - rival].mean.boxes / mean.boxes);
    }
    return {};
  }

  void note_speedup(const std::string& group, double times) {
    logarithms_[group == "free"] += std::log(times);
    least_[group == "free"] = std::min(least_[group == "free"], times);
    ++count_[group == "free"];
  }

  Report& report_;
  // Of colliding segments, and of free ones.
  double logarithms_[2] = {0, 0}, least_[2] = {INFINITY, INFINITY};
  int count_[2] = {0, 0};
};

Result<Report> run(const Options& options) {
  Report report;
  Comparison comparison(report);
  for (const Environment& environment : kEnvironments) {
    const auto done = comparison.run(environment, options);
    if (!done.ok()) return done.error();
    options.progress(static_cast<double>(&environment - kEnvironments + 1) /
                     std::size(kEnvironments));
  }
  report.notes = {
      "Averages per segment between two random free configurations, one thread, all methods on the "
      "same segments. Groups by the verdict of directional at 1e-6.",
      "Resolutions in metres. FCL samples at steps in joint space; it proves nothing and misses "
      "collisions (see never-wrong).",
      "As planners ask: one prepared model for all segments, sweeps before the search, starts that "
      "are known to be free; preparing is not counted.",
      comparison.speedups()};
  return report;
}

}  // namespace

Benchmark directional() {
  return {"directional", "directional against classic and against sampling with FCL", run};
}

}  // namespace proven::bench
