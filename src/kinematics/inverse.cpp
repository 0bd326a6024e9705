#include "proven/kinematics/inverse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "proven/base/random.h"

namespace proven {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// A radian weighs as much as this many metres: about the size of a hand.
constexpr double kMetresPerRadian = 0.3;
// No coordinate moves by more than this in one step (radians, metres): beyond it the linear model
// says nothing.
constexpr double kLongestStep = 0.5;
constexpr double kFirstDamping = 0.05, kLeastDamping = 1e-8, kMostDamping = 10;
// Of rates: keeps them finite where the chain is singular.
constexpr double kRateDamping = 1e-6;

using Matrix6 = std::array<std::array<double, 6>, 6>;
using Vector6 = std::array<double, 6>;

// Solves a x = b for symmetric positive definite a, by Cholesky's method; false if it is not.
bool solve_symmetric(Matrix6 a, Vector6& b) {
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 0)) return false;
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < 6; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = 6; i-- > 0;) {
    for (std::size_t k = i + 1; k < 6; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return true;
}

// A twist or an error as six numbers of one unit.
Vector6 stacked(const Vec3& linear, const Vec3& angular) {
  return {linear.x,
          linear.y,
          linear.z,
          kMetresPerRadian * angular.x,
          kMetresPerRadian * angular.y,
          kMetresPerRadian * angular.z};
}

bool is_one_number(const Joint& joint) {
  return joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
}

}  // namespace

Vec3 rotation_vector(const Mat3& R) {
  const Vec3 twice_sine = {R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const double sine = 0.5 * norm(twice_sine);
  const double cosine = 0.5 * (R(0, 0) + R(1, 1) + R(2, 2) - 1);
  const double angle = std::atan2(sine, cosine);
  if (sine > 1e-9) return (angle / (2 * sine)) * twice_sine;
  if (cosine > 0) return 0.5 * twice_sine;
  // Half a turn: R = 2 a a' - 1; the largest column is the most accurate.
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (R(i, i) > R(k, k)) k = i;
  Vec3 axis = R.column(k);
  axis[k] += 1;
  return std::numbers::pi * normalized(axis);
}

Vec3 missing_turn(const Mat3& R_WT, const InverseTarget& target) {
  if (target.free == FreeTurn::all) return {};
  if (target.free == FreeTurn::none) return rotation_vector(target.X_WT.R * transpose(R_WT));
  // The shortest turn of the axis; where it points the wrong way any will do that is across it.
  const int k = static_cast<int>(target.free) - static_cast<int>(FreeTurn::x);
  const Vec3 axis = R_WT.column(k), wanted = target.X_WT.R.column(k);
  const Vec3 turn = cross(axis, wanted);
  const double sine = norm(turn), cosine = dot(axis, wanted);
  if (sine > 1e-9) return (std::atan2(sine, cosine) / sine) * turn;
  return cosine > 0 ? turn : std::numbers::pi * R_WT.column((k + 1) % 3);
}

InverseSolver::InverseSolver(const KinematicTree& tree, InverseTarget target,
                             const InverseOptions& options)
    : tree_(tree), target_(target), options_(options) {
  std::vector<int> found;
  for (int link = target_.link; link > 0; link = tree.link(link).parent) {
    const Joint& joint = tree.link(link).joint;
    if (!is_one_number(joint) || joint.multiplier == 0) continue;
    const auto& wanted = options.coordinates;
    const bool moves =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), joint.coordinate) != wanted.end();
    if (!moves) continue;
    chain_.push_back(link);
    if (std::find(found.begin(), found.end(), joint.coordinate) == found.end())
      found.push_back(joint.coordinate);
  }
  std::sort(found.begin(), found.end());
  options_.coordinates = found;
  for (const int c : found) {
    lower_.push_back(tree.coordinates()[at(c)].lower);
    upper_.push_back(tree.coordinates()[at(c)].upper);
  }
  for (const KinematicTree::MimicName& mimic : tree.mimic_names()) {
    const auto place = std::find(found.begin(), found.end(), mimic.coordinate);
    if (place == found.end() || mimic.multiplier == 0) continue;
    const auto i = static_cast<std::size_t>(place - found.begin());
    const double a = (mimic.lower - mimic.offset) / mimic.multiplier;
    const double b = (mimic.upper - mimic.offset) / mimic.multiplier;
    lower_[i] = std::max(lower_[i], std::min(a, b));
    upper_[i] = std::min(upper_[i], std::max(a, b));
  }
  levers_.resize(found.size());
}

// Errors and levers at q.
void InverseSolver::evaluate(std::span<const double> q) {
  if (poses_.configuration.empty())
    compute_poses(tree_, q, poses_);
  else
    update_poses(tree_, q, poses_);
  const Pose X_WT = poses_.X_WL[at(target_.link)] * target_.X_LT;
  position_error_ = target_.X_WT.p - X_WT.p;
  angle_error_ = missing_turn(X_WT.R, target_);
  const bool one_free = target_.free != FreeTurn::none && target_.free != FreeTurn::all;
  if (one_free)
    free_axis_ = X_WT.R.column(static_cast<int>(target_.free) - static_cast<int>(FreeTurn::x));
  std::fill(levers_.begin(), levers_.end(), Lever{});
  for (const int link : chain_) {
    const Joint& joint = tree_.link(link).joint;
    const JointAxis axis = joint_axis(tree_, poses_, link);
    const auto& list = options_.coordinates;
    Lever& lever = levers_[static_cast<std::size_t>(
        std::lower_bound(list.begin(), list.end(), joint.coordinate) - list.begin())];
    if (joint.kind == JointKind::prismatic) {
      lever.linear += joint.multiplier * axis.direction;
    } else {
      lever.angular += joint.multiplier * axis.direction;
      lever.linear += joint.multiplier * cross(axis.direction, X_WT.p - axis.point);
    }
  }
  // Turns that are free are no part of the matter.
  for (Lever& lever : levers_) {
    if (target_.free == FreeTurn::all) lever.angular = {};
    if (one_free) lever.angular = lever.angular - dot(lever.angular, free_axis_) * free_axis_;
  }
}

double InverseSolver::error_of(std::span<const double> q) {
  evaluate(q);
  return squared_norm(position_error_) +
         kMetresPerRadian * kMetresPerRadian * squared_norm(angle_error_);
}

bool InverseSolver::reached() const {
  return norm(position_error_) <= options_.position_tolerance &&
         norm(angle_error_) <= options_.angle_tolerance;
}

void InverseSolver::clamp(std::vector<double>& q) const {
  for (std::size_t i = 0; i < levers_.size(); ++i) {
    double& value = q[at(options_.coordinates[i])];
    value = std::min(std::max(value, lower_[i]), upper_[i]);
  }
}

// J' (J J' + damping² 1)^-1 e over the coordinates that are not held, from the state of the last
// evaluation.
bool InverseSolver::damped_moves(double damping, const std::vector<std::uint8_t>& held,
                                 std::vector<double>& moves) const {
  Matrix6 normal = {};
  for (std::size_t i = 0; i < levers_.size(); ++i) {
    if (held[i]) continue;
    const Vector6 column = stacked(levers_[i].linear, levers_[i].angular);
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 6; ++c) normal[r][c] += column[r] * column[c];
  }
  for (std::size_t r = 0; r < 6; ++r) normal[r][r] += damping * damping;
  // No lever and no error has a part along the free axis: this changes no solution, and keeps the
  // matrix from being singular.
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) normal[at(r) + 3][at(c) + 3] += free_axis_[r] * free_axis_[c];
  Vector6 force = stacked(position_error_, angle_error_);
  if (!solve_symmetric(normal, force)) return false;
  const Vec3 linear = {force[0], force[1], force[2]};
  const Vec3 angular = kMetresPerRadian * Vec3{force[3], force[4], force[5]};
  moves.assign(levers_.size(), 0);
  for (std::size_t i = 0; i < levers_.size(); ++i)
    if (!held[i]) moves[i] = dot(levers_[i].linear, linear) + dot(levers_[i].angular, angular);
  return true;
}

// Moves that leave no limits: coordinates that stand at one and would cross it are held, and the
// others try again without them.
bool InverseSolver::held_moves(std::span<const double> q, double damping,
                               std::vector<double>& moves) const {
  std::vector<std::uint8_t> held(levers_.size(), 0);
  for (bool again = true; again;) {
    if (!damped_moves(damping, held, moves)) return false;
    again = false;
    for (std::size_t i = 0; i < levers_.size(); ++i) {
      const double now = q[at(options_.coordinates[i])];
      const bool crosses = (now <= lower_[i] && moves[i] < 0) || (now >= upper_[i] && moves[i] > 0);
      if (crosses) held[i] = again = true;
    }
  }
  return true;
}

// Shortened as a whole if it is too long.
bool InverseSolver::step(const std::vector<double>& q, double damping,
                         std::vector<double>& next) const {
  std::vector<double> moves;
  if (!held_moves(q, damping, moves)) return false;
  double longest = 0;
  for (const double move : moves) longest = std::max(longest, std::fabs(move));
  if (longest > kLongestStep)
    for (double& move : moves) move *= kLongestStep / longest;
  next = q;
  for (std::size_t i = 0; i < levers_.size(); ++i) next[at(options_.coordinates[i])] += moves[i];
  clamp(next);
  return true;
}

std::vector<double> InverseSolver::rates(std::span<const double> q, const Vec3& linear,
                                         const Vec3& angular) {
  evaluate(q);
  position_error_ = linear;
  angle_error_ = angular;
  std::vector<double> moves, rates(q.size(), 0);
  if (!held_moves(q, kRateDamping, moves)) return rates;
  for (std::size_t i = 0; i < moves.size(); ++i) rates[at(options_.coordinates[i])] = moves[i];
  return rates;
}

std::optional<std::vector<double>> InverseSolver::descend(std::span<const double> guess) {
  std::vector<double> q(guess.begin(), guess.end()), next;
  clamp(q);
  double error = error_of(q), damping = kFirstDamping;
  for (int i = 0; i < options_.max_steps; ++i) {
    if (reached()) return q;
    if (!std::isfinite(error) || !step(q, damping, next)) return std::nullopt;
    const double next_error = error_of(next);
    if (next_error < error) {
      q.swap(next);
      error = next_error;
      damping = std::max(kLeastDamping, damping / 4);
    } else {
      damping *= 4;
      if (damping > kMostDamping) return std::nullopt;
      evaluate(q);
    }
  }
  return reached() ? std::optional(q) : std::nullopt;
}

std::vector<double> InverseSolver::random_guess(std::span<const double> rest) {
  Random random(options_.seed * 0x9e3779b97f4a7c15u + ++draws_);
  std::vector<double> q(rest.begin(), rest.end());
  for (std::size_t i = 0; i < levers_.size(); ++i) {
    const auto c = at(options_.coordinates[i]);
    const bool rotary = tree_.coordinates()[c].rotary;
    const double around = rotary ? std::numbers::pi : 1;
    const double low = std::isfinite(lower_[i]) ? lower_[i] : rest[c] - around;
    const double high = std::isfinite(upper_[i]) ? upper_[i] : rest[c] + around;
    q[c] = random.uniform(low, high);
  }
  return q;
}

std::optional<std::vector<double>> InverseSolver::solve(std::span<const double> guess) {
  auto found = descend(guess);
  for (int i = 0; !found && i < options_.max_restarts; ++i) found = descend(random_guess(guess));
  return found;
}

std::optional<std::vector<double>> solve_inverse(const KinematicTree& tree,
                                                 const InverseTarget& target,
                                                 std::span<const double> guess,
                                                 const InverseOptions& options) {
  return InverseSolver(tree, target, options).solve(guess);
}

namespace {

bool may_move(const Joint& joint, std::span<const int> coordinates) {
  if (joint.kind == JointKind::fixed || joint.multiplier == 0) return false;
  return coordinates.empty() ||
         std::find(coordinates.begin(), coordinates.end(), joint.coordinate) != coordinates.end();
}

// How far a sliding joint can take its link.
double travel_upper(const KinematicTree& tree, const Joint& joint, std::span<const double> rest,
                    std::span<const int> coordinates) {
  if (joint.kind != JointKind::prismatic) return 0;
  const auto c = at(joint.coordinate);
  const Coordinate& coordinate = tree.coordinates()[c];
  const bool moves = may_move(joint, coordinates);
  const double low = moves ? coordinate.lower : rest[c];
  const double high = moves ? coordinate.upper : rest[c];
  return std::max(std::fabs(joint.multiplier * low + joint.offset),
                  std::fabs(joint.multiplier * high + joint.offset));
}

}  // namespace

bool beyond_reach(const KinematicTree& tree, const InverseTarget& target,
                  std::span<const double> rest, std::span<const int> coordinates,
                  double tolerance) {
  // Up to the uppermost joint that moves, whose origin stands still.
  double length = norm(target.X_LT.p), up_to_first = 0;
  int first = 0;
  for (int link = target.link; link > 0; link = tree.link(link).parent) {
    const Joint& joint = tree.link(link).joint;
    length += travel_upper(tree, joint, rest, coordinates);
    if (may_move(joint, coordinates)) {
      first = link;
      up_to_first = length;
    }
    length += norm(joint.X_PJ.p);
  }
  if (first == 0) return false;  // nothing moves: a matter of tolerance, not of reach
  LinkPoses poses;
  compute_poses(tree, rest, poses);
  const Link& link = tree.link(first);
  const Vec3 base = poses.X_WL[at(link.parent)] * link.joint.X_PJ.p;
  // A millionth covers the rounding of a few dozen sums and products of such lengths, amply.
  return norm(target.X_WT.p - base) > (up_to_first + tolerance) * (1 + 1e-6) + 1e-9;
}

}  // namespace proven
