// A path as rows of plain numbers: a ball joint, which turns about one axis between two stops, is
// the angle about it.
#pragma once

#include <span>
#include <vector>

#include "plan/timing_curve.h"
#include "plan/timing_law.h"
#include "proven/base/interval.h"
#include "proven/base/vec3.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/plan/timing.h"

namespace proven {

struct LiftedRun : Run {
  std::vector<Vec3> turns;  // of each ball joint, in its own frame: the unit axis, or 0
};

class Lifting {
 public:
  Lifting(const KinematicTree& tree, const Path& path, const TimingOptions& options);

  const std::vector<AxisLimits>& limits() const { return limits_; }
  // Where an axis may go: within the joint's limits, and wherever the path itself does.
  const std::vector<Interval>& ranges() const { return ranges_; }
  // Seconds in which no ball joint turns by more than 1 rad: a piece turns by the shorter way.
  double longest_piece() const;

  // From stop to stop: where `stops` says so, where a ball joint changes its axis, and where the
  // path turns back. Repeated waypoints are dropped, and those where the direction stays.
  std::vector<LiftedRun> runs(const std::vector<bool>& stops) const;

  // Appends the pieces of a run, which begins at the motion's last waypoint.
  void append(const LiftedRun& run, const std::vector<TimedPiece>& pieces, Motion& motion) const;

 private:
  struct Axis {
    int coordinate;
    bool ball;
  };
  struct Step;
  Step step(std::span<const double> from, std::span<const double> to) const;
  bool extend(LiftedRun& run, const Step& step, int waypoint, bool stop) const;
  LiftedRun run_from(int waypoint) const;
  void add_ranges();
  Row lift(std::span<const double> q) const;
  std::vector<double> configuration(const LiftedRun& run, const Row& row) const;
  std::vector<double> control_point(const LiftedRun& run, const Row& from, const Row& row) const;

  const KinematicTree& tree_;
  const Path& path_;
  std::vector<Axis> axes_;
  std::vector<AxisLimits> limits_;
  std::vector<Interval> ranges_;
};

}  // namespace proven
