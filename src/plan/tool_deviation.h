// A bound on how far a tool is from its curve, at every time of a piece
// (docs/algorithms/tool_motions.md).
#pragma once

#include <optional>
#include <vector>

#include "proven/kinematics/motion_piece.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/tool_motion.h"

namespace proven {

class DeviationProof {
 public:
  // All must outlive it.
  DeviationProof(const KinematicTree& tree, const ToolFrame& tool, const ToolCurve& curve,
                 const ToolDeviation& tolerance);

  // The piece runs from tau `begin` to `end`; no ball joint moves on it. A bound within the
  // tolerance, or nothing: the tool is farther away, or too near the tolerance for a proof. Shares
  // of time must be dyadic, so that sums of them are exact.
  std::optional<ToolDeviation> prove(const MotionPiece& piece, double begin, double end);

 private:
  struct ChainJoint {
    int link;
    double radius = 0;  // largest distance of the tool from the joint; 1 of a slide
  };
  struct Bound {
    ToolDeviation at_anchor, on_part;
  };
  void measure_chain(const MotionPiece& piece);
  Bound bound(const MotionPiece& piece, double tau_begin, double width, double s_begin,
              double s_end);

  const KinematicTree& tree_;
  const ToolFrame& tool_;
  const ToolCurve& curve_;
  ToolDeviation tolerance_;
  std::vector<ChainJoint> chain_;  // joints that can move, the root's first
  double position_noise_ = 0, direction_noise_ = 0, curve_noise_ = 0;
  LinkPoses poses_;
  std::vector<double> q_;
};

}  // namespace proven
