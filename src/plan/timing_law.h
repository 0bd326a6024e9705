// The fastest motion along a curve of lines and blends, from rest to rest
// (docs/algorithms/timing.md).
#pragma once

#include <utility>
#include <vector>

#include "plan/timing_curve.h"

namespace proven {

// A polynomial in Bernstein form, over so many seconds.
struct TimedPiece {
  double seconds;
  std::vector<Row> control;
  int corner;  // the waypoint whose blend it belongs to; -1: on a line
};

// Within all limits, to a share of 1e-9, by bounds on the pieces themselves. Without limits of
// jerk: time-optimal along the curve, by reachability analysis on a grid. With them: blends are
// passed at constant speed. `end`: where the curve ends, exactly.
std::vector<TimedPiece> time_curve(const std::vector<Stretch>& curve, const Row& end,
                                   const std::vector<AxisLimits>& limits);

// From rest to rest over the line.
double seconds_with_stops(const Row& from, const Row& to, const std::vector<AxisLimits>& limits);

// The share of time by which a piece must be slowed to keep all limits; at most 1: it does.
double slowing(const TimedPiece& piece, const std::vector<AxisLimits>& limits);
// The same in less time: up to a share `tolerance` of each bound too large.
double slowing(const TimedPiece& piece, const std::vector<AxisLimits>& limits, double tolerance);

// Least and greatest value of an axis on a piece, to within a share of 1e-10 of its control points.
std::pair<double, double> range_of(const TimedPiece& piece, std::size_t axis);

// Cuts pieces so that none lasts longer.
std::vector<TimedPiece> cut(std::vector<TimedPiece> pieces, double interval);

}  // namespace proven
