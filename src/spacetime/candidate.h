// Candidates of a drive: a way of the rear axle, and a speed along it.
#pragma once

#include <vector>

#include "proven/spacetime/drive.h"

namespace proven::spacetime {

// Distance along a way, speed and acceleration at a time.
struct Progress1 {
  double p = 0, v = 0, a = 0;
};

// How far along over time.
class Profile {
 public:
  // To a speed, or to a stop at a place, by a polynomial of time; then on uniformly.
  static Profile to_speed(const Progress1& from, double v, double duration);
  static Profile to_stop(const Progress1& from, double p, double duration);
  // Braking as hard as told until it stands.
  static Profile braking(const Progress1& from, double deceleration);

  // Follows this one until `t`, then brakes.
  void brake_from(double t, double deceleration);

  Progress1 at(double t) const;
  // When it stands after brake_from(); nothing moves afterwards.
  double stands_at() const { return stands_at_; }

 private:
  Progress1 before_brake(double t) const;

  double c_[6] = {};
  double duration_ = 0;
  double brake_at_ = 1e300, stands_at_ = 1e300, deceleration_ = 0;
  Progress1 at_brake_;
};

// The rear axle's way, in steps of its own length.
struct Way {
  std::vector<double> s, x, y, heading, curvature, sharpness, cosine, sine;
  std::vector<double> along;  // on the reference path
  double offset = 0;          // from the reference path, where it leads
  double length = 0;          // in which it gets there

  double end() const { return s.back(); }
  bool empty() const { return s.size() < 2; }
};

// Where the rear axle is and how it is steered.
struct AxleState {
  Pose2 pose;
  double curvature = 0;
  double along = 0;  // about where on the reference path
};

// From the state to an offset from the path within `length` metres, then parallel to it, `reach`
// metres in all; empty if the path bends too sharply for that.
Way way_to_offset(const ReferencePath& path, const AxleState& state, double offset, double length,
                  double reach);
// Straightens the steering as fast as the vehicle can, then goes straight on.
double straightening_length(const AxleState& state, const VehicleModel& vehicle, double speed);
Way way_straight(const ReferencePath& path, const AxleState& state, const VehicleModel& vehicle,
                 double speed, double reach);

struct WayPoint {
  Pose2 pose;  // of the rear axle
  double curvature = 0, sharpness = 0, along = 0;
};
// At a distance along the way; `from` is where the search starts, and is moved on.
WayPoint point_on(const Way& way, double s, std::size_t& from);

}  // namespace proven::spacetime
