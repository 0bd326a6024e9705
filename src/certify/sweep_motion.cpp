// How joints and bodies move in a sweep: frames at its moments, and how far ways bend from chords
// (docs/algorithms/sweep.md).
#include <cmath>

#include "margins.h"
#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/interpolation.h"
#include "sweep.h"

namespace proven {
namespace {

// Angles beyond this are not reduced exactly.
constexpr double kLargestValue = 0x1p19;

}  // namespace

bool Sweep::place_joints() {
  const auto joints = model_->joints();
  frames_.resize(joints.size());
  alignas(64) double t[kMoments], values[kMoments];
  for (int k = 0; k < kMoments; ++k) t[k] = part_.moment(k);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const SweepModel::Joint& joint = joints[j];
    const FrameLanes* parent =
        joint.parent < 0 ? nullptr : &frames_[static_cast<std::size_t>(joint.parent)];
    if (joint.kind == SweepJoint::Kind::ball) {
      place_ball_joint(joint, parent, frames_[j]);
      continue;
    }
    const auto c = static_cast<std::size_t>(joint.coordinate);
    if (motion_->straight()) {
      const double from = motion_->from[c], to = motion_->to[c];
      // Between its ends a straight line stays within them.
      if (!(std::fabs(joint.multiplier) * std::max(std::fabs(from), std::fabs(to)) +
                std::fabs(joint.offset) <=
            kLargestValue))
        return false;
      sweep_kernel->line({from, to - from, joint.multiplier, joint.offset}, t, values);
    } else {
      Bernstein<double> p;
      p.degree = motion_->degree();
      for (int i = 0; i <= p.degree; ++i) p.c[i] = motion_->control(i)[c];
      for (int k = 0; k < kMoments; ++k) {
        values[k] = joint.multiplier * p.at(t[k]) + joint.offset;
        if (!(std::fabs(values[k]) <= kLargestValue)) return false;
      }
    }
    if (joint.kind == SweepJoint::Kind::turn)
      sweep_kernel->turn(parent, joint, values, frames_[j]);
    else
      sweep_kernel->slide(parent, joint, values, frames_[j]);
  }
  return true;
}

void Sweep::place_ball_joint(const SweepModel::Joint& joint, const FrameLanes* parent,
                             FrameLanes& out) const {
  alignas(64) float own[9][kMoments];
  std::vector<double> q(motion_->from.size());
  for (int k = 0; k < kMoments; ++k) {
    motion_->configuration(model_->model().scene().tree(), part_.moment(k), q);
    const Mat3 R = rotation_from_quaternion(read_quaternion(q, joint.coordinate));
    for (int i = 0; i < 9; ++i) own[i][k] = static_cast<float>(R(i / 3, i % 3));
  }
  sweep_kernel->place(parent, joint, own, out);
}

// How fast joints move, and how much that bends the ways of points: of joint k
// D_k (2 Ω_{k-1} + [k turns] D_k) + E_k.
void Sweep::find_speeds() {
  const KinematicTree& tree = model_->model().scene().tree();
  const auto joints = model_->joints();
  speeds_.resize(joints.size());
  turning_.resize(joints.size());
  all_move_ = true;
  const bool straight = motion_->straight();
  const double begin = part_.begin(), width = part_.width();
  if (!straight) joint_rates(tree, *motion_, begin + 0.5 * width, begin, begin + width, rates_);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const SweepModel::Joint& joint = joints[j];
    Speed& speed = speeds_[j];
    speed.change = 0;
    if (!straight) {
      const JointRate& rate = rates_[static_cast<std::size_t>(joint.link)];
      speed.upper = width * rate.upper;
      speed.change = width * width * (std::fabs(rate.curvature) + rate.change_upper);
    } else {
      speed.upper =
          width * joint_displacement(tree.link(joint.link).joint, motion_->from, motion_->to);
    }
    const bool turns = joint.kind != SweepJoint::Kind::slide;
    const double before = joint.parent < 0 ? 0 : turning_[static_cast<std::size_t>(joint.parent)];
    speed.bending = speed.upper * (2 * before + (turns ? speed.upper : 0)) + speed.change;
    turning_[j] = before + (turns ? speed.upper : 0);
    all_move_ = all_move_ && speed.upper > 0;
  }
}

bool Sweep::moves(const SweepModel::Body& body, int first) const {
  if (all_move_) return body.num_levers > first;
  for (const SweepModel::Lever& lever :
       model_->levers(body).subspan(static_cast<std::size_t>(first)))
    if (!(speeds_[static_cast<std::size_t>(lever.joint)].upper == 0)) return true;
  return false;
}

// How far centres of the body's balls, or its points, can be from the chords between neighbouring
// moments: an eighth of the second derivative times the square of the time between. Joints before
// `first` do not count: motion is seen from what they carry.
double Sweep::bend(std::span<const SweepModel::Lever> levers, int first,
                   double SweepModel::Lever::*radius) const {
  double sum = 0, turning = 0;
  for (const SweepModel::Lever& lever : levers.subspan(static_cast<std::size_t>(first))) {
    const Speed& speed = speeds_[static_cast<std::size_t>(lever.joint)];
    if (first == 0) {
      sum += lever.*radius * speed.bending;
      continue;
    }
    sum += lever.*radius *
           (speed.upper * (2 * turning + (lever.turns ? speed.upper : 0)) + speed.change);
    if (lever.turns) turning += speed.upper;
  }
  return sum * kSumUp / (8.0 * kChords * kChords);
}

// Whether the two bodies move against each other.
bool Sweep::moves(const SweepModel::Pair& pair) const {
  const SweepModel::Body &A = model_->bodies()[static_cast<std::size_t>(pair.a)],
                         &B = model_->bodies()[static_cast<std::size_t>(pair.b)];
  return moves(A, std::max(0, pair.shared)) || moves(B, std::max(0, pair.shared));
}

}  // namespace proven
