#include "anchor.h"

#include <algorithm>
#include <cmath>

#include "margins.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/rounding.h"

namespace proven {
namespace {

void add_spread(double (&spread)[6], double factor, const Vec3& w) {
  const double square = squared_norm(w);
  spread[0] += factor * (square - w.x * w.x);
  spread[1] += factor * (square - w.y * w.y);
  spread[2] += factor * (square - w.z * w.z);
  spread[3] -= factor * w.x * w.y;
  spread[4] -= factor * w.x * w.z;
  spread[5] -= factor * w.y * w.z;
}

}  // namespace

double BodyMotion::acceleration_along(const Vec3& unit) const {
  double sum = bend;
  for (const Term& term : terms)
    sum += term.factor * std::fmin(norm(cross(unit, term.turning)) + term.drift, term.turn_upper);
  return std::fmin(sum * kSumUp + turning_error, acceleration);
}

void Anchor::compute(const ModelData& model, const SegmentMotion& motion,
                     const std::vector<JointRate>& straight, double t, double reach) {
  const Scene& scene = model.scene();
  const KinematicTree& tree = scene.tree();
  model_ = &model;
  rates_ = &straight;
  const bool curved = !motion.straight();
  if (curved) {
    joint_rates(tree, motion, t, t - reach, t + reach, curve_rates_);
    rates_ = &curve_rates_;
  }
  const std::vector<JointRate>& rates = *rates_;
  t_ = t;
  reach_ = reach;
  duration_ = motion.duration;
  clock_ = motion.time + t * motion.duration;
  configuration_.resize(static_cast<std::size_t>(tree.num_coordinates()));
  motion.configuration(tree, t, configuration_);
  compute_poses(tree, configuration_, poses_);

  const auto num_links = static_cast<std::size_t>(tree.num_links());
  joints_.resize(num_links);
  twists_.resize(num_links);
  twists_[0] = {};
  paths_.assign(num_links, {});
  changes_.assign(curved ? num_links : 0, {});
  bends_.assign(curved ? num_links : 0, {});
  for (std::size_t l = 1; l < num_links; ++l) {
    const Link& link = tree.links()[l];
    const auto parent = static_cast<std::size_t>(link.parent);
    twists_[l] = twists_[parent];
    paths_[l] = paths_[parent];
    if (curved) changes_[l] = changes_[parent], bends_[l] = bends_[parent];
    const JointRate& rate = rates[l];
    if (!rate.moves()) continue;
    const Pose& X_WL = poses_.X_WL[l];
    // A ball joint's axis is fixed in the joint's frame; the others' axes are so in the link too.
    const Vec3 axis = link.joint.kind == JointKind::ball
                          ? poses_.X_WL[parent].R * (link.joint.X_PJ.R * rate.axis)
                          : X_WL.R * rate.axis;
    JointMotion& joint = joints_[l];
    joint = {X_WL.p, axis, {}, {}};
    if (link.joint.kind == JointKind::prismatic) {
      joint.slide = rate.value * axis;
      twists_[l].linear += joint.slide;
      paths_[l].slide += rate.upper;
      if (curved) {
        changes_[l].linear += rate.curvature * axis;
        bends_[l].slide += std::fabs(rate.curvature);
      }
    } else {
      joint.turn = rate.value * axis;
      twists_[l].angular += joint.turn;
      twists_[l].linear += cross(X_WL.p, joint.turn);
      paths_[l].turn += rate.upper;
      if (curved) {
        const Vec3 change = rate.curvature * axis;
        changes_[l].angular += change;
        changes_[l].linear += cross(X_WL.p, change);
        bends_[l].turn += std::fabs(rate.curvature);
      }
    }
  }

  const auto num_bodies = scene.bodies().size();
  X_WB_.resize(num_bodies);
  centres_.resize(num_bodies);
  motions_.resize(num_bodies);
  has_motion_.assign(num_bodies, 0);
  chains_.resize(num_bodies);
  for (Chain& chain : chains_) chain.computed = false;
  for (std::size_t b = 0; b < num_bodies; ++b) {
    if (model.is_still(static_cast<int>(b))) {
      X_WB_[b] = model.still_pose(static_cast<int>(b));
    } else {
      const Body& body = scene.bodies()[b];
      X_WB_[b] = poses_.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
    }
    centres_[b] = X_WB_[b] * model.body(static_cast<int>(b)).sphere.centre;
  }
}

const BodyMotion& Anchor::motion(int body) {
  const auto b = static_cast<std::size_t>(body);
  if (!has_motion_[b]) {
    compute_motion(body, 0, motions_[b]);
    has_motion_[b] = 1;
  }
  return motions_[b];
}

void Anchor::compute_chain(int body, std::vector<ChainJoint>& joints) const {
  const KinematicTree& tree = model_->scene().tree();
  const MotionFactors& factors = model_->body(body).factors;
  const double sphere_radius = model_->body(body).sphere.radius;
  joints.clear();
  double below = 0;  // Σ R |Δ| of the joints further down
  for (const MotionFactor& factor : factors.factors) {
    const auto l = static_cast<std::size_t>(factor.link);
    const JointRate& rate = (*rates_)[l];
    if (!rate.moves()) continue;
    double radius = 1;
    if (tree.links()[l].joint.kind != JointKind::prismatic) {
      const JointMotion& joint = joints_[l];
      const Vec3 arm = centre(body) - joint.point;
      const double distance = rate.swivels ? norm(arm) : norm(cross(arm, joint.axis));
      const double local = (distance + sphere_radius) * (1 + kRadiusSlack) +
                           2 * factors.rounding_bound + reach_ * below;
      radius = std::fmin(local * kSumUp, factor.radius);
    }
    below = (below + radius * rate.upper) * (1 + 0x1p-51);
    joints.push_back({factor.link, tree.links()[l].depth, radius, below});
  }
}

std::span<const Anchor::ChainJoint> Anchor::chain(int body, int ancestor) {
  Chain& chain = chains_[static_cast<std::size_t>(body)];
  if (!chain.computed) {
    compute_chain(body, chain.joints);
    chain.computed = true;
  }
  std::span<const ChainJoint> joints = chain.joints;
  const int depth = model_->scene().tree().link(ancestor).depth;
  while (!joints.empty() && joints.back().depth <= depth) joints = joints.first(joints.size() - 1);
  return joints;
}

double Anchor::speed_upper(int body, int ancestor) {
  const auto joints = chain(body, ancestor);
  return joints.empty() ? 0 : joints.back().speed_upper;
}

void Anchor::compute_motion(int body, int ancestor, BodyMotion& result) {
  const KinematicTree& tree = model_->scene().tree();
  const MotionFactors& factors = model_->body(body).factors;
  const auto link = static_cast<std::size_t>(model_->scene().body(body).link);
  const auto top = static_cast<std::size_t>(ancestor);
  result.angular = twists_[link].angular - twists_[top].angular;
  result.linear = twists_[link].linear - twists_[top].linear;
  const auto joints = chain(body, ancestor);
  result.speed_upper = joints.empty() ? 0 : joints.back().speed_upper;

  // From the ancestor down: turning and its change.
  result.terms.clear();
  result.acceleration = result.weight = result.drift = result.bend = result.curvature = 0;
  double rate_error = 0;
  std::fill(std::begin(result.spread), std::end(result.spread), 0.0);
  Vec3 turning;
  double turn_upper = 0, turn_change = 0;  // Ω, and W with what rates change by themselves
  for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
    const auto l = static_cast<std::size_t>(joint->link);
    const JointRate& rate = (*rates_)[l];
    const Vec3 turning_before = turning;
    const double upper_before = turn_upper, change_before = turn_change;
    const double bent = std::fabs(rate.curvature);
    const bool turns = tree.links()[l].joint.kind != JointKind::prismatic;
    if (turns) {
      turning += joints_[l].turn;
      turn_change += rate.upper * turn_upper + bent + rate.change_upper;
      turn_upper += rate.upper;
    }
    const double factor = rate.upper * joint->radius;
    const BodyMotion::Term term{factor, turning_before + turning,
                                reach_ * (change_before + turn_change) * kSumUp,
                                upper_before + turn_upper};
    result.terms.push_back(term);
    result.weight += factor;
    add_spread(result.spread, factor, term.turning);
    result.drift += factor * term.drift;
    result.acceleration += factor * term.turn_upper;
    // How far the joint's arm changes within the reach: of slides only its direction does.
    const double arm_change = joint->radius * upper_before + (turns ? joint->speed_upper : 0.0);
    result.bend += joint->radius * rate.change_upper + bent * reach_ * arm_change;
    result.curvature += joint->radius * bent;
    rate_error += joint->radius * rate.error;
  }
  result.turning_upper = turn_upper;
  result.acceleration = (result.acceleration + result.bend) * kSumUp;
  result.turning_error = kTurningRounding * factors.direction_bound * result.acceleration;
  result.drift = (result.drift + result.bend) * kSumUp + result.turning_error;
  result.spread_error = kSpreadRounding * static_cast<double>(joints.size() + 8) *
                        (result.spread[0] + result.spread[1] + result.spread[2]);
  // Twists are summed from the world: what moves above the ancestor costs rounding too.
  result.velocity_error =
      kVelocityRounding * model_->body(body).rounding_bound * paths_[link].turn +
      kSlideRounding * factors.direction_bound * paths_[link].slide + rate_error;
  if (changes_.empty()) {
    result.angular_change = result.linear_change = {};
    result.curvature = result.change_error = 0;
    return;
  }
  result.angular_change = changes_[link].angular - changes_[top].angular;
  result.linear_change = changes_[link].linear - changes_[top].linear;
  result.curvature *= kSumUp;
  result.change_error = kVelocityRounding * model_->body(body).rounding_bound * bends_[link].turn +
                        kSlideRounding * factors.direction_bound * bends_[link].slide;
}

}  // namespace proven
