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
  curved_ = !motion.straight();
  if (curved_) {
    joint_rates(tree, motion, t, t - reach, t + reach, curve_rates_);
    rates_ = &curve_rates_;
  }
  t_ = t;
  reach_ = reach;
  duration_ = motion.duration;
  clock_ = motion.time + t * motion.duration;
  configuration_.resize(static_cast<std::size_t>(tree.num_coordinates()));
  motion.configuration(tree, t, configuration_);
  ++stamp_;
  const auto num_links = static_cast<std::size_t>(tree.num_links());
  links_.resize(num_links);
  links_[0] = {};
  links_[0].stamp = stamp_;
  changes_.resize(curved_ ? num_links : 0);
  if (curved_) changes_[0] = {};
  bodies_.resize(scene.bodies().size());
  motions_.resize(scene.bodies().size());
  chains_.resize(scene.bodies().size());
}

const Anchor::PlacedLink& Anchor::placed_link(int link) {
  const auto l = static_cast<std::size_t>(link);
  if (links_[l].stamp == stamp_) return links_[l];
  pending_.clear();
  for (int above = link; links_[static_cast<std::size_t>(above)].stamp != stamp_;
       above = model_->scene().tree().link(above).parent)
    pending_.push_back(above);
  for (; !pending_.empty(); pending_.pop_back())
    place_link(static_cast<std::size_t>(pending_.back()));
  return links_[l];
}

// The link above has been placed.
void Anchor::place_link(std::size_t l) {
  const Link& link = model_->scene().tree().links()[l];
  const auto parent = static_cast<std::size_t>(link.parent);
  const PlacedLink& above = links_[parent];
  PlacedLink& placed = links_[l];
  placed.stamp = stamp_;
  placed.X_WL = above.X_WL * pose_in_parent(link.joint, configuration_);
  placed.twist = above.twist;
  placed.rates = above.rates;
  if (curved_) changes_[l] = changes_[parent];
  const JointRate& rate = (*rates_)[l];
  if (!rate.moves()) return;
  const Pose& X_WL = placed.X_WL;
  // A ball joint's axis is fixed in the joint's frame; the others' axes are so in the link too.
  const Vec3 axis = link.joint.kind == JointKind::ball
                        ? above.X_WL.R * (link.joint.X_PJ.R * rate.axis)
                        : X_WL.R * rate.axis;
  placed.joint = {X_WL.p, axis, {}, {}};
  const Vec3 change = rate.curvature * axis;
  if (link.joint.kind == JointKind::prismatic) {
    placed.joint.slide = rate.value * axis;
    placed.twist.linear += placed.joint.slide;
    placed.rates.slide += rate.upper;
    if (!curved_) return;
    changes_[l].twist.linear += change;
    changes_[l].rates.slide += std::fabs(rate.curvature);
  } else {
    placed.joint.turn = rate.value * axis;
    placed.twist.angular += placed.joint.turn;
    placed.twist.linear += cross(X_WL.p, placed.joint.turn);
    placed.rates.turn += rate.upper;
    if (!curved_) return;
    changes_[l].twist.angular += change;
    changes_[l].twist.linear += cross(X_WL.p, change);
    changes_[l].rates.turn += std::fabs(rate.curvature);
  }
}

void Anchor::place_body(int index, PlacedBody& result) {
  result.stamp = stamp_;
  const Body& body = model_->scene().body(index);
  result.X_WB =
      model_->is_still(index) ? model_->still_pose(index) : placed_link(body.link).X_WL * body.X_LB;
  result.centre = result.X_WB * model_->body(index).sphere.centre;
}

const BodyMotion& Anchor::motion(int body) {
  Motion& known = motions_[static_cast<std::size_t>(body)];
  if (known.stamp != stamp_) {
    compute_motion(body, 0, known.motion);
    known.stamp = stamp_;
  }
  return known.motion;
}

void Anchor::compute_chain(int body, std::vector<ChainJoint>& joints) {
  const KinematicTree& tree = model_->scene().tree();
  const MotionFactors& factors = model_->body(body).factors;
  const double sphere_radius = model_->body(body).sphere.radius;
  const Vec3& centre = this->centre(body);
  joints.clear();
  double below = 0;  // Σ R |Δ| of the joints further down
  for (const MotionFactor& factor : factors.factors) {
    const auto l = static_cast<std::size_t>(factor.link);
    const JointRate& rate = (*rates_)[l];
    if (!rate.moves()) continue;
    double radius = 1;
    const bool turns = tree.links()[l].joint.kind != JointKind::prismatic;
    if (turns) {
      const JointMotion& joint = links_[l].joint;
      const Vec3 arm = centre - joint.point;
      const double distance = rate.swivels ? norm(arm) : norm(cross(arm, joint.axis));
      const double local = (distance + sphere_radius) * (1 + kRadiusSlack) +
                           2 * factors.rounding_bound + reach_ * below;
      radius = std::fmin(local * kSumUp, factor.radius);
    }
    below = (below + radius * rate.upper) * (1 + 0x1p-51);
    joints.push_back({factor.link, tree.links()[l].depth, turns, radius, below});
  }
}

std::span<const Anchor::ChainJoint> Anchor::chain(int body, int ancestor) {
  Chain& chain = chains_[static_cast<std::size_t>(body)];
  if (chain.stamp != stamp_) {
    compute_chain(body, chain.joints);
    chain.stamp = stamp_;
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
  const MotionFactors& factors = model_->body(body).factors;
  const int link = model_->scene().body(body).link;
  const PlacedLink &own = placed_link(link), &top = placed_link(ancestor);
  result.angular = own.twist.angular - top.twist.angular;
  result.linear = own.twist.linear - top.twist.linear;
  const auto joints = chain(body, ancestor);
  result.speed_upper = joints.empty() ? 0 : joints.back().speed_upper;

  // From the ancestor down: turning and its change.
  result.terms.resize(joints.size());
  BodyMotion::Term* term = result.terms.data();
  double acceleration = 0, weight = 0, drift = 0, bend = 0, curvature = 0, rate_error = 0;
  double spread[6] = {0, 0, 0, 0, 0, 0};
  Vec3 turning;
  double turn_upper = 0, turn_change = 0;  // Ω, and W with what rates change by themselves
  for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint, ++term) {
    const auto l = static_cast<std::size_t>(joint->link);
    const JointRate& rate = (*rates_)[l];
    const Vec3 turning_before = turning;
    const double upper_before = turn_upper, change_before = turn_change;
    const double bent = std::fabs(rate.curvature);
    if (joint->turns) {
      turning += links_[l].joint.turn;
      turn_change += rate.upper * turn_upper + bent + rate.change_upper;
      turn_upper += rate.upper;
    }
    const double factor = rate.upper * joint->radius;
    *term = {factor, turning_before + turning, reach_ * (change_before + turn_change) * kSumUp,
             upper_before + turn_upper};
    weight += factor;
    add_spread(spread, factor, term->turning);
    drift += factor * term->drift;
    acceleration += factor * term->turn_upper;
    if (!curved_) continue;
    // How far the joint's arm changes within the reach: of slides only its direction does.
    const double arm_change =
        joint->radius * upper_before + (joint->turns ? joint->speed_upper : 0.0);
    bend += joint->radius * rate.change_upper + bent * reach_ * arm_change;
    curvature += joint->radius * bent;
    rate_error += joint->radius * rate.error;
  }
  result.turning_upper = turn_upper;
  result.weight = weight;
  result.bend = bend;
  result.curvature = curvature;
  result.acceleration = (acceleration + bend) * kSumUp;
  result.turning_error = kTurningRounding * factors.direction_bound * result.acceleration;
  result.drift = (drift + bend) * kSumUp + result.turning_error;
  std::copy(std::begin(spread), std::end(spread), std::begin(result.spread));
  result.spread_error = kSpreadRounding * static_cast<double>(joints.size() + 8) *
                        (spread[0] + spread[1] + spread[2]);
  // Twists are summed from the world: what moves above the ancestor costs rounding too.
  result.velocity_error = kVelocityRounding * model_->body(body).rounding_bound * own.rates.turn +
                          kSlideRounding * factors.direction_bound * own.rates.slide + rate_error;
  if (changes_.empty()) {
    result.angular_change = result.linear_change = {};
    result.curvature = result.change_error = 0;
    return;
  }
  const LinkChange &change = changes_[static_cast<std::size_t>(link)],
                   &top_change = changes_[static_cast<std::size_t>(ancestor)];
  result.angular_change = change.twist.angular - top_change.twist.angular;
  result.linear_change = change.twist.linear - top_change.twist.linear;
  result.curvature *= kSumUp;
  result.change_error = kVelocityRounding * model_->body(body).rounding_bound * change.rates.turn +
                        kSlideRounding * factors.direction_bound * change.rates.slide;
}

}  // namespace proven
