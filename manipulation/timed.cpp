#include "manipulation/timed.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "proven/kinematics/bernstein.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"

namespace proven::manipulation {
namespace {

// Shares of a limit by which rounding may exceed it, and by which rates may jump where pieces meet.
constexpr double kLimitSlack = 1e-6;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Whether |p| exceeds the limit somewhere. Control points enclose p; where they do not decide, it
// is halved. Negated, so that NaN exceeds.
bool exceeds(const Bernstein<double>& p, double limit, int depth = 0) {
  bool inside = true;
  for (int k = 0; k <= p.degree; ++k) inside = inside && std::fabs(p.c[k]) <= limit;
  if (inside) return false;
  constexpr int kDeepest = 30;
  if (!(std::fabs(p.c[0]) <= limit) || !(std::fabs(p.c[p.degree]) <= limit) || depth == kDeepest)
    return true;
  return exceeds(p.part(0, 0.5), limit, depth + 1) || exceeds(p.part(0.5, 1), limit, depth + 1);
}

Bernstein<double> coordinate_of(const MotionPiece& piece, int coordinate) {
  Bernstein<double> p;
  p.degree = piece.degree();
  for (int k = 0; k <= p.degree; ++k) p.c[k] = piece.control(k)[at(coordinate)];
  return p;
}

// Derivatives by seconds.
Bernstein<double> rate_of(const Bernstein<double>& p, double seconds) {
  Bernstein<double> rate = p.derivative();
  for (int k = 0; k <= rate.degree; ++k) rate.c[k] = p.degree == 0 ? 0 : rate.c[k] / seconds;
  return rate;
}

// One coordinate through all pieces.
std::string refute_coordinate(const Coordinate& coordinate, const RateLimits& rates,
                              const Motion& motion, int index) {
  const double velocity = rates.velocity, acceleration = rates.acceleration;
  double last = 0;  // the rate where the last piece ended
  const auto jumps = [&](double rate) {
    return !(std::fabs(rate - last) <= kLimitSlack * velocity);
  };
  for (int i = 0; i < motion.num_segments(); ++i) {
    const double seconds = motion.times[at(i) + 1] - motion.times[at(i)];
    if (!(seconds > 0)) return "its times do not increase";
    const Bernstein<double> rate = rate_of(coordinate_of(motion.piece(i), index), seconds);
    if (jumps(rate.c[0])) return fmt::format("the velocity of {} jumps", coordinate.name);
    if (exceeds(rate, velocity * (1 + kLimitSlack)))
      return fmt::format("{} is faster than it may be", coordinate.name);
    if (exceeds(rate_of(rate, seconds), acceleration * (1 + kLimitSlack)))
      return fmt::format("{} accelerates more than it may", coordinate.name);
    last = rate.c[rate.degree];
  }
  return jumps(0) ? fmt::format("{} does not end at rest", coordinate.name) : std::string();
}

// One phase: as fast as limits allow, with corners cut less and less until it is allowed; at last
// it stops at every waypoint and stays on the path.
Result<Motion> timed_phase(const Scene& scene, const Path& phase, const Allowed& allowed) {
  TimingOptions options;
  options.input_is_proved = true;
  constexpr double kSmallestBlend = 1e-3;
  for (;;) {
    auto timed = time_path(scene, phase, options, {});
    if (!timed.ok()) return timed.error();
    if (timed.value().proof.verdict == Verdict::free && (!allowed || allowed(timed.value().motion)))
      return std::move(timed).value().motion;
    if (options.blend == 0)
      return Error{ErrorCode::unsupported, "the motion with its times is not proved", {}};
    options.blend = options.blend > kSmallestBlend ? 0.25 * options.blend : 0;
  }
}

// Waypoints that rounding made two: shorter than anything that can be timed.
constexpr double kSameWaypoint = 1e-7;
constexpr double kHopSeconds = 1e-3;

bool nearly(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= kSameWaypoint)) return false;
  return true;
}

// From one to the other, from rest to rest by a cubic: accelerations of 6 kSameWaypoint /
// kHopSeconds² at most, 0.6.
Motion hop(const Path& phase) {
  const auto& [from, to] = std::tie(phase.waypoints[0], phase.waypoints[1]);
  Motion motion;
  motion.waypoints = {from, to};
  motion.times = {0, kHopSeconds};
  motion.inner = {{from, to}};
  return motion;
}

void append(Motion& whole, Motion part) {
  const double begin = whole.times.empty() ? 0 : whole.times.back();
  for (std::size_t i = 0; i < part.waypoints.size(); ++i) {
    if (i == 0 && !whole.waypoints.empty()) continue;
    whole.waypoints.push_back(part.waypoints[i]);
    whole.times.push_back(begin + part.times[i]);
  }
  part.inner.resize(at(part.num_segments()));
  whole.inner.insert(whole.inner.end(), part.inner.begin(), part.inner.end());
}

}  // namespace

double duration_of(const Motion& motion) {
  return motion.times.empty() ? 0 : motion.times.back() - motion.times.front();
}

Result<Path> shortened(const Scene& scene, const Path& path, int fingers, std::uint64_t seed,
                       const Budget& budget) {
  const auto& all = path.waypoints;
  const auto grips = [&](std::size_t i) {
    return fingers >= 0 && all.size() > 1 && all[i][at(fingers)] != all[i + 1][at(fingers)];
  };
  const std::size_t first = grips(0) ? 1 : 0, last = grips(all.size() - 2) ? 1 : 0;
  if (all.size() < first + last + 2) return path;
  Path part;
  part.waypoints.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.end() - static_cast<std::ptrdiff_t>(last));
  SmoothOptions smoothing;
  smoothing.seed = seed;
  smoothing.max_steps = 200;
  auto result = smooth(scene, part, smoothing, budget);
  if (!result.ok()) return result.error();
  Path whole = std::move(result).value().path;
  if (first > 0) whole.waypoints.insert(whole.waypoints.begin(), all.front());
  if (last > 0) whole.waypoints.push_back(all.back());
  return whole;
}

Result<Motion> with_times(const Scene& scene, const Path& path, int fingers,
                          const Allowed& allowed) {
  Motion whole;
  std::size_t begin = 0;
  const auto fingers_at = [&](std::size_t i) { return path.waypoints[i][at(fingers)]; };
  for (std::size_t end = 1; end < path.waypoints.size(); ++end) {
    // A phase ends where the fingers begin or cease to move.
    const bool last = end + 1 == path.waypoints.size();
    if (!last && (fingers < 0 || (fingers_at(end) != fingers_at(end - 1)) ==
                                     (fingers_at(end + 1) != fingers_at(end))))
      continue;
    Path phase;
    for (std::size_t i = begin; i <= end; ++i) {
      // The ends stay as they are.
      if (i == end && phase.waypoints.size() > 1 &&
          nearly(phase.waypoints.back(), path.waypoints[i]))
        phase.waypoints.pop_back();
      if (i == begin || i == end || !nearly(phase.waypoints.back(), path.waypoints[i]))
        phase.waypoints.push_back(path.waypoints[i]);
    }
    begin = end;
    if (phase.waypoints.size() == 2 && nearly(phase.waypoints[0], phase.waypoints[1])) {
      if (phase.waypoints[0] != phase.waypoints[1]) append(whole, hop(phase));
      continue;
    }
    auto timed = timed_phase(scene, phase, allowed);
    if (!timed.ok()) return timed;
    append(whole, std::move(timed).value());
  }
  if (whole.waypoints.empty()) {
    whole.waypoints = {path.waypoints.front()};
    whole.times = {0};
  }
  return whole;
}

std::string refute_times(const KinematicTree& tree, const Motion& motion) {
  if (motion.times.size() != motion.waypoints.size()) return "it has not one time per waypoint";
  const TimingOptions usual;
  const auto rates = rate_limits(tree, usual.velocity, usual.acceleration);
  for (int c = 0; c < tree.num_coordinates(); ++c)
    if (auto why = refute_coordinate(tree.coordinates()[at(c)], rates[at(c)], motion, c);
        !why.empty())
      return why;
  return {};
}

}  // namespace proven::manipulation
