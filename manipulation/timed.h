// Motions with times: how long one takes is how long the arm takes to run it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proven/base/budget.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven::manipulation {

// Seconds from the first time to the last; 0 without times.
double duration_of(const Motion& motion);

// Shorter, as far as some hundred steps lead; what the fingers do at the ends stays.
Result<Path> shortened(const Scene& scene, const Path& path, int fingers, std::uint64_t seed,
                       const Budget& budget);

// Whether a motion is one that the task allows, besides being free: of what is carried, say.
using Allowed = std::function<bool(const Motion&)>;

// A free path becomes a motion with times, each phase from rest to rest: what the coordinate
// `fingers` (-1: none) does at the ends is done before the arm moves and after it has stopped.
// Corners are cut as far as the scene and `allowed` permit. The same on every machine.
Result<Motion> with_times(const Scene& scene, const Path& path, int fingers,
                          const Allowed& allowed = {});

// Why joints cannot run it, or nothing: it must begin and end at rest, keep the limits of velocity
// and acceleration at every time, and change its velocity nowhere at once.
std::string refute_times(const KinematicTree& tree, const Motion& motion);

}  // namespace proven::manipulation
