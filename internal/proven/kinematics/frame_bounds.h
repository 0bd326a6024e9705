// How much a frame can bend away from a chord of its motion: the bounds of docs/algorithms/held.md,
// for all that must hold of a frame at every time.
#pragma once

#include <span>
#include <vector>

#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/motion_piece.h"

namespace proven {

// A frame on its chain of joints, along one piece after another. The tree must outlive it. No
// allocation after construction.
class FrameBounds {
 public:
  // `tube`: how far each coordinate may be from the motion; empty: not at all.
  FrameBounds(const KinematicTree& tree, int link, const Pose& X_LF,
              std::span<const double> tube = {});

  // Lengths and rounding on this piece: before anything below is asked of it.
  void measure(const MotionPiece& piece);

  // Bounds on second derivatives on a part of the piece, by s.
  struct Bends {
    double origin = 0;     // of the frame's origin
    double direction = 0;  // of unit vectors that are fixed in it
  };
  Bends bends(const MotionPiece& piece, double begin, double end) const;

  // The pose in the world at a configuration, its origin and directions within the noise of the
  // exact ones.
  Pose pose(std::span<const double> q) const;
  double position_noise() const { return position_noise_; }
  double direction_noise() const { return direction_noise_; }
  // How far origin and directions may be from those of the motion, within the tube.
  double position_tube() const { return position_tube_; }
  double direction_tube() const { return direction_tube_; }

 private:
  const KinematicTree& tree_;
  Pose X_LF_;
  std::vector<double> tube_;    // by coordinate, or empty
  std::vector<int> chain_;      // links from the world down
  std::vector<double> radius_;  // of the frame's origin about each joint; 1 of a slide
  double position_noise_ = 0, direction_noise_ = 0, position_tube_ = 0, direction_tube_ = 0;
};

}  // namespace proven
