// What a body sweeps when it is turned about an axis, as a stack of cylinders
// (docs/algorithms/sweep.md).
#pragma once

#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

class BodyGeometry;

// All points up to `radius` from the axis z, from `begin` to `end` on it.
struct SpunSlice {
  double begin = 0, end = 0, radius = 0;
};

struct SpunBody {
  std::vector<SpunSlice> slices;  // along z; together they hold the body and its inside, turned
                                  // about z by any angle
  double growth = 0;              // their volume, as a multiple of that of the body's box
};

// `X_ZB`: of the body in the frame of the axis; positions in it err by `error` at most.
SpunBody spin(const BodyGeometry& geometry, const Pose& X_ZB, double error);

}  // namespace proven
