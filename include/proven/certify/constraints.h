// What a frame must keep all along a motion: an axis within a cone, the origin within a box.
//
// `kept` is a proof for every time of the continuous motion, `broken` has a moment at which it is
// proved not to hold. How: docs/algorithms/held.md. A certificate is about collisions alone and
// does not carry constraints.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/result.h"
#include "proven/base/words.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene_source.h"

namespace proven {

class FrameBounds;

// An axis of the frame within an angle of a direction of the world.
struct AxisCone {
  Vec3 axis = {0, 0, 1};       // unit, in the frame
  Vec3 direction = {0, 0, 1};  // unit, in the world
  double angle = 0;            // radians, above 0
};
// The origin of the frame in a box of the world.
struct OriginBox {
  Pose X_WB = {};
  Vec3 size = {};  // full extents
};

struct FrameConstraint {
  int link = 0;  // that carries the frame
  Pose X_LF = {};
  std::variant<AxisCone, OriginBox> within = AxisCone{};
};

enum class ConstraintVerdict { kept, broken, undecided };

// What is known of all constraints together. If they are not kept: of which, and at which moment.
struct ConstraintResult {
  ConstraintVerdict verdict = ConstraintVerdict::kept;
  int constraint = -1, segment = 0;
  double t = 0;     // within the segment, 0 to 1
  double time = 0;  // seconds, of a motion with times
  std::vector<double> configuration;
  // By how much the frame is outside there, in radians or metres; not above 0 if undecided.
  double beyond = 0;
};

// Whether they make sense; the error says which does not.
Result<void> validate(const KinematicTree& tree, std::span<const FrameConstraint> constraints);

// Asks about motions, on one thread; the tree must outlive it. Constraints must have passed
// validate(). With a tracking error `kept` holds for every motion within that tube.
class ConstraintProver {
 public:
  ConstraintProver(const KinematicTree& tree, std::vector<FrameConstraint> constraints,
                   const TrackingError& tracking_error = {});
  ~ConstraintProver();
  ConstraintProver(ConstraintProver&&) noexcept;
  ConstraintProver& operator=(ConstraintProver&&) noexcept;

  std::span<const FrameConstraint> constraints() const { return constraints_; }
  ConstraintResult check(const Motion& motion, const Budget& budget = {});
  // At one configuration.
  ConstraintResult check(std::span<const double> q);
  // Whether all are kept on a piece.
  bool keeps(const MotionPiece& piece, const Budget& budget = {});

 private:
  // By how much the constraint holds at a configuration, as a number whose second derivative is
  // bounded; below 0 it does not.
  double slack(std::size_t constraint, std::span<const double> q) const;
  double slack_noise(std::size_t constraint) const;
  double beyond(std::size_t constraint, std::span<const double> q) const;
  // Adds what is found to the result. `until_doubt`: what is not proved need not be refuted.
  void judge(std::size_t constraint, int segment, const MotionPiece& piece, bool until_doubt,
             const Budget& budget, ConstraintResult& result);

  const KinematicTree* tree_;
  std::vector<FrameConstraint> constraints_;
  std::vector<FrameBounds> bounds_;  // of each
  std::vector<double> q_;
};

// A sentence for people: "'arm/tool' is 0.03 rad outside its cone of 0.2 rad at segment 2, t =
// 0.5".
std::string describe(const KinematicTree& tree, std::span<const FrameConstraint> constraints,
                     const ConstraintResult& result, bool with_place = true);

}  // namespace proven
