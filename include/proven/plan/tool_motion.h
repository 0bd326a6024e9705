// Lines and arcs of a tool: motions whose tool frame follows a curve in the world, by proof.
//
// The joints follow by inverse kinematics from the start configuration; cubic pieces join the
// solutions, and pieces are halved until bounds show that the frame is within a tolerance of where
// it should be at every time (docs/algorithms/tool_motions.md). Collisions are the matter of
// `check`.
#pragma once

#include <span>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/vec3.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/limits.h"
#include "proven/scene/motion.h"

namespace proven {

// Frame T, fixed on a link.
struct ToolFrame {
  int link = 0;
  Pose X_LT = {};
};
// X_WT at a full configuration.
Pose tool_pose(const KinematicTree& tree, const ToolFrame& tool, std::span<const double> q);

// Where the frame shall be, by progress σ from 0 to 1. Its origin moves evenly on a line or arc
// while it turns evenly about one axis. In the world.
struct ToolCurve {
  Pose start;
  // Line: centre + σ along. Arc: centre + cos(σ arc) along + sin(σ arc) across.
  Vec3 centre, along, across;
  double arc = 0;  // 0: a line
  Vec3 axis;       // of the turn, unit or zero
  double angle = 0;
  double length = 0;

  Pose at(double progress) const;
  Vec3 tangent(double progress) const;  // derivative of the origin by σ
};

// Turns the shorter way. All fail where start and goal are the same, or values are not finite.
Result<ToolCurve> tool_line(const Pose& start, const Pose& goal);
// From the start through a point to the goal; fails where the three lie on a line.
Result<ToolCurve> tool_arc_through(const Pose& start, const Vec3& via, const Pose& goal);
// The shorter way round a centre, from which start and goal must be equally far.
Result<ToolCurve> tool_arc_about(const Pose& start, const Vec3& centre, const Pose& goal);

// The share of the way that is done at a share of the time: 10 τ³ - 15 τ⁴ + 6 τ⁵. Begins and ends
// at rest, without acceleration.
struct ToolProgress {
  double value, rate, acceleration;
};
ToolProgress tool_progress(double tau);

// How far the frame is from where it should be: metres of its origin, radians of its turn.
struct ToolDeviation {
  double position = 0, angle = 0;
};

struct ToolMotionOptions {
  double speed = 0.25;    // of the wanted origin, at most; m/s
  double turn_speed = 1;  // rad/s
  ToolDeviation tolerance = {1e-4, 1e-3};
  // Of joints whose model gives no limit; the motion is slower where joints need it.
  double velocity = 1, acceleration = 4;
};

struct ToolMotion {
  // Timed; begins at the start configuration at rest and ends at rest. At time t the frame should
  // be at curve.at(tool_progress(t / duration).value).
  Motion motion;
  double duration = 0;        // seconds
  double at_full_speed = 0;   // what it would be if joints had no limits
  ToolDeviation deviation;    // proved at every time
  AssumedRates assumed = {};  // joints whose model gives no limit, or 0
};

// Fails, and says where on the curve, if the joints cannot follow: out of reach, a joint limit, a
// singular configuration or a jump to another solution.
Result<ToolMotion> move_tool(const KinematicTree& tree, const ToolFrame& tool,
                             const ToolCurve& curve, std::span<const double> start,
                             const ToolMotionOptions& options = {});

}  // namespace proven
