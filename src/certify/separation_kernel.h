// The loops of the directional rule over the sixteen directions of a frame (separation.h). Plain
// data and no calls of inline functions: code for one instruction set must not leak into others.
#pragma once

#include "proven/base/simd.h"
#include "proven/geometry/box_tree.h"

namespace proven {

struct BodyMotion;

inline constexpr int kLanes = 16;

// One value per direction.
struct alignas(64) Lanes {
  double v[kLanes];
};

// What supports at one end of the reach need: the directions in the frames of both bodies, and the
// part of n·(b - a) that does not depend on the boxes.
struct Supports {
  Lanes a[3], b[3], offset;
};

// A frame that turns by `turn` (angular velocity times s) until the supports are taken.
struct TurningFrame {
  const Vec3* rows;  // of R_WB
  Vec3 turn;
};

// Of both sides and of the worse of the two, along every direction; and the lanes that have the
// greatest of each, the first of equals.
struct SideSlacks {
  Lanes before, after;
  int best_before, best_after, best_both;
  double both;  // the greatest of the worse
};

struct SeparationKernel {
  // The directions that all boxes of two frames share: axes, their cross products, and `between`.
  // Rows are those of R_WA and R_WB.
  void (*directions)(const Vec3* rows_a, const Vec3* rows_b, const Vec3& between, Lanes (&n)[3]);
  // The gap of two boxes along n or -n, whichever points from a to b, and that sign. Returns the
  // lane with the greatest gap, the first of equals.
  int (*gaps)(const Supports& supports, const BoxNode& a, const BoxNode& b, double* sign,
              double* out);
  // For both sides: the lesser of the slack at the anchor (`here`) and at the end of the side,
  // along sign n. A NaN stays one and proves nothing.
  void (*sides)(const Supports (&ends)[2], const BoxNode& a, const BoxNode& b, const double* sign,
                const double* here, const double* need, SideSlacks& out);
  // `between` leads from the origin of a's frame to that of b's, both moved.
  void (*supports)(const Lanes (&n)[3], const TurningFrame& a, const TurningFrame& b,
                   const Vec3& between, Supports& out);
  // Adds the bound on the acceleration along each direction.
  void (*accelerations)(const Lanes (&n)[3], const BodyMotion& motion, double* out);
};

PROVEN_DECLARE_KERNEL(SeparationKernel, separation_kernel);

}  // namespace proven
