#include "plan/informed_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proven {

InformedSamples::InformedSamples(const JointSpace& space, Point start, std::vector<Point> goals,
                                 double length)
    : space_(space), start_(std::move(start)), length_(length) {
  for (Point& goal : goals)
    if (space.distance(start_, goal) < length) goals_.push_back(std::move(goal));
  if (goals_.empty()) length_ = std::numeric_limits<double>::infinity();
}

bool InformedSamples::is_useful(std::span<const double> point) const {
  const double from_start = space_.distance(start_, point);
  return std::ranges::any_of(goals_, [&](const Point& goal) {
    return from_start + space_.distance(point, goal) < length_;
  });
}

void InformedSamples::sample(Random& random, std::span<double> out) const {
  // Ball joints have no ellipsoids, and corners of the space may cut off most of one: a sample that
  // is of no use costs little.
  constexpr int kDraws = 20;
  for (int draw = 0; draw < kDraws; ++draw) {
    if (!std::isfinite(length_) || !space_.euclidean()) {
      space_.sample(random, out);
    } else {
      const auto pick =
          static_cast<std::size_t>(random.uniform() * static_cast<double>(goals_.size()));
      sample_ellipsoid(goals_[std::min(pick, goals_.size() - 1)], random, out);
    }
    if (!std::isfinite(length_)) return;
    const bool inside = [&] {
      for (std::size_t k = 0; k < out.size(); ++k)
        if (out[k] < space_.ranges()[k].lower || out[k] > space_.ranges()[k].upper) return false;
      return true;
    }();
    if (inside && is_useful(out)) return;
  }
  space_.sample(random, out);
}

bool InformedSamples::sample_within(std::span<const Interval> values, Random& random,
                                    std::span<double> out) const {
  if (std::isfinite(length_) || !space_.euclidean()) return false;
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = random.uniform(values[k].lower, values[k].upper);
  return true;
}

// Uniform in the ellipsoid whose foci are start and goal. A point of the unit ball is scaled along
// the first axis, and a reflection takes that axis to the line between the foci.
void InformedSamples::sample_ellipsoid(const Point& goal, Random& random,
                                       std::span<double> out) const {
  const std::size_t n = out.size();
  const double between = space_.distance(start_, goal);
  double square = 0;
  for (double& value : out) {
    value = random.normal();
    square += value * value;
  }
  const double radius = std::pow(random.uniform(), 1.0 / static_cast<double>(n));
  const double across = 0.5 * std::sqrt(std::max(0.0, length_ * length_ - between * between));
  const double scale = radius / std::sqrt(std::max(square, 1e-300));
  for (std::size_t k = 0; k < n; ++k) out[k] *= scale * (k == 0 ? 0.5 * length_ : across);
  // Householder: v = e1 - direction.
  Point v(n, 0);
  double norm = 0;
  for (std::size_t k = 0; k < n; ++k) {
    v[k] = (k == 0 ? 1 : 0) - (between > 0 ? (goal[k] - start_[k]) / between : k == 0);
    norm += v[k] * v[k];
  }
  double along = 0;
  for (std::size_t k = 0; k < n; ++k) along += v[k] * out[k];
  for (std::size_t k = 0; k < n; ++k) {
    if (norm > 1e-20) out[k] -= 2 * along / norm * v[k];
    out[k] += 0.5 * (start_[k] + goal[k]);
  }
}

}  // namespace proven
