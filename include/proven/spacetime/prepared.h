// Motions that are used again and again: a motion primitive is prepared once, then asked about at
// any pose and time without being built anew.
//
// What is decided is the exact rigid motion of the prepared trajectory: its sample i is at
// X_WP * (x, y) with heading + X_WP.heading, at the time t + time, rounded to the nearest double.
// Rounding of the placement is part of every proof (docs/algorithms/spacetime.md).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "proven/spacetime/check.h"

namespace proven::spacetime {

class PreparedMotion {
 public:
  // The trajectory is in the primitive's own frame P, usually from the origin at time 0.
  static Result<PreparedMotion> make(Footprint footprint, Trajectory motion);

  const Footprint& footprint() const;
  const Trajectory& motion() const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  explicit PreparedMotion(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

struct Placement {
  Pose2 X_WP;
  double time = 0;  // added to the motion's own times
};

// The motion where it was placed, as a trajectory of its own: what building anew starts from.
Trajectory placed(const PreparedMotion& motion, const Placement& placement);

Result<TrafficResult> check(const TrafficScene& scene, const PreparedMotion& motion,
                            const Placement& placement, const TrafficOptions& options,
                            TrafficWorkspace& workspace, int except = -1);

// Each motion at the placement, as a lattice planner asks at a state.
Result<std::vector<Verdict>> verdicts(const TrafficScene& scene,
                                      std::span<const PreparedMotion> motions,
                                      const Placement& placement, const TrafficOptions& options,
                                      TrafficWorkspace& workspace);

}  // namespace proven::spacetime
