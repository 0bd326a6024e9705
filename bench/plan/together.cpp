// Many queries of one scene planned together, and their paths smoothed together: on a GPU where
// there is one, beside threads that take one query after the other. All paths are checked.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/bench.h"
#include "bench/plan/problems.h"
#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/io/problem_set.h"
#include "proven/plan/smooth.h"

namespace proven::bench {
namespace {

constexpr const char* kScenes[] = {"workshop", "cage-a"};
constexpr std::int64_t kIterations = 2000;  // of a query: most are solved by far fewer
constexpr std::size_t kAlone = 100;         // queries that one thread is timed on

struct Place {
  std::string name;
  Scene scene;
  Query query;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Between free configurations that are drawn by chance.
Result<std::vector<PlanProblem>> draw_queries(const Place& place, const CheckModel& model,
                                              std::size_t count, std::uint64_t seed) {
  constexpr int kDraws = 1000;  // for one that is free
  Random random(seed);
  Prover prover(model);
  const auto coordinates = place.scene.tree().coordinates();
  const auto draw = [&](std::vector<double>& q) {
    for (int i = 0; i < kDraws; ++i) {
      for (const int c : place.query.planned) {
        const auto k = static_cast<std::size_t>(c);
        q[k] = random.uniform(std::max(coordinates[k].lower, -M_PI),
                              std::min(coordinates[k].upper, M_PI));
      }
      if (prover.seems_free(q)) return true;
    }
    return false;
  };
  std::vector<PlanProblem> problems(count, {place.query});
  for (PlanProblem& problem : problems) {
    problem.query.goal = problem.query.start;
    if (!draw(problem.query.start) || !draw(problem.query.goal))
      return bad_input("no free configuration was found", place.name);
  }
  return problems;
}

// The same work done in three ways, and what each found.
struct Timed {
  double one_thread = 0, threads = 0, device = 0;  // seconds
  std::vector<Path> by_threads, by_device;         // empty where none was found
};

std::int64_t count_not_free(const Scene& scene, const std::vector<Path>& all, int threads) {
  std::vector<Motion> found;
  for (const Path& path : all)
    if (!path.waypoints.empty()) found.push_back(path);
  std::int64_t not_free = 0;
  for (const auto& checked : check_all(scene, found, {}, threads))
    not_free += !checked.ok() || checked.value().verdict != Verdict::free;
  return not_free;
}

double mean_length(const Scene& scene, const std::vector<Path>& paths) {
  double sum = 0, found = 0;
  for (const Path& path : paths)
    if (!path.waypoints.empty()) sum += path_length(scene, path), ++found;
  return sum / std::max(1.0, found);
}

void add_row(const Place& place, std::string_view work, std::string_view device, const Timed& timed,
             int threads, Report& report) {
  std::int64_t found = 0, other = 0;
  for (std::size_t i = 0; i < timed.by_device.size(); ++i) {
    found += !timed.by_device[i].waypoints.empty();
    other += timed.by_device[i].waypoints != timed.by_threads[i].waypoints;
  }
  const std::int64_t not_free = count_not_free(place.scene, timed.by_device, threads);
  const auto count = static_cast<std::int64_t>(timed.by_device.size());
  Row& row = report.rows.emplace_back();
  row.add("scene", place.name).add("work", work).add("device", device);
  row.add("asked", count).add("found", found).add("other paths", other);
  row.add("length", mean_length(place.scene, timed.by_device));
  row.add("length, threads", mean_length(place.scene, timed.by_threads));
  row.add("ms", 1e3 * timed.device).add("ms, threads", 1e3 * timed.threads);
  row.add("ms, one thread", 1e3 * timed.one_thread);
  row.add("/ one thread", timed.one_thread / timed.device);
  row.add("/ threads", timed.threads / timed.device).add("not free", not_free);
  report.failed = report.failed || not_free > 0;
}

template <class Results>
std::vector<Path> paths_of(Results& results) {
  std::vector<Path> paths;
  for (auto& one : results) paths.push_back(one.ok() ? std::move(one.value().path) : Path{});
  return paths;
}

// `work`: all of so many, on a device.
using Work = std::function<Result<std::vector<Path>>(std::size_t count, const BatchOptions&)>;

Result<Timed> measure(const Work& work, std::size_t count, const BatchOptions& device) {
  Timed timed;
  const BatchOptions threads{.device = BatchDevice::threads, .threads = device.threads};
  const BatchOptions one{.device = BatchDevice::threads, .threads = 1};
  Result<std::vector<Path>> paths = std::vector<Path>{};
  const auto run = [&](std::size_t some, const BatchOptions& by) {
    return seconds_of([&] { paths = work(some, by); });
  };
  const std::size_t few = std::min(kAlone, count);
  timed.one_thread = run(few, one) * static_cast<double>(count) / static_cast<double>(few);
  if (!paths.ok()) return paths.error();
  timed.threads = run(count, threads);
  if (!paths.ok()) return paths.error();
  timed.by_threads = std::move(paths.value());
  timed.device = run(count, device);
  if (!paths.ok()) return paths.error();
  timed.by_device = std::move(paths.value());
  return timed;
}

Result<void> run_place(const Place& place, const Options& options, Report& report) {
  CheckOptions check = proving_check();
  check.sweep = true;
  const auto model = CheckModel::build(place.scene, check);
  if (!model.ok()) return model.error();
  model.value().prepare_sweeps();  // threads are fastest so
  BatchOptions batch{.threads = options.threads};
  const auto checker = BatchChecker::build(model.value(), batch);
  if (!checker.ok()) return checker.error();
  const bool gpu = checker.value().device() == BatchDevice::gpu;
  if (!gpu) {
    // What a GPU would do, slowly.
    batch.device = BatchDevice::emulated;
    batch.least = 0;
  }
  const auto count =
      static_cast<std::size_t>(options.cases_or(gpu ? 2000 : 16, gpu ? 20'000 : 100));
  const auto problems = draw_queries(place, model.value(), count, options.seed);
  if (!problems.ok()) return problems.error();
  PlanOptions planning;
  planning.check = check;
  planning.max_iterations = kIterations;
  planning.seed = options.seed;
  const auto planned = measure(
      [&](std::size_t some, const BatchOptions& by) -> Result<std::vector<Path>> {
        auto all = plan_all(model.value(), std::span(problems.value()).first(some), planning, by);
        if (!all.ok()) return all.error();
        return paths_of(all.value());
      },
      count, batch);
  if (!planned.ok()) return planned.error();
  const std::string_view device = to_string(gpu ? BatchDevice::gpu : batch.device);
  add_row(place, "plan", device, planned.value(), options.threads, report);
  SmoothOptions smoothing;
  smoothing.check = check;
  smoothing.seed = options.seed;
  smoothing.input_is_proved = true;
  std::vector<Path> found;
  for (const Path& path : planned.value().by_device)
    if (path.num_segments() > 1) found.push_back(path);
  if (found.empty()) return {};
  const auto smoothed = measure(
      [&](std::size_t some, const BatchOptions& by) -> Result<std::vector<Path>> {
        auto all = smooth_all(model.value(), std::span(found).first(some), smoothing, by);
        if (!all.ok()) return all.error();
        return paths_of(all.value());
      },
      found.size(), batch);
  if (!smoothed.ok()) return smoothed.error();
  add_row(place, "smooth", device, smoothed.value(), options.threads, report);
  return {};
}

Result<void> run_robot(const std::string& robot, const Options& options, Report& report) {
  const auto set = load_problem_set(problems_of(robot));
  if (!set.ok()) return set.error();
  const int places = options.quick ? 1 : 3;
  for (int i = 0; i < places; ++i) {
    const int index = i * set.value().size() / places;
    auto scene = problem_scene(set.value(), index);
    if (!scene.ok()) return scene.error();
    auto query = problem_query(set.value(), index, scene.value());
    if (!query.ok()) return query.error();
    const Place place{fmt::format("{}, problem {}", robot, index + 1), std::move(scene).value(),
                      std::move(query).value()};
    if (auto done = run_place(place, options, report); !done.ok()) return done;
  }
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  if (auto ran = run_robots_and_scenes(
          options, kScenes, report,
          [&](const std::string& robot) { return run_robot(robot, options, report); },
          [&](const std::string& name) -> Result<void> {
            auto made = built_in_case(name);
            if (!made.ok()) return made.error();
            const Place place{name, std::move(made.value().scene), std::move(made.value().problem)};
            return run_place(place, options, report);
          });
      !ran.ok())
    return ran.error();
  report.notes.emplace_back(
      "Queries between free configurations drawn by chance, planned by rrt-connect; then the paths "
      "that are not straight are smoothed. 'threads': one query or path after the other on each, "
      "of a model that was told to sweep; 'one thread': on a hundred of them, for all. 'other "
      "paths': than those of threads, which give up motions that a GPU asks in full. 'not free': "
      "paths that `check` does not prove. Without a GPU its programs run on the host "
      "('emulated').");
  return report;
}

}  // namespace

Benchmark together() {
  return {"together", "many queries planned and smoothed together, on a GPU where there is one",
          run, false, true};
}

}  // namespace proven::bench
