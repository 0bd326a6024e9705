// From what a guard is told to a scene.
#pragma once

#include "proven_moveit/guard.h"

namespace proven::adapters {

bool same(const Surroundings& a, const Surroundings& b);

// The scene with the robot of `robot`, whose bodies are "prefix" + link. Geometry of things that
// one of the `known` scenes holds is taken from there. Fails on joined links that are not allowed
// to touch, on paddings that are not positive numbers, and as build_scene does.
Result<Scene> scene_of(const Scene& robot, const std::string& prefix, const Surroundings& around,
                       const std::vector<const Scene*>& known);

}  // namespace proven::adapters
