// Paper 001, table I: work per query of collision checking, greedy, exact and approximate distance,
// and how close the two lower bounds come to the distance.
#include <fmt/format.h>

#include <array>
#include <numbers>

#include "bench/bench.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/geometry/distance.h"
#include "proven/kinematics/poses.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

enum Algorithm { kCollision, kGreedy, kExactCached, kExact, kApproximate, kNumAlgorithms };

constexpr std::array<const char*, kNumAlgorithms> kAlgorithmNames = {
    "collision", "greedy", "exact cached", "exact", "approximate"};
constexpr double kRelativeError = 0.5;  // of APPROX-DIST, as in the paper

struct Work {
  double boxes = 0, triangles = 0;  // tests per query
};

struct PaperRow {
  const char* scene;
  double queries;
  std::array<Work, kNumAlgorithms> work;  // kExact without caching: not given
  double greedy_ratio, approximate_ratio;
};

constexpr Work kNotGiven = {-1, -1};
constexpr std::array<PaperRow, 7> kPaper = {{
    {"rings", 40000, {{{1.7, 0.1}, {2.1, 0.1}, {859, 141}, kNotGiven, {3.7, 0.1}}}, 0.99, 0.53},
    {"cage-a", 54000, {{{47, 0.6}, {54, 0.8}, {946, 78}, kNotGiven, {105, 2.0}}}, 0.82, 0.64},
    {"cage-b", 42000, {{{26, 1.0}, {25, 0.8}, {827, 67}, kNotGiven, {58, 1.9}}}, 0.81, 0.61},
    {"machine-tool",
     14000,
     {{{14, 0.4}, {14, 0.3}, {1444, 268}, kNotGiven, {70, 2.2}}},
     0.64,
     0.60},
    {"workshop", 22000, {{{42, 0.9}, {46, 1.0}, {819, 125}, kNotGiven, {129, 5.4}}}, 0.51, 0.58},
    {"car-a", 18000, {{{25, 1.3}, {26, 1.4}, {1248, 128}, kNotGiven, {111, 3.2}}}, 0.57, 0.62},
    {"car-b", 21000, {{{2.6, 0.1}, {3.9, 0.2}, {703, 170}, kNotGiven, {74, 16}}}, 0.58, 0.58},
}};

// Sums over all pairs of one configuration.
struct Sums {
  std::int64_t queries = 0, free_pairs = 0;
  std::array<QueryCounts, kNumAlgorithms> counts;
  double greedy_ratio = 0, approximate_ratio = 0;  // over the free pairs

  void add(const Sums& other) {
    queries += other.queries;
    free_pairs += other.free_pairs;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      counts[k].box_tests += other.counts[k].box_tests;
      counts[k].triangle_tests += other.counts[k].triangle_tests;
    }
    greedy_ratio += other.greedy_ratio;
    approximate_ratio += other.approximate_ratio;
  }
};

// Within the limits; angles without limits turn once, other coordinates without limits stay home.
std::vector<double> random_configuration(const Scene& scene, Random& random) {
  std::vector<double> q(scene.home().begin(), scene.home().end());
  const auto coordinates = scene.tree().coordinates();
  for (std::size_t k = 0; k < q.size(); ++k) {
    const Coordinate& c = coordinates[k];
    if (std::isfinite(c.lower) && std::isfinite(c.upper)) {
      q[k] = random.uniform(c.lower, c.upper);
    } else if (c.rotary) {
      q[k] = random.uniform(-std::numbers::pi, std::numbers::pi);
    }
  }
  return q;
}

// Pairs of a moving body (second) and one that stands still (first).
std::vector<std::array<int, 2>> link_obstacle_pairs(const Scene& scene) {
  std::vector<std::array<int, 2>> pairs;
  for (const BodyPair& pair : scene.pairs()) {
    const bool a_fixed = scene.body(pair.a).link == 0, b_fixed = scene.body(pair.b).link == 0;
    if (a_fixed != b_fixed) {
      pairs.push_back(a_fixed ? std::array{pair.a, pair.b} : std::array{pair.b, pair.a});
    }
  }
  return pairs;
}

void query_pair(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                DistanceScratch& workspace, Sums& sums) {
  const auto count = [&](Algorithm algorithm, auto query) {
    workspace.counts = {};
    const auto answer = query();
    QueryCounts& counts = sums.counts[algorithm];
    counts.box_tests += workspace.counts.box_tests;
    counts.triangle_tests += workspace.counts.triangle_tests;
    return answer;
  };
  const bool overlap = count(kCollision, [&] { return bodies_overlap(a, b, X_AB, workspace); });
  const double greedy = count(kGreedy, [&] { return greedy_distance(a, b, X_AB, 0, workspace); });
  const ExactDistance exact = count(kExact, [&] {
    return exact_distance(a, b, X_AB, {-1, -1}, workspace);
  });
  count(kExactCached, [&] { return exact_distance(a, b, X_AB, exact.pieces, workspace); });
  const double approximate = count(
      kApproximate, [&] { return approximate_distance(a, b, X_AB, kRelativeError, workspace); });
  ++sums.queries;
  if (overlap || !(exact.distance > 0)) return;
  ++sums.free_pairs;
  sums.greedy_ratio += greedy / exact.distance;
  sums.approximate_ratio += approximate / exact.distance;
}

Sums query_configuration(const Scene& scene, std::span<const std::array<int, 2>> pairs,
                         Random random, DistanceScratch& workspace) {
  LinkPoses poses;
  compute_poses(scene.tree(), random_configuration(scene, random), poses);
  const auto X_W = [&](const Body& body) {
    return poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
  };
  Sums sums;
  for (const auto& [fixed, moving] : pairs) {
    const Body &a = scene.body(fixed), &b = scene.body(moving);
    query_pair(*a.geometry, *b.geometry, relative_pose(X_W(a), X_W(b)), workspace, sums);
  }
  return sums;
}

Row make_row(const SceneInfo& info, const char* source, double queries,
             const std::array<Work, kNumAlgorithms>& work, double greedy_ratio,
             double approximate_ratio) {
  Row row;
  row.add("scene", info.name).add("figure", info.figure).add("source", source);
  row.add("queries", static_cast<std::int64_t>(queries));
  for (std::size_t k = 0; k < work.size(); ++k) {
    if (work[k].boxes < 0) continue;
    row.add(fmt::format("{}: boxes", kAlgorithmNames[k]), work[k].boxes);
    row.add(fmt::format("{}: triangles", kAlgorithmNames[k]), work[k].triangles);
  }
  return row.add("greedy/exact", greedy_ratio).add("approximate/exact", approximate_ratio);
}

std::array<Work, kNumAlgorithms> work_per_query(const Sums& sums) {
  std::array<Work, kNumAlgorithms> work;
  const auto queries = static_cast<double>(sums.queries);
  for (std::size_t k = 0; k < work.size(); ++k) {
    work[k] = {static_cast<double>(sums.counts[k].box_tests) / queries,
               static_cast<double>(sums.counts[k].triangle_tests) / queries};
  }
  return work;
}

Result<Sums> measure_scene(const char* name, int configurations, const Options& options) {
  Result<SceneSource> source = make_scene(name);
  if (!source.ok()) return source.error();
  const Result<Scene> scene = build_scene(source.value());
  if (!scene.ok()) return scene.error();
  const auto pairs = link_obstacle_pairs(scene.value());
  const int threads = options.threads > 0 ? options.threads : default_threads();
  std::vector<DistanceScratch> workspaces(static_cast<std::size_t>(threads));
  std::vector<Sums> sums(static_cast<std::size_t>(configurations));
  parallel_for(configurations, threads, [&](int item, int thread) {
    const auto k = static_cast<std::size_t>(item);
    sums[k] = query_configuration(scene.value(), pairs, Random(options.seed + k),
                                  workspaces[static_cast<std::size_t>(thread)]);
  });
  Sums total;  // in the order of the configurations: the same for any number of threads
  for (const Sums& s : sums) total.add(s);
  return total;
}

void add_to_plot(Plot& plot, const std::array<Work, kNumAlgorithms>& ours, const PaperRow& paper) {
  if (plot.series.empty()) {
    for (const char* source : {"", " (paper)"}) {
      for (const Algorithm k : {kCollision, kGreedy, kExactCached, kApproximate}) {
        plot.series.push_back(
            {fmt::format("{}{}", kAlgorithmNames[k], source), Series::Style::points, {}, {}, {}});
      }
    }
  }
  std::size_t series = 0;
  for (const auto& work : {ours, paper.work}) {
    for (const Algorithm k : {kCollision, kGreedy, kExactCached, kApproximate}) {
      plot.series[series].x.push_back(static_cast<double>(plot.categories.size()));
      plot.series[series++].y.push_back(work[k].boxes);
    }
  }
  plot.categories.emplace_back(paper.scene);
}

Result<Report> run(const Options& options) {
  const int configurations = options.quick ? 50 : 1000;
  Report report;
  report.plot.title = "Box tests per query (paper 001, table I)";
  report.plot.x_label = "environment";
  report.plot.y_label = "box tests per query";
  report.plot.log_y = true;
  for (std::size_t k = 0; k < kPaper.size(); ++k) {
    const PaperRow& paper = kPaper[k];
    const Result<Sums> measured = measure_scene(paper.scene, configurations, options);
    if (!measured.ok()) return measured.error();
    const Sums& sums = measured.value();
    const SceneInfo& info = *find_scene(paper.scene);
    const auto work = work_per_query(sums);
    const auto free_pairs = static_cast<double>(sums.free_pairs);
    report.rows.push_back(make_row(info, "proven", static_cast<double>(sums.queries), work,
                                   sums.greedy_ratio / free_pairs,
                                   sums.approximate_ratio / free_pairs));
    report.rows.push_back(make_row(info, "paper", paper.queries, paper.work, paper.greedy_ratio,
                                   paper.approximate_ratio));
    add_to_plot(report.plot, work, paper);
    options.progress(static_cast<double>(k + 1) / static_cast<double>(kPaper.size()));
  }
  report.notes = {
      "Averages per query: one moving body against one obstacle at a random configuration.",
      "'exact cached' starts with the closest pieces, as in the paper; 'exact' starts without.",
      "Ratios are averages over the pairs that do not collide. The scenes are models of the "
      "paper's environments, not the originals."};
  return report;
}

}  // namespace

Benchmark table1() {
  return {"table1", "box and triangle tests of the four distance algorithms (paper 001, table I)",
          run};
}

}  // namespace proven::bench
