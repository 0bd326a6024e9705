// Few points whose hull stands for a body (docs/algorithms/sweep.md).
#pragma once

#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

struct Outline {
  std::vector<Vec3> points;
  double radius = 0;  // the hull of the points, widened by so much, holds the body and its inside
  bool on_body = false;  // whether all points are of the body itself
};

class BodyGeometry;

Outline outline_of(const BodyGeometry& geometry);
// Some that together hold the surface, not the inside: of parts of it that are smaller than the
// body, and mostly less hollow. None for a body of few pieces.
std::vector<Outline> outlines_of_parts(const BodyGeometry& geometry);

}  // namespace proven
