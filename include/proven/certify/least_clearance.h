// How near things come to each other along a motion: proved bounds from below, measured ones from
// above, close together.
//
// The cells of a certificate bound distances as well, but only as far as the proof needed them.
// Here the directional search proves the motion again and again, stretch by stretch, for as large a
// required clearance as it holds. Its word alone counts for `at_least`; `at_most` is a distance
// at one configuration of the motion.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/vec3.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

struct LeastClearanceOptions {
  // What is required anyway, the tracking error and the resolution. The checker must be
  // directional. `certificate`, `sweep`, `explain` and `first` do not matter.
  CheckOptions check;
  // The two bounds come as close as this, in metres, or to this share of the larger one, whichever
  // is more.
  double tolerance = 1e-3;
  double relative = 0.05;
  // Stretches that the whole motion is cut into, about; at least one per segment. A segment stays
  // whole in a scene with a clock, and where a ball joint moves on a curve.
  int stretches = 64;
  // So many pairs of each stretch, the nearest, have bounds of their own.
  int nearest = 0;
};

// at_least <= least distance <= at_most. A body that grows counts as large as it is then. With a
// tracking error `at_least` holds for every motion within the tube, and `at_most` is of the motion
// itself.
struct ClearanceBounds {
  double at_least = std::numeric_limits<double>::infinity();  // negative: an allowed overlap
  double at_most = std::numeric_limits<double>::infinity();
  // Where at_most was measured: bodies are indices into Scene::bodies(), points are in the world.
  std::array<int, 2> bodies = {-1, -1};
  int segment = 0;
  double t = 0;
  double time = 0;  // in seconds, of a motion with times
  std::array<Vec3, 2> points;
};

struct ClearanceStretch {
  int segment = 0;
  double begin = 0, end = 1;           // of the segment
  ClearanceBounds bounds;              // of all pairs
  std::vector<ClearanceBounds> pairs;  // the nearest, by at_most; LeastClearanceOptions::nearest
};

struct ClassClearance {
  PairClass kind = PairClass::world;
  ClearanceBounds bounds;
};

struct LeastClearance {
  Verdict verdict = Verdict::undecided;  // of the motion as it is required; all else is for `free`
  ClearanceBounds least;                 // of all pairs; infinite if there are none
  std::vector<ClassClearance> classes;   // those that have pairs
  std::vector<ClearanceBounds> segments;
  std::vector<ClearanceBounds> pairs;  // those that come nearest, by at_most; at most 16
  std::vector<ClearanceStretch> stretches;
  bool tight = false;  // `least` and all classes are within the tolerance
  std::string note;    // why not, for people
  int searches = 0;    // how often the checker ran
  double seconds = 0;
};

// Fails as check() does, on other checkers, on a tolerance that is not positive, and where
// something may start late. The budget is for all of it; when it is over, what was proved until
// then stands.
Result<LeastClearance> least_clearance(const Scene& scene, const Motion& motion,
                                       const LeastClearanceOptions& options = {},
                                       const Budget& budget = {});

}  // namespace proven
