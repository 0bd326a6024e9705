#include "proven/kinematics/motion_bounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proven/base/elementary.h"
#include "proven/base/rounding.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/rounding.h"

namespace proven {

namespace {

// The angle between unit quaternions errs by less than 32 u: normalising costs 4 u for each, their
// difference 4 u, and the half angle is twice an arc tangent, doubled again.
constexpr double kAngleError = 0x1p-48;

Interval range_of(const Joint& joint, std::span<const Interval> ranges) {
  const Interval& q = ranges[static_cast<std::size_t>(joint.coordinate)];
  const double a = joint.multiplier * q.lower + joint.offset;
  const double b = joint.multiplier * q.upper + joint.offset;
  return {std::fmin(a, b), std::fmax(a, b)};
}

// An upper bound on |multiplier q| + |offset|.
double value_extent(const Joint& joint, std::span<const Interval> ranges) {
  const Interval& q = ranges[static_cast<std::size_t>(joint.coordinate)];
  return std::fabs(joint.multiplier) * std::fmax(std::fabs(q.lower), std::fabs(q.upper)) +
         std::fabs(joint.offset);
}

void add_joint(const Joint& joint, std::span<const Interval> ranges, ChainRounding& rounding) {
  const double slide = joint.kind == JointKind::prismatic ? value_extent(joint, ranges) : 0;
  const double turn = joint.kind == JointKind::revolute ? value_extent(joint, ranges)
                      : joint.kind == JointKind::ball   ? ChainRounding::kBallTurn
                                                        : 0;
  rounding.add_joint(norm(joint.X_PJ.p), slide, turn);
}

double extent_of(const BodyGeometry& geometry) {
  return std::numbers::sqrt3 * geometry.max_coordinate();
}

// COMPUTE-SPHERE: carries a sphere that holds the body from its link up to the world.
class SphereClimb {
 public:
  // `extent` bounds the distance of the body's points from its own origin; without a geometry the
  // sphere alone stands for the body.
  SphereClimb(const Pose& X_LB, const BoundingSphere& sphere, double extent,
              const BodyGeometry* geometry, std::span<const Interval> ranges)
      : geometry_(geometry),
        ranges_(ranges),
        sphere_{X_LB * sphere.centre, sphere.radius},
        X_LB_(X_LB),
        rounding_(norm(X_LB.p) + extent) {}

  // From the frame of a link to that of its parent. Returns R, or 0 for a fixed joint.
  double climb(const Joint& joint) {
    add_joint(joint, ranges_, rounding_);
    const double radius = sweep(joint);
    sphere_.centre = joint.X_PJ * sphere_.centre;
    X_LB_ = joint.X_PJ * X_LB_;
    return radius;
  }

  BoundingSphere sphere() const {
    return {sphere_.centre, radius_upper(sphere_.radius, rounding_)};
  }
  double rounding_bound() const { return rounding_.bound(); }
  double direction_bound() const { return rounding_.direction_bound(); }

 private:
  double sweep(const Joint& joint) {
    switch (joint.kind) {
      case JointKind::fixed:
        return 0;
      case JointKind::prismatic:
        slide(joint);
        return 1;
      case JointKind::revolute:
        return turn(joint.axis);
      case JointKind::ball:
        return turn_all_ways();
    }
    return 0;
  }

  void slide(const Joint& joint) {
    const auto [lower, upper] = range_of(joint, ranges_);
    sphere_.centre += 0.5 * (lower + upper) * joint.axis;
    sphere_.radius += 0.5 * (upper - lower);
    rigid_ = false;
  }

  // The axis runs through the origin of the link's frame.
  double turn(const Vec3& axis) {
    const Vec3 on_axis = dot(sphere_.centre, axis) * axis;
    const double swept = norm(sphere_.centre - on_axis) + sphere_.radius;
    double radius = swept;
    if (rigid_ && geometry_) {
      const Pose X_BL = inverse(X_LB_);
      radius = std::fmin(radius, geometry_->max_distance_to_line(X_BL.p, X_BL.R * axis));
    }
    // Along the axis the sphere reaches sphere_.radius to each side, across it `radius`.
    sphere_ = {on_axis, std::fmin(swept, hypotenuse(radius, sphere_.radius))};
    rigid_ = false;
    return radius_upper(radius, rounding_);
  }

  double turn_all_ways() {
    sphere_ = {Vec3{}, norm(sphere_.centre) + sphere_.radius};
    rigid_ = false;
    return radius_upper(sphere_.radius, rounding_);
  }

  const BodyGeometry* geometry_;
  std::span<const Interval> ranges_;
  BoundingSphere sphere_;  // in the current link, for all values of the joints below
  Pose X_LB_;              // the body in the current link, as long as it is rigid
  bool rigid_ = true;      // no joint below moves
  ChainRounding rounding_;
};

}  // namespace

std::vector<Interval> coordinate_ranges(const KinematicTree& tree,
                                        std::span<const std::vector<double>> waypoints) {
  std::vector<Interval> ranges;
  for (std::size_t i = 0; i < tree.coordinates().size(); ++i) {
    double lower = tree.coordinates()[i].lower, upper = tree.coordinates()[i].upper;
    if (!std::isfinite(lower)) lower = std::isfinite(upper) ? upper : INFINITY;
    if (!std::isfinite(upper)) upper = std::isfinite(lower) ? lower : -INFINITY;
    for (const std::vector<double>& q : waypoints) {
      lower = std::fmin(lower, q[i]);
      upper = std::fmax(upper, q[i]);
    }
    ranges.push_back(lower <= upper ? Interval{lower, upper} : Interval{});
  }
  return ranges;
}

namespace {

MotionFactors climb_to_world(const KinematicTree& tree, int link, SphereClimb climb) {
  MotionFactors result;
  for (int l = link; l != 0; l = tree.link(l).parent) {
    const Joint& joint = tree.link(l).joint;
    const double radius = climb.climb(joint);
    if (joint.kind != JointKind::fixed) result.factors.push_back({l, radius});
  }
  result.swept_sphere = climb.sphere();
  result.rounding_bound = climb.rounding_bound();
  result.direction_bound = climb.direction_bound();
  return result;
}

}  // namespace

MotionFactors compute_motion_factors(const KinematicTree& tree, int link, const Pose& X_LB,
                                     const BodyGeometry& geometry,
                                     std::span<const Interval> ranges) {
  return climb_to_world(tree, link,
                        {X_LB, geometry.bounding_sphere(), extent_of(geometry), &geometry, ranges});
}

MotionFactors compute_motion_factors(const KinematicTree& tree, int link, const Pose& X_LB,
                                     const BoundingSphere& sphere,
                                     std::span<const Interval> ranges) {
  return climb_to_world(tree, link,
                        {X_LB, sphere, norm(sphere.centre) + sphere.radius, nullptr, ranges});
}

ChainRounding position_rounding(const KinematicTree& tree, int link, const Pose& X_LB,
                                const BodyGeometry& geometry, std::span<const Interval> ranges) {
  ChainRounding rounding(norm(X_LB.p) + extent_of(geometry));
  for (int l = link; l != 0; l = tree.link(l).parent)
    add_joint(tree.link(l).joint, ranges, rounding);
  return rounding;
}

double joint_displacement(const Joint& joint, std::span<const double> qa,
                          std::span<const double> qb) {
  if (joint.kind == JointKind::fixed) return 0;
  const auto i = static_cast<std::size_t>(joint.coordinate);
  if (joint.kind != JointKind::ball)
    return std::fabs(joint.multiplier * (qb[i] - qa[i])) * kProductUp;
  if (std::ranges::equal(qa.subspan(i, 4), qb.subspan(i, 4))) return 0;
  return rotation_angle(read_quaternion(qa, joint.coordinate),
                        read_quaternion(qb, joint.coordinate)) +
         kAngleError;
}

void joint_displacements(const KinematicTree& tree, std::span<const double> qa,
                         std::span<const double> qb, std::vector<double>& displacement) {
  displacement.assign(static_cast<std::size_t>(tree.num_links()), 0.0);
  for (std::size_t l = 1; l < displacement.size(); ++l)
    displacement[l] = joint_displacement(tree.links()[l].joint, qa, qb);
}

double curve_length_upper(const MotionFactors& factors, std::span<const double> displacement,
                          int ancestor, const KinematicTree& tree) {
  const int depth = tree.link(ancestor).depth;
  double length = 0;
  int terms = 0;
  for (const MotionFactor& factor : factors.factors) {
    if (tree.link(factor.link).depth <= depth) break;
    length += factor.radius * displacement[static_cast<std::size_t>(factor.link)];
    ++terms;
  }
  // A sum of n products errs by less than n + 1 units u, relative to itself: no term is negative.
  return length * (1 + (terms + 2) * 0x1p-52);
}

}  // namespace proven
