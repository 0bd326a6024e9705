// Paper 001, table VII (and 000, table 5): linkages retracted by a random walk, then smoothed.
#include <algorithm>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/plan/judge.h"
#include "bench/plan/problems.h"
#include "papers/plan/random_walk.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/smooth.h"

namespace proven::bench {
namespace {

struct PaperRow {
  std::string scene;
  double below;  // all links must lie below this height: that of the lowest ring or grid
  std::int64_t walk_segments;
  double walk_seconds;
  std::int64_t smoothing_steps;
  double smoothing_seconds, ratio;
};

const PaperRow kPaper[] = {
    {"lattice-1", 3.0, 4208, 5.9, 500, 16, 0.11},
    {"rings", 2.25, 40439, 82, 1000, 152, 0.06},
    {"lattice-9", 3.0, 47744, 823, 6000, 5952, 0.25},
};

// Whether every link's frame, and with it the straight link between two of them, is below.
class Retracted {
 public:
  Retracted(const Scene& scene, double height) : scene_(scene), height_(height) {}
  bool operator()(std::span<const double> q) {
    compute_poses(scene_.tree(), q, poses_);
    return std::all_of(poses_.X_WL.begin(), poses_.X_WL.end(),
                       [&](const Pose& X) { return X.p.z < height_ - kMargin; });
  }

 private:
  static constexpr double kMargin = 0.55;  // the last link reaches half a metre beyond its frame
  const Scene& scene_;
  double height_;
  LinkPoses poses_;
};

constexpr double kQuickSeconds = 60;  // of a walk, and of smoothing it, in the short form
// The same in the long form: bounded on a slow machine too.
constexpr double kMostSeconds = 3600;

struct Retraction {
  Path path;  // of the whole scene
  bool arrived = true;
  std::int64_t walk_steps = 0, smoothing_steps = 0;
  double walk_seconds = 0, smoothing_seconds = 0;
  double walk_length = 0;

  void add(const WalkResult& walk) {
    arrived = arrived && walk.arrived;
    walk_steps += walk.steps;
    walk_seconds += walk.seconds;
  }
  void add(const SmoothResult& smoothed) {
    smoothing_steps += smoothed.steps;
    smoothing_seconds += smoothed.seconds;
  }
};

// The scene of one robot alone, the others standing as obstacles as they do at q.
SceneSource alone(const PlanCase& c, std::size_t robot, std::span<const double> q) {
  SceneSource source;
  source.robots = {c.source.robots[robot]};
  source.obstacles = c.source.obstacles;
  LinkPoses poses;
  compute_poses(c.scene.tree(), q, poses);
  for (std::size_t other = 0; other < c.source.robots.size(); ++other) {
    if (other == robot) continue;
    const RobotSource& standing = c.source.robots[other];
    ObstacleSource obstacle;
    obstacle.name = standing.name;
    for (const RobotLink& link : standing.robot.links) {
      const int body = c.scene.find_body(standing.name + "/" + link.name);
      if (body < 0) continue;
      const Pose& X_WL = poses.X_WL[static_cast<std::size_t>(c.scene.body(body).link)];
      for (CollisionElement element : link.collision) {
        element.X_BS = X_WL * (c.scene.body(body).X_LB * element.X_BS);
        obstacle.elements.push_back(std::move(element));
      }
    }
    source.obstacles.push_back(std::move(obstacle));
  }
  return source;
}

Budget budget_of(const Options& bench) {
  return Budget::of_seconds(bench.quick ? kQuickSeconds : kMostSeconds);
}

SmoothOptions smoothing(const Options& bench, std::int64_t steps) {
  SmoothOptions options;
  options.smoother = Smoother::midpoint;
  options.seed = bench.seed;
  options.max_steps = steps;
  options.patience = 0;
  return options;
}

// Lets one linkage walk out and shortens its way.
Result<void> retract(const PaperRow& paper, const PlanCase& c, std::size_t robot,
                     const Options& bench, Retraction& total) {
  const std::vector<double> here = total.path.waypoints.back();
  const auto scene = build_scene(alone(c, robot, here));
  if (!scene.ok()) return scene.error();
  // Where the linkage's joints stand in the whole scene.
  std::vector<std::size_t> places;
  std::vector<double> start;
  for (const Coordinate& joint : scene.value().tree().coordinates()) {
    places.push_back(static_cast<std::size_t>(c.scene.tree().find_coordinate(joint.name)));
    start.push_back(here[places.back()]);
  }
  WalkOptions walk_options;
  walk_options.seed = bench.seed + robot;
  walk_options.largest_step = 1.5;
  walk_options.max_steps = 10'000'000;
  const auto walk = random_walk(scene.value(), start, {}, Retracted(scene.value(), paper.below),
                                walk_options, budget_of(bench));
  if (!walk.ok()) return walk.error();
  total.add(walk.value());
  total.walk_length += path_length(scene.value(), walk.value().path);
  const auto robots = static_cast<std::int64_t>(c.source.robots.size());
  const auto shorter = smooth(scene.value(), walk.value().path,
                              smoothing(bench, paper.smoothing_steps / robots), budget_of(bench));
  if (!shorter.ok()) return shorter.error();
  total.add(shorter.value());
  for (std::size_t i = 1; i < shorter.value().path.waypoints.size(); ++i) {
    total.path.waypoints.push_back(here);
    for (std::size_t k = 0; k < places.size(); ++k)
      total.path.waypoints.back()[places[k]] = shorter.value().path.waypoints[i][k];
  }
  return {};
}

Result<Retraction> retract_all(const PaperRow& paper, const PlanCase& c, const Options& bench) {
  Retraction total;
  total.path.waypoints = {c.problem.start};
  for (std::size_t robot = 0; robot < c.source.robots.size(); ++robot)
    if (auto done = retract(paper, c, robot, bench, total); !done.ok()) return done.error();
  return total;
}

Result<void> run_scene(const PaperRow& paper, const Options& bench, Report& report) {
  const auto c = built_in_case(paper.scene);
  if (!c.ok()) return c.error();
  const auto retraction = retract_all(paper, c.value(), bench);
  if (!retraction.ok()) return retraction.error();
  const Retraction& r = retraction.value();
  Judge judge(c.value().source, c.value().scene);
  const auto judgement = judge.judge(r.path);
  if (!judgement.ok()) return judgement.error();
  const double ratio = path_length(c.value().scene, r.path) / r.walk_length;
  Row& row = report.rows.emplace_back();
  row.add("scene", paper.scene);
  row.add("joints", static_cast<std::int64_t>(c.value().problem.planned.size()));
  row.add("retracted", r.arrived ? "yes" : "no");
  row.add("walk steps tried: ours", r.walk_steps).add("walk segments: paper", paper.walk_segments);
  row.add("walk s: ours", r.walk_seconds).add("walk s: paper", paper.walk_seconds);
  row.add("smoothing steps: ours", r.smoothing_steps)
      .add("smoothing steps: paper", paper.smoothing_steps);
  row.add("smoothing s: ours", r.smoothing_seconds)
      .add("smoothing s: paper", paper.smoothing_seconds);
  row.add("ratio: ours", ratio).add("ratio: paper", paper.ratio);
  row.add("verdict", to_string(judgement.value().verdict));
  row.add("verified", judgement.value().verified ? "yes" : "no");
  const double values[] = {ratio, paper.ratio};
  for (std::size_t k = 0; k < 2; ++k) {
    report.plot.series[k].x.push_back(static_cast<double>(report.plot.categories.size()));
    report.plot.series[k].y.push_back(values[k]);
  }
  report.plot.categories.push_back(paper.scene);
  return {};
}

Result<Report> run(const Options& bench) {
  Report report;
  report.plot = {
      "Path length after smoothing (paper 001, table VII)", "scene", "share", false, false, {}};
  for (const char* name : {"ours", "paper"})
    report.plot.series.push_back({name, Series::Style::bars, {}, {}, {}});
  std::vector<std::string> names;
  for (const PaperRow& paper : kPaper) names.push_back(paper.scene);
  const auto chosen = chosen_of(names, bench);
  if (!chosen.ok()) return chosen.error();
  for (const std::size_t i : chosen.value()) {
    if (auto done = run_scene(kPaper[i], bench, report); !done.ok()) return done.error();
    bench.progress(static_cast<double>(i + 1) / std::size(kPaper));
  }
  report.notes = {
      "A random walk changes one joint per step until all links lie below the obstacles; then the "
      "midpoint smoother. Several linkages walk one after the other, the rest standing still; each "
      "way is shortened alone, with its share of the steps. The verdict is that of the whole path, "
      "'verified': the independent verifier accepts its certificate. Walks and smoothing stop "
      "after an hour each, in the short form after 60 s.",
      kPaperMachine};
  return report;
}

}  // namespace

Benchmark table7() {
  return {"table7", "random walks and smoothing of thin linkages (paper 001, table VII)", run,
          true};
}

}  // namespace proven::bench
