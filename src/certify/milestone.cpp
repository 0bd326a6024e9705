#include "milestone.h"

namespace proven {

void Milestone::prepare() {
  if (!known_.empty()) return;
  compute_poses(model_.scene().tree(), configuration_, poses_);
  known_.resize(model_.pairs().size());
  if (keep_trees_) trees_.resize(model_.pairs().size());
}

Gap Milestone::measure(int pair, const Pose& X_AB, double resolution, Workspace::State& workspace) {
  const PairModel& p = model_.pair(pair);
  const BodyGeometry& a = *model_.scene().body(p.a).geometry;
  const BodyGeometry& b = *model_.scene().body(p.b).geometry;
  if (!keep_trees_) return measure_gap(p, a, b, X_AB, resolution, workspace.distance);
  GreedyTreePtr& tree = trees_[static_cast<std::size_t>(pair)];
  if (p.clearance >= 0)
    tree = build_greedy_tree(a, b, X_AB, 0, 0, p.clearance + resolution + p.rounding_bound,
                             p.rounding_bound, workspace.distance);
  Gap gap;
  if (tree) gap.lower = tree->nodes[0].eta;
  if (gap.lower > 0) return gap;
  gap = measure_close_gap(p, a, b, X_AB, resolution, workspace.distance);
  tree = leaf_tree(0, 0, gap.lower);
  return gap;
}

Gap Milestone::gap(int pair, double resolution, Workspace::State& workspace) {
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
  gap = measure(pair, X_AB, resolution, workspace);
  settle_containment(a, b, X_AB, gap);
  known = {gap.lower, gap.kind, true, gap.outside};
  if (gap.kind != Gap::Kind::apart) near_[pair] = gap;
  return gap;
}

std::optional<int> Milestone::first_contact(double resolution, Workspace::State& workspace) {
  for (int pair = 0; pair < static_cast<int>(model_.pairs().size()); ++pair)
    if (!model_.never_meets(pair) && gap(pair, resolution, workspace).kind == Gap::Kind::contact)
      return pair;
  return std::nullopt;
}

}  // namespace proven
