// The hot loops of traffic: boxes around poses and steps, and boxes against boxes. Plain pointers
// and no calls of inline functions: code for one instruction set must not leak into others.
#pragma once

#include "proven/base/simd.h"

namespace proven::spacetime {

inline constexpr int kLanes = 16;  // boxes per mask

struct PoseArrays {
  const double *x, *y, *heading;
};

struct PoseBoxes {
  double *cosine, *sine;  // within 2^-51 of the true values
  double *x_low, *x_high, *y_low, *y_high;
};

struct FloatBoxes {
  float *x_low, *x_high, *y_low, *y_high;
};

struct BodyBox {
  double cx, cy, hx, hy;  // centre and half extents in the body's frame
  double core_reach;
};

// Oriented boxes: centres, unit axes along the first half extent, half extents.
struct TurnedBoxes {
  const float *cx, *cy, *ux, *uy, *hx, *hy;
};
// A rotation by (c, s), then a shift.
struct Move {
  float x, y, c, s;
};

struct FloatBox {
  float x_low, x_high, y_low, y_high;
};

struct BoxesKernel {
  // The largest magnitude of n values; not a number, or infinite, if one of them is.
  double (*largest)(int n, const double* values);
  // Boxes around the body at n poses, relative to (origin_x, origin_y).
  void (*place)(int n, PoseArrays poses, BodyBox body, double origin_x, double origin_y,
                PoseBoxes out);
  // Boxes around the motion between consecutive poses (n of them), rounded outwards: the hull of
  // both ends, widened by core_reach turn^2/8, by `extra` (or nothing if null) and by `pad`.
  void (*sweep)(int n, const double* heading, PoseBoxes poses, double core_reach,
                const double* extra, double pad, FloatBoxes out);
  // Boxes around n oriented boxes after a move, widened by `pad`, which must cover the rounding:
  // fewer than 16 roundings of the largest coordinate and extent, by 2^-24 each.
  void (*move)(int n, TurnedBoxes boxes, Move by, float pad, FloatBoxes out);
  // out[k] holds the boxes [16 k, 16 k + 16) of `in`, for k < n; `in` is padded with empty boxes.
  void (*gather)(int n, FloatBoxes in, FloatBoxes out);
  // Bit i: box `at + i` of `boxes` meets `box`.
  unsigned (*meet_one)(FloatBoxes boxes, int at, FloatBox box);
  // Bit i: box `at + i` of a meets box `bt + i` of b.
  unsigned (*meet_each)(FloatBoxes a, int at, FloatBoxes b, int bt);
};

PROVEN_DECLARE_KERNEL(BoxesKernel, boxes_kernel);

}  // namespace proven::spacetime
