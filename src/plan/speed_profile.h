// How a point moves along a line: speeds up, travels and slows down within bounds on velocity,
// acceleration and jerk, which may be infinite.
#pragma once

#include <vector>

namespace proven {

struct LineBounds {
  double velocity, acceleration, jerk;
};

// Of constant jerk.
struct Phase {
  double seconds, speed, acceleration, jerk;  // the middle two at its begin
  double length(double t) const { return t * (speed + t * (acceleration / 2 + t * jerk / 6)); }
};

// The highest speed, from `speed` on, that is reached within the length.
double reachable_speed(double speed, double length, const LineBounds& bounds);

// The fastest way over the length between two speeds, with no acceleration at the ends if jerk is
// bounded. Each of the two speeds must be reachable from the other.
std::vector<Phase> speed_profile(double from, double to, double length, const LineBounds& bounds);

double total_seconds(const std::vector<Phase>& phases);

}  // namespace proven
