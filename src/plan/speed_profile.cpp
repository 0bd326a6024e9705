#include "plan/speed_profile.h"

#include <algorithm>
#include <cmath>

namespace proven {
namespace {

// Seconds: rounding spoils the accelerations of phases that are much shorter, and controllers do
// not notice them.
constexpr double kShortestPhase = 1e-3;
constexpr int kBisections = 100;

// A change of speed: acceleration rises over `ramp`, stays, and falls over `ramp`.
struct Change {
  double seconds, ramp;
};

Change change_of(double difference, const LineBounds& bounds) {
  const double d = std::fabs(difference), a = bounds.acceleration, j = bounds.jerk;
  if (d == 0) return {0, 0};
  Change change{d / a + a / j, a / j};
  if (d * j < a * a) {
    const double ramp = std::sqrt(d / j);
    change = {2 * ramp, ramp};
  } else if (change.ramp > 0 && change.seconds - 2 * change.ramp < kShortestPhase) {
    change = {2 * d / a, d / a};  // a lower jerk instead of a short stretch of full acceleration
  }
  if (change.seconds >= kShortestPhase) return change;
  return {kShortestPhase, change.ramp * kShortestPhase / change.seconds};
}

double length_of(double from, double to, const LineBounds& bounds) {
  return 0.5 * (from + to) * change_of(to - from, bounds).seconds;
}

void append(double from, double to, const LineBounds& bounds, std::vector<Phase>& phases) {
  const Change change = change_of(to - from, bounds);
  if (change.seconds == 0) return;
  const double a = (to - from) / (change.seconds - change.ramp);
  const double flat = change.seconds - 2 * change.ramp;
  if (change.ramp == 0) {
    phases.push_back({flat, from, a, 0});
    return;
  }
  const double jerk = a / change.ramp, gained = 0.5 * a * change.ramp;
  phases.push_back({change.ramp, from, 0, jerk});
  if (flat > 0) phases.push_back({flat, from + gained, a, 0});
  phases.push_back({change.ramp, to - gained, a, -jerk});
}

// The largest value in [low, high] for which `fits` holds; it holds at low, which by rounding may
// be the higher.
template <class Fits>
double largest(double low, double high, const Fits& fits) {
  if (high <= low) return low;
  if (fits(high)) return high;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double reachable_speed(double speed, double length, const LineBounds& bounds) {
  return largest(speed, bounds.velocity,
                 [&](double v) { return length_of(speed, v, bounds) <= length; });
}

std::vector<Phase> speed_profile(double from, double to, double length, const LineBounds& bounds) {
  std::vector<Phase> phases;
  const auto rest = [&](double peak, const LineBounds& b) {
    return length - length_of(from, peak, b) - length_of(peak, to, b);
  };
  const double least = std::max(from, to);
  if (rest(least, bounds) <= 0) {  // one change of speed, by rounding a little short
    const double seconds = 2 * length / (from + to);
    if (std::isfinite(bounds.jerk))
      append(from, to, bounds, phases);
    else
      phases.push_back({seconds, from, (to - from) / seconds, 0});
    return phases;
  }
  const double peak =
      largest(least, bounds.velocity, [&](double v) { return rest(v, bounds) >= 0; });
  // What is too short for a phase of its own is made up for by gentler changes of speed.
  LineBounds gentle = bounds;
  const auto ease = [&](double share) {
    return LineBounds{bounds.velocity, bounds.acceleration / share, bounds.jerk / share};
  };
  if (rest(peak, bounds) < kShortestPhase * peak)
    gentle = ease(largest(1, 2, [&](double share) { return rest(peak, ease(share)) >= 0; }));
  append(from, peak, gentle, phases);
  const double cruise = rest(peak, gentle) / peak;
  if (cruise > 1e-6 * kShortestPhase) phases.push_back({cruise, peak, 0, 0});
  append(peak, to, gentle, phases);
  return phases;
}

double total_seconds(const std::vector<Phase>& phases) {
  double sum = 0;
  for (const Phase& phase : phases) sum += phase.seconds;
  return sum;
}

}  // namespace proven
