// Poses of a candidate, if the vehicle can drive it and may.
#pragma once

#include "spacetime/drive_plans.h"

namespace proven::spacetime {

struct Sampled {
  Trajectory motion;  // of the middle of the outline, to the horizon or to the goal
  Trajectory stop;    // from there on until it stands; empty behind a goal
  std::vector<double> speeds;
  std::vector<WayPoint> axle;
};

class Sampler {
 public:
  Sampler(const DriveTask& task, const DriveOptions& options)
      : task_(task), options_(options), max_curvature_(task.vehicle.max_curvature()) {}

  // Candidates of this state, at this time, which ends with this pose of the outline.
  void start(const DriveState& state, double t, const Pose2& pose, int horizon_steps);

  // False: the vehicle cannot drive it, or may not.
  bool sample(const Way& way, const Profile& profile, bool hard, Sampled& out) const;
  // All of it in `motion`, until it stands, whatever is allowed.
  bool sample_stop(const Way& way, const Profile& profile, Sampled& out) const;

  // A drive ends where it has arrived at a place; a goal that is only a time is waited for.
  bool in_some_goal(const VehicleState& state, bool ends) const;

 private:
  void append(double u, const Pose2& axle, Trajectory& into) const;
  void pin_start(Trajectory& m) const;
  bool can_drive(const WayPoint& point, const Progress1& at, bool easy) const;
  bool can_drive(const Way& way, const Profile& profile, int k, const Progress1& at, bool easy,
                 WayPoint& point, std::size_t& node) const;
  bool may_drive(const WayPoint& point, const WayPoint& before, const Progress1& at, int k,
                 bool easy) const;

  const DriveTask& task_;
  const DriveOptions& options_;
  const double max_curvature_;
  DriveState state_;
  Pose2 pose_;
  double t_ = 0;
  int horizon_steps_ = 1;
};

}  // namespace proven::spacetime
