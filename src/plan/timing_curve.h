// The curve of a timed motion between two stops: straight lines, and blends at corners
// (docs/algorithms/timing.md).
//
// Points are rows of plain numbers, one per axis. Lengths along the path are in seconds: the time
// that the slowest axis takes at its top speed.
#pragma once

#include <vector>

#include "plan/speed_profile.h"

namespace proven {

using Row = std::vector<double>;

struct AxisLimits {
  double velocity, acceleration, jerk;
};

// Part of the path from rest to rest. Neighbouring points differ.
struct Run {
  std::vector<Row> points;
  std::vector<int> waypoints;  // of the path, which each point is
};

// A line, or the blend at a corner: the quartic x + reach (-A(s) before + B(s) after) with
// B = s³ (2 - s), A(s) = B(1 - s). Its first two derivatives join those of the lines beside it.
struct Stretch {
  Row origin;         // where a line begins; the corner of a blend
  Row before, after;  // directions: change per second of length; the same on a line
  double length = 0;
  int corner = -1;  // the waypoint of a blend

  bool blended() const { return corner >= 0; }
  double reach() const { return 0.5 * length; }
  // At `along` the stretch; derivatives by length.
  Row position(double along) const;
  Row rate(double along) const;
  Row bend(double along) const;
};

// Along a direction, by the axis that allows least.
LineBounds bounds_of(const Row& direction, const std::vector<AxisLimits>& limits);

// By the slowest axis.
double travel_seconds(const Row& from, const Row& to, const std::vector<AxisLimits>& limits);
Row direction(const Row& from, const Row& to, double length);

// How far a blend of given reach is from its corner, and the path from it: Euclidean.
double blend_deviation(const Row& before, const Row& after, double reach);

struct BlendRules {
  double deviation;  // at most
  double shortest;   // seconds at full speed: no shorter than needed to look smooth
};
// The reach of the blend at point i of a run, between its ends: no longer than half of a segment
// beside it, than the deviation allows and than full speed needs.
double blend_reach(const Run& run, std::size_t i, const std::vector<AxisLimits>& limits,
                   const BlendRules& rules);

// The lines and blends of a run; `reach` holds one value per point.
std::vector<Stretch> blended_curve(const Run& run, const std::vector<AxisLimits>& limits,
                                   const std::vector<double>& reach);

}  // namespace proven
