// What a vehicle can do: the kinematic single-track model. The rear axle moves the way the vehicle
// points, the steering angle bounds the curvature of its way and changes at a bounded rate, and
// tyres bear a bounded acceleration along and across together (the circle of friction).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

struct VehicleModel {
  std::string name = "car";
  double length = 4.5, width = 2.0;  // metres
  double wheelbase = 2.6;
  double rear_axle = 1.35;                             // how far behind the middle of the outline
  double max_steering = 0.7, max_steering_rate = 0.4;  // rad, rad/s
  double max_acceleration = 8;                         // m/s^2, along and across together
  double max_speed = 50, max_reverse_speed = 10;       // m/s

  // car, small-car, van, truck, bus; nullopt: there is no such type.
  static std::optional<VehicleModel> of_type(std::string_view type);
  static std::string types();  // the names, for messages
  // The same vehicle in another size: the axles keep their shares of the length.
  VehicleModel resized(double new_length, double new_width) const;
  double max_curvature() const;
};
Result<void> validate(const VehicleModel& model);

enum class Limit { speed, acceleration, steering, steering_rate, sliding };

// A limit that a trajectory does not keep, where it first does not.
struct Violation {
  Limit limit = Limit::speed;
  double t = 0;
  double value = 0, allowed = 0;
  std::string text() const;  // one sentence
};

// Follows the samples: chords of the rear axle for speed and direction, differences of neighbouring
// steps for the rest. Samples are rounded and the motion between them is not known, so each figure
// is compared with its limit and what `position_error` metres at each sample could make of it.
std::optional<Violation> first_violation(const VehicleModel& model, const Trajectory& trajectory,
                                         double position_error = 1e-3);

// A recording, or a trajectory of something that is no vehicle, must not leap: the first sample at
// which no motion below 12 m/s^2 comes within 1.5 m; nullopt where there is none.
struct Leap {
  int sample = 0;
  double acceleration = 0;  // implied
};
std::optional<Leap> first_leap(const Trajectory& trajectory);

}  // namespace proven::spacetime
