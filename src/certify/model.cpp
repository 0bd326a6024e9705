#include "model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "margins.h"

namespace proven {

CheckModel::CheckModel(const Scene& scene, const CheckOptions& options)
    : scene_(scene), tracking_error_(options.tracking_error) {
  const KinematicTree& tree = scene.tree();
  for (const BodyPair& pair : scene.pairs()) {
    const int ancestor =
        tree.lowest_common_ancestor(scene.body(pair.a).link, scene.body(pair.b).link);
    // A required clearance overrules an allowed overlap.
    const double clearance =
        options.clearance > 0 ? std::max(pair.clearance, options.clearance) : pair.clearance;
    pairs_.push_back({pair.a, pair.b, clearance, 0, ancestor});
    required_.push_back(clearance);
  }
  reached_ = {std::vector<double>(scene.home().begin(), scene.home().end()),
              std::vector<double>(scene.home().begin(), scene.home().end())};
  update();
}

bool CheckModel::cover(std::span<const double> lower, std::span<const double> upper) {
  const auto coordinates = scene_.tree().coordinates();
  bool grew = false;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].lower <= lower[i] && upper[i] <= ranges_[i].upper) continue;
    // Angles enter only the rounding bound: room to spare costs nothing and saves updates on a path
    // that goes on and on.
    const double spare = coordinates[i].rotary ? upper[i] - lower[i] + 4 * std::numbers::pi : 0;
    if (lower[i] < ranges_[i].lower) reached_[0][i] = lower[i] - spare;
    if (upper[i] > ranges_[i].upper) reached_[1][i] = upper[i] + spare;
    grew = true;
  }
  if (grew) update();
  return grew;
}

void CheckModel::update() {
  ranges_ = coordinate_ranges(scene_.tree(), reached_);
  motion_.clear();
  for (const Body& body : scene_.bodies())
    motion_.push_back(
        compute_motion_factors(scene_.tree(), body.link, body.X_LB, *body.geometry, ranges_));
  for (PairModel& pair : pairs_)
    pair.rounding_bound =
        kRelativePose * (motion(pair.a).rounding_bound + motion(pair.b).rounding_bound);
  if (tracking_error_ > 0)
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      pairs_[i].clearance = required_[i] + tube(pairs_[i]);
  never_meets_.clear();
  for (const PairModel& pair : pairs_)
    never_meets_.push_back(
        spheres_apart(motion(pair.a).swept_sphere, motion(pair.b).swept_sphere, pair.clearance));
}

double CheckModel::tube(const PairModel& pair) const {
  const KinematicTree& tree = scene_.tree();
  std::vector<Interval> ranges = ranges_;
  for (Interval& range : ranges) {
    range.lower -= tracking_error_;
    range.upper += tracking_error_;
  }
  double sum = 0;
  for (const int body : {pair.a, pair.b}) {
    const Body& b = scene_.body(body);
    const BoxNode& root = b.geometry->box_tree().nodes[0];
    const BoundingSphere sphere{root.centre, norm(root.half) * kProductUp};
    for (const MotionFactor& factor :
         compute_motion_factors(tree, b.link, b.X_LB, sphere, ranges).factors) {
      if (tree.link(factor.link).depth <= tree.link(pair.ancestor).depth) break;
      // The multiplier of a ball joint is 1.
      const double error = std::fabs(tree.link(factor.link).joint.multiplier) * tracking_error_;
      sum += factor.radius * error;
    }
  }
  return sum * kSumUp;
}

double CheckModel::closing_rate(const PairModel& pair, std::span<const double> displacement) const {
  const KinematicTree& tree = scene_.tree();
  const double sum = curve_length_upper(motion(pair.a), displacement, pair.ancestor, tree) +
                     curve_length_upper(motion(pair.b), displacement, pair.ancestor, tree);
  return sum * (1 + 0x1p-52);
}

}  // namespace proven
