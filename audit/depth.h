// How deep two bodies are in each other: a lower bound that any pair with a primitive has.
#pragma once

#include <optional>

#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven::audit {

// Metres: to take the two bodies of the witness apart, one must be moved at least so far, at one of
// some moments of the segment that collides. A point of one body that lies so deep in a convex
// solid of the other proves it (up to rounding). Nothing if no such point was found: two meshes
// have none.
std::optional<double> depth_of(const Scene& scene, const Motion& motion, const Witness& witness);

}  // namespace proven::audit
