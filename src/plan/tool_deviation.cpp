#include "plan/tool_deviation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/piece_rates.h"
#include "proven/kinematics/rounding.h"

namespace proven {
namespace {

// Beyond this share of the tolerance at an anchor the piece is given up: it should be halved.
constexpr double kMostAtAnchor = 0.75;
// What may be added to the deviation at an anchor, as a share of the tolerance: the proved bound is
// at most that much above the truth.
constexpr double kMostExcess = 0.2;
constexpr double kLeastPart = 0x1p-20;  // of a piece
constexpr double kLargestJerk = 60;     // of |σ'''|
// Values of the curve and their derivatives err by less, relative to its lengths; a few dozen
// operations, sines and cosines of 1 u.
constexpr double kCurveNoise = 0x1p-44;
// Rounds the sums of this file up: less than 2^8 operations on terms of one sign.
constexpr double kSumUp = 1 + 0x1p-44;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool moves(const Joint& joint) {
  return joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
}

// An upper bound on |multiplier q| + |offset|.
double extent(const Joint& joint, const MotionPiece& piece) {
  const Interval range = control_range(piece, joint.coordinate);
  return (std::fabs(joint.multiplier) * std::fmax(std::fabs(range.lower), std::fabs(range.upper)) +
          std::fabs(joint.offset)) *
         kSumUp;
}

// The angle between two rotations, of matrices that are `noise` off in the Frobenius norm.
double angle_upper(const Mat3& a, const Mat3& b, double noise) {
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) square += squared_norm(a.row[i] - b.row[i]);
  const double sine = (std::sqrt(square) + noise) / (2 * std::numbers::sqrt2);
  return 2 * std::asin(std::fmin(1, sine)) * kSumUp;
}

}  // namespace

DeviationProof::DeviationProof(const KinematicTree& tree, const ToolFrame& tool,
                               const ToolCurve& curve, const ToolDeviation& tolerance)
    : tree_(tree), tool_(tool), curve_(curve), tolerance_(tolerance) {
  for (int link = tool.link; link > 0; link = tree.link(link).parent)
    if (moves(tree.link(link).joint)) chain_.push_back({link});
  std::reverse(chain_.begin(), chain_.end());
  curve_noise_ = kCurveNoise * (norm(curve.start.p) + norm(curve.centre) + norm(curve.along) +
                                norm(curve.across) + curve.length);
}

// Radii and rounding from the tool up to the world.
void DeviationProof::measure_chain(const MotionPiece& piece) {
  double length = norm(tool_.X_LT.p);
  ChainRounding rounding(length);
  auto next = chain_.rbegin();
  for (int link = tool_.link; link > 0; link = tree_.link(link).parent) {
    const Joint& joint = tree_.link(link).joint;
    const bool slides = joint.kind == JointKind::prismatic;
    const double value = moves(joint) ? extent(joint, piece) : 0;
    if (moves(joint)) {
      next->radius = slides ? 1 : length * kSumUp;
      ++next;
    }
    const double turn = joint.kind == JointKind::ball ? ChainRounding::kBallTurn : value;
    rounding.add_joint(norm(joint.X_PJ.p), slides ? value : 0, slides ? 0 : turn);
    length += norm(joint.X_PJ.p) + (slides ? value : 0);
  }
  position_noise_ = rounding.bound();
  direction_noise_ = rounding.direction_bound();
}

DeviationProof::Bound DeviationProof::bound(const MotionPiece& piece, double tau_begin,
                                            double width, double s_begin, double s_end) {
  const double s = 0.5 * (s_begin + s_end), h = 0.5 * (s_end - s_begin);
  interpolate(tree_, piece, s, q_);
  if (poses_.configuration.empty())
    compute_poses(tree_, q_, poses_);
  else
    update_poses(tree_, q_, poses_);
  const Pose X_WT = poses_.X_WL[at(tool_.link)] * tool_.X_LT;

  // Velocities at the anchor with their errors, and bounds on accelerations, by s.
  Vec3 velocity, angular;
  double velocity_noise = 0, angular_noise = 0;
  double acceleration = 0, angular_acceleration = 0, turning = 0;
  for (const ChainJoint& member : chain_) {
    const Joint& joint = tree_.link(member.link).joint;
    const CoordinateRates rates = coordinate_rates(piece, joint.coordinate, s, s_begin, s_end);
    const double factor = std::fabs(joint.multiplier), R = member.radius;
    const double D = factor * rates.rate_upper;
    const double E = factor * (std::fabs(rates.curvature) + rates.change_upper);
    const double rate = joint.multiplier * rates.rate;
    const JointAxis axis = joint_axis(tree_, poses_, member.link);
    const double before = turning;
    if (joint.kind == JointKind::revolute) {
      velocity += rate * cross(axis.direction, X_WT.p - axis.point);
      angular += rate * axis.direction;
      velocity_noise += 4 * position_noise_ * D;
      angular_noise += 2 * direction_noise_ * D + factor * rates.rate_error;
      turning += D;
      angular_acceleration += E + D * before;
    } else {
      velocity += rate * axis.direction;
      velocity_noise += 2 * direction_noise_ * D;
    }
    velocity_noise += R * factor * rates.rate_error;
    acceleration += R * (D * (before + turning) + E);
  }

  const double tau = tau_begin + s * width;
  const ToolProgress progress = tool_progress(tau);
  const Pose wanted = curve_.at(progress.value);
  const double rate = progress.rate * width;
  const double bend = (std::fabs(progress.acceleration) + kLargestJerk * h * width) * kSumUp;
  const double fastest = (progress.rate + bend * h * width) * kSumUp;
  const double wanted_acceleration =
      width * width * curve_.length * (bend + fastest * fastest * curve_.arc);
  const double wanted_turning = width * width * curve_.angle * bend;

  Bound result;
  result.at_anchor.position = norm(X_WT.p - wanted.p) + position_noise_ + curve_noise_;
  result.at_anchor.angle = angle_upper(X_WT.R, wanted.R, 4 * direction_noise_);
  const double drift = norm(velocity - rate * curve_.tangent(progress.value)) + velocity_noise +
                       (1 + curve_.arc) * curve_noise_;
  const double turn_drift = norm(angular - (rate * curve_.angle) * curve_.axis) + angular_noise +
                            kCurveNoise * curve_.angle;
  result.on_part.position =
      (result.at_anchor.position + h * drift + 0.5 * h * h * (acceleration + wanted_acceleration)) *
      kSumUp;
  result.on_part.angle = (result.at_anchor.angle + h * turn_drift +
                          0.5 * h * h * (angular_acceleration + wanted_turning)) *
                         kSumUp;
  return result;
}

std::optional<ToolDeviation> DeviationProof::prove(const MotionPiece& piece, double begin,
                                                   double end) {
  measure_chain(piece);
  q_.resize(piece.from.size());
  ToolDeviation worst;
  std::vector<std::pair<double, double>> open = {{0, 1}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    const Bound b = bound(piece, begin, end - begin, from, to);
    if (!(b.at_anchor.position <= kMostAtAnchor * tolerance_.position &&
          b.at_anchor.angle <= kMostAtAnchor * tolerance_.angle))
      return std::nullopt;
    if (b.on_part.position <= b.at_anchor.position + kMostExcess * tolerance_.position &&
        b.on_part.angle <= b.at_anchor.angle + kMostExcess * tolerance_.angle) {
      worst.position = std::fmax(worst.position, b.on_part.position);
      worst.angle = std::fmax(worst.angle, b.on_part.angle);
      continue;
    }
    if (to - from <= kLeastPart) return std::nullopt;
    const double middle = 0.5 * (from + to);
    open.push_back({middle, to});
    open.push_back({from, middle});
  }
  return worst;
}

}  // namespace proven
