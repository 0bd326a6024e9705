// What a curve costs: the same free segments straight, run from rest to rest by polynomials on the
// same line, and bent, against dense sampling of the same curves with FCL.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "bench/certify/segments.h"
#include "bench/suite/fcl_oracle.h"
#include "proven/kinematics/interpolation.h"

namespace proven::bench {
namespace {

struct Environment {
  const char* scene;
  int quick, full;
  double spread = 1;
};
constexpr Environment kEnvironments[] = {
    {"cage-a", 20, 300}, {"lattice-1", 20, 300, 0.02}, {"workshop", 20, 300}, {"car-a", 10, 100}};

constexpr double kStep = 0.005;  // of sampling, in joint space

struct Shape {
  const char* name;
  int degree;
  double bend;  // how far control points leave the line, as a share of its length
};
constexpr Shape kShapes[] = {{"straight", 1, 0},
                             {"cubic, rest to rest", 3, 0},
                             {"quintic, rest to rest", 5, 0},
                             {"cubic, bent by 2 %", 3, 0.02},
                             {"cubic, bent by 10 %", 3, 0.1}};

// Of ball joints only the ends: their turn stays a slerp from rest to rest.
Motion shaped(const Scene& scene, const Path& segment, const Shape& shape, Random& random) {
  Motion motion = segment;
  const auto &from = segment.waypoints[0], &to = segment.waypoints[1];
  double length = 0;
  for (std::size_t i = 0; i < from.size(); ++i) length += (to[i] - from[i]) * (to[i] - from[i]);
  length = std::sqrt(length);
  motion.inner.resize(1);
  for (int k = 1; k < shape.degree; ++k) {
    std::vector<double> q = 2 * k <= shape.degree - 1 ? from : to;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (shape.bend > 0)
        q[i] = from[i] + (to[i] - from[i]) * k / shape.degree +
               shape.bend * length * random.uniform(-1, 1);
      if (scene.tree().coordinates()[i].quaternion) q[i] = 0;
    }
    motion.inner[0].push_back(std::move(q));
  }
  if (shape.degree == 1) motion.inner.clear();
  return motion;
}

struct Sampled {
  double milliseconds = 0;
  int hits = 0;
};
Sampled sample(const Scene& scene, const std::vector<Motion>& motions) {
  const FclModel model(scene);
  FclOracle oracle(model);
  Sampled result;
  std::vector<double> q(scene.home().size()), last(q.size());
  const auto start = std::chrono::steady_clock::now();
  for (const Motion& motion : motions) {
    const MotionPiece piece = motion.piece(0);
    // The polygon of control points is no shorter than the curve.
    double length = 0;
    for (int k = 0; k < piece.degree(); ++k) {
      double square = 0;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double step = piece.control(k + 1)[i] - piece.control(k)[i];
        square += step * step;
      }
      length += std::sqrt(square);
    }
    const int count = 1 + static_cast<int>(length / kStep);
    for (int i = 0; i <= count; ++i) {
      interpolate(scene.tree(), piece, static_cast<double>(i) / count, q);
      if (oracle.first_collision(q) < 0) continue;
      ++result.hits;
      break;
    }
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  result.milliseconds = took.count() / static_cast<double>(motions.size());
  return result;
}

// Of the segments, those whose every shape is free: all rows are of the same cases.
Result<std::vector<std::vector<Motion>>> free_in_every_shape(const Scene& scene,
                                                             const std::vector<Path>& segments,
                                                             std::uint64_t seed) {
  CheckOptions any;
  any.limits = Limits::ignore;  // random values go where they like
  const auto model = CheckModel::build(scene, any);
  if (!model.ok()) return model.error();
  Scratch scratch;
  std::vector<std::vector<Motion>> kept(std::size(kShapes));
  for (std::size_t n = 0; n < segments.size(); ++n) {
    Random random(seed + n);
    std::vector<Motion> motions;
    bool free = true;
    for (const Shape& shape : kShapes) {
      motions.push_back(shaped(scene, segments[n], shape, random));
      const auto result = model.value().check(motions.back(), scratch);
      if (!result.ok()) return result.error();
      free = free && result.value().verdict == Verdict::free;
    }
    if (!free) continue;
    for (std::size_t i = 0; i < motions.size(); ++i) kept[i].push_back(std::move(motions[i]));
  }
  return kept;
}

Result<void> run_scene(const Environment& environment, const Options& options, Report& report) {
  const Result<Scene> scene = built_in_scene(environment.scene);
  if (!scene.ok()) return scene.error();
  SegmentWish wish;
  wish.verdict = Verdict::free;
  wish.spread = environment.spread;
  const int count = options.cases_or(environment.quick, environment.full);
  const auto segments = random_segments(scene.value(), wish, count, options.seed, options.threads);
  if (!segments.ok()) return segments.error();
  const auto motions = free_in_every_shape(scene.value(), segments.value(), options.seed);
  if (!motions.ok()) return motions.error();
  if (motions.value()[0].empty()) return {};
  Work straight;
  for (std::size_t i = 0; i < std::size(kShapes); ++i) {
    const auto work = measure(scene.value(), motions.value()[i], {}, 1);
    if (!work.ok()) return work.error();
    const Sampled fcl = sample(scene.value(), motions.value()[i]);
    const Work& mean = work.value().mean;
    if (i == 0) straight = mean;
    Row& row = report.rows.emplace_back();
    row.add("scene", environment.scene).add("motion", kShapes[i].name);
    row.add("count", static_cast<std::int64_t>(motions.value()[i].size()));
    row.add("boxes", mean.boxes).add("configurations", mean.configurations);
    row.add("ms", mean.milliseconds);
    row.add("boxes / straight", mean.boxes / straight.boxes);
    row.add("ms / straight", mean.milliseconds / straight.milliseconds);
    row.add("FCL ms", fcl.milliseconds).add("FCL hits", fcl.hits);
    row.add("times faster than FCL", fcl.milliseconds / mean.milliseconds);
  }
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  double done = 0;
  for (const Environment& environment : kEnvironments) {
    if (auto ran = run_scene(environment, options, report); !ran.ok()) return ran.error();
    options.progress(++done / static_cast<double>(std::size(kEnvironments)));
  }
  report.notes = {
      fmt::format("Free motions, one thread, the same segments in every row of a scene; "
                  "FCL samples the same curve every {} in joint space and proves nothing.",
                  kStep)};
  return report;
}

}  // namespace

Benchmark motions() {
  return {"motions", "Curved motions: what they cost beside straight ones and beside sampling",
          run};
}

}  // namespace proven::bench
