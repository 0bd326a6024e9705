#include "proven/plan/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "proven/kinematics/interpolation.h"

namespace proven {
namespace {

// From rest at s = 0 to rest at s = 1, with bounds on the first two derivatives of s.
class TimeLaw {
 public:
  TimeLaw(double velocity, double acceleration) : acceleration_(acceleration) {
    // Too short to reach full speed: half of it speeding up, half slowing down.
    speed_up_ = std::min(velocity / acceleration, 1 / std::sqrt(acceleration));
    peak_ = acceleration * speed_up_;
    duration_ = 1 / peak_ + speed_up_;
  }

  double duration() const { return duration_; }
  double at(double t) const {
    if (t >= duration_) return 1;
    if (t < speed_up_) return 0.5 * acceleration_ * t * t;
    const double left = duration_ - t;
    if (left < speed_up_) return 1 - 0.5 * acceleration_ * left * left;
    return 0.5 * peak_ * speed_up_ + peak_ * (t - speed_up_);
  }

 private:
  double acceleration_, peak_, speed_up_, duration_;
};

double limit_or(double limit, double otherwise) {
  return std::isfinite(limit) && limit > 0 ? limit : otherwise;
}

// The law of the segment from a to b; nothing if no joint moves.
std::optional<TimeLaw> time_law(const KinematicTree& tree, const std::vector<double>& a,
                                const std::vector<double>& b, const TimingOptions& options) {
  double velocity = std::numeric_limits<double>::infinity(), acceleration = velocity;
  const auto coordinates = tree.coordinates();
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    double travel = std::fabs(b[k] - a[k]);
    if (coordinates[k].quaternion) {  // the first of four
      const int first = static_cast<int>(k);
      travel = rotation_angle(read_quaternion(a, first), read_quaternion(b, first));
      k += 3;
    }
    if (travel == 0) continue;
    const Coordinate& c = coordinates[k];
    const double scale = options.scale / travel;
    velocity = std::min(velocity, scale * limit_or(c.velocity, options.velocity));
    acceleration = std::min(acceleration, scale * limit_or(c.acceleration, options.acceleration));
  }
  if (!std::isfinite(velocity)) return std::nullopt;
  return TimeLaw(velocity, acceleration);
}

}  // namespace

Result<Path> time_path(const KinematicTree& tree, const Path& path, const TimingOptions& options) {
  for (const auto& [value, name] :
       {std::pair(options.velocity, "velocity"), std::pair(options.acceleration, "acceleration"),
        std::pair(options.scale, "scale"), std::pair(options.interval, "interval")})
    if (!(value > 0 && std::isfinite(value)))
      return bad_input(fmt::format("the {} must be a positive number", name));
  if (options.scale > 1) return bad_input("a scale above 1 would exceed the limits");
  Path timed;
  timed.defaulted = path.defaulted;
  timed.waypoints.push_back(path.waypoints.front());
  timed.times.push_back(0);
  double begin = 0;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
    const std::vector<double>&a = path.waypoints[i - 1], &b = path.waypoints[i];
    const auto law = time_law(tree, a, b, options);
    if (!law) continue;
    const double steps = std::ceil(law->duration() / options.interval);
    if (!(steps < 1e7)) return bad_input("more than ten million waypoints: use a longer interval");
    for (int k = 1; k <= static_cast<int>(steps); ++k) {
      const bool last = k == static_cast<int>(steps);
      const double t = last ? law->duration() : law->duration() * k / steps;
      std::vector<double> q(b.size());
      interpolate(tree, a, b, law->at(t), q);
      timed.waypoints.push_back(last ? b : std::move(q));
      timed.times.push_back(begin + t);
    }
    begin += law->duration();
  }
  return timed;
}

}  // namespace proven
