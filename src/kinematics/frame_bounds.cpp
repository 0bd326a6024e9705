#include "proven/kinematics/frame_bounds.h"

#include <algorithm>
#include <cmath>

#include "proven/kinematics/piece_rates.h"
#include "proven/kinematics/poses.h"
#include "proven/kinematics/rounding.h"

namespace proven {
namespace {

// Rounds the sums of this file up: less than 2^8 operations on terms of one sign.
constexpr double kSumUp = 1 + 0x1p-44;

// An upper bound on |multiplier q| + |offset|.
double extent(const Joint& joint, const MotionPiece& piece) {
  const Interval range = control_range(piece, joint.coordinate);
  return (std::fabs(joint.multiplier) * std::fmax(std::fabs(range.lower), std::fabs(range.upper)) +
          std::fabs(joint.offset)) *
         kSumUp;
}

}  // namespace

FrameBounds::FrameBounds(const KinematicTree& tree, int link, const Pose& X_LF,
                         std::span<const double> tube)
    : tree_(tree), X_LF_(X_LF), tube_(tube.begin(), tube.end()) {
  for (; link > 0; link = tree.link(link).parent) chain_.push_back(link);
  std::reverse(chain_.begin(), chain_.end());
  radius_.assign(chain_.size(), 1);
}

// From the frame up to the world; with a tube the slides reach as far as that lets them.
void FrameBounds::measure(const MotionPiece& piece) {
  double length = norm(X_LF_.p);
  ChainRounding rounding(length);
  position_tube_ = direction_tube_ = 0;
  for (std::size_t i = chain_.size(); i-- > 0;) {
    const Joint& joint = tree_.link(chain_[i]).joint;
    const bool slides = joint.kind == JointKind::prismatic;
    const bool moves = slides || joint.kind == JointKind::revolute;
    const double off = tube_.empty() || joint.kind == JointKind::fixed
                           ? 0
                           : std::fabs(joint.multiplier) *
                                 tube_[static_cast<std::size_t>(joint.coordinate)] * kSumUp;
    const double value = moves ? extent(joint, piece) + off : 0;
    radius_[i] = slides ? 1 : length * kSumUp;
    position_tube_ += radius_[i] * off;
    if (!slides) direction_tube_ += off;
    const double turn = joint.kind == JointKind::ball ? ChainRounding::kBallTurn : value;
    rounding.add_joint(norm(joint.X_PJ.p), slides ? value : 0, slides ? 0 : turn);
    length += norm(joint.X_PJ.p) + (slides ? value : 0);
  }
  position_noise_ = rounding.bound();
  direction_noise_ = rounding.direction_bound();
  position_tube_ *= kSumUp;
  direction_tube_ *= kSumUp;
}

FrameBounds::Bends FrameBounds::bends(const MotionPiece& piece, double begin, double end) const {
  const double middle = 0.5 * (begin + end);
  double acceleration = 0, turning = 0, turning_change = 0;
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    const Joint& joint = tree_.link(chain_[i]).joint;
    if (joint.kind == JointKind::fixed) continue;
    double D = 0, E = 0;  // of the rate and of its change
    if (joint.kind == JointKind::ball) {
      const BallRates rates = ball_rates(piece, joint.coordinate, middle, begin, end);
      D = rates.rate_upper;
      E = rates.change_upper;
    } else {
      const CoordinateRates rates = coordinate_rates(piece, joint.coordinate, middle, begin, end);
      const double factor = std::fabs(joint.multiplier);
      D = factor * rates.rate_upper;
      E = factor * (std::fabs(rates.curvature) + rates.change_upper);
    }
    const double before = turning;
    if (joint.kind != JointKind::prismatic) {
      turning += D;
      turning_change += E + D * before;
    }
    acceleration += radius_[i] * (E + D * (before + turning));
  }
  return {acceleration * kSumUp, (turning_change + turning * turning) * kSumUp};
}

Pose FrameBounds::pose(std::span<const double> q) const {
  Pose X;
  for (const int link : chain_) X = X * pose_in_parent(tree_.link(link).joint, q);
  return X * X_LF_;
}

}  // namespace proven
