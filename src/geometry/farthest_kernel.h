// Which of many points is farthest along a direction.
#pragma once

#include "proven/base/simd.h"

namespace proven {

struct FarthestKernel {
  // One of the farthest, the same on every machine. `rows` are x, y and z of the points, `length` a
  // multiple of eight.
  int (*farthest)(const double* const* rows, int length, const double* n);
};

PROVEN_DECLARE_KERNEL(FarthestKernel, farthest_kernel);

}  // namespace proven
