#include "model_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "beyond_limits.h"
#include "margins.h"
#include "proven/geometry/body_geometry.h"
#include "proven/geometry/box_tree_change.h"
#include "proven/kinematics/motion_bounds.h"
#include "sweep.h"

namespace proven {
namespace {

constexpr double kFreeTurns = 4 * 2 * std::numbers::pi;

}  // namespace

std::shared_ptr<const BodyModel> BodyModel::make(const Scene& scene, const Body& body,
                                                 const Requirement& requirement,
                                                 std::span<const Interval> ranges) {
  const KinematicTree& tree = scene.tree();
  auto model = std::make_shared<BodyModel>();
  const BoxNode& root = body.geometry->box_tree().nodes[0];
  model->sphere = {root.centre, norm(root.half) * kProductUp};
  model->factors = compute_motion_factors(tree, body.link, body.X_LB, model->sphere, ranges);
  if (requirement.bisection) {
    model->motion = compute_motion_factors(tree, body.link, body.X_LB, *body.geometry, ranges);
    model->rounding_bound = model->motion.rounding_bound;
  } else {
    model->rounding_bound =
        position_rounding(tree, body.link, body.X_LB, *body.geometry, ranges).bound();
  }
  if (requirement.tube()) {
    std::vector<Interval> wider(ranges.begin(), ranges.end());
    for (std::size_t i = 0; i < wider.size(); ++i) {
      wider[i].lower -= requirement.errors[i];
      wider[i].upper += requirement.errors[i];
    }
    for (const MotionFactor& factor :
         compute_motion_factors(tree, body.link, body.X_LB, model->sphere, wider).factors) {
      // The multiplier of a ball joint is 1.
      const Joint& joint = tree.link(factor.link).joint;
      const double error = std::fabs(joint.multiplier) *
                           requirement.errors[static_cast<std::size_t>(joint.coordinate)];
      model->tube.push_back({factor.link, factor.radius * error});
    }
  }
  return model;
}

bool same_body(const Body& x, const Body& y) {
  return x.geometry == y.geometry && x.link == y.link && x.X_LB == y.X_LB;
}

double required_clearance(const Scene& scene, const BodyPair& pair,
                          const Requirement& requirement) {
  // A required clearance overrules an allowed overlap.
  const double asked = requirement.clearance.of(pair.kind);
  const double clearance = asked > 0 ? std::max(pair.clearance, asked) : pair.clearance;
  if (clearance < 0) return clearance;
  // Nothing may pass between a surface and its welded twin (docs/inside.md).
  return std::max({clearance, scene.body(pair.a).geometry->weld_error(),
                   scene.body(pair.b).geometry->weld_error()});
}

Requirement Requirement::of(const CheckOptions& options, const KinematicTree& tree) {
  Requirement requirement{options.clearance, {}, options.checker != Checker::directional};
  if (options.tracking_error.any())
    for (const Coordinate& coordinate : tree.coordinates())
      requirement.errors.push_back(options.tracking_error.of(coordinate.joint));
  return requirement;
}

Reach::Reach(const Scene& scene) {
  const auto home = scene.home();
  reached_ = {{home.begin(), home.end()}, {home.begin(), home.end()}};
  const auto coordinates = scene.tree().coordinates();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (!coordinates[i].rotary) continue;
    if (!std::isfinite(coordinates[i].lower)) reached_[0][i] -= kFreeTurns;
    if (!std::isfinite(coordinates[i].upper)) reached_[1][i] += kFreeTurns;
  }
  ranges_ = coordinate_ranges(scene.tree(), reached_);
}

bool Reach::covers(std::span<const double> lower, std::span<const double> upper) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    if (!(ranges_[i].lower <= lower[i] && upper[i] <= ranges_[i].upper)) return false;
  return true;
}

void Reach::cover(const KinematicTree& tree, std::span<const double> lower,
                  std::span<const double> upper) {
  if (covers(lower, upper)) return;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    // Room to spare for angles saves further models on a path that goes on and on.
    const double spare =
        tree.coordinates()[i].rotary ? upper[i] - lower[i] + 4 * std::numbers::pi : 0;
    if (lower[i] < ranges_[i].lower) reached_[0][i] = lower[i] - spare;
    if (upper[i] > ranges_[i].upper) reached_[1][i] = upper[i] + spare;
  }
  ranges_ = coordinate_ranges(tree, reached_);
}

ModelData::ModelData(Scene scene, const Requirement& requirement, Reach reach,
                     const ModelData* previous, Groups groups)
    : scene_(std::move(scene)),
      requirement_(requirement),
      reach_(std::move(reach)),
      limits_(own_limits(scene_)),
      groups_(groups) {
  const bool comparable = previous && previous->groups_ == groups_ &&
                          previous->requirement_ == requirement_ &&
                          &previous->scene_.tree() == &scene_.tree() && previous->reach_ == reach_;
  if (!comparable) previous = nullptr;
  if (requirement_.tube()) {
    Requirement nominal = requirement_;
    nominal.errors.clear();
    without_tube_ = std::make_shared<ModelData>(
        scene_, nominal, reach_, previous ? previous->without_tube_.get() : nullptr, groups_);
  }
  take_bodies(previous);
  take_pairs(previous);
  take_still_bodies(previous);
  make_matches();
  if (groups_ == Groups::none) return;
  list_still_pairs();
  make_groups();
  const SweepModel* prepared =
      previous ? previous->made_sweep_.load(std::memory_order_acquire) : nullptr;
  if (prepared && moves_as(*previous)) {
    sweep_ = std::make_shared<const SweepModel>(*this, prepared);
    made_sweep_.store(sweep_.get(), std::memory_order_release);
    told_to_sweep_ = previous->told_to_sweep();
  }
}

// Of a previous model of the same tree, ranges and requirements: the bodies that move are the same.
bool ModelData::moves_as(const ModelData& previous) const {
  std::size_t known = 0;
  const std::size_t count = previous.bodies_.size();
  const auto skip_still = [&] {
    while (known < count && previous.is_still(static_cast<int>(known))) ++known;
  };
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (is_still(static_cast<int>(b))) continue;
    skip_still();
    if (previous_body_[b] != static_cast<int>(known)) return false;
    ++known;
  }
  skip_still();
  return known == count;
}

// An edit inserts or takes out one body: the same one stands at the same place or next to it.
void ModelData::take_bodies(const ModelData* previous) {
  const auto bodies = scene_.bodies();
  previous_body_.assign(bodies.size(), -1);
  bodies_.resize(bodies.size());
  int next = 0;  // of the previous ones
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const int count = previous ? static_cast<int>(previous->scene_.bodies().size()) : 0;
    int found = next;
    while (found < count && previous->scene_.body(found).name != bodies[b].name) ++found;
    if (found < count && same_body(previous->scene_.body(found), bodies[b])) {
      bodies_[b] = previous->bodies_[static_cast<std::size_t>(found)];
      previous_body_[b] = found;
    } else {
      bodies_[b] = BodyModel::make(scene_, bodies[b], requirement_, reach_.ranges());
    }
    if (found < count) next = found + 1;
  }
}

void ModelData::take_pairs(const ModelData* previous) {
  const auto wanted = scene_.pairs();
  const KinematicTree& tree = scene_.tree();
  pairs_.reserve(wanted.size());
  std::size_t next = 0;  // of the previous ones, in the same order
  for (const BodyPair& pair : wanted) {
    const int a = previous_body_[static_cast<std::size_t>(pair.a)];
    const int b = previous_body_[static_cast<std::size_t>(pair.b)];
    if (a >= 0 && b >= 0) {
      const auto known = previous->pairs();
      while (next < known.size() && (known[next].a != a ? known[next].a < a : known[next].b < b))
        ++next;
      if (next < known.size() && known[next].a == a && known[next].b == b &&
          previous->scene_.pairs()[next].clearance == pair.clearance) {
        PairModel same = known[next];
        same.a = pair.a, same.b = pair.b;
        pairs_.push_back(same);
        continue;
      }
    }
    const double clearance = required_clearance(scene_, pair, requirement_);
    const int ancestor =
        tree.lowest_common_ancestor(scene_.body(pair.a).link, scene_.body(pair.b).link);
    const double growth = scene_.body(pair.a).grows + scene_.body(pair.b).grows;
    PairModel made{pair.a, pair.b, clearance, growth, 0, ancestor};
    made.rounding_bound =
        kRelativePose * (body(pair.a).rounding_bound + body(pair.b).rounding_bound);
    if (requirement_.tube()) made.clearance += tube(made);
    pairs_.push_back(made);
  }
  if (!requirement_.bisection) return;
  for (const PairModel& pair : pairs_)
    never_meets_.push_back(spheres_apart(body(pair.a).motion.swept_sphere,
                                         body(pair.b).motion.swept_sphere, pair.clearance));
}

const SweepModel& ModelData::sweep() const {
  if (const SweepModel* made = made_sweep_.load(std::memory_order_acquire)) return *made;
  const std::lock_guard lock(sweep_mutex_);
  if (!sweep_) {
    sweep_ = std::make_shared<const SweepModel>(*this, nullptr);
    made_sweep_.store(sweep_.get(), std::memory_order_release);
  }
  return *sweep_;
}

const SweepModel* ModelData::sweep_if_worth() const {
  // So many questions take about as long as preparing: whoever asks fewer loses little.
  constexpr int kWorthPreparing = 5000;
  if (const SweepModel* made = made_sweep_.load(std::memory_order_acquire)) return made;
  const int asked = asked_.fetch_add(1, std::memory_order_relaxed);
  if (asked == 0)
    for (int i = 0; i < static_cast<int>(bodies_.size()); ++i)
      if (!is_still(i) && !scene_.body(i).geometry->has_balls()) return nullptr;
  if (asked > 0 && asked < kWorthPreparing) return nullptr;
  return &sweep();
}

// How far points of a pair's bodies may be from the path if every joint errs by the tracking error.
double ModelData::tube(const PairModel& pair) const {
  const KinematicTree& tree = scene_.tree();
  double sum = 0;
  for (const int index : {pair.a, pair.b})
    for (const BodyModel::TubeTerm& term : body(index).tube) {
      if (tree.link(term.link).depth <= tree.link(pair.ancestor).depth) break;
      sum += term.extent;
    }
  return sum * kSumUp;
}

double ModelData::closing_rate(const PairModel& pair, std::span<const double> displacement) const {
  const KinematicTree& tree = scene_.tree();
  const double sum = curve_length_upper(body(pair.a).motion, displacement, pair.ancestor, tree) +
                     curve_length_upper(body(pair.b).motion, displacement, pair.ancestor, tree);
  return sum * (1 + 0x1p-52);
}

void ModelData::take_still_bodies(const ModelData* previous) {
  const KinematicTree& tree = scene_.tree();
  auto still = std::make_shared<StillBodies>();
  bool changed = !previous || previous->scene_.bodies().size() != scene_.bodies().size();
  for (std::size_t b = 0; b < scene_.bodies().size(); ++b) {
    still->place.push_back(-1);
    if (tree.rigid_root(scene_.bodies()[b].link) != 0) continue;
    still->place.back() = static_cast<int>(still->bodies.size());
    still->bodies.push_back(static_cast<int>(b));
    changed = changed || previous_body_[b] != static_cast<int>(b);
  }
  if (!changed && still->bodies == previous->still_->bodies) {
    still_ = previous->still_;
    return;
  }
  LinkPoses poses;
  compute_poses(tree, scene_.home(), poses);
  std::vector<Aabb> shape, hold;
  std::vector<int> known;  // of the previous tree: the item with the same box
  for (const int index : still->bodies) {
    const BodyGeometry& geometry = *scene_.body(index).geometry;
    const Pose X_WB = scene_.body_pose(index, poses);
    still->poses.push_back(X_WB);
    shape.push_back(box_of(geometry.box_tree().bounds, X_WB));
    const double size = max_abs(X_WB.p) + 3 * geometry.max_coordinate();
    hold.push_back(widened(shape.back(), kBoxRounding * size));
    const int before = previous_body_[static_cast<std::size_t>(index)];
    known.push_back(before < 0 ? -1 : previous->still_->place[static_cast<std::size_t>(before)]);
  }
  if (!shape.empty() && groups_ == Groups::still_bodies)
    still->tree =
        previous && !previous->still_->bodies.empty()
            ? build_box_tree(choose_shape(shape, previous->still_->tree, known), shape, hold)
            : build_box_tree(shape, hold);
  still_ = std::move(still);
}

void ModelData::list_still_pairs() {
  const std::size_t count = still_->bodies.size();
  std::size_t moving = 0;
  for (const int place : still_->place) {
    moving_row_.push_back(moving);
    moving += place < 0;
  }
  still_pairs_.assign(moving * count, -1);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const bool swap = is_still(pairs_[p].a);
    const auto a = static_cast<std::size_t>(swap ? pairs_[p].b : pairs_[p].a);
    const int item = still_->place[static_cast<std::size_t>(swap ? pairs_[p].a : pairs_[p].b)];
    if (item >= 0)
      still_pairs_[moving_row_[a] * count + static_cast<std::size_t>(item)] = static_cast<int>(p);
  }
}

void ModelData::make_matches() {
  const std::size_t num_bodies = scene_.bodies().size();
  matches_.reserve(pairs_.size() + num_bodies);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const PairModel& pair = pairs_[p];
    const bool swap = is_still(pair.a);
    matches_.push_back({swap ? pair.b : pair.a, swap ? pair.a : pair.b, static_cast<int>(p),
                        pair.ancestor, pair.clearance, pair.growth, pair.rounding_bound});
  }
}

void ModelData::make_groups() {
  const std::size_t num_bodies = scene_.bodies().size();
  // Pairs come ordered by their first body, which is `a` of those that both move.
  std::size_t next = 0;
  for (int a = 0; a < static_cast<int>(num_bodies); ++a) {
    Match group{a, Match::kStillBodies, -1, 0, -std::numeric_limits<double>::infinity(), 0};
    bool any = false;
    for (int item = 0; item < static_cast<int>(still_->bodies.size()) && !is_still(a); ++item) {
      const int p = still_pair(a, item);
      if (p < 0) continue;
      any = true;
      group.clearance = std::max(group.clearance, match(p).clearance);
      group.growth = std::max(group.growth, match(p).growth);
      group.rounding_bound = std::max(group.rounding_bound, match(p).rounding_bound);
    }
    if (any) {
      proof_order_.push_back(static_cast<int>(matches_.size()));
      matches_.push_back(group);
    }
    for (; next < pairs_.size() && pairs_[next].a == a; ++next)
      if (!is_still(a) && !is_still(pairs_[next].b)) proof_order_.push_back(static_cast<int>(next));
  }
}

bool ModelData::counts(int a, int still_node) const {
  const BoxNode& node = still_->tree.nodes[static_cast<std::size_t>(still_node)];
  for (int i = node.first_item; i < node.end_item; ++i)
    if (still_pair(a, still_->tree.order[static_cast<std::size_t>(i)]) >= 0) return true;
  return false;
}

}  // namespace proven
