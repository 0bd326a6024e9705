#include "verify/kept.h"

#include <fmt/format.h>

#include <numbers>

#include "verify/motion.h"
#include "verify/walk.h"

namespace proven::verifier {
namespace {

constexpr double kLeastPart = 0x1p-40;  // of a piece
// Parts of a piece that are looked at, beyond which the constraint counts as not proved.
constexpr int kMostParts = 1 << 20;

const char* kind_of(const KeptFrame& kept) {
  return std::holds_alternative<KeptCone>(kept.within) ? "cone" : "box";
}

int link_of(const Model& model, const KeptFrame& kept) {
  for (std::size_t i = 1; i < model.links.size(); ++i)
    if (!kept.link.empty() && model.links[i].name == kept.link) return static_cast<int>(i);
  throw Rejected{fmt::format("there is no link '{}' for a constraint", kept.link)};
}

bool in_range(double value) {
  return value > 1 / kLargestNumber && value < kLargestNumber;
}

void check_numbers(const KeptFrame& kept) {
  require_rigid(kept.X_LF, "the frame of a constraint");
  if (const auto* cone = std::get_if<KeptCone>(&kept.within)) {
    if (!in_range(norm(cone->axis)) || !in_range(norm(cone->direction)))
      throw Rejected{"axis and direction of a cone must be vectors other than 0"};
    if (!in_range(cone->angle)) throw Rejected{"the angle of a cone must be above 0"};
    return;
  }
  const auto& box = std::get<KeptBox>(kept.within);
  require_rigid(box.X_WB, "the box of a constraint");
  for (int k = 0; k < 3; ++k)
    if (!in_range(box.size[k])) throw Rejected{"the extents of a box must be above 0"};
}

Vector<Interval> unit(const Vec3& v) {
  return Interval(1.0 / norm(Vector<Interval>(v))) * Vector<Interval>(v);
}

// The frame on one piece of the motion. Its slack is a number that must not be negative: of a cone
// the cosine to the direction less that of the angle, of a box the distance to its nearest face.
class FrameOnPiece {
 public:
  using Motion = SegmentMotion<Interval>;
  FrameOnPiece(const Model& model, const KeptFrame& kept, int link, const Motion& motion)
      : kept_(kept), motion_(motion), chain_(model.chain(0, link)), X_LF_(kept.X_LF) {
    const bool turns = std::holds_alternative<KeptCone>(kept.within);
    const Ball<Interval> origin{Vector<Interval>(kept.X_LF.p), 0.0};
    const std::vector<Interval> reaches = motion.reaches_of(origin, link);
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      const Link& joint = model.links[static_cast<std::size_t>(chain_[i])];
      if (!joint.can_move() || (turns && joint.kind == JointKind::slide)) continue;
      const Interval reach = turns ? Interval(1.0) : reaches[i];
      rate_ = rate_ + reach * top_rate(motion.joint(chain_[i]));
      tube_ = tube_ + reach * motion.joint(chain_[i]).error;
    }
  }

  Interval slack(double t) const {
    Placement<Interval> X_WF;
    for (const int link : chain_) X_WF = X_WF * motion_.pose_in_parent(link, t);
    X_WF = X_WF * X_LF_.as<Interval>();
    if (const auto* cone = std::get_if<KeptCone>(&kept_.within))
      return dot(X_WF.R.entries() * unit(cone->axis), unit(cone->direction)) -
             turn(Interval(cone->angle)).cosine;
    const auto& box = std::get<KeptBox>(kept_.within);
    const Placement<Interval> X_WB = GivenPose::exact<Interval>(box.X_WB);
    const Vector<Interval> p = X_WB.R.entries().transpose_times(X_WF.position() - X_WB.position());
    Interval least = 0.5 * Interval(box.size.x) - abs(p.x);
    for (int k = 1; k < 3; ++k) least = min(least, 0.5 * Interval(box.size[k]) - abs(p[k]));
    return least;
  }
  // No time within h has a slack that is less by more than this.
  Interval loss(double h) const { return rate_ * Interval(h) + tube_; }

 private:
  // On the whole piece; control points enclose a polynomial.
  static Interval top_rate(const Motion::JointState& state) {
    Interval top = 0.0;
    for (const Interval& rate : state.rate.points) top = max(top, abs(rate));
    for (const Vector<Interval>& rate : state.phi_rate.points) top = max(top, norm(rate));
    return top;
  }

  const KeptFrame& kept_;
  const Motion& motion_;
  std::vector<int> chain_;
  GivenPose X_LF_;
  Interval rate_ = 0.0, tube_ = 0.0;
};

// Halves the piece until every part is settled by its middle. How many parts that took.
std::int64_t check_piece(const FrameOnPiece& frame, const KeptFrame& kept, std::size_t segment,
                         const VerifyOptions& options) {
  std::int64_t parts = 0;
  std::vector<std::array<double, 2>> open = {{0, 1}};
  while (!open.empty()) {
    stop_if_cancelled(options);
    const auto [from, to] = open.back();
    open.pop_back();
    const double middle = 0.5 * (from + to), h = 0.5 * (to - from);
    const Interval slack = frame.slack(middle);
    ++parts;
    if (surely_positive(slack - frame.loss(h))) continue;
    const bool broken = surely_positive(-slack);
    if (broken || h < kLeastPart || parts > kMostParts)
      throw Rejected{fmt::format("'{}' {} in its {} at segment {}, t = {}", kept.link,
                                 broken ? "is not" : "could not be proved to stay", kind_of(kept),
                                 segment, middle)};
    open.push_back({middle, to});
    open.push_back({from, middle});
  }
  return parts;
}

std::string describe(const KeptFrame& kept) {
  if (const auto* cone = std::get_if<KeptCone>(&kept.within))
    return fmt::format(
        "the axis ({}, {}, {}) of the frame at ({}, {}, {}) of {} stays within {} rad of the "
        "direction ({}, {}, {})",
        cone->axis.x, cone->axis.y, cone->axis.z, kept.X_LF.p.x, kept.X_LF.p.y, kept.X_LF.p.z,
        kept.link, cone->angle, cone->direction.x, cone->direction.y, cone->direction.z);
  const auto& box = std::get<KeptBox>(kept.within);
  return fmt::format(
      "the point ({}, {}, {}) of {} stays in a box of {} x {} x {} m around ({}, {}, {})",
      kept.X_LF.p.x, kept.X_LF.p.y, kept.X_LF.p.z, kept.link, box.size.x, box.size.y, box.size.z,
      box.X_WB.p.x, box.X_WB.p.y, box.X_WB.p.z);
}

}  // namespace

std::string check_kept(const Model& model, const std::vector<Motion>& runs,
                       std::span<const double> errors, const VerifyOptions& options) {
  std::string theorem;
  std::int64_t parts = 0;
  for (const KeptFrame& kept : options.constraints) {
    const int link = link_of(model, kept);
    check_numbers(kept);
    theorem += (theorem.empty() ? "At every time " : "; ") + describe(kept);
    // No two directions are farther apart. (The double is less than the number, the next is more.)
    const auto* cone = std::get_if<KeptCone>(&kept.within);
    if (cone && cone->angle > std::numbers::pi) continue;
    std::size_t segment = 0;
    for (const Motion& run : runs)
      for (std::size_t i = 0; i < num_segments(run); ++i, ++segment) {
        const SegmentMotion<Interval> motion(model, run.piece(static_cast<int>(i)), errors);
        parts += check_piece(FrameOnPiece(model, kept, link, motion), kept, segment, options);
      }
  }
  if (!theorem.empty()) theorem += fmt::format("; proved by {} parts.", parts);
  return theorem;
}

}  // namespace proven::verifier
