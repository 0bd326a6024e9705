// Batches of a million edges: on a GPU where there is one, beside the threads of this machine. All
// verdicts are compared, and certificates of a sample are verified.
#include "proven/certify/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/plan/problems.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/io/problem_set.h"
#include "proven/kinematics/interpolation.h"
#include "proven/verify/verify.h"

namespace proven::bench {
namespace {

constexpr const char* kScenes[] = {"cage-a", "workshop", "car-a", "lattice-1"};
constexpr double kEdge = 1.0;   // radians
constexpr int kStep = 256;      // edges of one step of a planner
constexpr int kAlone = 20'000;  // that one thread is timed on
constexpr int kSampled = 64;    // certificates of each batch

struct Place {
  std::string name;
  SceneSource source;
  Scene scene;
  std::vector<int> moving;  // coordinates that edges change
  std::vector<double> start;
};

struct Edges {
  std::vector<double> from, to;
};

// Configurations drawn by chance, of which those that are free are kept.
Result<std::vector<double>> free_starts(const Place& place, const BatchChecker& checker, int count,
                                        Random& random) {
  const auto coordinates = place.scene.tree().coordinates();
  const std::size_t row = place.start.size();
  std::vector<double> kept, drawn;
  for (int round = 0; round < 50 && kept.size() < static_cast<std::size_t>(count) * row; ++round) {
    drawn.clear();
    for (int i = 0; i < count; ++i) {
      const std::size_t at = drawn.size();
      drawn.insert(drawn.end(), place.start.begin(), place.start.end());
      for (const int c : place.moving) {
        const auto k = static_cast<std::size_t>(c);
        drawn[at + k] = random.uniform(std::max(coordinates[k].lower, -M_PI),
                                       std::min(coordinates[k].upper, M_PI));
      }
    }
    const auto asked = checker.check({drawn, drawn, false});
    if (!asked.ok()) return asked.error();
    for (std::size_t i = 0; i < asked.value().verdicts.size(); ++i)
      if (asked.value().verdicts[i] == BatchVerdict::clear)
        kept.insert(kept.end(), drawn.begin() + static_cast<std::ptrdiff_t>(i * row),
                    drawn.begin() + static_cast<std::ptrdiff_t>((i + 1) * row));
  }
  if (kept.empty()) return bad_input("no free configuration was found", place.name);
  kept.resize(std::min(kept.size(), static_cast<std::size_t>(count) * row));
  return kept;
}

// From free configurations, an edge of one radian each, into any direction.
Result<Edges> draw_edges(const Place& place, const BatchChecker& checker, int count,
                         std::uint64_t seed) {
  Random random(seed);
  auto starts = free_starts(place, checker, count, random);
  if (!starts.ok()) return starts.error();
  const auto coordinates = place.scene.tree().coordinates();
  const std::size_t row = place.start.size();
  Edges edges;
  const std::size_t known = starts.value().size() / row;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double* q = starts.value().data() + (i % known) * row;
    edges.from.insert(edges.from.end(), q, q + row);
    const std::size_t at = edges.to.size();
    edges.to.insert(edges.to.end(), q, q + row);
    double square = 0;
    std::vector<double> step(row);
    for (const int c : place.moving) {
      const auto k = static_cast<std::size_t>(c);
      step[k] = random.normal();
      square += step[k] * step[k];
    }
    for (const int c : place.moving) {
      const auto k = static_cast<std::size_t>(c);
      edges.to[at + k] = std::clamp(q[k] + kEdge * step[k] / std::sqrt(square),
                                    coordinates[k].lower, coordinates[k].upper);
    }
  }
  return edges;
}

SegmentBatch part_of(const Edges& edges, std::size_t row, std::size_t first, std::size_t count) {
  return {std::span(edges.from).subspan(first * row, count * row),
          std::span(edges.to).subspan(first * row, count * row), true};
}

// The median time of small batches, in milliseconds: of all, and of the GPU's own work.
struct SmallBatches {
  double all = 0, there = 0;
};
Result<SmallBatches> small_batches(const BatchChecker& checker, const Edges& edges,
                                   std::size_t row) {
  const std::size_t steps = std::min<std::size_t>(200, edges.from.size() / row / kStep);
  std::vector<double> all, there;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto asked = checker.check(part_of(edges, row, i * kStep, kStep));
    if (!asked.ok()) return asked.error();
    all.push_back(1e3 * asked.value().stats.seconds);
    there.push_back(1e3 * asked.value().stats.device_seconds);
  }
  return SmallBatches{quantile(all, 0.5), quantile(there, 0.5)};
}

struct Verified {
  int accepted = 0, of = 0;
};

Verified verify_samples(const Place& place, const Edges& edges, const BatchResult& result) {
  const std::size_t row = place.start.size();
  const Verifier verifier(place.source, {});
  Verified verified;
  for (const BatchResult::Sample& sample : result.samples) {
    const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(sample.segment) * row);
    const auto end = at + static_cast<std::ptrdiff_t>(row);
    Motion motion;
    motion.waypoints = {{edges.from.begin() + at, edges.from.begin() + end},
                        {edges.to.begin() + at, edges.to.begin() + end}};
    ++verified.of;
    verified.accepted += verifier.verify(motion, sample.certificate).accepted;
  }
  return verified;
}

Result<void> run_place(const Place& place, const Options& options, Report& report) {
  const std::size_t row = place.start.size();
  const auto model = CheckModel::build(place.scene);
  if (!model.ok()) return model.error();
  BatchOptions wanted;
  wanted.threads = options.threads;
  wanted.prove = false;
  wanted.sample_every = 1'000'000'000;  // none, while edges are drawn
  auto checker = BatchChecker::build(model.value(), wanted);
  if (!checker.ok()) return checker.error();
  const bool gpu = checker.value().device() == BatchDevice::gpu;
  if (!gpu) {
    // What a GPU would do, slowly.
    wanted.device = BatchDevice::emulated;
    checker = BatchChecker::build(model.value(), wanted);
    if (!checker.ok()) return checker.error();
  }
  const int count = options.cases > 0 ? options.cases
                    : options.quick   ? 2'000
                    : gpu             ? 1'000'000
                                      : 20'000;
  const auto edges = draw_edges(place, checker.value(), count, options.seed);
  if (!edges.ok()) return edges.error();
  wanted.sample_every = BatchOptions{}.sample_every;
  if (checker = BatchChecker::build(model.value(), wanted); !checker.ok()) return checker.error();
  const SegmentBatch all = part_of(edges.value(), row, 0, static_cast<std::size_t>(count));
  Result<BatchResult> best = checker.value().check(all);
  for (int again = 0; best.ok() && again < 2; ++again) {
    auto result = checker.value().check(all);
    if (result.ok() && result.value().stats.seconds > best.value().stats.seconds) continue;
    best = std::move(result);
  }
  if (!best.ok()) return best.error();
  const BatchResult& ours = best.value();
  // The same by CheckModel, on one thread and on all.
  BatchOptions by_threads = wanted;
  by_threads.device = BatchDevice::threads;
  const auto threads = BatchChecker::build(model.value(), by_threads);
  by_threads.threads = 1;
  const auto alone = BatchChecker::build(model.value(), by_threads);
  if (!threads.ok() || !alone.ok()) return threads.ok() ? alone.error() : threads.error();
  const auto rival = threads.value().check(all);
  const std::size_t few = std::min<std::size_t>(kAlone, static_cast<std::size_t>(count));
  const auto single = alone.value().check(part_of(edges.value(), row, 0, few));
  const auto step = small_batches(checker.value(), edges.value(), row);
  // With the search's proof of every edge that is clear.
  BatchOptions proving = wanted;
  proving.prove = true;
  const auto prover = BatchChecker::build(model.value(), proving);
  if (!prover.ok()) return prover.error();
  const auto proved = prover.value().check(part_of(edges.value(), row, 0, few));
  if (!proved.ok()) return proved.error();
  if (!rival.ok()) return rival.error();
  if (!single.ok()) return single.error();
  if (!step.ok()) return step.error();
  std::int64_t differ = 0;
  for (std::size_t i = 0; i < ours.verdicts.size(); ++i)
    differ += ours.verdicts[i] != rival.value().verdicts[i];
  // Once more, with more certificates than users get.
  wanted.sample_every = std::max(1, count / kSampled);
  const auto sampler = BatchChecker::build(model.value(), wanted);
  if (!sampler.ok()) return sampler.error();
  const auto sampled = sampler.value().check(all);
  if (!sampled.ok()) return sampled.error();
  const Verified verified = verify_samples(place, edges.value(), sampled.value());
  const BatchResult::Stats& s = ours.stats;
  const double n = count;
  Row& line = report.rows.emplace_back();
  line.add("scene", place.name).add("device", to_string(checker.value().device()));
  line.add("edges", count).add("clear", static_cast<double>(s.clear) / n);
  line.add("undecided", s.undecided).add("settled there", static_cast<double>(s.settled) / n);
  line.add("left by balls", static_cast<double>(s.entries) / n);
  line.add("chords searched", static_cast<double>(s.tasks) / n);
  line.add("confirmed", s.confirmed).add("searched by threads", s.searched);
  if (gpu) line.add("M/s there", 1e-6 * n / s.device_seconds);
  line.add("ms to and from", 1e3 * s.asked_seconds).add("ms, threads", 1e3 * s.searched_seconds);
  line.add("ms", 1e3 * s.seconds).add("M/s", 1e-6 * n / s.seconds);
  line.add("M/s clear", 1e-6 * static_cast<double>(s.clear) / s.seconds);
  line.add("M/s, all clear ones proved",
           1e-6 * static_cast<double>(few) / proved.value().stats.seconds);
  line.add("refuted", proved.value().stats.refuted);
  const double one = static_cast<double>(few) / single.value().stats.seconds;
  line.add("M/s, one thread", 1e-6 * one);
  line.add("M/s, threads", 1e-6 * n / rival.value().stats.seconds);
  line.add("/ one thread", n / s.seconds / one);
  line.add("/ threads", rival.value().stats.seconds / s.seconds);
  line.add("ms, 256 edges", step.value().all);
  if (gpu) line.add("ms there, 256 edges", step.value().there);
  line.add("other verdicts", differ);
  line.add("certificates", verified.of).add("accepted", verified.accepted);
  report.failed = report.failed || differ > 0 || verified.accepted < verified.of ||
                  proved.value().stats.refuted > 0;
  return {};
}

Result<void> run_robot(const std::string& robot, const Options& options, Report& report) {
  const auto set = load_problem_set(problems_of(robot));
  if (!set.ok()) return set.error();
  const int places = options.quick ? 1 : 3;
  for (int i = 0; i < places; ++i) {
    const int index = i * set.value().size() / places;
    const auto scene = problem_scene(set.value(), index);
    if (!scene.ok()) return scene.error();
    const auto query = problem_query(set.value(), index, scene.value());
    if (!query.ok()) return query.error();
    SceneSource source = set.value().scene_without_obstacles;
    source.obstacles = set.value().problems[static_cast<std::size_t>(index)].obstacles;
    const Place place{fmt::format("{}, problem {}", robot, index + 1), source, scene.value(),
                      query.value().planned, query.value().start};
    if (auto done = run_place(place, options, report); !done.ok()) return done;
  }
  return {};
}

Result<void> run_scene(const std::string& name, const Options& options, Report& report) {
  const auto problem = built_in_case(name);
  if (!problem.ok()) return problem.error();
  const PlanCase& made = problem.value();
  const Place place{name, made.source, made.scene, made.problem.planned, made.problem.start};
  return run_place(place, options, report);
}

Result<Report> run(const Options& options) {
  Report report;
  if (auto ran = run_robots_and_scenes(
          options, kScenes, report,
          [&](const std::string& robot) { return run_robot(robot, options, report); },
          [&](const std::string& scene) { return run_scene(scene, options, report); });
      !ran.ok())
    return ran.error();
  report.notes.emplace_back(
      "Edges of 1 rad from free configurations. 'M/s': million edges a second, from arrays of "
      "configurations to pre-checked verdicts, with all that is left to threads and the sample of "
      "certificates; 'all clear ones proved': with the search's proof of each, by threads; "
      "'refuted' "
      "must be 0. "
      "'M/s there': of the GPU's own work. 'other verdicts': than threads alone, on all edges. "
      "Without a GPU its programs run on the host ('emulated').");
  return report;
}

}  // namespace

Benchmark batch() {
  return {"batch", "a million edges at once, on a GPU where there is one, beside threads", run,
          false, true};
}

}  // namespace proven::bench
