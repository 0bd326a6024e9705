// Paper 001, figure 9: the quality of λ, as the distribution of λ / (length of a curve) over random
// segments and all links of three robots.
#include <fmt/format.h>

#include <cmath>

#include "bench/bench.h"
#include "bench/kinematics/statistics.h"
#include "proven/base/parallel.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/poses.h"
#include "scenes/scenes.h"

namespace proven::bench {

namespace {

struct Study {
  const char* name;
  const char* scene;
  const char* robot;
  bool relative;  // also the ratios of link pairs, for self-collision
  double
      paper_factor;  // the paper's figure: the factor that `paper_share` of the ratios stay below
  const char* paper_share;
};

constexpr Study kStudies[] = {
    {"rings: 20-joint linkage", "rings", "left/", false, 15, "most"},
    {"cage-a: IRB-2400-like", "cage-a", "arm/", false, 5, "> 80 %"},
    {"cage-b: F-200-like", "cage-b", "arm/", false, 5, "> 80 %"},
    {"cage-a, with link pairs", "cage-a", "arm/", true, 0, ""},
};

// A body of the robot, and the frames in which its motion is judged: links above it.
struct Subject {
  const Body* body;
  MotionFactors factors;
  std::vector<int> frames;
};

std::vector<Subject> subjects_of(const Scene& scene, const Study& study) {
  const KinematicTree& tree = scene.tree();
  const std::vector<Interval> ranges = coordinate_ranges(tree, {});
  std::vector<Subject> subjects;
  for (const Body& body : scene.bodies()) {
    if (!body.name.starts_with(study.robot) || body.geometry->triangles().empty()) continue;
    Subject subject{&body, {}, {}};
    if (!tree.rigidly_connected(body.link, 0)) subject.frames.push_back(0);
    for (const Body& other : scene.bodies()) {
      if (!study.relative || other.link == 0 || tree.rigidly_connected(other.link, 0)) continue;
      const bool above = tree.lowest_common_ancestor(body.link, other.link) == other.link;
      if (above && !tree.rigidly_connected(body.link, other.link))
        subject.frames.push_back(other.link);
    }
    if (subject.frames.empty()) continue;
    subject.factors = compute_motion_factors(tree, body.link, body.X_LB, *body.geometry, ranges);
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

// A point of a random triangle, uniform within it.
Vec3 random_point(const BodyGeometry& geometry, Random& random) {
  const auto triangles = geometry.triangles();
  const Triangle& t =
      triangles[static_cast<std::size_t>(random.index(static_cast<int>(triangles.size())))];
  double u = random.uniform(), v = random.uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  return t.a + u * (t.b - t.a) + v * (t.c - t.a);
}

// Poses along one segment, at a low resolution: chords make the length a lower bound.
class SampledSegment {
 public:
  SampledSegment(const KinematicTree& tree, const std::vector<double>& qa,
                 const std::vector<double>& qb)
      : poses_(kSteps + 1) {
    std::vector<double> q(qa.size());
    for (int step = 0; step <= kSteps; ++step) {
      interpolate(tree, qa, qb, static_cast<double>(step) / kSteps, q);
      compute_poses(tree, q, poses_[static_cast<std::size_t>(step)]);
    }
  }

  double length(int link, const Vec3& p_L, int frame) const {
    double sum = 0;
    Vec3 last;
    for (std::size_t step = 0; step < poses_.size(); ++step) {
      const Pose& X_WF = poses_[step].X_WL[static_cast<std::size_t>(frame)];
      const Vec3 p_W = poses_[step].X_WL[static_cast<std::size_t>(link)] * p_L;
      const Vec3 p_F = transpose_times(X_WF.R, p_W - X_WF.p);
      if (step > 0) sum += norm(p_F - last);
      last = p_F;
    }
    return sum;
  }

 private:
  static constexpr int kSteps = 64;
  std::vector<LinkPoses> poses_;
};

std::vector<double> measure(const Scene& scene, const Study& study, int number, int segments,
                            const Options& options) {
  const KinematicTree& tree = scene.tree();
  const std::vector<Subject> subjects = subjects_of(scene, study);
  std::vector<std::vector<double>> ratios(static_cast<std::size_t>(segments));
  parallel_for(segments, options.threads, [&](int segment, int) {
    Random random(case_seed(options.seed, number, segment));
    const std::vector<double> qa = random_configuration(tree, random);
    const std::vector<double> qb = random_configuration(tree, random);
    const SampledSegment sampled(tree, qa, qb);
    std::vector<double> displacement;
    joint_displacements(tree, qa, qb, displacement);
    for (const Subject& s : subjects) {
      const Vec3 p_L = s.body->X_LB * random_point(*s.body->geometry, random);
      for (int frame : s.frames) {
        const double length = sampled.length(s.body->link, p_L, frame);
        const double lambda = curve_length_upper(s.factors, displacement, frame, tree);
        if (length > 0) ratios[static_cast<std::size_t>(segment)].push_back(lambda / length);
      }
    }
  });
  std::vector<double> all;
  for (const std::vector<double>& r : ratios) all.insert(all.end(), r.begin(), r.end());
  std::sort(all.begin(), all.end());
  return all;
}

double share_below(const std::vector<double>& sorted, double bound) {
  const auto end = std::lower_bound(sorted.begin(), sorted.end(), bound);
  return static_cast<double>(end - sorted.begin()) / static_cast<double>(sorted.size());
}

Row summary_row(const Study& study, const std::vector<double>& ratios) {
  Row row;
  row.add("robot", study.name).add("ratios", static_cast<std::int64_t>(ratios.size()));
  row.add("smallest", ratios.front()).add("median", ratios[ratios.size() / 2]);
  row.add("quantile_99", ratios[ratios.size() * 99 / 100]);
  row.add("share_below_5", share_below(ratios, 5)).add("share_below_15", share_below(ratios, 15));
  if (study.paper_factor > 0)
    row.add("paper", fmt::format("{} below {}", study.paper_share, study.paper_factor));
  return row;
}

// Bins of width 1 up to the 99 % quantile, as the paper crops its outliers.
void add_histogram(const Study& study, const std::vector<double>& ratios, Report& report) {
  Series series;
  series.name = study.name;
  const double last = std::ceil(ratios[ratios.size() * 99 / 100]);
  for (double from = 1; from < last; ++from) {
    const double share = share_below(ratios, from + 1) - share_below(ratios, from);
    Row& row = report.rows.emplace_back();
    row.add("robot", study.name).add("ratio_from", from).add("ratio_to", from + 1);
    row.add("share", share);
    series.x.push_back(from + 0.5);
    series.y.push_back(share);
  }
  report.plot.series.push_back(std::move(series));
}

Result<Report> run(const Options& options) {
  Report report;
  report.notes = {
      "λ over the length of the curve of one random point of the link, for every moving link and "
      "every segment between two uniform configurations. Lengths are those of 64 chords. First the "
      "summaries, then the histograms up to the 99 % quantile.",
      "With link pairs: λ and length also in the frame of every other link further up the chain, "
      "as "
      "in self-collision tests."};
  report.plot.title = "Paper 001, fig. 9: quality of the motion bound";
  report.plot.x_label = "λ / length of the curve";
  report.plot.y_label = "share of the ratios";
  const int segments = options.quick ? 500 : 10000;
  std::vector<std::vector<double>> results;
  for (const Study& study : kStudies) {
    const Result<SceneSource> source = make_scene(study.scene);
    if (!source.ok()) return source.error();
    const Result<Scene> scene = build_scene(source.value());
    if (!scene.ok()) return scene.error();
    const int number = static_cast<int>(results.size());
    results.push_back(measure(scene.value(), study, number, segments, options));
    report.rows.push_back(summary_row(study, results.back()));
    options.progress(static_cast<double>(results.size()) / std::size(kStudies));
  }
  for (std::size_t i = 0; i < results.size(); ++i) add_histogram(kStudies[i], results[i], report);
  return report;
}

}  // namespace

Benchmark fig9() {
  return {"fig9", "paper 001, fig. 9: quality of the motion bounds for three robots", run};
}

}  // namespace proven::bench
