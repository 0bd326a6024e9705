#include "motion.h"

#include <algorithm>
#include <cmath>

#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/motion_bounds.h"

namespace proven {

void SegmentMotion::configuration(const KinematicTree& tree, double t, std::span<double> q) const {
  if (curve)
    curve->configuration(t, q);
  else
    interpolate(tree, from, to, t, q);
}

void segment_displacements(const KinematicTree& tree, const SegmentMotion& motion,
                           std::vector<double>& displacement) {
  if (!motion.curve) return joint_displacements(tree, motion.from, motion.to, displacement);
  std::vector<double> rates(static_cast<std::size_t>(tree.num_coordinates()));
  motion.curve->rate_upper(0, 1, rates);
  joint_displacements_from_rates(tree, rates, displacement);
}

CurveLengths::CurveLengths(const ModelData& model, const SegmentMotion& motion)
    : model_(model), motion_(motion) {
  std::vector<double> displacement;
  segment_displacements(model.scene().tree(), motion, displacement);
  for (const PairModel& pair : model.pairs())
    rate_.push_back(model.closing_rate(pair, displacement));
}

double CurveLengths::upper(int pair, double t_begin, double t_end) const {
  double rate = rate_[static_cast<std::size_t>(pair)];
  if (motion_.curve && rate > 0) {
    const KinematicTree& tree = model_.scene().tree();
    std::vector<double> rates(static_cast<std::size_t>(tree.num_coordinates())), displacement;
    motion_.curve->rate_upper(t_begin, t_end, rates);
    joint_displacements_from_rates(tree, rates, displacement);
    rate = std::min(rate, model_.closing_rate(model_.pair(pair), displacement));
  }
  // Two roundings: the difference of the times and the product.
  return rate * (t_end - t_begin) * (1 + 0x1p-51);
}

}  // namespace proven
