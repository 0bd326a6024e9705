// Few balls that together hold a body: a cheap stand-in for it (docs/algorithms/sweep.md).
#pragma once

#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

struct CoverBall {
  Vec3 centre;
  double radius = 0;  // every piece of the body lies in the union of the balls
  double depth = 0;   // the ball of this radius around the centre lies inside the body
};

class BodyGeometry;

// Balls whose centres lie deep inside, so that they reach little beyond the surface. That they hold
// every piece is established part by part, however they were chosen.
std::vector<CoverBall> cover_with_balls(const BodyGeometry& geometry);

// A ball that lies inside a body; of radius 0, a point of it.
struct InnerBall {
  Vec3 centre;
  double radius = 0;
};

// The radius of a ball around the point that lies inside the body; 0 if none is known.
double inner_radius(const BodyGeometry& geometry, const Vec3& p);

// Balls that fill the body as far as few do, the largest first; a surface alone has none.
std::vector<InnerBall> fill_with_balls(const BodyGeometry& geometry);

}  // namespace proven
