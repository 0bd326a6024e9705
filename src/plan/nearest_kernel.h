// The nearest of many points, sixteen at a time. Which point a planner goes on from proves nothing:
// floats will do.
#pragma once

#include "proven/base/simd.h"

namespace proven {

inline constexpr int kNearestLanes = 16;

struct NearestPoint {
  int place;
  float square;  // of the distance
};

struct NearestKernel {
  // The first of those that are nearest. Points lie kNearestLanes at a time, coordinate after
  // coordinate; places behind the last are at infinity.
  NearestPoint (*nearest)(const float* points, int count, int dimension, const float* to);
};

PROVEN_DECLARE_KERNEL(NearestKernel, nearest_kernel);

}  // namespace proven
