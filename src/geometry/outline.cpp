#include "proven/geometry/outline.h"

#include <algorithm>
#include <cmath>

#include "cover_parts.h"
#include "gjk.h"

namespace proven {
namespace {

// An outline takes at most this many points; less where the rest is this near to their hull, as a
// share of the body's size.
constexpr std::size_t kMostPoints = 96;
constexpr double kNearEnough = 1e-4;

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
  explicit OutlineMaker(const BodyGeometry& geometry)
      : size_(geometry.bounding_sphere().radius),
        margin_(kPartUp * std::max(geometry.max_coordinate(), 1e-3)) {
    for (const Part& part : parts_of(geometry)) {
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
      const Vec3 n{static_cast<double>(k % 3 - 1), static_cast<double>(k / 3 % 3 - 1),
                   static_cast<double>(k / 9 - 1)};
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

}  // namespace

Outline outline_of(const BodyGeometry& geometry) {
  return OutlineMaker(geometry).run();
}

}  // namespace proven
