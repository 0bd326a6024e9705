#include "proven/spacetime/vehicle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace proven::spacetime {
namespace {

// Sizes and limits of common vehicles, on the careful side.
const std::array<VehicleModel, 5>& models() {
  static const std::array<VehicleModel, 5> all = {{
      {"car", 4.5, 2.0, 2.6, 1.35, 0.7, 0.4, 8, 50, 10},
      {"small-car", 4.0, 1.75, 2.45, 1.2, 0.7, 0.4, 8, 45, 10},
      {"van", 5.5, 2.1, 3.2, 1.5, 0.65, 0.4, 7, 45, 8},
      {"truck", 9.0, 2.5, 5.0, 2.2, 0.7, 0.35, 6, 30, 6},
      {"bus", 12.0, 2.55, 6.0, 2.7, 0.8, 0.35, 5, 30, 6},
  }};
  return all;
}

// One step between two samples, seen from the rear axle.
struct Step {
  double t0 = 0, t1 = 0, speed = 0, curvature = 0, steering = 0;
  double sideways = 0;  // metres that the axle leaves the circle that its headings ask for

  double middle() const { return 0.5 * (t0 + t1); }
};

Vec2 axle(const VehicleModel& model, const Trajectory& m, std::size_t i) {
  return {m.x[i] - model.rear_axle * std::cos(m.heading[i]),
          m.y[i] - model.rear_axle * std::sin(m.heading[i])};
}

Step step_of(const VehicleModel& model, const Trajectory& m, std::size_t i) {
  Step step{m.t[i], m.t[i + 1]};
  const Vec2 chord = axle(model, m, i + 1) - axle(model, m, i);
  const double turn = m.heading[i + 1] - m.heading[i], middle = m.heading[i] + 0.5 * turn;
  const double along = chord.x * std::cos(middle) + chord.y * std::sin(middle);
  step.sideways = std::fabs(-chord.x * std::sin(middle) + chord.y * std::cos(middle));
  // On a circle the way is longer than its chord.
  const double half = 0.5 * turn;
  const double way = along * (std::fabs(half) > 1e-6 ? half / std::sin(half) : 1);
  step.speed = way / (m.t[i + 1] - m.t[i]);
  step.curvature = std::fabs(way) > 1e-9 ? turn / way : 0;
  step.steering = std::atan(model.wheelbase * step.curvature);
  return step;
}

}  // namespace

std::optional<VehicleModel> VehicleModel::of_type(std::string_view type) {
  for (const VehicleModel& model : models())
    if (model.name == type) return model;
  return std::nullopt;
}

std::string VehicleModel::types() {
  std::string names;
  for (const VehicleModel& model : models()) names += (names.empty() ? "" : ", ") + model.name;
  return names;
}

VehicleModel VehicleModel::resized(double new_length, double new_width) const {
  VehicleModel other = *this;
  other.wheelbase *= new_length / length;
  other.rear_axle *= new_length / length;
  other.length = new_length;
  other.width = new_width;
  return other;
}

double VehicleModel::max_curvature() const {
  return std::tan(max_steering) / wheelbase;
}

Result<void> validate(const VehicleModel& m) {
  for (const double size : {m.length, m.width, m.wheelbase})
    if (!(size >= 0.1 && size <= 100))
      return bad_input(
          fmt::format("a vehicle of {} by {} m with a wheelbase of {} m: expected 0.1 "
                      "to 100 m",
                      m.length, m.width, m.wheelbase));
  if (!(m.max_steering > 0 && m.max_steering < M_PI / 2 && m.max_steering_rate > 0 &&
        m.max_acceleration > 0 && m.max_speed > 0 && m.max_reverse_speed >= 0 &&
        std::fabs(m.rear_axle) <= m.length))
    return bad_input("the limits of a vehicle are above 0, its steering is below a right angle");
  return {};
}

std::string Violation::text() const {
  switch (limit) {
    case Limit::speed:
      return fmt::format("at {:.3f} s the speed is {:.1f} m/s; the vehicle reaches {:.1f}", t,
                         value, allowed);
    case Limit::acceleration:
      return fmt::format("at {:.3f} s the acceleration is {:.1f} m/s^2; the tyres bear {:.1f}", t,
                         value, allowed);
    case Limit::steering:
      return fmt::format("at {:.3f} s the steering angle is {:.2f} rad; the vehicle has {:.2f}", t,
                         value, allowed);
    case Limit::steering_rate:
      return fmt::format("at {:.3f} s the steering turns at {:.2f} rad/s; the vehicle has {:.2f}",
                         t, value, allowed);
    case Limit::sliding:
      return fmt::format(
          "at {:.3f} s the rear axle slides {:.3f} m to its side; {:.3f} m is what rounding allows",
          t, value, allowed);
  }
  return {};
}

std::optional<Violation> first_violation(const VehicleModel& model, const Trajectory& m,
                                         double error) {
  std::optional<Step> before;
  for (std::size_t i = 0; i + 1 < m.t.size(); ++i) {
    const Step step = step_of(model, m, i);
    const double dt = step.t1 - step.t0, way = std::fabs(step.speed) * dt;
    const double top = step.speed < 0 ? model.max_reverse_speed : model.max_speed;
    const auto wrong = [&](Limit limit, double value, double allowed) {
      return Violation{limit, step.t0, value, allowed};
    };
    if (!(std::fabs(step.speed) <= top + 2 * error / dt))
      return wrong(Limit::speed, std::fabs(step.speed), top);
    // Steering that changes within a step moves the axle by a quarter of what it changes the turn.
    const double sweep = model.max_steering_rate * dt / model.wheelbase;
    const double slide = 2 * error + 0.25 * sweep * way * way;
    if (!(step.sideways <= slide)) return wrong(Limit::sliding, step.sideways, slide);
    // A turn is rounded by 2 error / length; over a short way that says nothing of the steering.
    const double turn_error = 4 * error / model.length;
    const double turn = std::fabs(step.curvature) * way;
    if (!(turn <= model.max_curvature() * (way + 2 * error) + turn_error))
      return wrong(Limit::steering, std::fabs(step.steering), model.max_steering);
    const double across = step.speed * step.speed * std::fabs(step.curvature);
    const double loose = 8 * error / (dt * dt);
    if (before) {
      const double gap = step.middle() - before->middle();
      const double along = std::fabs(step.speed - before->speed) / gap;
      const double sum =
          std::hypot(std::max(0.0, along - 4 * error / (gap * gap)),
                     std::max(0.0, across - std::fabs(step.speed) * turn_error / dt));
      if (!(sum <= model.max_acceleration))
        return wrong(Limit::acceleration, std::hypot(along, across), model.max_acceleration);
      const double rate = std::fabs(step.steering - before->steering) / gap;
      const double shortest = std::min(way, std::fabs(before->speed) * (before->t1 - before->t0));
      const double slack = shortest > 0 ? 2 * model.wheelbase *
                                              (turn_error + 2 * error * model.max_curvature()) /
                                              shortest / gap
                                        : rate;
      if (!(rate <= model.max_steering_rate + slack))
        return wrong(Limit::steering_rate, rate, model.max_steering_rate);
    } else if (!(across <= model.max_acceleration + loose)) {
      return wrong(Limit::acceleration, across, model.max_acceleration);
    }
    before = step;
  }
  return std::nullopt;
}

std::optional<Leap> first_leap(const Trajectory& m) {
  constexpr double kNoise = 1.5, kHardest = 12;
  for (std::size_t i = 1; i + 1 < m.t.size(); ++i) {
    const double before = m.t[i] - m.t[i - 1], after = m.t[i + 1] - m.t[i];
    const auto missed = [&](const std::vector<double>& v) {
      return v[i + 1] - v[i] - (v[i] - v[i - 1]) * after / before;
    };
    const double miss = norm({missed(m.x), missed(m.y)});
    const double reach = 0.5 * after * (before + after);
    double loose = kNoise;
    if (!m.position_deviation.empty())
      loose += m.position_deviation[i + 1] + m.position_deviation[i] * (1 + after / before) +
               m.position_deviation[i - 1] * after / before;
    if (!(miss <= loose + kHardest * reach)) return Leap{static_cast<int>(i) + 1, miss / reach};
  }
  return std::nullopt;
}

}  // namespace proven::spacetime
