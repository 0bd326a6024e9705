// Scenes and motions for the suite of sweeps: made so that little stands between a sweep's bounds
// and what is true.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/suite/suite.h"
#include "proven/base/random.h"
#include "proven/scene/scene.h"

namespace proven::bench {

enum class SweepKind {
  balls,      // links of spheres on a few joints: their cover is exact, and so is their bend
  arcs,       // a ball on one or two parallel axes, obstacles outside of where its way bends most
  trees,      // robots of every joint type, shapes of every kind, things in the hand
  contained,  // something lies inside something else, and nothing touches
  far,        // balls and trees 10 to 1000 m from the world's origin
  real,       // real robots
};
struct SweepScene {
  std::shared_ptr<const Scene> scene;  // null if the random parts make none
  std::vector<Motion> motions;         // that it was made for; empty: any
};
// Which pairs are looked at: tables for two bodies that both move take most of the time.
enum class SweepPairs { all, not_self, world };
// Not for real robots.
SweepScene make_sweep_scene(SweepKind kind, SweepPairs pairs, Random& random);

// Panda, UR5, iiwa and PR2 among obstacles, where their files are.
std::vector<SuiteEntry> real_robot_entries(const std::filesystem::path& data);

// One piece of degree 1 to 5; of a real robot within its limits.
Motion random_sweep_motion(const Scene& scene, bool real, Random& random);

}  // namespace proven::bench
