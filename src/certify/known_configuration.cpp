#include "known_configuration.h"

namespace proven {

void KnownConfiguration::prepare() {
  if (!known_.empty()) return;
  compute_poses(model_.scene().tree(), configuration_, poses_);
  known_.resize(model_.pairs().size());
  if (keep_trees_) trees_.resize(model_.pairs().size());
}

Gap KnownConfiguration::measure(int pair, const Pose& X_AB, double resolution,
                                Scratch::State& scratch) {
  const PairModel& p = model_.pair(pair);
  const BodyGeometry& a = *model_.scene().body(p.a).geometry;
  const BodyGeometry& b = *model_.scene().body(p.b).geometry;
  if (!keep_trees_) return measure_gap(p, a, b, X_AB, resolution, scratch.distance);
  GreedyTreePtr& tree = trees_[static_cast<std::size_t>(pair)];
  if (p.clearance >= 0)
    tree = build_greedy_tree(a, b, X_AB, 0, 0, p.clearance + resolution + p.rounding_bound,
                             p.rounding_bound, scratch.distance);
  Gap gap;
  if (tree) gap.lower = tree->nodes[0].eta;
  if (gap.lower > 0) return gap;
  gap = measure_close_gap(p, a, b, X_AB, resolution, scratch.distance);
  tree = leaf_tree(0, 0, gap.lower);
  return gap;
}

Gap KnownConfiguration::gap(int pair, double resolution, Scratch::State& scratch) {
  prepare();
  Known& known = known_[static_cast<std::size_t>(pair)];
  if (known.measured && known.kind != Gap::Kind::apart) return near_.at(pair);
  Gap gap;
  if (known.measured) {
    gap.lower = known.lower;
    gap.outside = known.outside;
    return gap;
  }
  const PairModel& p = model_.pair(pair);
  const Scene& scene = model_.scene();
  const BodyGeometry& a = *scene.body(p.a).geometry;
  const BodyGeometry& b = *scene.body(p.b).geometry;
  const Pose X_AB = relative_body_pose(scene, poses_, p.a, p.b);
  gap = measure(pair, X_AB, resolution, scratch);
  settle_containment(a, b, X_AB, gap);
  known = {gap.lower, gap.kind, true, gap.outside};
  if (gap.kind != Gap::Kind::apart) near_[pair] = gap;
  return gap;
}

std::optional<int> KnownConfiguration::first_contact(double resolution, Scratch::State& scratch) {
  for (int pair = 0; pair < static_cast<int>(model_.pairs().size()); ++pair)
    if (!model_.never_meets(pair) && gap(pair, resolution, scratch).kind == Gap::Kind::contact)
      return pair;
  return std::nullopt;
}

}  // namespace proven
