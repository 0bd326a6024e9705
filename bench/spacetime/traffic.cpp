// Paper 002, figures 6 to 8: time of a query and of building, over the number of obstacles; rivals
// in the same run.
#ifdef PROVEN_BENCH_WITH_FCL
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "bench/bench.h"
#include "bench/spacetime/fcl_traffic.h"
#include "bench/spacetime/random_walks.h"
#include "proven/spacetime/paper.h"

namespace proven::bench {
namespace {

using Clock = std::chrono::steady_clock;
using spacetime::TrafficOptions;
using spacetime::TrafficScene;
using spacetime::TrafficWorkspace;

constexpr int kPoses = 150, kRepeats = 3;

// The least of a few runs, as the paper measures; microseconds.
template <class Work>
double time_us(Work&& work, int repeats = kRepeats) {
  double best = 1e18;
  for (int i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return best;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Times in microseconds by method, free and colliding apart.
struct Timings {
  std::map<std::string, std::vector<double>> query[2], build;
  int scenes[2] = {};
  int disagreements = 0;
};

const char* const kMethods[] = {"proven",
                                "proven any",
                                "brute force SIMD",
                                "brute force plain",
                                "paper multiple interference",
                                "paper isolated",
                                "paper tree/tree",
                                "fcl multiple interference",
                                "fcl isolated",
                                "fcl isolated fair",
                                "fcl tree/tree fair"};

void measure_ours(const WalkScene& walk, const TrafficScene& scene, bool& collides,
                  std::map<std::string, double>& query) {
  const auto footprint = car();
  const TrafficOptions options;
  TrafficOptions any = options;
  any.first = false;
  TrafficWorkspace tree, simd, plain;
  force_brute_force(simd, true);
  force_brute_force(plain, true);
  force_kernel(plain, "plain");
  const auto ask = [&](const TrafficOptions& chosen, TrafficWorkspace& workspace) {
    return check(scene, footprint, walk.candidate, chosen, workspace).value().verdict ==
           Verdict::collision;
  };
  query["proven"] = time_us([&] { collides = ask(options, tree); });
  query["proven any"] = time_us([&] { ask(any, tree); });
  query["brute force SIMD"] = time_us([&] { ask(options, simd); });
  query["brute force plain"] = time_us([&] { ask(options, plain); });
}

void measure_paper(const WalkScene& walk, std::map<std::string, double>& query,
                   std::map<std::string, double>& build) {
  const auto footprint = car();
  std::unique_ptr<spacetime::PaperScene> paper;
  build["paper tree"] = time_us([&] {
    paper = std::make_unique<spacetime::PaperScene>(walk.obstacles, spacetime::PaperOptions{});
  });
  const auto ask = [&](spacetime::PaperMethod method) {
    return time_us([&] { paper->collides(footprint, walk.candidate, method); });
  };
  query["paper multiple interference"] = ask(spacetime::PaperMethod::multiple_interference);
  query["paper isolated"] = ask(spacetime::PaperMethod::isolated);
  const spacetime::PaperTree own = paper->candidate_tree(footprint, walk.candidate);
  query["paper tree/tree"] = time_us([&] { paper->collides(footprint, walk.candidate, own); });
}

bool measure_fcl(const WalkScene& walk, std::map<std::string, double>& query,
                 std::map<std::string, double>& build) {
  FclTraffic turned(walk.obstacles, FclBoxes::oriented),
      fair(walk.obstacles, FclBoxes::world_aligned);
  build["fcl tree"] = time_us([&] { turned.build(); }, 2);
  build["fcl tree fair"] = time_us([&] { fair.build(); }, 2);
  turned.set_candidate(car(), walk.candidate);
  fair.set_candidate(car(), walk.candidate);
  build["fcl candidate tree fair"] = time_us([&] { fair.build_candidate_tree(); });
  bool hit = false;
  query["fcl multiple interference"] = time_us([&] { fair.multiple_interference(); }, 1);
  query["fcl isolated"] = time_us([&] { turned.isolated(); }, 1);
  query["fcl isolated fair"] = time_us([&] { hit = fair.isolated(); });
  query["fcl tree/tree fair"] = time_us([&] { fair.tree_against_tree(); });
  return hit;
}

void measure_scene(Random& random, int obstacles, Timings& timings) {
  const WalkScene walk = random_walk_scene(random, obstacles, kPoses);
  std::map<std::string, double> query, build;
  const TrafficScene scene = TrafficScene::build(walk.obstacles).value();
  // Building takes the obstacles over; copies are made outside the clock.
  double built = 1e18;
  for (int i = 0; i < kRepeats; ++i) {
    auto copy = walk.obstacles;
    built = std::min(built, time_us([&] { (void)TrafficScene::build(std::move(copy)).ok(); }, 1));
  }
  build["proven"] = built;
  bool collides = false;
  measure_ours(walk, scene, collides, query);
  measure_paper(walk, query, build);
  const bool sampled = measure_fcl(walk, query, build);
  timings.disagreements += sampled && !collides;
  ++timings.scenes[collides];
  for (const auto& [name, us] : query) timings.query[collides][name].push_back(us);
  for (const auto& [name, us] : build) timings.build[name].push_back(us);
}

void add_query_rows(int obstacles, const Timings& timings, Report& report) {
  for (const int collides : {0, 1}) {
    const double ours =
        quantile(timings.query[collides].count("proven") ? timings.query[collides].at("proven")
                                                         : std::vector<double>{},
                 0.5);
    for (const char* method : kMethods) {
      const auto found = timings.query[collides].find(method);
      if (found == timings.query[collides].end()) continue;
      Row& row = report.rows.emplace_back();
      row.add("what", "query").add("obstacles", obstacles);
      row.add("case", collides ? "collision" : "free").add("method", method);
      row.add("scenes", timings.scenes[collides]);
      const double median = quantile(found->second, 0.5);
      row.add("median_us", median).add("q25_us", quantile(found->second, 0.25));
      row.add("q75_us", quantile(found->second, 0.75)).add("times_proven", median / ours);
    }
  }
}

void add_build_rows(int obstacles, const Timings& timings, Report& report) {
  const double ours = quantile(timings.build.at("proven"), 0.5);
  for (const auto& [name, values] : timings.build) {
    Row& row = report.rows.emplace_back();
    row.add("what", "build").add("obstacles", obstacles).add("case", "").add("method", name);
    row.add("scenes", static_cast<std::int64_t>(values.size()));
    const double median = quantile(values, 0.5);
    row.add("median_us", median).add("q25_us", quantile(values, 0.25));
    row.add("q75_us", quantile(values, 0.75)).add("times_proven", median / ours);
    if (name == "fcl tree" && obstacles == 30) row.add("paper_us", 7800.0);
    if (name == "fcl candidate tree fair") row.add("paper_us", 260.0);
  }
}

// 1,000 candidates of 150 poses against 30 obstacles in one call, every verdict sound.
void add_batch_row(const Options& options, Report& report) {
  Random random(options.seed + 77);
  const WalkScene walk = random_walk_scene(random, 30, kPoses);
  const TrafficScene scene = TrafficScene::build(walk.obstacles).value();
  spacetime::CandidateSet set;
  set.footprint = car();
  constexpr int kCandidates = 1000;
  for (int i = 0; i < kCandidates; ++i) {
    const spacetime::Trajectory m = random_walk(random, kPoses, 60);
    set.t = m.t;
    set.x.insert(set.x.end(), m.x.begin(), m.x.end());
    set.y.insert(set.y.end(), m.y.begin(), m.y.end());
    set.heading.insert(set.heading.end(), m.heading.begin(), m.heading.end());
  }
  std::int64_t free = 0;
  const double us = time_us(
      [&] {
        const auto all = verdicts(scene, set, {});
        free = std::count(all.value().begin(), all.value().end(), Verdict::free);
      },
      5);
  Row& row = report.rows.emplace_back();
  row.add("what", "batch").add("obstacles", 30).add("case", fmt::format("{} free", free));
  row.add("method", "proven any").add("scenes", kCandidates).add("median_us", us);
  report.notes.push_back(fmt::format(
      "batch: {} candidates x {} poses x 30 obstacles in one call on one core: {:.2f} ms, {:.3f} "
      "ns "
      "per pose-obstacle pair, {:.2f} us per candidate",
      kCandidates, kPoses, us / 1000, 1000 * us / (30.0 * kPoses * kCandidates), us / kCandidates));
}

Result<Report> run(const Options& options) {
  const int scenes = options.cases_or(40, 1000);
  const std::vector<int> counts = options.quick ? std::vector<int>{1, 5, 10, 30}
                                                : std::vector<int>{1, 2, 5, 10, 15, 20, 25, 30};
  Report report;
  std::map<std::string, Series> lines;
  int crossing = -1, disagreements = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Timings timings;
    Random random(options.seed + 1000 * static_cast<std::uint64_t>(counts[i]));
    for (int k = 0; k < scenes; ++k) measure_scene(random, counts[i], timings);
    disagreements += timings.disagreements;
    add_query_rows(counts[i], timings, report);
    add_build_rows(counts[i], timings, report);
    for (const char* method : kMethods) {
      const auto found = timings.query[0].find(method);
      if (found == timings.query[0].end()) continue;
      lines[method].name = method;
      lines[method].x.push_back(counts[i]);
      lines[method].y.push_back(quantile(found->second, 0.5));
    }
    const auto& free = timings.query[0];
    if (crossing < 0 && free.contains("proven") &&
        quantile(free.at("proven"), 0.5) < quantile(free.at("brute force SIMD"), 0.5))
      crossing = counts[i];
    options.progress(static_cast<double>(i + 1) / static_cast<double>(counts.size()));
  }
  add_batch_row(options, report);
  report.notes.push_back(fmt::format(
      "The tree beats SIMD brute force over the same boxes (free, median) from {} obstacles on.",
      crossing < 0 ? "no tested number of" : std::to_string(crossing)));
  report.notes.push_back(fmt::format(
      "Samples that FCL calls a collision and we do not: {} (must be 0).", disagreements));
  report.notes.push_back(
      "proven proves continuous time and includes the making of the candidate's boxes; fcl and "
      "paper "
      "look at samples only, with the candidate's objects made beforehand. fair: the tree holds "
      "world-aligned boxes. times_proven: median over ours. paper_us: the paper's machine of "
      "2014.");
  Plot plot{"One trajectory of 150 poses, free (paper 002, figure 6)",
            "obstacles",
            "median, us",
            false,
            true,
            {},
            {}};
  for (auto& [name, line] : lines) plot.series.push_back(std::move(line));
  report.plot = std::move(plot);
  return report;
}

}  // namespace

Benchmark traffic() {
  return {"traffic", "trajectories among moving obstacles against FCL (paper 002, figures 6 to 8)",
          run};
}

}  // namespace proven::bench
#endif
