// How close was it, in space and in time? Every figure is an interval that is proved to hold the
// true value; nothing is sampled.
#pragma once

#include <limits>
#include <vector>

#include "proven/spacetime/check.h"

namespace proven::spacetime {

struct Bounds {
  double lower = 0, upper = 0;
};

struct MetricOptions {
  double tolerance = 1e-3;          // metres: the width of the interval aimed at
  double time_tolerance = 1e-3;     // seconds
  double horizon = 10;              // seconds: time gaps beyond it are not looked for
  std::int64_t max_cells = 200000;  // more than this: the interval stays wider, and is still true
};

// The least distance to any obstacle at equal times; 0 if they touch.
struct Clearance {
  Bounds distance;
  int obstacle = -1;  // the one that gives `upper`, at time t
  double t = 0;
};
Result<Clearance> clearance(const TrafficScene& scene, const Footprint& footprint,
                            const Trajectory& trajectory, const MetricOptions& options,
                            int except = -1);

// Time to collision from the start of the trajectory; both infinite if there is none.
// lower < upper = infinity: undecided.
Result<Bounds> time_to_collision(const TrafficScene& scene, const Footprint& footprint,
                                 const Trajectory& trajectory, const MetricOptions& options,
                                 TrafficWorkspace& workspace, int except = -1);

// The least |t - t'| such that the object at t and a moving obstacle at t' overlap: how long after
// one of them the other uses the same ground (post-encroachment time). 0: they collide. Infinite:
// not within the horizon. Standing obstacles and sets have no such time.
struct TimeGap {
  Bounds seconds;
  int obstacle = -1;
  double t = 0, t_obstacle = 0;  // where `upper` is reached
};
Result<TimeGap> time_gap(const TrafficScene& scene, const Footprint& footprint,
                         const Trajectory& trajectory, const MetricOptions& options,
                         int except = -1);

struct TimeInterval {
  double begin = 0, end = 0;
};
// The times in [begin, end] at which the object may be anywhere on step `step` of the path (times
// of the path are not used) without touching an obstacle: disjoint, in order, each proved. What is
// left out is unsafe, or within time_tolerance of it.
Result<std::vector<TimeInterval>> safe_intervals(const TrafficScene& scene,
                                                 const Footprint& footprint, const Trajectory& path,
                                                 int step, double begin, double end,
                                                 const MetricOptions& options);

}  // namespace proven::spacetime
