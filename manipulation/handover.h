// One hand takes over what another one holds: its fingers close, then the other's open. No arm
// moves.
#pragma once

#include "manipulation/motions.h"

namespace proven::manipulation {

// The hand is around the object, its fingers open; the other's are closed.
Result<FoundMotion> find_handover(const World& world, const Situation& before,
                                  const MotionRequest& request);

// Whether nothing but the fingers of the two hands moves, and at every time one of them holds. The
// reason if not.
std::string refute_fingers(const World& world, const Situation& before,
                           const MotionRequest& request, const Scene& scene, const Motion& motion);

}  // namespace proven::manipulation
