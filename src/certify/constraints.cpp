#include "proven/certify/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proven/kinematics/frame_bounds.h"
#include "proven/kinematics/interpolation.h"

namespace proven {
namespace {

constexpr double kLeastPart = 0x1p-20;  // of a piece
// Parts of a piece that are looked at; beyond that it is undecided. A frame that moves along the
// border of what it must keep would be halved everywhere down to the least part.
constexpr int kMostParts = 1 << 14;
// Rounds sums of terms of one sign up.
constexpr double kSumUp = 1 + 0x1p-44;
// How far a cosine of two unit vectors and that of the cone's angle may be off: axes are normalised
// to 2^-50, products and sums of three terms err by less than 2^-50, as does the cosine.
constexpr double kCosineNoise = 0x1p-48;
// The same of coordinates in a box, relative to the lengths that they are made of.
constexpr double kBoxNoise = 0x1p-46;
// Unit vectors as they are accepted.
constexpr double kUnit = 0x1p-50;

bool is_unit(const Vec3& v) {
  return std::fabs(norm(v) - 1) <= kUnit;
}

Vec3 in_box(const OriginBox& box, const Vec3& p_W) {
  return transpose(box.X_WB.R) * (p_W - box.X_WB.p);
}

bool is_finite(const Pose& X) {
  bool finite = std::isfinite(X.p.x) && std::isfinite(X.p.y) && std::isfinite(X.p.z);
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) finite = finite && std::isfinite(X.R.row[i][k]);
  return finite;
}

std::vector<double> tube_of(const KinematicTree& tree, const TrackingError& error) {
  std::vector<double> tube;
  if (!error.any()) return tube;
  for (const Coordinate& coordinate : tree.coordinates())
    tube.push_back(error.of(coordinate.joint));
  return tube;
}

}  // namespace

Result<void> validate(const KinematicTree& tree, std::span<const FrameConstraint> constraints) {
  for (const FrameConstraint& constraint : constraints) {
    if (constraint.link <= 0 || constraint.link >= tree.num_links())
      return bad_input(fmt::format("there is no link {} for a constraint", constraint.link));
    if (!is_finite(constraint.X_LF)) return bad_input("the frame of a constraint is not finite");
    if (const auto* cone = std::get_if<AxisCone>(&constraint.within)) {
      if (!is_unit(cone->axis) || !is_unit(cone->direction))
        return bad_input("axis and direction of a cone must have length 1");
      if (!(cone->angle > 0)) return bad_input("the angle of a cone must be above 0");
      continue;
    }
    const auto& box = std::get<OriginBox>(constraint.within);
    for (int k = 0; k < 3; ++k)
      if (!(box.size[k] > 0)) return bad_input("the extents of a box must be above 0");
    if (!is_finite(box.X_WB)) return bad_input("the pose of a box is not finite");
  }
  return {};
}

ConstraintProver::ConstraintProver(const KinematicTree& tree,
                                   std::vector<FrameConstraint> constraints,
                                   const TrackingError& tracking_error)
    : tree_(&tree),
      constraints_(std::move(constraints)),
      q_(static_cast<std::size_t>(tree.num_coordinates())) {
  const std::vector<double> tube = tube_of(tree, tracking_error);
  for (const FrameConstraint& constraint : constraints_)
    bounds_.emplace_back(tree, constraint.link, constraint.X_LF, tube);
}
ConstraintProver::~ConstraintProver() = default;
ConstraintProver::ConstraintProver(ConstraintProver&&) noexcept = default;
ConstraintProver& ConstraintProver::operator=(ConstraintProver&&) noexcept = default;

// A cone: the cosine of the angle less that of the cone. A box: the distance to the nearest face,
// the least of six functions that are linear in the origin.
double ConstraintProver::slack(std::size_t constraint, std::span<const double> q) const {
  const Pose X_WF = bounds_[constraint].pose(q);
  if (const auto* cone = std::get_if<AxisCone>(&constraints_[constraint].within)) {
    const double cosine = dot(X_WF.R * cone->axis, cone->direction);
    // All directions are in such a cone; not NaN.
    return cosine - (cone->angle >= std::numbers::pi ? -3 : std::cos(cone->angle));
  }
  const auto& box = std::get<OriginBox>(constraints_[constraint].within);
  const Vec3 p = in_box(box, X_WF.p);
  double least = 0.5 * box.size.x - std::fabs(p.x);
  for (int k = 1; k < 3; ++k) {
    const double other = 0.5 * box.size[k] - std::fabs(p[k]);
    if (other < least || std::isnan(other)) least = other;  // fmin would pass over NaN
  }
  return least;
}

double ConstraintProver::slack_noise(std::size_t constraint) const {
  const FrameBounds& bounds = bounds_[constraint];
  if (std::holds_alternative<AxisCone>(constraints_[constraint].within))
    return bounds.direction_noise() + kCosineNoise;
  const auto& box = std::get<OriginBox>(constraints_[constraint].within);
  // The noise of a position is at least 2^-39 of the chain's length.
  return (2 * bounds.position_noise() + kBoxNoise * (norm(box.X_WB.p) + norm(box.size))) * kSumUp;
}

double ConstraintProver::beyond(std::size_t constraint, std::span<const double> q) const {
  const auto* cone = std::get_if<AxisCone>(&constraints_[constraint].within);
  if (!cone) return -slack(constraint, q);
  const Vec3 u = bounds_[constraint].pose(q).R * cone->axis;
  return std::atan2(norm(cross(u, cone->direction)), dot(u, cone->direction)) - cone->angle;
}

void ConstraintProver::judge(std::size_t constraint, int segment, const MotionPiece& piece,
                             bool until_doubt, const Budget& budget, ConstraintResult& result) {
  struct Part {
    double from, to, slack_from, slack_to;
  };
  FrameBounds& bounds = bounds_[constraint];
  bounds.measure(piece);
  const bool turns = std::holds_alternative<AxisCone>(constraints_[constraint].within);
  const double noise = slack_noise(constraint);
  const double tube = turns ? bounds.direction_tube() : bounds.position_tube();
  const auto note = [&](ConstraintVerdict verdict, double s) {
    interpolate(*tree_, piece, s, q_);
    result.verdict = verdict;
    result.constraint = static_cast<int>(constraint);
    result.segment = segment;
    result.t = s;
    result.configuration = q_;
    result.beyond = beyond(constraint, q_);
  };
  const auto slack_at = [&](double s) {
    interpolate(*tree_, piece, s, q_);
    return slack(constraint, q_);
  };
  std::vector<Part> open;
  const double first = slack_at(0), last = slack_at(1);
  for (const auto& [s, value] : {std::pair(0.0, first), std::pair(1.0, last)})
    if (value < -noise) return note(ConstraintVerdict::broken, s);
  open.push_back({0, 1, first, last});
  int parts = 0;
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    const FrameBounds::Bends bends = bounds.bends(piece, part.from, part.to);
    const double width = part.to - part.from;
    const double bend = width * width / 8 * (turns ? bends.direction : bends.origin) * kSumUp;
    // Comparisons that NaN never passes.
    const auto at_least = [&](double least) {
      return part.slack_from >= least && part.slack_to >= least;
    };
    if (at_least((bend + noise + tube) * kSumUp)) continue;
    const bool stop = ++parts > kMostParts || budget.stopped();
    const bool doubt = stop || width <= kLeastPart || !at_least((noise + tube) * kSumUp);
    if (doubt && result.verdict == ConstraintVerdict::kept)
      note(ConstraintVerdict::undecided, part.slack_from <= part.slack_to ? part.from : part.to);
    if (stop || (doubt && until_doubt)) return;
    // No moment of it can be a witness.
    if (width <= kLeastPart || (doubt && at_least(bend - noise))) continue;
    const double middle = part.from + 0.5 * width, value = slack_at(middle);
    if (value < -noise) return note(ConstraintVerdict::broken, middle);
    open.push_back({middle, part.to, value, part.slack_to});
    open.push_back({part.from, middle, part.slack_from, value});
  }
}

ConstraintResult ConstraintProver::check(const Motion& motion, const Budget& budget) {
  ConstraintResult result;
  const int pieces = std::max(1, motion.num_segments());
  for (int i = 0; i < pieces && result.verdict != ConstraintVerdict::broken; ++i)
    for (std::size_t c = 0; c < constraints_.size(); ++c)
      if (result.verdict != ConstraintVerdict::broken)
        judge(c, i, motion.piece(i), false, budget, result);
  if (result.verdict != ConstraintVerdict::kept && !motion.times.empty()) {
    const auto i = static_cast<std::size_t>(result.segment);
    const double end = motion.times[std::min(i + 1, motion.times.size() - 1)];
    result.time = motion.times[i] + result.t * (end - motion.times[i]);
  }
  return result;
}

ConstraintResult ConstraintProver::check(std::span<const double> q) {
  ConstraintResult result;
  for (std::size_t c = 0; c < constraints_.size(); ++c)
    if (result.verdict != ConstraintVerdict::broken) judge(c, 0, {q, q, {}}, false, {}, result);
  return result;
}

bool ConstraintProver::keeps(const MotionPiece& piece, const Budget& budget) {
  ConstraintResult result;
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    judge(c, 0, piece, true, budget, result);
    if (result.verdict != ConstraintVerdict::kept) return false;
  }
  return true;
}

std::string describe(const KinematicTree& tree, std::span<const FrameConstraint> constraints,
                     const ConstraintResult& result, bool with_place) {
  if (result.verdict == ConstraintVerdict::kept)
    return fmt::format("{} kept all along",
                       constraints.size() == 1 ? "the constraint is" : "all constraints are");
  const FrameConstraint& of = constraints[static_cast<std::size_t>(result.constraint)];
  const auto* cone = std::get_if<AxisCone>(&of.within);
  const auto& link = tree.link(of.link).name;
  const std::string what =
      cone ? fmt::format("cone of {:.6g} rad", cone->angle)
           : fmt::format("box of {:.6g} x {:.6g} x {:.6g} m", std::get<OriginBox>(of.within).size.x,
                         std::get<OriginBox>(of.within).size.y,
                         std::get<OriginBox>(of.within).size.z);
  const std::string where =
      with_place ? fmt::format(" at segment {}, t = {:.9g}", result.segment, result.t) : "";
  if (result.verdict == ConstraintVerdict::broken)
    return fmt::format("'{}' is {:.4g} {} outside its {}{}", link, result.beyond,
                       cone ? "rad" : "m", what, where);
  return fmt::format("'{}' is not proved to stay in its {}: {:.4g} {} from its border{}", link,
                     what, -result.beyond, cone ? "rad" : "m", where);
}

}  // namespace proven
