#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "spacetime/segment.h"

namespace proven::spacetime {
namespace {

bool within(double value, double limit) {
  return std::fabs(value) <= limit;  // false for NaN
}

}  // namespace

Result<void> validate_lengths(const Trajectory& m) {
  const std::size_t n = m.x.size();
  if (n < 2) return bad_input(fmt::format("a trajectory needs at least two samples, got {}", n));
  if (m.t.size() != n || m.y.size() != n || m.heading.size() != n)
    return bad_input(fmt::format("{} times, {} x, {} y and {} headings; expected as many of each",
                                 m.t.size(), n, m.y.size(), m.heading.size()));
  for (const auto* deviation : {&m.position_deviation, &m.heading_deviation})
    if (!deviation->empty() && deviation->size() != n)
      return bad_input("deviations must be absent or one per sample");
  return {};
}

namespace {

Result<void> check_sample(const Trajectory& m, std::size_t i) {
  if (!within(m.t[i], kLargestTime))
    return bad_input(fmt::format("sample {}: time {} is not a finite number", i, m.t[i]));
  if (!within(m.x[i], kLargestCoordinate) || !within(m.y[i], kLargestCoordinate))
    return bad_input(fmt::format("sample {}: position ({}, {}) is not a finite point within {:g} m",
                                 i, m.x[i], m.y[i], kLargestCoordinate));
  if (!within(m.heading[i], kLargestHeading))
    return bad_input(fmt::format("sample {}: heading {} is not a number within {:g} rad", i,
                                 m.heading[i], kLargestHeading));
  for (const auto* deviation : {&m.position_deviation, &m.heading_deviation})
    if (!deviation->empty() && !((*deviation)[i] >= 0 && (*deviation)[i] <= kLargestCoordinate))
      return bad_input(fmt::format("sample {}: deviation {} is not a size", i, (*deviation)[i]));
  return {};
}

Result<void> check_step(const Trajectory& m, std::size_t i) {
  if (m.t[i] == m.t[i - 1])
    return bad_input(fmt::format("samples {} and {} have the same time {}", i - 1, i, m.t[i]));
  if (m.t[i] < m.t[i - 1])
    return bad_input(fmt::format("times are not in order: sample {} at {} s follows {} s", i,
                                 m.t[i], m.t[i - 1]));
  const double turn = m.heading[i] - m.heading[i - 1];
  if (m.between == Interpolation::arc && !within(turn, std::numbers::pi))
    return bad_input(
        fmt::format("samples {} and {} turn by {:.4g} rad; an arc may turn by at most "
                    "pi per step: add samples or use linear",
                    i - 1, i, turn));
  return {};
}

}  // namespace

Result<void> validate(const Trajectory& m) {
  if (auto lengths = validate_lengths(m); !lengths.ok()) return lengths;
  if (m.between == Interpolation::linear && is_plainly_valid(view(m))) return {};
  for (std::size_t i = 0; i < m.x.size(); ++i) {
    if (auto sample = check_sample(m, i); !sample.ok()) return sample;
    if (i > 0)
      if (auto step = check_step(m, i); !step.ok()) return step;
  }
  const bool bounded = m.between == Interpolation::bounded_acceleration;
  if (bounded && !(m.max_acceleration >= 0 && m.max_acceleration <= 1e6 &&
                   m.max_angular_acceleration >= 0 && m.max_angular_acceleration <= 1e6))
    return bad_input("accelerations must be between 0 and 1e6 m/s2 or rad/s2");
  return {};
}

Pose2 pose_at(const Trajectory& m, double t) {
  const auto above = std::upper_bound(m.t.begin(), m.t.end(), t);
  const auto last = static_cast<int>(m.t.size()) - 2;
  const int i = std::clamp(static_cast<int>(above - m.t.begin()) - 1, 0, last);
  return nominal_pose(make_segment(view(m), i, 0), t);
}

void take_shortest_turns(std::vector<double>& heading) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (std::size_t i = 1; i < heading.size(); ++i)
    heading[i] -= kTurn * std::round((heading[i] - heading[i - 1]) / kTurn);
}

}  // namespace proven::spacetime
