#include "manipulation/held.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "proven/kinematics/frame_bounds.h"
#include "proven/kinematics/interpolation.h"

namespace proven::manipulation {
namespace {

constexpr double kLeastPart = 0x1p-20;  // of a piece
// Rounds the sums of this file up: less than 2^8 operations on terms of one sign.
constexpr double kSumUp = 1 + 0x1p-44;

enum class PartAnswer { holds, fails, open };

// Every piece, halved where its bounds do not decide.
bool holds_throughout(const Motion& motion, const std::function<void(const MotionPiece&)>& begin,
                      const std::function<PartAnswer(const MotionPiece&, double, double)>& judge) {
  for (int i = 0; i < std::max(1, motion.num_segments()); ++i) {
    const MotionPiece piece = motion.piece(i);
    begin(piece);
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
  FrameBounds of_a(tree, a.link, a.X_LF), of_b(tree, b.link, b.X_LF);
  std::vector<double> q(static_cast<std::size_t>(tree.num_coordinates()));
  // Of columns: |R_a - R_b| = 2 √2 sin(θ/2) in the Frobenius norm, and at most √3 times a column's.
  const double column = 2 * std::numbers::sqrt2 * std::sin(0.5 * tolerance.angle) /
                        std::numbers::sqrt3 * (1 - 0x1p-44);
  const auto begin = [&](const MotionPiece& piece) {
    of_a.measure(piece);
    of_b.measure(piece);
  };
  const auto judge = [&](const MotionPiece& piece, double from, double to) {
    Apart most;
    for (const double s : {from, to}) {
      interpolate(tree, piece, s, q);
      const Apart here = apart(of_a.pose(q), of_b.pose(q));
      // Negated, so that NaN is no proof.
      if (!(here.position <= tolerance.position && here.column <= column)) return PartAnswer::fails;
      most.position = std::fmax(most.position, here.position);
      most.column = std::fmax(most.column, here.column);
    }
    const FrameBounds::Bends bends_a = of_a.bends(piece, from, to);
    const FrameBounds::Bends bends_b = of_b.bends(piece, from, to);
    const double share = (to - from) * (to - from) / 8;
    const double position = (most.position + share * (bends_a.origin + bends_b.origin) +
                             of_a.position_noise() + of_b.position_noise()) *
                            kSumUp;
    const double turn = (most.column + share * (bends_a.direction + bends_b.direction) +
                         of_a.direction_noise() + of_b.direction_noise()) *
                        kSumUp;
    return position <= tolerance.position && turn <= column ? PartAnswer::holds : PartAnswer::open;
  };
  return holds_throughout(motion, begin, judge);
}

FrameConstraint upright_within(const LinkFrame& frame, double cone) {
  return {frame.link, frame.X_LF, AxisCone{{0, 0, 1}, {0, 0, 1}, cone}};
}

bool stays_upright(const KinematicTree& tree, const LinkFrame& frame, double cone,
                   const Motion& motion) {
  const FrameConstraint upright = upright_within(frame, cone);
  if (!validate(tree, {&upright, 1}).ok()) return false;
  ConstraintProver prover(tree, {upright});
  return prover.check(motion).verdict == ConstraintVerdict::kept;
}

}  // namespace proven::manipulation
