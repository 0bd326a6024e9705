#include "manipulation/held.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/piece_rates.h"
#include "proven/kinematics/poses.h"
#include "proven/kinematics/rounding.h"

namespace proven::manipulation {
namespace {

constexpr double kLeastPart = 0x1p-20;  // of a piece
// Rounds the sums of this file up: less than 2^8 operations on terms of one sign.
constexpr double kSumUp = 1 + 0x1p-44;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool moves(const Joint& joint) {
  return joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
}

// A frame on its chain of joints, along one piece after another.
class FrameBounds {
 public:
  FrameBounds(const KinematicTree& tree, const LinkFrame& frame) : tree_(tree), frame_(frame) {
    for (int link = frame.link; link > 0; link = tree.link(link).parent) chain_.push_back(link);
    std::reverse(chain_.begin(), chain_.end());
  }

  // Lengths and rounding on this piece. False if a ball joint turns the frame: no bound is known.
  bool measure(const MotionPiece& piece) {
    double length = norm(frame_.X_LF.p);
    ChainRounding rounding(length);
    radius_.assign(chain_.size(), 1);
    for (std::size_t i = chain_.size(); i-- > 0;) {
      const Joint& joint = tree_.link(chain_[i]).joint;
      if (joint.kind == JointKind::ball)
        for (int c = joint.coordinate; c < joint.coordinate + 4; ++c)
          if (const Interval r = control_range(piece, c); r.lower != r.upper) return false;
      const bool slides = joint.kind == JointKind::prismatic;
      const double value = moves(joint) ? extent(joint, piece) : 0;
      if (!slides) radius_[i] = length * kSumUp;
      const double turn = joint.kind == JointKind::ball ? ChainRounding::kBallTurn : value;
      rounding.add_joint(norm(joint.X_PJ.p), slides ? value : 0, slides ? 0 : turn);
      length += norm(joint.X_PJ.p) + (slides ? value : 0);
    }
    position_noise_ = rounding.bound();
    direction_noise_ = rounding.direction_bound();
    return true;
  }

  // Second derivatives on a part of the piece, by s: of the frame's origin, and of unit vectors
  // that are fixed in it.
  std::pair<double, double> second_derivatives(const MotionPiece& piece, double begin,
                                               double end) const {
    double acceleration = 0, turning = 0, turning_change = 0;
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      const Joint& joint = tree_.link(chain_[i]).joint;
      if (!moves(joint)) continue;
      const CoordinateRates rates =
          coordinate_rates(piece, joint.coordinate, 0.5 * (begin + end), begin, end);
      const double factor = std::fabs(joint.multiplier);
      const double D = factor * rates.rate_upper;
      const double E = factor * (std::fabs(rates.curvature) + rates.change_upper);
      const double before = turning;
      if (joint.kind == JointKind::revolute) {
        turning += D;
        turning_change += E + D * before;
      }
      acceleration += radius_[i] * (E + D * (before + turning));
    }
    return {acceleration * kSumUp, (turning_change + turning * turning) * kSumUp};
  }

  Pose pose(const LinkPoses& poses) const { return poses.X_WL[at(frame_.link)] * frame_.X_LF; }
  double position_noise() const { return position_noise_; }
  double direction_noise() const { return direction_noise_; }

 private:
  // An upper bound on |multiplier q| + |offset|.
  static double extent(const Joint& joint, const MotionPiece& piece) {
    const Interval range = control_range(piece, joint.coordinate);
    return (std::fabs(joint.multiplier) *
                std::fmax(std::fabs(range.lower), std::fabs(range.upper)) +
            std::fabs(joint.offset)) *
           kSumUp;
  }

  const KinematicTree& tree_;
  LinkFrame frame_;
  std::vector<int> chain_;      // links from the world down
  std::vector<double> radius_;  // of the frame's origin about each joint
  double position_noise_ = 0, direction_noise_ = 0;
};

// Poses where parts of a piece begin and end.
class PieceEnds {
 public:
  PieceEnds(const KinematicTree& tree, const MotionPiece& piece)
      : tree_(tree), piece_(piece), q_(piece.from.size()) {}
  const LinkPoses& at(double s) {
    interpolate(tree_, piece_, s, q_);
    compute_poses(tree_, q_, poses_);
    return poses_;
  }

 private:
  const KinematicTree& tree_;
  const MotionPiece& piece_;
  std::vector<double> q_;
  LinkPoses poses_;
};

enum class PartAnswer { holds, fails, open };

// Every piece, halved where its bounds do not decide.
bool holds_throughout(const Motion& motion, const std::function<bool(const MotionPiece&)>& begin,
                      const std::function<PartAnswer(const MotionPiece&, double, double)>& judge) {
  for (int i = 0; i < std::max(1, motion.num_segments()); ++i) {
    const MotionPiece piece = motion.piece(i);
    if (!begin(piece)) return false;
    std::vector<std::pair<double, double>> open = {{0, 1}};
    while (!open.empty()) {
      const auto [from, to] = open.back();
      open.pop_back();
      const PartAnswer answer = judge(piece, from, to);
      if (answer == PartAnswer::holds) continue;
      if (answer == PartAnswer::fails || to - from <= kLeastPart) return false;
      const double middle = 0.5 * (from + to);
      open.push_back({middle, to});
      open.push_back({from, middle});
    }
  }
  return true;
}

// How far apart two poses are: origins, and the largest difference of a column.
struct Apart {
  double position = 0, column = 0;
};
Apart apart(const Pose& a, const Pose& b) {
  Apart result{norm(a.p - b.p), 0};
  for (int k = 0; k < 3; ++k)
    result.column = std::fmax(result.column, norm(a.R.column(k) - b.R.column(k)));
  return result;
}

}  // namespace

bool stay_together(const KinematicTree& tree, const LinkFrame& a, const LinkFrame& b,
                   const Motion& motion, const HoldTolerance& tolerance) {
  FrameBounds of_a(tree, a), of_b(tree, b);
  // Of columns: |R_a - R_b| = 2 √2 sin(θ/2) in the Frobenius norm, and at most √3 times a column's.
  const double column = 2 * std::numbers::sqrt2 * std::sin(0.5 * tolerance.angle) /
                        std::numbers::sqrt3 * (1 - 0x1p-44);
  const auto begin = [&](const MotionPiece& piece) {
    return of_a.measure(piece) && of_b.measure(piece);
  };
  const auto judge = [&](const MotionPiece& piece, double from, double to) {
    PieceEnds ends(tree, piece);
    Apart most;
    for (const double s : {from, to}) {
      const LinkPoses& poses = ends.at(s);
      const Apart here = apart(of_a.pose(poses), of_b.pose(poses));
      // Negated, so that NaN is no proof.
      if (!(here.position <= tolerance.position && here.column <= column)) return PartAnswer::fails;
      most.position = std::fmax(most.position, here.position);
      most.column = std::fmax(most.column, here.column);
    }
    const auto [move_a, turn_a] = of_a.second_derivatives(piece, from, to);
    const auto [move_b, turn_b] = of_b.second_derivatives(piece, from, to);
    const double share = (to - from) * (to - from) / 8;
    const double position = (most.position + share * (move_a + move_b) + of_a.position_noise() +
                             of_b.position_noise()) *
                            kSumUp;
    const double turn = (most.column + share * (turn_a + turn_b) + of_a.direction_noise() +
                         of_b.direction_noise()) *
                        kSumUp;
    return position <= tolerance.position && turn <= column ? PartAnswer::holds : PartAnswer::open;
  };
  return holds_throughout(motion, begin, judge);
}

bool stays_upright(const KinematicTree& tree, const LinkFrame& frame, double cone,
                   const Motion& motion) {
  if (!(cone >= 0)) return false;
  if (cone >= std::numbers::pi) return true;
  FrameBounds bounds(tree, frame);
  const double least = std::cos(cone) + 0x1p-50;
  const auto begin = [&](const MotionPiece& piece) { return bounds.measure(piece); };
  const auto judge = [&](const MotionPiece& piece, double from, double to) {
    PieceEnds ends(tree, piece);
    double lowest = 1;
    for (const double s : {from, to}) {
      const double cosine = bounds.pose(ends.at(s)).R(2, 2);
      if (!(cosine >= least)) return PartAnswer::fails;
      lowest = std::fmin(lowest, cosine);
    }
    const double turn = bounds.second_derivatives(piece, from, to).second;
    const double loss = ((to - from) * (to - from) / 8 * turn + bounds.direction_noise()) * kSumUp;
    return lowest - loss >= least ? PartAnswer::holds : PartAnswer::open;
  };
  return holds_throughout(motion, begin, judge);
}

}  // namespace proven::manipulation
