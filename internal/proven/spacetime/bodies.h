// Bodies in space that move along time-indexed trajectories: boxes, primitives, hulls and meshes,
// as robots have them, each free to move and turn.
//
// Between two samples a body's origin moves on a straight line at constant speed while the body
// turns about one axis at a constant rate, the shorter way. It exists from its first to its last
// sample; a body with a single sample stands there for ever.
//
// Two bodies at a time are two free-flying robots of one link on one path, which `check` of
// proven/certify decides: free is proved for all times, rounding included.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/certify/scratch.h"
#include "proven/certify/verdict.h"
#include "proven/geometry/body_geometry.h"
#include "proven/spacetime/afterwards.h"
#include "proven/spacetime/check.h"

namespace proven::spacetime {

// Where a body is at its samples.
struct BodyTrajectory {
  std::vector<double> t;             // seconds
  std::vector<Vec3> position;        // the body's frame B in W
  std::vector<Quaternion> rotation;  // units

  int size() const { return static_cast<int>(t.size()); }
  bool moves() const { return size() > 1; }
};
// Demands finite values, strictly increasing times and unit quaternions.
Result<void> validate(const BodyTrajectory& motion);
// The pose at a time within the samples.
Pose pose_at(const BodyTrajectory& motion, double t);

struct MovingBody {
  std::string name;
  std::shared_ptr<const BodyGeometry> geometry;
  BodyTrajectory motion;
};

// The body, there until `until` at least unless it is gone by then; it goes on without turning.
std::vector<MovingBody> lasting(std::vector<MovingBody> bodies, Afterwards after, double until);

struct BodyContact {
  int obstacle = -1;
  double t_lower = 0;  // with `first`: proved free before this
  double t = 0;        // they meet here
  Pose X_WB, X_WO;     // body and obstacle at t, each within 1e-12 of its motion
  double distance = 0;
};
struct BodyDoubt {
  UndecidedReason reason = UndecidedReason::gap_below_resolution;
  int obstacle = -1;
  double t = 0;
  double distance = 0;  // the gap reached
};
struct BodyResult {
  Verdict verdict = Verdict::undecided;
  std::optional<BodyContact> contact;
  std::optional<BodyDoubt> doubt;
  std::int64_t cells = 0, step_pairs = 0;
};

// `time_resolution` is not used: contacts are located within `resolution`. Obstacle `except` is
// left out (-1 stands for none).
Result<BodyResult> check(std::span<const MovingBody> obstacles, const MovingBody& body,
                         const TrafficOptions& options, Scratch& scratch, int except = -1,
                         const Budget& budget = {});

}  // namespace proven::spacetime
