// What a certificate costs: recording it beside checking alone, and verifying it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/data.h"
#include "proven/base/parallel.h"
#include "proven/base/processor_time.h"
#include "proven/io/problem_set.h"
#include "proven/kinematics/interpolation.h"
#include "proven/plan/plan.h"
#include "proven/verify/verify.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

constexpr const char* kScenes[] = {"demo", "cage-a", "workshop", "car-a"};
constexpr std::size_t kSegments = 10;  // of every path

struct Case {
  SceneSource source;
  Scene scene;
  std::vector<Path> paths;
};

struct Costs {
  std::int64_t paths = 0, leaves = 0, wide = 0, bytes = 0, rejected = 0;
  // Processor time in seconds; of many threads that of the clock.
  double check = 0, record = 0, prepare = 0, verify = 0, verify_threaded = 0;
};

// The same motion in so many segments: the longest is halved until there are enough.
Path cut(const KinematicTree& tree, Path path) {
  auto& points = path.waypoints;
  while (points.size() > kSegments + 1) points.pop_back();
  while (points.size() < kSegments + 1) {
    std::size_t longest = 0;
    double most = -1;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      double length = 0;
      for (std::size_t k = 0; k < points[i].size(); ++k)
        length = std::hypot(length, points[i + 1][k] - points[i][k]);
      if (length > most) most = length, longest = i;
    }
    std::vector<double> middle(points[0].size());
    interpolate(tree, points[longest], points[longest + 1], 0.5, middle);
    points.insert(points.begin() + static_cast<std::ptrdiff_t>(longest) + 1, middle);
  }
  return path;
}

// The least of three.
template <class Work>
double least_seconds(const Work& work) {
  double least = INFINITY;
  for (int i = 0; i < 3; ++i) least = std::min(least, processor_seconds(work));
  return least;
}
template <class Work>
double least_wall_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double least = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

Result<void> measure(const Case& c, int threads, Costs& costs) {
  CheckOptions options;
  options.limits = Limits::ignore;  // random values go where they like
  const auto model = CheckModel::build(c.scene, options);
  if (!model.ok()) return model.error();
  options.certificate = true;
  const auto recording = model.value().with_options(options);
  if (!recording.ok()) return recording.error();
  costs.prepare += least_seconds([&] { (void)Verifier(c.source, {}); });
  VerifyOptions threaded_options;
  threaded_options.threads = threads;
  Verifier verifier(c.source, {}), threaded(c.source, threaded_options);
  Scratch scratch;
  for (const Path& path : c.paths) {
    const auto proof = recording.value().check(path, scratch);
    if (!proof.ok()) return proof.error();
    if (proof.value().verdict != Verdict::free) continue;
    const Certificate& certificate = proof.value().certificate;
    const VerifyReport report = verifier.verify(path, certificate);
    ++costs.paths;
    costs.rejected += !report.accepted;
    costs.leaves += report.leaves;
    costs.wide += report.wide_leaves;
    costs.bytes += static_cast<std::int64_t>(certificate.size());
    costs.check += least_seconds([&] { (void)model.value().check(path, scratch); });
    costs.record += least_seconds([&] { (void)recording.value().check(path, scratch); });
    costs.verify += least_seconds([&] { (void)verifier.verify(path, certificate); });
    costs.verify_threaded += least_wall_seconds([&] { (void)threaded.verify(path, certificate); });
  }
  return {};
}

void add_row(const std::string& scene, int scenes, int threads, const Costs& costs,
             Report& report) {
  const auto n = static_cast<double>(std::max<std::int64_t>(1, costs.paths));
  const auto leaves = static_cast<double>(std::max<std::int64_t>(1, costs.leaves));
  Row& row = report.rows.emplace_back();
  row.add("scene", scene).add("paths", costs.paths);
  row.add("leaves", leaves / n).add("bytes", static_cast<double>(costs.bytes) / n);
  row.add("ms: check", 1e3 * costs.check / n).add("ms: recorded", 1e3 * costs.record / n);
  row.add("recorded / checked", costs.record / costs.check);
  row.add("ms: verify", 1e3 * costs.verify / n);
  row.add(fmt::format("ms: verify, {} threads", threads), 1e3 * costs.verify_threaded / n);
  row.add("us: verify, per leaf", 1e6 * costs.verify / leaves);
  row.add("needed 128 bits", costs.wide);
  row.add("ms: written and verified", 1e3 * (costs.record + costs.verify) / n);
  row.add("ms: verifier's scene", 1e3 * costs.prepare / scenes);
  report.failed = report.failed || costs.rejected > 0;
}

Result<void> add_built_in(const std::string& name, int threads, const Options& options,
                          Report& report) {
  auto source = make_scene(name);
  if (!source.ok()) return source.error();
  auto scene = build_scene(source.value());
  if (!scene.ok()) return scene.error();
  SegmentWish wish;
  wish.verdict = Verdict::free;
  const auto segments =
      random_segments(scene.value(), wish, options.cases_or(3, 30), options.seed, options.threads);
  if (!segments.ok()) return segments.error();
  Case c{std::move(source).value(), std::move(scene).value(), {}};
  for (const Path& segment : segments.value()) c.paths.push_back(cut(c.scene.tree(), segment));
  Costs costs;
  if (auto measured = measure(c, threads, costs); !measured.ok()) return measured;
  add_row(name, 1, threads, costs, report);
  return {};
}

// Planned paths of problems from all over the set.
Result<void> add_robot(const std::string& robot, int threads, const Options& options,
                       Report& report) {
  const auto set = load_problem_set(data_dir() / "motionbenchmaker" / robot / "problems.json");
  if (!set.ok()) {
    report.notes.push_back("skipped: " + set.error().text());
    return {};
  }
  const int problems = options.cases_or(3, 30), all = set.value().size();
  Costs costs;
  for (int i = 0; i < problems; ++i) {
    const auto index = static_cast<int>(static_cast<std::int64_t>(i) * all / problems);
    Case c;
    c.source = set.value().scene_without_obstacles;
    c.source.obstacles = set.value().problems[static_cast<std::size_t>(index)].obstacles;
    auto scene = build_scene(c.source);
    if (!scene.ok()) return scene.error();
    c.scene = std::move(scene).value();
    const auto query = problem_query(set.value(), index, c.scene);
    if (!query.ok()) return query.error();
    PlanOptions plan_options;
    plan_options.seed = options.seed;
    const auto planned = plan(c.scene, query.value(), plan_options);
    if (!planned.ok()) return planned.error();
    if (planned.value().status == PlanStatus::solved)
      c.paths.push_back(cut(c.scene.tree(), planned.value().path));
    if (auto measured = measure(c, threads, costs); !measured.ok()) return measured;
  }
  add_row(robot + ", MotionBenchMaker", problems, threads, costs, report);
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  const int threads = options.threads > 0 ? options.threads : default_threads();
  for (const std::string name : kScenes) {
    if (!options.set.empty() && options.set != name) continue;
    if (auto done = add_built_in(name, threads, options, report); !done.ok()) return done.error();
    options.progress(0.15 * static_cast<double>(report.rows.size()));
  }
  for (const std::string robot : {"panda", "ur5"}) {
    if (!options.set.empty() && options.set != robot) continue;
    if (auto done = add_robot(robot, threads, options, report); !done.ok()) return done.error();
  }
  options.progress(1);
  report.notes.push_back(
      "Random free segments, and planned paths of MotionBenchMaker's problems, each cut into ten "
      "segments. Models are prepared: the checker's once for all paths of a scene, the verifier's "
      "own likewise (last column). Means per path; processor time, least of three; with several "
      "threads time of the clock. Verifying includes reading the bytes and what lies inside what.");
  return report;
}

}  // namespace

Benchmark certificates() {
  return {"certificates", "what recording and verifying proofs costs, beside checking alone", run,
          true};
}

}  // namespace proven::bench
