// Paper 001, table VII (and 000, table 5): linkages retracted by a random walk, then smoothed.
#include <algorithm>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/plan/problems.h"
#include "proven/certify/check.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/random_walk.h"
#include "proven/plan/smooth.h"

namespace proven::bench {
namespace {

struct PaperRow {
  const char* scene;
  double below;  // all links must lie below this height: that of the lowest ring or grid
  std::int64_t walk_segments;
  double walk_seconds;
  std::int64_t smoothing_steps;
  double smoothing_seconds, ratio;
};

constexpr PaperRow kPaper[] = {
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

Result<void> run_scene(const PaperRow& paper, const Options& bench, Report& report) {
  const Result<Scene> scene = built_in_scene(paper.scene);
  if (!scene.ok()) return scene.error();
  const auto problem = built_in_problem(paper.scene, scene.value());
  if (!problem.ok()) return problem.error();
  WalkOptions walk_options;
  walk_options.seed = bench.seed;
  walk_options.largest_step = 1.5;
  if (bench.quick) walk_options.max_seconds = 60;
  Retracted retracted(scene.value(), paper.below);
  const auto walk = random_walk(
      scene.value(), problem.value().start, problem.value().planned,
      [&](std::span<const double> q) { return retracted(q); }, walk_options);
  if (!walk.ok()) return walk.error();
  SmoothOptions smoothing;
  smoothing.smoother = Smoother::midpoint;
  smoothing.seed = bench.seed;
  smoothing.max_steps = bench.quick ? 50 : paper.smoothing_steps;
  smoothing.patience = 0;
  if (bench.quick) smoothing.max_seconds = 60;
  const auto smoothed = smooth(scene.value(), walk.value().path, smoothing);
  if (!smoothed.ok()) return smoothed.error();
  Workspace workspace;
  CheckOptions fine = proving_check();
  fine.resolution = CheckOptions{}.resolution;
  const auto verdict = check(scene.value(), smoothed.value().path, fine, workspace);
  if (!verdict.ok()) return verdict.error();
  const SmoothResult& s = smoothed.value();
  Row& row = report.rows.emplace_back();
  row.add("scene", paper.scene).add("retracted", walk.value().arrived ? "yes" : "no");
  row.add("walk segments: ours", walk.value().steps)
      .add("walk segments: paper", paper.walk_segments);
  row.add("walk s: ours", walk.value().seconds).add("walk s: paper", paper.walk_seconds);
  row.add("smoothing steps: ours", s.steps).add("smoothing steps: paper", paper.smoothing_steps);
  row.add("smoothing s: ours", s.seconds).add("smoothing s: paper", paper.smoothing_seconds);
  row.add("ratio: ours", s.length_after / s.length_before).add("ratio: paper", paper.ratio);
  row.add("verdict", to_string(verdict.value().verdict));
  return {};
}

Result<Report> run(const Options& bench) {
  Report report;
  report.plot = {
      "Path length after smoothing (paper 001, table VII)", "scene", "share", false, false, {}};
  for (const PaperRow& paper : kPaper) {
    if (auto done = run_scene(paper, bench, report); !done.ok()) return done.error();
    bench.progress(static_cast<double>(&paper - kPaper + 1) / std::size(kPaper));
  }
  report.notes = {
      "A random walk changes one joint per step until all links lie below the obstacles; then the "
      "midpoint smoother. The verdict is that of the whole smoothed path.",
      kPaperMachine};
  return report;
}

}  // namespace

Benchmark table7() {
  return {"table7", "random walks and smoothing of thin linkages (paper 001, table VII)", run};
}

}  // namespace proven::bench
