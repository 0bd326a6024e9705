#include "spacetime/segment.h"

#include <algorithm>
#include <limits>

#include "proven/base/rounding.h"

namespace proven::spacetime {
namespace {

double share(const Segment& segment, double t) {
  return std::clamp((t - segment.t0) / (segment.t1 - segment.t0), 0.0, 1.0);
}

double at(const double* values, int i) {
  return values ? values[i] : 0;
}

}  // namespace

MotionView view(const Trajectory& motion) {
  MotionView v;
  v.size = motion.size();
  v.t = motion.t.data();
  v.x = motion.x.data();
  v.y = motion.y.data();
  v.heading = motion.heading.data();
  v.between = motion.between;
  v.max_acceleration = motion.max_acceleration;
  v.max_angular_acceleration = motion.max_angular_acceleration;
  if (!motion.position_deviation.empty()) v.position_deviation = motion.position_deviation.data();
  if (!motion.heading_deviation.empty()) v.heading_deviation = motion.heading_deviation.data();
  return v;
}

bool is_plainly_valid(const MotionView& m) {
  if (!m.is_exact()) return false;
  // There are no branches, so that it costs nothing beside building; comparisons reject NaN.
  unsigned bad = 0;
  for (int i = 0; i < m.size; ++i) {
    bad |= !(std::fabs(m.x[i]) <= kLargestCoordinate) | !(std::fabs(m.y[i]) <= kLargestCoordinate);
    bad |= !(std::fabs(m.heading[i]) <= kLargestHeading) | !(std::fabs(m.t[i]) <= kLargestTime);
  }
  for (int i = 1; i < m.size; ++i) bad |= !(m.t[i] > m.t[i - 1]);
  return bad == 0;
}

Segment make_segment(const MotionView& m, const double* cosines, const double* sines, int i,
                     double core_reach) {
  Segment segment;
  segment.t0 = m.t[i];
  segment.t1 = m.t[i + 1];
  segment.start = {m.x[i], m.y[i], cosines[i], sines[i]};
  segment.end = {m.x[i + 1], m.y[i + 1], cosines[i + 1], sines[i + 1]};
  segment.heading = m.heading[i];
  segment.turn = m.heading[i + 1] - m.heading[i];
  segment.arc = m.between == Interpolation::arc;
  if (m.is_exact()) return segment;
  const auto deviation = [&](int k) {
    return kFormulaUp * (at(m.position_deviation, k) + core_reach * at(m.heading_deviation, k));
  };
  segment.deviation0 = deviation(i);
  segment.deviation1 = deviation(i + 1);
  if (m.between == Interpolation::bounded_acceleration) {
    const double step = segment.t1 - segment.t0;
    segment.bulge = kFormulaUp * 0.5 * step * step *
                    (m.max_acceleration + core_reach * m.max_angular_acceleration);
  }
  return segment;
}

Segment make_segment(const MotionView& m, int i, double core_reach) {
  MotionView step = m;
  step.t += i, step.x += i, step.y += i, step.heading += i;
  if (step.position_deviation) step.position_deviation += i;
  if (step.heading_deviation) step.heading_deviation += i;
  const double cosines[2] = {std::cos(m.heading[i]), std::cos(m.heading[i + 1])};
  const double sines[2] = {std::sin(m.heading[i]), std::sin(m.heading[i + 1])};
  return make_segment(step, cosines, sines, 0, core_reach);
}

// Eight running maxima, which vectorise.
double largest(const double* v, int n) {
  double best[8] = {};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) best[k] = std::max(best[k], std::fabs(v[i + k]));
  for (; i < n; ++i) best[0] = std::max(best[0], std::fabs(v[i]));
  return *std::max_element(best, best + 8);
}

Segment fixed_segment(double t0, double t1, const Placed& pose) {
  Segment segment;
  segment.t0 = t0;
  segment.t1 = t1;
  segment.start = segment.end = pose;
  segment.fixed = true;
  return segment;
}

Pose2 nominal_pose(const Segment& segment, double t) {
  const Placed &p0 = segment.start, &p1 = segment.end;
  if (segment.fixed) return {p0.x, p0.y, segment.heading};
  const double s = share(segment, t);
  const double heading = segment.heading + s * segment.turn;
  const double dx = p1.x - p0.x, dy = p1.y - p0.y;
  if (!segment.arc || segment.turn == 0) return {p0.x + s * dx, p0.y + s * dy, heading};
  // A turn by s phi about the fixed centre moves the start along the chord d, shortened and turned:
  // sin(s phi/2) / sin(phi/2) * R((s - 1) phi/2) d. No centre is formed, so small turns are safe.
  const double half = 0.5 * segment.turn;
  const double length = std::sin(s * half) / std::sin(half);
  const double c = std::cos((s - 1) * half), sn = std::sin((s - 1) * half);
  return {p0.x + length * (c * dx - sn * dy), p0.y + length * (sn * dx + c * dy), heading};
}

Placed place(const Segment& segment, double t) {
  if (segment.fixed || t <= segment.t0) return segment.start;
  if (t >= segment.t1) return segment.end;
  const Pose2 pose = nominal_pose(segment, t);
  if (segment.turn == 0) return {pose.x, pose.y, segment.start.c, segment.start.s};
  return {pose.x, pose.y, std::cos(pose.heading), std::sin(pose.heading)};
}

double deviation_upper(const Segment& segment, double a, double b) {
  const double d0 = segment.deviation0, d1 = segment.deviation1, bulge = segment.bulge;
  if (d0 == 0 && d1 == 0 && bulge == 0) return 0;
  const double sa = share(segment, a), sb = share(segment, b);
  const auto w = [&](double s) { return (1 - s) * d0 + s * d1 + bulge * s * (1 - s); };
  // A parabola of curvature -2 bulge rises above its chord by at most bulge (sb - sa)^2 / 4.
  const double rise = 0.25 * bulge * (sb - sa) * (sb - sa);
  return kFormulaUp * (std::max(w(sa), w(sb)) + rise) + 0x1p-48 * (d0 + d1 + bulge);
}

double sagitta_upper(const Segment& segment, double reach, double a, const Placed& at_a, double b,
                     const Placed& at_b) {
  if (segment.fixed || segment.turn == 0) return 0;
  const double turn = kFormulaUp * std::fabs(segment.turn) * ((b - a) / (segment.t1 - segment.t0));
  // 1 - cos(x/2) <= min(x^2/8, 2).
  double sagitta = reach * std::min(0.125 * turn * turn, 2.0);
  if (segment.arc) {
    // The origin leaves its chord by |chord|/2 tan(x/4), and tan(y) <= y (1 + y^2/2) up to pi/4.
    const double quarter = 0.25 * turn;
    const double chord = norm({at_b.x - at_a.x, at_b.y - at_a.y});
    sagitta += 0.5 * chord * quarter * (1 + 0.5 * quarter * quarter);
  }
  return kFormulaUp * sagitta;
}

}  // namespace proven::spacetime
