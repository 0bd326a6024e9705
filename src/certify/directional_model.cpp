#include "directional_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "configuration_cache.h"
#include "margins.h"
#include "proven/kinematics/poses.h"

namespace proven {

DirectionalModel::DirectionalModel(const CheckModel& model) : model_(model) {
  for (const Body& body : scene().bodies()) {
    const BoxNode& root = body.geometry->box_tree().nodes[0];
    spheres_.push_back({root.centre, norm(root.half) * kProductUp});
  }
  find_still_bodies();
  build_still_tree();
  update();
}

void DirectionalModel::update() {
  factors_.clear();
  for (std::size_t b = 0; b < scene().bodies().size(); ++b) {
    const Body& body = scene().bodies()[b];
    factors_.push_back(
        compute_motion_factors(scene().tree(), body.link, body.X_LB, spheres_[b], model_.ranges()));
  }
  make_frames();
}

void DirectionalModel::find_still_bodies() {
  const KinematicTree& tree = scene().tree();
  LinkPoses poses;
  compute_poses(tree, scene().home(), poses);
  for (std::size_t b = 0; b < scene().bodies().size(); ++b) {
    still_index_.push_back(-1);
    if (tree.rigid_root(scene().bodies()[b].link) != 0) continue;
    still_index_.back() = static_cast<int>(still_.size());
    still_.push_back(static_cast<int>(b));
    still_poses_.push_back(body_pose(scene(), poses, static_cast<int>(b)));
  }
  still_pairs_.assign(scene().bodies().size() * still_.size(), -1);
  for (std::size_t p = 0; p < model_.pairs().size(); ++p) {
    const PairModel& pair = model_.pairs()[p];
    for (const auto& [moving, still] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
      const int item = still_index_[static_cast<std::size_t>(still)];
      if (item < 0) continue;
      still_pairs_[static_cast<std::size_t>(moving) * still_.size() +
                   static_cast<std::size_t>(item)] = static_cast<int>(p);
    }
  }
}

void DirectionalModel::build_still_tree() {
  if (still_.empty()) return;
  std::vector<Aabb> shape, hold;
  for (std::size_t i = 0; i < still_.size(); ++i) {
    const BodyGeometry& geometry = *scene().body(still_[i]).geometry;
    shape.push_back(box_of(geometry.box_tree().bounds, still_poses_[i]));
    const double size = max_abs(still_poses_[i].p) + 3 * geometry.max_coordinate();
    hold.push_back(widened(shape.back(), kBoxRounding * size));
  }
  still_tree_ = build_box_tree(shape, hold);
}

void DirectionalModel::make_frames() {
  frames_.clear();
  units_.clear();
  for (std::size_t p = 0; p < model_.pairs().size(); ++p) {
    const PairModel& pair = model_.pairs()[p];
    const bool swap = is_still(pair.a);
    frames_.push_back({swap ? pair.b : pair.a, swap ? pair.a : pair.b, static_cast<int>(p),
                       pair.ancestor, pair.clearance, pair.rounding_bound});
  }
  const std::size_t num_pairs = frames_.size();
  std::size_t next_pair = 0;
  std::vector<std::vector<int>> moving_pairs(scene().bodies().size());
  for (; next_pair < num_pairs; ++next_pair) {
    const Frame& frame = frames_[next_pair];
    if (!is_still(frame.b))
      moving_pairs[static_cast<std::size_t>(frame.a)].push_back(static_cast<int>(next_pair));
  }
  for (std::size_t a = 0; a < scene().bodies().size(); ++a) {
    Frame group{static_cast<int>(a),
                Frame::kStillBodies,
                -1,
                0,
                -std::numeric_limits<double>::infinity(),
                0};
    bool any = false;
    for (std::size_t item = 0; item < still_.size(); ++item) {
      const int p = still_pair(static_cast<int>(a), static_cast<int>(item));
      if (p < 0 || is_still(static_cast<int>(a))) continue;
      any = true;
      group.clearance = std::max(group.clearance, frames_[static_cast<std::size_t>(p)].clearance);
      group.rounding_bound =
          std::max(group.rounding_bound, frames_[static_cast<std::size_t>(p)].rounding_bound);
    }
    if (any) {
      units_.push_back(static_cast<int>(frames_.size()));
      frames_.push_back(group);
    }
    units_.insert(units_.end(), moving_pairs[a].begin(), moving_pairs[a].end());
  }
}

bool DirectionalModel::counts(int a, int still_node) const {
  const BoxNode& node = still_tree_.nodes[static_cast<std::size_t>(still_node)];
  for (int i = node.first_item; i < node.end_item; ++i)
    if (still_pair(a, still_tree_.order[static_cast<std::size_t>(i)]) >= 0) return true;
  return false;
}

}  // namespace proven
