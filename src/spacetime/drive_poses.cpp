#include "spacetime/drive_poses.h"

#include <algorithm>
#include <cmath>

namespace proven::spacetime {

void Sampler::start(const DriveState& state, double t, const Pose2& pose, int horizon_steps) {
  state_ = state;
  t_ = t;
  pose_ = pose;
  horizon_steps_ = horizon_steps;
}

bool Sampler::in_some_goal(const VehicleState& state, bool ends) const {
  return std::ranges::any_of(task_.goals, [&](const GoalState& goal) {
    if (ends && !goal.has_place() && !(goal.time && state.t >= goal.time->high - 1e-6))
      return false;
    return reached(goal, task_.road, state);
  });
}

void Sampler::append(double u, const Pose2& axle, Trajectory& into) const {
  const VehicleModel& vehicle = task_.vehicle;
  into.t.push_back(t_ + u);
  into.x.push_back(axle.x + vehicle.rear_axle * std::cos(axle.heading));
  into.y.push_back(axle.y + vehicle.rear_axle * std::sin(axle.heading));
  into.heading.push_back(axle.heading);
}

// The pose at step k, if the vehicle can get there.
bool Sampler::can_drive(const Way& way, const Profile& profile, int k, const Progress1& at,
                        bool easy, WayPoint& point, std::size_t& node) const {
  const double step = options_.time_step, u = k * step;
  const double s = std::max(0.0, at.p);
  if (!(s <= way.end())) return false;
  point = point_on(way, s, node);
  const Progress1 between{at.p, at.v, profile.at(std::max(0.0, u - 0.5 * step)).a};
  return can_drive(point, at, easy) && can_drive(point, between, easy);
}

bool Sampler::sample(const Way& way, const Profile& profile, bool hard, Sampled& out) const {
  std::size_t node = 0;
  WayPoint point, before;
  const int stop_after = horizon_steps_ + 200;
  bool arrived = false;
  for (int k = 0; k <= stop_after; ++k) {
    const double u = k * options_.time_step;
    const bool in_stop = k > horizon_steps_;
    // The brakes are hit at the horizon.
    const bool easy = !hard && k < horizon_steps_;
    const Progress1 at = profile.at(u);
    if (!can_drive(way, profile, k, at, easy, point, node) ||
        !may_drive(point, before, at, k, easy))
      return false;
    before = point;
    Trajectory& m = in_stop ? out.stop : out.motion;
    append(u, point.pose, m);
    if (k == horizon_steps_) append(u, point.pose, out.stop);
    if (in_stop) {
      if (u >= profile.stands_at()) break;
      continue;
    }
    out.speeds.push_back(at.v);
    out.axle.push_back(point);
    arrived =
        k > 0 && in_some_goal({t_ + u, {m.x.back(), m.y.back(), m.heading.back()}, at.v}, true);
    if (arrived) break;
  }
  if (arrived) out.stop = {};
  if (out.motion.size() < 2) return false;
  pin_start(out.motion);
  return true;
}

bool Sampler::sample_stop(const Way& way, const Profile& profile, Sampled& out) const {
  std::size_t node = 0;
  WayPoint point;
  constexpr int kMostSteps = 2000;
  for (int k = 0; k <= kMostSteps; ++k) {
    const double u = k * options_.time_step;
    const Progress1 at = profile.at(u);
    if (!can_drive(way, profile, k, at, false, point, node)) return false;
    append(u, point.pose, out.motion);
    out.speeds.push_back(at.v);
    out.axle.push_back(point);
    if (k > 0 && u >= profile.stands_at()) {
      pin_start(out.motion);
      return true;
    }
  }
  return false;
}

// The first pose is where the vehicle is, to the last bit.
void Sampler::pin_start(Trajectory& m) const {
  const double turns = 2 * M_PI * std::round((m.heading[0] - pose_.heading) / (2 * M_PI));
  for (double& heading : m.heading) heading -= turns;
  m.x[0] = pose_.x, m.y[0] = pose_.y, m.heading[0] = pose_.heading;
}

// The vehicle's model, with a share kept for what is between the samples.
bool Sampler::can_drive(const WayPoint& point, const Progress1& at, bool easy) const {
  constexpr double kShare = 0.93;
  const VehicleModel& vehicle = task_.vehicle;
  if (!(at.v >= -1e-9 && at.v <= vehicle.max_speed)) return false;
  if (!(std::fabs(point.curvature) <= kShare * max_curvature_)) return false;
  const double across = at.v * at.v * point.curvature;
  const double most = kShare * (vehicle.max_acceleration + 0.3);
  if (!(at.a * at.a + across * across <= most * most)) return false;
  const double wheel = vehicle.wheelbase * point.curvature;
  const double rate =
      vehicle.wheelbase * std::fabs(point.sharpness) * std::fabs(at.v) / (1 + wheel * wheel);
  if (!(rate <= kShare * vehicle.max_steering_rate)) return false;
  return !easy || (std::fabs(across) <= options_.comfort_across &&
                   std::fabs(at.a) <= options_.comfort_along);
}

// Speed limits, lights and stops. Whoever was too fast slows down.
bool Sampler::may_drive(const WayPoint& point, const WayPoint& before, const Progress1& at, int k,
                        bool easy) const {
  const double step = options_.time_step, u = k * step, v = state_.progress.v;
  const double allowed = std::max(speed_limit_at(task_, point.along), easy ? v - 1.5 * u : v);
  if (!(at.v <= allowed + 0.05)) return false;
  if (k == 0) return true;
  const double from = front_of(task_, before.along), to = front_of(task_, point.along);
  for (std::size_t i = 0; i < task_.stops.size(); ++i) {
    const StopPoint& stop = task_.stops[i];
    if (!(from < stop.s && to >= stop.s)) continue;
    if (stop.must_stop && !state_.stopped_at[i]) return false;
    for (const TrafficLight& light : stop.lights)
      if (!light.may_pass(t_ + u) || !light.may_pass(t_ + u - step)) return false;
  }
  return true;
}

}  // namespace proven::spacetime
