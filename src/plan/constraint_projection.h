// Brings configurations back to what constraints require of them, by damped least squares.
#pragma once

#include <span>
#include <vector>

#include "proven/certify/constraints.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/joint_space.h"

namespace proven {

class ConstraintProjection {
 public:
  // All must outlive it.
  ConstraintProjection(const KinematicTree& tree, const JointSpace& space,
                       std::span<const FrameConstraint> constraints);

  // Moves the point until it is well within all constraints; false if it does not get there.
  // Proves nothing.
  bool correct(std::span<double> point);

 private:
  // What one constraint wants: a turn or a shift of its frame, in the world.
  struct Wish {
    int link;
    Vec3 at;  // the frame's origin
    bool turn;
    Vec3 by;
  };
  bool find_wishes();
  void add_columns(std::size_t wish);
  bool step(std::span<double> point);

  const KinematicTree& tree_;
  const JointSpace& space_;
  std::span<const FrameConstraint> constraints_;
  std::vector<int> place_;  // of each coordinate in a point, or -1
  std::vector<double> full_;
  LinkPoses poses_;
  std::vector<Wish> wishes_;
  std::vector<double> jacobian_;  // a row of the space's dimension for each component of a wish
  std::vector<double> system_, right_;
};

}  // namespace proven
