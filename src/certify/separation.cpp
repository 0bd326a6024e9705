#include "separation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "margins.h"

namespace proven {

PROVEN_DEFINE_KERNEL(SeparationKernel, separation_kernel);

namespace {

// What gaps at the anchor lose to rounding; `size` reaches across both bodies.
double anchor_margin(double rounding_bound, double size) {
  return rounding_bound * kSupportRounding + kDirectionStep * size;
}

// What the motion to second order makes of a body until s: points x go by turn × (x - p) + origin,
// p the origin of its frame.
struct Carried {
  Vec3 turn, origin;
};
Carried carried(const Side& side, double s) {
  const BodyMotion& motion = *side.motion;
  Vec3 angular = motion.angular, linear = motion.linear;
  if (motion.curvature > 0) {
    angular += (0.5 * s) * motion.angular_change;
    linear += (0.5 * s) * motion.linear_change;
  }
  return {s * angular, s * (cross(angular, side.X_WB.p) + linear)};
}

}  // namespace

Slack separate_spheres(const MovingSphere& a, const MovingSphere& b, double clearance,
                       double rounding_bound, double reach, double growth) {
  const Vec3 between = b.centre - a.centre;
  const double distance = norm(between), radii = a.radius + b.radius;
  const double need = clearance + anchor_margin(rounding_bound, distance + radii);
  Slack slack;
  slack.gap = distance * kProductDown - radii - need;
  slack.before = slack.after =
      slack.gap - (a.speed_upper + b.speed_upper + growth) * reach * kProductUp;
  if (slack.gap > 0) slack.n_gap = slack.n_before = slack.n_after = (1 / distance) * between;
  return slack;
}

void Separation::begin(const Side& a, const Side& b, double clearance, double rounding_bound,
                       double reach, double growth) {
  a_ = a;
  b_ = b;
  clearance_ = clearance;
  reach_ = reach;
  growth_ = growth;
  const BodyMotion &ma = *a.motion, &mb = *b.motion;
  const double turned = (ma.turning_upper + mb.turning_upper) * reach;
  const double size = norm(b.centre - a.centre) + a.radius + b.radius;
  const double moved = (ma.speed_upper + mb.speed_upper) * reach;
  curvature_ = ma.curvature + mb.curvature;
  const double bent = (ma.acceleration + mb.acceleration + curvature_) * reach * reach;
  margin_ = anchor_margin(rounding_bound, size);
  need_ = clearance + margin_;
  // What is required changes linearly: more of it after the anchor, which is asked of both sides.
  need_side_ = clearance + growth * reach * kProductUp +
               rounding_bound * kSupportRounding * kSideRounding +
               (ma.velocity_error + mb.velocity_error) * reach +
               (ma.change_error + mb.change_error) * (0.5 * reach * reach) +
               kDirectionStep * (size * (1 + turned) + moved + bent);
}

void Separation::begin_boxes() {
  separation_kernel->directions(a_.X_WB.R.row.data(), b_.X_WB.R.row.data(), b_.centre - a_.centre,
                                n_);
  prepare_supports(0, anchor_);
  stage_ = Stage::anchor;
}

void Separation::prepare_supports(double s, Supports& out) const {
  const Carried a = carried(a_, s), b = carried(b_, s);
  separation_kernel->supports(n_, {a_.X_WB.R.row.data(), a.turn}, {b_.X_WB.R.row.data(), b.turn},
                              (b_.X_WB.p - a_.X_WB.p) + (b.origin - a.origin), out);
}

void Separation::prepare_sides() const {
  prepare_supports(-reach_, ends_[0]);
  prepare_supports(reach_, ends_[1]);
  const double acceleration = a_.motion->acceleration + b_.motion->acceleration;
  const double bent = 0.5 * reach_ * reach_ * kProductUp * acceleration;
  std::fill(std::begin(bulge_.v), std::end(bulge_.v), bulge(acceleration));
  std::fill(std::begin(need_sides_.v), std::end(need_sides_.v), need_side_ + bent + bulge_.v[0]);
  stage_ = Stage::any_direction;
}

void Separation::prepare_accelerations() const {
  std::fill(std::begin(need_sides_.v), std::end(need_sides_.v), 0.0);
  separation_kernel->accelerations(n_, *a_.motion, need_sides_.v);
  separation_kernel->accelerations(n_, *b_.motion, need_sides_.v);
  const double half_square = 0.5 * reach_ * reach_ * kProductUp;
  for (int k = 0; k < kDirections; ++k) {
    bulge_.v[k] = bulge(need_sides_.v[k]);
    need_sides_.v[k] = need_side_ + need_sides_.v[k] * half_square + bulge_.v[k];
  }
  stage_ = Stage::each_direction;
}

Slack Separation::boxes(const BoxNode& a, const BoxNode& b) const {
  alignas(64) double here[kDirections], sign[kDirections];
  const int best = separation_kernel->gaps(anchor_, a, b, sign, here);
  Slack slack;
  slack.gap = here[best] - need_;
  slack.n_gap = sign[best] * direction(best);
  if (!(slack.gap > 0)) return slack;
  slack.before = slack.after = slack.gap - closing_speed() * reach_ * kProductUp;
  slack.n_before = slack.n_after = slack.n_gap;
  if (slack.before > 0) return slack;

  for (double& value : here) value -= need_;
  if (stage_ == Stage::anchor) prepare_sides();
  sides(a, b, sign, here, slack);
  // Bounds on the acceleration along each direction cost more: only where they can help.
  if (stage_ == Stage::any_direction && !(slack.before > 0 && slack.after > 0)) {
    prepare_accelerations();
    sides(a, b, sign, here, slack);
  }
  return slack;
}

// Improves both sides of the slack.
void Separation::sides(const BoxNode& a, const BoxNode& b, const double* sign, const double* here,
                       Slack& slack) const {
  alignas(64) double bulged[kDirections];
  if (curvature_ > 0) {
    for (int k = 0; k < kDirections; ++k) bulged[k] = here[k] - bulge_.v[k];
    here = bulged;
  }
  SideSlacks found;
  separation_kernel->sides(ends_, a, b, sign, here, need_sides_.v, found);
  if (found.both > 0) {
    const int k = found.best_both;
    slack.before = found.before.v[k], slack.after = found.after.v[k];
    slack.n_before = slack.n_after = sign[k] * direction(k);
    return;
  }
  const auto take = [&](const Lanes& values, int k, double& value, Vec3& n) {
    if (values.v[k] > value) value = values.v[k], n = sign[k] * direction(k);
  };
  take(found.before, found.best_before, slack.before, slack.n_before);
  take(found.after, found.best_after, slack.after, slack.n_after);
}

namespace {

// max of m·x over a node, m and x in the body's frame.
double support(const Side& side, const BoxNode& node, const Vec3& m) {
  if (node.num_points > 0) {
    const Vec3* points = side.tree->points.data() + node.first_point;
    double most = dot(m, points[0]);
    for (int i = 1; i < node.num_points; ++i) most = std::max(most, dot(m, points[i]));
    const double radius = side.tree->point_radius;
    return radius > 0 ? most + radius * norm(m) : most;
  }
  if (side.geometry && node.num_items() <= kSmallNode) {
    double most = -std::numeric_limits<double>::infinity();
    for (int i = node.first_item; i < node.end_item; ++i)
      most = std::max(
          most, piece_support(*side.geometry, side.tree->order[static_cast<std::size_t>(i)], m));
    return most;
  }
  return dot(m, node.centre) + (std::fabs(m.x) * node.half.x + std::fabs(m.y) * node.half.y +
                                std::fabs(m.z) * node.half.z);
}

}  // namespace

// Degenerate pieces may propose anything. Along zero everything is 0 apart, which is more than a
// clearance below it, and the largest of supports that are not numbers is none of them.
Slack Separation::along(const Vec3& n, const BoxNode& a, const BoxNode& b) const {
  if (!(std::fabs(squared_norm(n) - 1) < 0.5)) return {};
  const auto gap_at = [&](double s) {
    const Carried to_a = carried(a_, s), to_b = carried(b_, s);
    const Vec3 n_a = transpose_times(a_.X_WB.R, n + cross(n, to_a.turn));
    const Vec3 n_b = transpose_times(b_.X_WB.R, n + cross(n, to_b.turn));
    const Vec3 between = (b_.X_WB.p - a_.X_WB.p) + (to_b.origin - to_a.origin);
    return dot(n, between) - support(b_, b, -n_b) - support(a_, a, n_a);
  };
  Slack slack;
  slack.n_gap = slack.n_before = slack.n_after = n;
  slack.gap = gap_at(0) - need_;
  if (!(slack.gap > 0)) return slack;
  const double lipschitz = slack.gap - closing_speed() * reach_ * kProductUp;
  slack.before = slack.after = lipschitz;
  if (lipschitz > 0) return slack;
  const double acceleration = a_.motion->acceleration_along(n) + b_.motion->acceleration_along(n);
  const double bulged = bulge(acceleration);
  const double here = slack.gap - bulged;
  const double need = need_side_ + 0.5 * reach_ * reach_ * kProductUp * acceleration + bulged;
  const auto side = [&](double s) {
    const double far = gap_at(s) - need;
    const double value = here < far ? here : far;  // a NaN stays one
    return lipschitz > value ? lipschitz : value;
  };
  slack.before = side(-reach_);
  slack.after = side(reach_);
  return slack;
}

}  // namespace proven
