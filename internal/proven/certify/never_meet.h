// Pairs of links that never meet, whatever the joints between them do: proved over the whole box of
// their values (docs/algorithms/never_meet.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proven/base/budget.h"
#include "proven/scene/scene.h"

namespace proven {

enum class PairFate {
  never,      // proved: farther apart than their clearance at every configuration in the box
  meets,      // they overlap, or one is inside the other, at a configuration that was found
  open,       // neither, after as many boxes as were allowed
  unbounded,  // a joint between them has no limits, and a turn does not bring it back
};

struct PairFinding {
  PairFate fate = PairFate::open;
  std::int64_t boxes = 0;             // looked at
  std::vector<double> configuration;  // `meets`: where
  std::string joint;                  // `unbounded`: the coordinate
};

// What a path may be beyond its limits counts as within them; so does the box.
inline constexpr double kBeyondLimits = 2e-6;

// The pair is one of the scene's. The answer depends on the scene and on `max_boxes` alone, unless
// the budget ends before: then it is `open`.
PairFinding prove_never_meet(const Scene& scene, const BodyPair& pair, std::int64_t max_boxes,
                             const Budget& budget = {});

}  // namespace proven
