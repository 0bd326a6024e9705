#include "spacetime/candidate.h"

#include <algorithm>
#include <cmath>

namespace proven::spacetime {
namespace {

constexpr double kStep = 0.5;  // metres between the places of a way

// A quintic of the distance along the path.
struct Quintic {
  double c[6] = {};
  double length = 1;

  static Quintic make(double d, double d1, double d2, double target, double L) {
    Quintic f{{d, d1, 0.5 * d2}, L};
    const double b0 = target - d - d1 * L - 0.5 * d2 * L * L, b1 = -d1 - d2 * L, b2 = -d2;
    f.c[3] = (10 * b0 - 4 * b1 * L + 0.5 * b2 * L * L) / (L * L * L);
    f.c[4] = (-15 * b0 + 7 * b1 * L - b2 * L * L) / (L * L * L * L);
    f.c[5] = (6 * b0 - 3 * b1 * L + 0.5 * b2 * L * L) / (L * L * L * L * L);
    return f;
  }
  void at(double s, double& d, double& d1, double& d2) const {
    const double u = std::min(s, length);
    d = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))));
    d1 = c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * 5 * c[5])));
    d2 = 2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * 20 * c[5]));
    if (s > length) d1 = d2 = 0;
  }
};

void append(Way& way, double s, const Pose2& pose, double curvature, double along) {
  way.s.push_back(s);
  way.x.push_back(pose.x), way.y.push_back(pose.y), way.heading.push_back(pose.heading);
  way.curvature.push_back(curvature);
  way.along.push_back(along);
  way.cosine.push_back(std::cos(pose.heading)), way.sine.push_back(std::sin(pose.heading));
}

void add_sharpness(Way& way) {
  const std::size_t n = way.s.size();
  way.sharpness.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, n - 1);
    if (way.s[b] > way.s[a])
      way.sharpness[i] = (way.curvature[b] - way.curvature[a]) / (way.s[b] - way.s[a]);
  }
}

}  // namespace

Profile Profile::to_speed(const Progress1& from, double v, double T) {
  Profile f;
  f.duration_ = T;
  f.c_[0] = from.p, f.c_[1] = from.v, f.c_[2] = 0.5 * from.a;
  const double b1 = v - from.v - from.a * T, b2 = -from.a;
  f.c_[3] = (3 * b1 - b2 * T) / (3 * T * T);
  f.c_[4] = (b2 * T - 2 * b1) / (4 * T * T * T);
  return f;
}

Profile Profile::to_stop(const Progress1& from, double p, double T) {
  Profile f;
  f.duration_ = T;
  const Quintic q = Quintic::make(from.p, from.v, from.a, p, T);
  std::copy(std::begin(q.c), std::end(q.c), std::begin(f.c_));
  return f;
}

Profile Profile::braking(const Progress1& from, double deceleration) {
  Profile f;
  f.duration_ = 1;
  f.c_[0] = from.p, f.c_[1] = from.v;
  f.brake_from(0, deceleration);
  return f;
}

void Profile::brake_from(double t, double deceleration) {
  if (t >= brake_at_) return;
  at_brake_ = before_brake(t);
  at_brake_.v = std::max(0.0, at_brake_.v);
  brake_at_ = t;
  deceleration_ = deceleration;
  stands_at_ = t + at_brake_.v / deceleration;
}

Progress1 Profile::before_brake(double t) const {
  const double u = std::min(t, duration_);
  const double* c = c_;
  Progress1 m;
  m.p = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))));
  m.v = c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * 5 * c[5])));
  m.a = 2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * 20 * c[5]));
  if (t > duration_) m.p += m.v * (t - duration_), m.a = 0;
  return m;
}

Progress1 Profile::at(double t) const {
  if (t < brake_at_) return before_brake(t);
  const double u = std::min(t, stands_at_) - brake_at_;
  const bool stands = t >= stands_at_;
  return {at_brake_.p + at_brake_.v * u - 0.5 * deceleration_ * u * u,
          stands ? 0 : at_brake_.v - deceleration_ * u, stands ? 0 : -deceleration_};
}

Way way_to_offset(const ReferencePath& path, const AxleState& state, double offset, double length,
                  double reach) {
  const Vec2 at = path.locate_near({state.pose.x, state.pose.y}, state.along, 30);
  const PathPoint here = path.at(at.x);
  const double off = std::remainder(state.pose.heading - here.heading, 2 * M_PI);
  const double room = 1 - here.curvature * at.y;
  if (!(std::fabs(off) < 1.2 && room > 0.1)) return {};
  // The state in the frame of the path, with two derivatives by its length (Werling et al.).
  const double tangent = std::tan(off), cosine = std::cos(off);
  const double d1 = room * tangent;
  const double d2 = -(here.sharpness * at.y + here.curvature * d1) * tangent +
                    room / (cosine * cosine) * (state.curvature * room / cosine - here.curvature);
  const Quintic across = Quintic::make(at.y, d1, d2, offset, length);
  Way way;
  way.offset = offset;
  way.length = length;
  const double turns = state.pose.heading - (here.heading + off);
  double s = 0, rate_before = room / cosine;
  for (int i = 0;; ++i) {
    const double u = kStep * i;
    const PathPoint r = path.at(at.x + u);
    double d = 0, e1 = 0, e2 = 0;
    across.at(u, d, e1, e2);
    const double one = 1 - r.curvature * d;
    if (!(one > 0.1)) break;
    const double slope = e1 / one, delta = std::atan(slope), c = std::cos(delta);
    const double bend =
        ((e2 + (r.sharpness * d + r.curvature * e1) * slope) * c * c / one + r.curvature) * c / one;
    const double rate = one / c;
    if (i > 0) s += 0.5 * kStep * (rate_before + rate);
    rate_before = rate;
    append(way, s,
           {r.p.x - d * std::sin(r.heading), r.p.y + d * std::cos(r.heading),
            r.heading + delta + turns},
           bend, at.x + u);
    if (s > reach) break;
  }
  if (way.empty()) return {};
  add_sharpness(way);
  return way;
}

double straightening_length(const AxleState& state, const VehicleModel& vehicle, double speed) {
  const double angle = std::fabs(std::atan(vehicle.wheelbase * state.curvature));
  return std::max(kStep, 1.5 * angle / vehicle.max_steering_rate * std::max(speed, 1.0));
}

Way way_straight(const ReferencePath& path, const AxleState& state, const VehicleModel& vehicle,
                 double speed, double reach) {
  Way way;
  const Vec2 at = path.locate_near({state.pose.x, state.pose.y}, state.along, 30);
  way.offset = at.y;
  const double straight_after = straightening_length(state, vehicle, speed);
  way.length = straight_after;
  const auto bend = [&](double s) {
    return state.curvature * std::max(0.0, 1 - s / straight_after);
  };
  Pose2 pose = state.pose;
  constexpr int kFine = 8;
  for (int i = 0;; ++i) {
    const double s = kStep * i;
    append(way, s, pose, bend(s), at.x + s);
    if (s > reach) break;
    for (int k = 0; k < kFine; ++k) {
      const double h = kStep / kFine, middle = bend(s + (k + 0.5) * h);
      const double heading = pose.heading + 0.5 * h * middle;
      pose = {pose.x + h * std::cos(heading), pose.y + h * std::sin(heading),
              pose.heading + h * middle};
    }
  }
  add_sharpness(way);
  return way;
}

WayPoint point_on(const Way& way, double s, std::size_t& from) {
  while (from + 2 < way.s.size() && way.s[from + 1] <= s) ++from;
  const std::size_t i = from;
  const double h = way.s[i + 1] - way.s[i], u = (s - way.s[i]) / h, u2 = u * u, u3 = u2 * u;
  const double h00 = 2 * u3 - 3 * u2 + 1, h10 = h * (u3 - 2 * u2 + u), h01 = 3 * u2 - 2 * u3,
               h11 = h * (u3 - u2);
  const auto line = [&](const std::vector<double>& v) { return (1 - u) * v[i] + u * v[i + 1]; };
  WayPoint point;
  point.pose = {h00 * way.x[i] + h10 * way.cosine[i] + h01 * way.x[i + 1] + h11 * way.cosine[i + 1],
                h00 * way.y[i] + h10 * way.sine[i] + h01 * way.y[i + 1] + h11 * way.sine[i + 1],
                h00 * way.heading[i] + h10 * way.curvature[i] + h01 * way.heading[i + 1] +
                    h11 * way.curvature[i + 1]};
  point.curvature = line(way.curvature);
  point.sharpness = line(way.sharpness);
  point.along = line(way.along);
  return point;
}

}  // namespace proven::spacetime
