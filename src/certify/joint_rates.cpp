#include "joint_rates.h"

#include <cmath>

#include "proven/base/rounding.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/piece_rates.h"

namespace proven {
namespace {

// b a^-1: the turn from a to b, in the frame that both are given in.
Quaternion quotient(const Quaternion& b, const Quaternion& a) {
  return {-b.w * a.x + b.x * a.w - b.y * a.z + b.z * a.y,
          -b.w * a.y + b.x * a.z + b.y * a.w - b.z * a.x,
          -b.w * a.z - b.x * a.y + b.y * a.x + b.z * a.w,
          b.w * a.w + b.x * a.x + b.y * a.y + b.z * a.z};
}

// The axis of the slerp from a to b, which turns the shorter way.
Vec3 slerp_axis(const Quaternion& a, const Quaternion& b) {
  const Quaternion turn = quotient(b, a);
  const double sign = turns_as_given(a, b) ? 1 : -1;
  return normalized(sign * Vec3{turn.x, turn.y, turn.z});
}

void straight_rates(const KinematicTree& tree, const SegmentMotion& motion,
                    std::vector<JointRate>& rates) {
  for (std::size_t l = 1; l < rates.size(); ++l) {
    const Joint& joint = tree.links()[l].joint;
    JointRate& rate = rates[l];
    rate.upper = joint_displacement(joint, motion.from, motion.to);
    rate.axis = joint.axis;
    if (!rate.moves()) continue;
    const auto i = static_cast<std::size_t>(joint.coordinate);
    if (joint.kind == JointKind::ball) {
      const Quaternion a = read_quaternion(motion.from, joint.coordinate);
      const Quaternion b = read_quaternion(motion.to, joint.coordinate);
      rate.axis = slerp_axis(a, b);
      rate.value = rotation_angle(a, b);
    } else {
      rate.value = joint.multiplier * (motion.to[i] - motion.from[i]);
    }
  }
}

JointRate curved_rate(const Joint& joint, const MotionPiece& piece, double t, double t_begin,
                      double t_end) {
  JointRate rate;
  rate.axis = joint.axis;
  if (joint.kind == JointKind::fixed) return rate;
  if (joint.kind == JointKind::ball) {
    const BallRates ball = ball_rates(piece, joint.coordinate, t, t_begin, t_end);
    rate.value = norm(ball.angular);
    rate.axis = normalized(ball.angular);
    rate.upper = ball.rate_upper;
    rate.change_upper = ball.change_upper;
    rate.error = ball.rate_error;
    rate.swivels = true;
    return rate;
  }
  const CoordinateRates own = coordinate_rates(piece, joint.coordinate, t, t_begin, t_end);
  const double factor = std::fabs(joint.multiplier) * kProductUp;
  rate.value = joint.multiplier * own.rate;
  rate.upper = factor * own.rate_upper;
  rate.curvature = joint.multiplier * own.curvature;
  rate.change_upper = factor * own.change_upper;
  rate.error = factor * own.rate_error;
  return rate;
}

}  // namespace

void joint_rates(const KinematicTree& tree, const SegmentMotion& motion, double t, double t_begin,
                 double t_end, std::vector<JointRate>& rates) {
  rates.assign(static_cast<std::size_t>(tree.num_links()), JointRate{});
  if (motion.straight()) return straight_rates(tree, motion, rates);
  for (std::size_t l = 1; l < rates.size(); ++l)
    rates[l] = curved_rate(tree.links()[l].joint, motion, t, t_begin, t_end);
}

}  // namespace proven
