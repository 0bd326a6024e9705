#include <cmath>
#include <numbers>

#include "proven/kinematics/inverse.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/tool_motion.h"

namespace proven {
namespace {

// Below these start and goal are the same (metres, radians).
constexpr double kSamePlace = 1e-9;
// Share of the lengths at hand below which three points lie on a line, radii are equal, and an arc
// is half a turn, whose side nobody chose.
constexpr double kSameShare = 1e-6;

bool is_finite(const Pose& X) {
  return proven::is_finite(X.p) && proven::is_finite(X.R.row[0]) && proven::is_finite(X.R.row[1]) &&
         proven::is_finite(X.R.row[2]);
}

// The turn from start to goal, and whether there is anything to do.
Result<ToolCurve> turned(ToolCurve curve, const Pose& goal) {
  const Vec3 turn = rotation_vector(goal.R * transpose(curve.start.R));
  const double angle = norm(turn);
  if (angle > kSamePlace) {
    curve.angle = angle;
    curve.axis = normalized(turn);
  }
  if (!(curve.length > kSamePlace) && curve.angle == 0)
    return bad_input("the tool is at its goal already: there is nothing to move");
  return curve;
}

Result<void> require_finite(const Pose& start, const Pose& goal, const Vec3& third) {
  if (is_finite(start) && is_finite(goal) && proven::is_finite(third)) return {};
  return bad_input("poses and points of a tool's curve must be finite");
}

}  // namespace

Pose tool_pose(const KinematicTree& tree, const ToolFrame& tool, std::span<const double> q) {
  LinkPoses poses;
  compute_poses(tree, q, poses);
  return poses.X_WL[static_cast<std::size_t>(tool.link)] * tool.X_LT;
}

Pose ToolCurve::at(double progress) const {
  const Vec3 p =
      arc == 0 ? centre + progress * along
               : centre + (std::cos(progress * arc) * along + std::sin(progress * arc) * across);
  return {angle == 0 ? start.R : rotation(axis, progress * angle) * start.R, p};
}

Vec3 ToolCurve::tangent(double progress) const {
  if (arc == 0) return along;
  return arc * (std::cos(progress * arc) * across - std::sin(progress * arc) * along);
}

ToolProgress tool_progress(double tau) {
  const double rest = 1 - tau;
  return {tau * tau * tau * (10 + tau * (6 * tau - 15)), 30 * tau * tau * rest * rest,
          60 * tau * rest * (1 - 2 * tau)};
}

Result<ToolCurve> tool_line(const Pose& start, const Pose& goal) {
  if (auto finite = require_finite(start, goal, {}); !finite.ok()) return finite.error();
  ToolCurve curve;
  curve.start = start;
  curve.centre = start.p;
  curve.along = goal.p - start.p;
  curve.length = norm(curve.along);
  return turned(curve, goal);
}

Result<ToolCurve> tool_arc_through(const Pose& start, const Vec3& via, const Pose& goal) {
  if (auto finite = require_finite(start, goal, via); !finite.ok()) return finite.error();
  const Vec3 a = via - start.p, b = goal.p - start.p, n = cross(a, b);
  const double square = squared_norm(n);
  if (!(std::sqrt(square) > kSameShare * norm(a) * norm(b)))
    return bad_input("start, via point and goal lie on a line: give a via point beside it");
  const Vec3 to_centre =
      (1 / (2 * square)) * (squared_norm(a) * cross(b, n) + squared_norm(b) * cross(n, a));
  const Vec3 normal = normalized(n);
  ToolCurve curve;
  curve.start = start;
  curve.centre = start.p + to_centre;
  curve.along = -to_centre;
  curve.across = cross(normal, curve.along);  // the normal makes the way by the via point positive
  const Vec3 end = goal.p - curve.centre;
  curve.arc = std::atan2(dot(end, curve.across), dot(end, curve.along));
  if (curve.arc <= 0) curve.arc += 2 * std::numbers::pi;
  curve.length = norm(curve.along) * curve.arc;
  return turned(curve, goal);
}

Result<ToolCurve> tool_arc_about(const Pose& start, const Vec3& centre, const Pose& goal) {
  if (auto finite = require_finite(start, goal, centre); !finite.ok()) return finite.error();
  const Vec3 from = start.p - centre, to = goal.p - centre;
  const double radius = norm(from);
  if (!(std::fabs(norm(to) - radius) <= kSameShare * radius))
    return bad_input("start and goal of an arc must be equally far from its centre");
  const Vec3 n = cross(from, to);
  if (!(norm(n) > kSameShare * radius * radius))
    return bad_input("start, centre and goal lie on a line: give a via point instead");
  ToolCurve curve;
  curve.start = start;
  curve.centre = centre;
  curve.along = from;
  curve.across = cross(normalized(n), from);
  curve.arc = std::atan2(norm(n), dot(from, to));
  curve.length = radius * curve.arc;
  return turned(curve, goal);
}

}  // namespace proven
