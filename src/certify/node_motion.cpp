#include "node_motion.h"

#include <cmath>
#include <limits>

#include "proven/geometry/body_geometry.h"
#include "proven/geometry/box_tree.h"
#include "proven/kinematics/motion_bounds.h"

namespace proven {

NodeRates::NodeRates(const ModelData& model, const SegmentMotion& motion)
    : model_(model), rates_(model.scene().bodies().size()) {
  segment_displacements(model.scene().tree(), motion, 0, 1, displacement_);
}

double NodeRates::upper(int pair, int node_a, int node_b) {
  const PairModel& p = model_.pair(pair);
  return (rate_of(p.a, node_a, p.ancestor) + rate_of(p.b, node_b, p.ancestor)) * (1 + 0x1p-52);
}

double NodeRates::rate_of(int body, int node, int ancestor) {
  auto& of_body = rates_[static_cast<std::size_t>(body)];
  BodyRates* rates = nullptr;
  for (BodyRates& known : of_body)
    if (known.ancestor == ancestor) rates = &known;
  const Body& b = model_.scene().body(body);
  if (!rates) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    of_body.push_back({ancestor, std::vector(b.geometry->tree().nodes.size(), unknown)});
    rates = &of_body.back();
  }
  double& rate = rates->rate[static_cast<std::size_t>(node)];
  if (!std::isnan(rate)) return rate;
  const KinematicTree& tree = model_.scene().tree();
  rate = curve_length_upper(model_.body(body).motion, displacement_, ancestor, tree);
  if (node == 0 || rate == 0) return rate;
  const BvNode& volume = b.geometry->tree().nodes[static_cast<std::size_t>(node)];
  const BoundingSphere sphere{volume.obb_centre, norm(volume.obb_half) * (1 + 0x1p-50)};
  const MotionFactors factors =
      compute_motion_factors(tree, b.link, b.X_LB, sphere, model_.reach().ranges());
  return rate = std::fmin(rate, curve_length_upper(factors, displacement_, ancestor, tree));
}

}  // namespace proven
