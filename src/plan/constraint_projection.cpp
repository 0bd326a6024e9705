#include "plan/constraint_projection.h"

#include <algorithm>
#include <cmath>

namespace proven {
namespace {

constexpr double kDamping = 1e-3;  // of the least squares
constexpr int kCorrections = 12;   // of one configuration
// Share of a cone or box that corrections are content with, and that they aim at: well within, so
// that motions between corrected configurations can be proved.
constexpr double kInner = 0.6, kAim = 0.3;
constexpr double kLeastSine = 1e-9;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

ConstraintProjection::ConstraintProjection(const KinematicTree& tree, const JointSpace& space,
                                           std::span<const FrameConstraint> constraints)
    : tree_(tree),
      space_(space),
      constraints_(constraints),
      place_(at(tree.num_coordinates()), -1),
      full_(at(tree.num_coordinates())) {
  for (int place = 0; place < space.dimension(); ++place)
    place_[at(space.planned()[at(place)])] = place;
}

bool ConstraintProjection::find_wishes() {
  wishes_.clear();
  for (const FrameConstraint& constraint : constraints_) {
    const Pose X_WF = poses_.X_WL[at(constraint.link)] * constraint.X_LF;
    if (const auto* cone = std::get_if<AxisCone>(&constraint.within)) {
      const Vec3 u = X_WF.R * cone->axis, turn = cross(u, cone->direction);
      const double sine = norm(turn), angle = std::atan2(sine, dot(u, cone->direction));
      if (angle <= kInner * cone->angle) continue;
      if (!(sine > kLeastSine)) return false;
      wishes_.push_back(
          {constraint.link, X_WF.p, true, (angle - kAim * cone->angle) / sine * turn});
      continue;
    }
    const auto& box = std::get<OriginBox>(constraint.within);
    const Vec3 p = transpose(box.X_WB.R) * (X_WF.p - box.X_WB.p);
    Vec3 shift;
    for (int k = 0; k < 3; ++k) {
      const double half = 0.5 * box.size[k];
      if (!(std::fabs(p[k]) <= kInner * half)) shift[k] = std::copysign(kAim * half, p[k]) - p[k];
    }
    if (shift.x != 0 || shift.y != 0 || shift.z != 0)
      wishes_.push_back({constraint.link, X_WF.p, false, box.X_WB.R * shift});
  }
  return true;
}

// How the joints of its chain move the frame that has a wish. Ball joints are left where they are.
void ConstraintProjection::add_columns(std::size_t wish) {
  const Wish& w = wishes_[wish];
  const std::size_t columns = at(space_.dimension());
  for (int link = w.link; link > 0; link = tree_.link(link).parent) {
    const Joint& joint = tree_.link(link).joint;
    const bool slides = joint.kind == JointKind::prismatic;
    if (!slides && joint.kind != JointKind::revolute) continue;
    const int place = place_[at(joint.coordinate)];
    if (place < 0 || (w.turn && slides)) continue;
    const JointAxis axis = joint_axis(tree_, poses_, link);
    const Vec3 moved = w.turn || slides ? axis.direction : cross(axis.direction, w.at - axis.point);
    for (int k = 0; k < 3; ++k)
      jacobian_[(3 * wish + at(k)) * columns + at(place)] += joint.multiplier * moved[k];
  }
}

// dq = Jᵀ (J Jᵀ + λ)⁻¹ b, within limits, by Cholesky's factors.
bool ConstraintProjection::step(std::span<double> point) {
  const std::size_t rows = 3 * wishes_.size(), columns = point.size();
  jacobian_.assign(rows * columns, 0);
  for (std::size_t w = 0; w < wishes_.size(); ++w) add_columns(w);
  system_.assign(rows * rows, 0);
  right_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    right_[i] = wishes_[i / 3].by[static_cast<int>(i % 3)];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? kDamping : 0;
      for (std::size_t c = 0; c < columns; ++c)
        sum += jacobian_[i * columns + c] * jacobian_[j * columns + c];
      for (std::size_t k = 0; k < j; ++k) sum -= system_[i * rows + k] * system_[j * rows + k];
      if (i == j && !(sum > 0)) return false;
      system_[i * rows + j] = i == j ? std::sqrt(sum) : sum / system_[j * rows + j];
    }
    for (std::size_t k = 0; k < i; ++k) right_[i] -= system_[i * rows + k] * right_[k];
    right_[i] /= system_[i * rows + i];
  }
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t k = i + 1; k < rows; ++k) right_[i] -= system_[k * rows + i] * right_[k];
    right_[i] /= system_[i * rows + i];
  }
  for (std::size_t c = 0; c < columns; ++c) {
    double change = 0;
    for (std::size_t i = 0; i < rows; ++i) change += jacobian_[i * columns + c] * right_[i];
    if (change != 0)
      point[c] = std::clamp(point[c] + change, space_.ranges()[c].lower, space_.ranges()[c].upper);
  }
  return true;
}

bool ConstraintProjection::correct(std::span<double> point) {
  for (int i = 0; i < kCorrections; ++i) {
    space_.complete(point, full_);
    compute_poses(tree_, full_, poses_);
    if (!find_wishes()) return false;
    if (wishes_.empty()) return true;
    if (!step(point)) return false;
  }
  return false;
}

}  // namespace proven
