// The hand moves a drawer or a door by its handle: arm and joint together, the handle in the hand
// at every time.
#pragma once

#include "manipulation/held.h"
#include "manipulation/motions.h"

namespace proven::manipulation {

// The hand's frame in its link, and the frame of the fixture's link that it was at when the hand
// closed: in the scene's home.
struct HeldHandle {
  LinkFrame hand, handle;
};
HeldHandle held_handle(const Scene& scene, const Arm& arm, const Fixture& fixture);

// Fingers close, arm and joint move, fingers open.
Result<FoundMotion> find_operation(const World& world, const Situation& before,
                                   const MotionRequest& request, const MotionOptions& options);

}  // namespace proven::manipulation
