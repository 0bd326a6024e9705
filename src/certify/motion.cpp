#include "motion.h"

#include <algorithm>
#include <cmath>

#include "proven/base/rounding.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/piece_rates.h"

namespace proven {

void SegmentMotion::configuration(const KinematicTree& tree, double t, std::span<double> q) const {
  interpolate(tree, *this, t, q);
}

void segment_displacements(const KinematicTree& tree, const MotionPiece& piece, double t_begin,
                           double t_end, std::vector<double>& displacement) {
  if (piece.straight()) return joint_displacements(tree, piece.from, piece.to, displacement);
  displacement.assign(static_cast<std::size_t>(tree.num_links()), 0.0);
  for (std::size_t l = 1; l < displacement.size(); ++l) {
    const Joint& joint = tree.links()[l].joint;
    if (joint.kind == JointKind::fixed) continue;
    const double rate =
        joint.kind == JointKind::ball
            ? ball_rates(piece, joint.coordinate, t_begin, t_begin, t_end).rate_upper
            : coordinate_rates(piece, joint.coordinate, t_begin, t_begin, t_end).rate_upper;
    displacement[l] = std::fabs(joint.multiplier) * rate * kProductUp;
  }
}

CurveLengths::CurveLengths(const ModelData& model, const SegmentMotion& motion)
    : model_(model), motion_(motion) {
  std::vector<double> displacement;
  segment_displacements(model.scene().tree(), motion, 0, 1, displacement);
  for (const PairModel& pair : model.pairs())
    rate_.push_back(model.closing_rate(pair, displacement));
}

double CurveLengths::upper(int pair, double t_begin, double t_end) const {
  double rate = rate_[static_cast<std::size_t>(pair)];
  if (!motion_.straight() && rate > 0) {
    std::vector<double> displacement;
    segment_displacements(model_.scene().tree(), motion_, t_begin, t_end, displacement);
    rate = std::min(rate, model_.closing_rate(model_.pair(pair), displacement));
  }
  // Two roundings: the difference of the times and the product.
  return rate * (t_end - t_begin) * (1 + 0x1p-51);
}

}  // namespace proven
