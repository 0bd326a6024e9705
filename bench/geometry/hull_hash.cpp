// Paper 003, section IV: distance by hulls and hashing, which needs no precomputation, beside the
// trees, which do.
#include "papers/geometry/hull_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/bench.h"
#include "proven/base/processor_time.h"
#include "proven/base/random.h"

namespace proven::bench {
namespace {

using BodyPtr = std::shared_ptr<const BodyGeometry>;

// A torus with a bumpy tube: neither convex nor regular.
TriangleMesh bumpy_torus(int around, int across) {
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2 * std::numbers::pi * i / around, b = 2 * std::numbers::pi * j / across;
      const double tube = 0.25 + 0.04 * std::sin(5 * a) * std::cos(3 * b);
      const double r = 0.7 + tube * std::cos(b);
      mesh.vertices.push_back({r * std::cos(a), r * std::sin(a), tube * std::sin(b)});
    }
  const auto index = [&](int i, int j) {
    return static_cast<std::uint32_t>(i % around * across + j % across);
  };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      mesh.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      mesh.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
    }
  return mesh;
}

std::vector<CollisionElement> elements_of(int triangles) {
  const int across = std::max(4, static_cast<int>(std::sqrt(triangles / 4.0)));
  auto mesh = std::make_shared<const TriangleMesh>(bumpy_torus(2 * across, across));
  return {{std::move(mesh), {}, "torus"}};
}

struct Sums {
  int queries = 0;
  double trees = 0, hulls = 0, largest_difference = 0;
  HullHashCounts counts;
};

// Sparse: about a body's size apart. Near: a hundredth. Dense: linked, so that the hulls overlap.
Pose pose_for(const std::string& setting, Random& random) {
  if (setting == "dense: hulls overlap") return {random.rotation(), 0.7 * random.unit_vector()};
  const double distance = setting == "sparse: far apart" ? random.uniform(3, 5) : 2.0;
  return {random.rotation(), distance * random.unit_vector()};
}

void measure(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB, DistanceScratch& trees,
             HullHashWorkspace& hulls, Sums& sums) {
  ExactDistance by_trees, by_hulls;
  sums.trees += 1e6 * processor_seconds([&] {
                  by_trees = exact_distance(a, b, X_AB, {-1, -1}, trees);
                });
  sums.hulls += 1e6 * processor_seconds([&] { by_hulls = hull_hash_distance(a, b, X_AB, hulls); });
  sums.largest_difference =
      std::max(sums.largest_difference, std::fabs(by_trees.distance - by_hulls.distance));
  ++sums.queries;
}

// Moves b until it is about a hundredth away: the common case of a planner near obstacles.
void bring_near(const BodyGeometry& a, const BodyGeometry& b, Pose& X_AB,
                DistanceScratch& workspace) {
  const ExactDistance now = exact_distance(a, b, X_AB, {-1, -1}, workspace);
  if (now.distance > 0.01) X_AB.p += (1 - 0.01 / now.distance) * (now.points[0] - now.points[1]);
}

Result<Report> run(const Options& options) {
  Report report;
  const int queries = options.cases_or(20, 300);
  for (const int triangles : {200, 2400, 20000}) {
    BodyPtr body;
    const auto elements = elements_of(triangles);
    // Trees must be built for a new shape; hulls and hashing start from the triangles.
    double build = 0;
    for (int k = 0; k < 3; ++k) {
      build += 1e6 * processor_seconds([&] { body = BodyGeometry::build(elements).value(); }) / 3;
    }
    for (const std::string setting :
         {"sparse: far apart", "near: 1 cm apart", "dense: hulls overlap"}) {
      Random random(options.seed);
      DistanceScratch trees;
      HullHashWorkspace hulls;
      Sums sums;
      for (int k = 0; k < queries; ++k) {
        Pose X_AB = pose_for(setting, random);
        if (setting == "near: 1 cm apart") bring_near(*body, *body, X_AB, trees);
        measure(*body, *body, X_AB, trees, hulls, sums);
      }
      const double n = sums.queries;
      report.rows.emplace_back()
          .add("triangles", static_cast<int>(body->triangles().size()))
          .add("case", setting)
          .add("hull-hash us", sums.hulls / n)
          .add("trees us", sums.trees / n)
          .add("build trees us", build)
          .add("hull-hash / trees", sums.hulls / sums.trees)
          .add("hull tests", static_cast<double>(hulls.counts.hull_tests) / n)
          .add("hashed", static_cast<double>(hulls.counts.hashes) / n)
          .add("piece tests", static_cast<double>(hulls.counts.piece_tests) / n)
          .add("largest difference", sums.largest_difference);
    }
    options.progress(std::min(1.0, triangles / 20000.0));
  }
  report.notes = {
      "Two bumpy tori. Microseconds of one core per query; trees: exact_distance on trees that are "
      "ready. "
      "build "
      "trees: once per body and shape (all its trees), which hull-hash does without.",
      "largest difference: of the two distances over all queries, in metres."};
  return report;
}

}  // namespace

Benchmark hull_hash() {
  return {"hull-hash", "distance by hulls and hashing (paper 003, section IV) beside the trees",
          run};
}

}  // namespace proven::bench
