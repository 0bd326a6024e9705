// Driving along a reference path among known traffic, in a receding horizon: in every cycle many
// candidate trajectories (lateral offsets, speeds, durations) are ranked by cost, and the first one
// that is proved free is driven for one cycle, as Werling et al. do.
//
// What is promised: the driven trajectory is free, since every cycle's part belongs to a candidate
// proved free as a whole. What is not: that a solution is found where one exists, or that the
// traffic will do what the scene says.
#pragma once

#include <vector>

#include "proven/spacetime/check.h"

namespace proven::spacetime {

// A polyline with smooth headings, measured by its length.
class ReferencePath {
 public:
  // Needs at least two different points; corners are rounded by `smoothing` rounds of averaging.
  static Result<ReferencePath> make(std::vector<Vec2> points, int smoothing = 20);

  double length() const { return s_.back(); }
  // The pose at arc length s (beyond the ends: straight on); its heading has no jumps.
  Pose2 at(double s) const;
  // The nearest s and the signed distance to the left of it.
  Vec2 locate(Vec2 p) const;

 private:
  std::vector<Vec2> points_;
  std::vector<double> s_, heading_;
};

struct DriveOptions {
  int candidates = 10000;     // about so many per cycle
  double time_step = 0.1;     // seconds between the poses of a candidate
  double cycle = 0.1;         // seconds driven before the next decision
  double horizon = 3;         // seconds that a candidate looks ahead
  double desired_speed = 10;  // m/s
  double max_acceleration = 8, max_lateral_offset = 3.5;
  TrafficOptions check;
};

struct DriveCycle {
  double t = 0;
  int candidates = 0, free = 0, rank = -1;  // the rank of the driven one in the order of cost
  double generate_ms = 0, check_ms = 0;     // processor time
};

struct DriveResult {
  Trajectory driven;
  std::vector<DriveCycle> cycles;
  bool finished = false;        // false: no candidate was free, or the budget ended
  bool standing = false;        // the vehicle stands at the end
  std::optional<Stop> stopped;  // by the budget
  // The candidates of the cycle in the middle of the drive, for pictures.
  CandidateSet shown;
  std::vector<Verdict> shown_verdicts;
};

// Drives from `start` at `speed` and time t_begin until t_end.
Result<DriveResult> drive(const TrafficScene& scene, const Footprint& footprint,
                          const ReferencePath& path, const Pose2& start, double speed,
                          double t_begin, double t_end, const DriveOptions& options,
                          const Budget& budget = {});

}  // namespace proven::spacetime
