// Clouds and voxel sets near robots that move, and a judge that looks at every ball and every cell.
#pragma once

#include <optional>

#include "proven/base/random.h"
#include "proven/certify/verdict.h"
#include "proven/scene/scene.h"

namespace proven::bench {

struct SensedCase {
  SceneSource source;
  Motion motion;
  double clearance = 0;
};

// A robot of random parts, and one to three things that a sensor saw near the way that it takes:
// most of them just beside it, some of them in it.
SensedCase random_sensed_case(Random& random);

// The least distance between a link and a ball or cell of a sensed obstacle at so many moments of
// each piece of the motion, by formulas in long double that use nothing of the product but the
// plain data of the scene and its tree. Not exact for cells: never too small.
long double least_sensed_distance(const Scene& scene, const SceneSource& source,
                                  const Motion& motion, int moments);

}  // namespace proven::bench
