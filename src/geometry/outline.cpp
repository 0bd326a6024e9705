#include "proven/geometry/outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "cover_parts.h"
#include "gjk.h"

namespace proven {
namespace {

// An outline takes at most this many points; less where the rest is this near to their hull, as a
// share of the body's size.
constexpr std::size_t kMostPoints = 96;
constexpr double kNearEnough = 1e-4;

// So many parts at most, none of them of fewer pieces.
constexpr std::size_t kMostParts = 24, kLeastPieces = 8;

bool before(const Vec3& a, const Vec3& b) {
  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

// A point, and a bound on its distance to the hull of those that were chosen.
struct Candidate {
  double distance;
  std::size_t point;
};

class OutlineMaker {
 public:
  OutlineMaker(const BodyGeometry& geometry, std::span<const Part> parts)
      : size_(geometry.bounding_sphere().radius),
        margin_(kPartUp * std::max(geometry.max_coordinate(), 1e-3)) {
    for (const Part& part : parts) {
      points_.insert(points_.end(), part.points.begin(), part.points.end());
      radius_ = std::max(radius_, part.radius);
    }
    std::ranges::sort(points_, before);
    const auto same = [](const Vec3& a, const Vec3& b) { return !before(a, b) && !before(b, a); };
    points_.erase(std::unique(points_.begin(), points_.end(), same), points_.end());
    hull_.kind = ConvexKind::hull;
    // Of other pieces a wider shape was taken.
    on_body_ = geometry.grains().radius() == 0 &&
               std::ranges::all_of(geometry.convexes(),
                                   [](const Convex& c) { return c.kind == ConvexKind::box; });
  }

  Outline run() {
    choose_extreme();
    std::vector<Candidate> open;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!chosen_[i]) open.push_back({INFINITY, i});
    double left = 0;
    // The farthest one is measured again, as the hull has grown since.
    while (!open.empty()) {
      std::ranges::pop_heap(open, {}, &Candidate::distance);
      Candidate worst = open.back();
      open.pop_back();
      if (worst.distance <= kNearEnough * size_ ||
          (hull_.points.size() == kMostPoints && std::isfinite(worst.distance))) {
        left = worst.distance;
        break;
      }
      worst.distance = distance(points_[worst.point]);
      const bool farthest = open.empty() || worst.distance >= open.front().distance;
      if (farthest && hull_.points.size() < kMostPoints && worst.distance > kNearEnough * size_) {
        hull_.points.push_back(points_[worst.point]);
        continue;
      }
      open.push_back(worst);
      std::ranges::push_heap(open, {}, &Candidate::distance);
    }
    return {hull_.points, (radius_ + left) * (1 + kPartUp) + margin_, on_body_};
  }

 private:
  void choose_extreme() {
    chosen_.assign(points_.size(), 0);
    for (int k = 0; k < 27; ++k) {
      const int along_y = k / 3 % 3, along_z = k / 9;
      const Vec3 n{k % 3 - 1.0, along_y - 1.0, along_z - 1.0};
      const auto farthest =
          std::ranges::max_element(points_, {}, [&](const Vec3& p) { return dot(n, p); });
      char& known = chosen_[static_cast<std::size_t>(farthest - points_.begin())];
      if (!known) hull_.points.push_back(*farthest);
      known = 1;
    }
  }

  // Above the distance of the point to the hull.
  double distance(const Vec3& p) const {
    Convex point;
    point.kind = ConvexKind::sphere;
    point.X_BS.p = p;
    const ClosestPoints found =
        core_distance({nullptr, &hull_}, {nullptr, &point}, Pose{}, margin_);
    return found.distance + 1024 * margin_;
  }

  double size_, margin_;
  double radius_ = 0;
  bool on_body_ = false;
  std::vector<Vec3> points_;
  std::vector<char> chosen_;
  Convex hull_;
};

Vec3 middle_of(const Part& part) {
  Vec3 sum;
  for (const Vec3& p : part.points) sum += p;
  return (1.0 / static_cast<double>(part.points.size())) * sum;
}

// Pieces of the surface, and the volume of a box around them that is a little wider.
struct Cluster {
  Cluster(std::span<Part> all, double wider) : pieces(all) {
    Vec3 lo = all[0].points[0], hi = lo;
    for (const Part& part : all)
      for (const Vec3& p : part.points)
        for (int i = 0; i < 3; ++i) {
          lo[i] = std::min(lo[i], p[i]);
          hi[i] = std::max(hi[i], p[i]);
        }
    volume = (hi.x - lo.x + wider) * (hi.y - lo.y + wider) * (hi.z - lo.z + wider);
  }

  std::span<Part> pieces;
  double volume = 0;
};

// The two halves across the axis for which their boxes have the least volume: walls that face each
// other come apart.
std::array<Cluster, 2> halve(const Cluster& cluster, double wider) {
  const std::span<Part> own = cluster.pieces;
  const std::size_t half = own.size() / 2;
  const auto halve_across = [&](int axis) {
    std::nth_element(
        own.begin(), own.begin() + static_cast<std::ptrdiff_t>(half), own.end(),
        [&](const Part& a, const Part& b) { return middle_of(a)[axis] < middle_of(b)[axis]; });
    return std::array{Cluster(own.first(half), wider), Cluster(own.subspan(half), wider)};
  };
  int best = 0;
  double least = INFINITY;
  for (int axis = 0; axis < 3; ++axis) {
    const auto halves = halve_across(axis);
    const double volume = halves[0].volume + halves[1].volume;
    if (volume < least) least = volume, best = axis;
  }
  return halve_across(best);
}

}  // namespace

Outline outline_of(const BodyGeometry& geometry) {
  return OutlineMaker(geometry, parts_of(geometry)).run();
}

// The largest is halved, until there are enough.
std::vector<Outline> outlines_of_parts(const BodyGeometry& geometry) {
  std::vector<Part> pieces = parts_of(geometry);
  const double wider = 0.02 * geometry.bounding_sphere().radius;
  std::vector<Cluster> clusters = {Cluster(pieces, wider)};
  while (clusters.size() < kMostParts) {
    const auto largest = std::ranges::max_element(clusters, {}, [](const Cluster& cluster) {
      return cluster.pieces.size() >= 2 * kLeastPieces ? cluster.volume : -1;
    });
    if (largest->pieces.size() < 2 * kLeastPieces) break;
    const auto halves = halve(*largest, wider);
    *largest = halves[0];
    clusters.push_back(halves[1]);
  }
  std::vector<Outline> outlines;
  if (clusters.size() == 1) return outlines;
  for (const Cluster& cluster : clusters)
    outlines.push_back(OutlineMaker(geometry, cluster.pieces).run());
  return outlines;
}

}  // namespace proven
