#include "plan/reachable_speeds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace proven {
namespace {

constexpr double kFar = 1e9;

// Even, so that the middle is among the places. More of them lose less of the optimum, but each
// becomes a piece of the motion.
int stages_of(const Stretch& blend) {
  return blend.length < 0.05 ? 6 : 12;
}

// u, the acceleration along the curve, and x, the square of the speed: p u + r x <= b.
struct HalfPlane {
  double p, r, b;
};

// The largest x among those half planes, which all hold 0 (Seidel: a constraint that the best point
// so far breaks holds the new one on its line).
double largest_x(const std::vector<HalfPlane>& planes, double most) {
  double u = 0, x = most;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const HalfPlane& line = planes[i];
    if (line.p * u + line.r * x <= line.b) continue;
    const double size = line.p * line.p + line.r * line.r;
    const double u0 = line.b * line.p / size, x0 = line.b * line.r / size;
    // Points (u0 + t r, x0 - t p); x grows with -p t.
    double low = -kFar, high = kFar;
    const auto clip = [&](const HalfPlane& h) {
      const double slope = h.p * line.r - h.r * line.p, left = h.b - h.p * u0 - h.r * x0;
      if (slope > 0) high = std::min(high, left / slope);
      if (slope < 0) low = std::max(low, left / slope);
    };
    for (std::size_t k = 0; k < i; ++k) clip(planes[k]);
    clip({0, 1, most});
    const double t = line.p > 0   ? low
                     : line.p < 0 ? high
                                  : std::clamp(0.0, low, std::max(low, high));
    u = u0 + t * line.r;
    x = x0 - t * line.p;
  }
  return std::clamp(x, 0.0, most);
}

// What the limits ask at one place on a blend.
struct Place {
  Row rate, bend;
  double most = std::numeric_limits<double>::infinity();  // of x, by velocities
};

Place place_on(const Stretch& blend, double along, const std::vector<AxisLimits>& limits,
               double ease) {
  Place place{blend.rate(along), blend.bend(along)};
  for (std::size_t k = 0; k < limits.size(); ++k) {
    if (place.rate[k] == 0) continue;
    const double speed = limits[k].velocity / std::fabs(place.rate[k]);
    place.most = std::min(place.most, speed * speed / ease);
  }
  place.most = std::min(place.most, kFar);
  return place;
}

// The limits of acceleration at both ends of a part of a blend, in u and x at its begin:
// |rate u + bend x| <= a, where x grows by 2 u times the length.
std::vector<HalfPlane> acceleration_planes(const Place& from, const Place& to, double length,
                                           const std::vector<AxisLimits>& limits, double ease) {
  std::vector<HalfPlane> planes;
  for (std::size_t k = 0; k < limits.size(); ++k) {
    const double a = limits[k].acceleration / ease;
    const std::pair at_begin(from.rate[k], from.bend[k]);
    const std::pair at_end(to.rate[k] + 2 * length * to.bend[k], to.bend[k]);
    for (const auto& [p, r] : {at_begin, at_end}) {
      if (p == 0 && r == 0) continue;
      planes.push_back({p, r, a});
      planes.push_back({-p, -r, a});
    }
  }
  return planes;
}

class Reachability {
 public:
  Reachability(const std::vector<Stretch>& curve, const std::vector<AxisLimits>& limits,
               const std::vector<double>& ease) {
    for (std::size_t i = 0; i < curve.size(); ++i)
      curve[i].blended() ? add_blend(curve, i, limits, ease) : add_line(curve, i, limits, ease[i]);
  }

  // Squares of speeds where stages meet.
  std::vector<Stage> run() {
    const std::size_t n = stages_.size();
    most_.front() = most_.back() = 0;
    // Backward: from which speeds the end can be reached. These are all from 0 up to the largest.
    for (std::size_t i = n; i-- > 0;) most_[i] = controllable(i);
    // Forward: the largest speed that is reached and controllable.
    double x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      stages_[i].from = std::sqrt(x);
      x = reached(i, x);
      stages_[i].to = std::sqrt(x);
    }
    return std::move(stages_);
  }

 private:
  void add(Stage stage, double most_at_begin, double most_at_end) {
    if (most_.empty()) most_.push_back(kFar);
    most_.back() = std::min(most_.back(), most_at_begin);
    most_.push_back(most_at_end);
    stages_.push_back(stage);
  }

  void add_line(const std::vector<Stretch>& curve, std::size_t i,
                const std::vector<AxisLimits>& limits, double ease) {
    double acceleration = kFar;
    for (std::size_t k = 0; k < limits.size(); ++k)
      if (curve[i].before[k] != 0)
        acceleration =
            std::min(acceleration, limits[k].acceleration / std::fabs(curve[i].before[k]));
    add({i, 0, curve[i].length}, 1, 1);
    gains_.push_back(2 * acceleration / ease * curve[i].length);
    planes_.emplace_back();
  }

  void add_blend(const std::vector<Stretch>& curve, std::size_t i,
                 const std::vector<AxisLimits>& limits, const std::vector<double>& ease) {
    const double share = ease[i];
    const int n = stages_of(curve[i]);
    const auto place = [&](int k) {
      // Where lines begin, at full speed, there is nothing to ease.
      return place_on(curve[i], curve[i].length * k / n, limits, k == 0 || k == n ? 1 : share);
    };
    Place from = place(0);
    for (int k = 0; k < n; ++k) {
      Place to = place(k + 1);
      const double begin = curve[i].length * k / n;
      const double end = curve[i].length * (k + 1) / n;
      add({i, begin, end}, from.most, to.most);
      gains_.push_back(0);
      planes_.push_back(acceleration_planes(from, to, end - begin, limits, share));
      from = std::move(to);
    }
  }

  bool is_line(std::size_t i) const { return gains_[i] > 0; }

  double controllable(std::size_t i) const {
    if (is_line(i)) return std::min(most_[i], most_[i + 1] + gains_[i]);
    std::vector<HalfPlane> planes = planes_[i];
    const double step = 2 * (stages_[i].end - stages_[i].begin);
    planes.push_back({step, 1, most_[i + 1]});
    planes.push_back({-step, -1, 0});
    return largest_x(planes, most_[i]);
  }

  double reached(std::size_t i, double x) const {
    if (is_line(i)) return std::min(most_[i + 1], x + gains_[i]);
    double u = kFar;
    for (const HalfPlane& plane : planes_[i])
      if (plane.p > 0) u = std::min(u, (plane.b - plane.r * x) / plane.p);
    const double step = 2 * (stages_[i].end - stages_[i].begin);
    return std::clamp(x + step * u, 0.0, most_[i + 1]);
  }

  std::vector<Stage> stages_;
  std::vector<double> most_;   // of x at the ends of stages: at first by velocities
  std::vector<double> gains_;  // of lines: how much x can grow
  std::vector<std::vector<HalfPlane>> planes_;
};

}  // namespace

std::vector<Stage> reachable_speeds(const std::vector<Stretch>& curve,
                                    const std::vector<AxisLimits>& limits,
                                    const std::vector<double>& ease) {
  return Reachability(curve, limits, ease).run();
}

}  // namespace proven
