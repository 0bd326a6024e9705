// Scenes and motions for the suite of sweeps: made so that little stands between a sweep's bounds
// and what is true.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "proven/base/random.h"
#include "proven/scene/scene.h"

namespace proven::bench {

enum class SweepKind {
  balls,      // links of spheres on a few joints: their cover is exact, and so is their bend
  trees,      // robots of every joint type, shapes of every kind, things in the hand
  contained,  // something lies inside something else, and nothing touches
  far,        // balls and trees 10 to 1000 m from the world's origin
  real,       // real robots
};
inline constexpr std::array kSweepKinds = {SweepKind::balls, SweepKind::trees, SweepKind::contained,
                                           SweepKind::far, SweepKind::real};

// Nothing if the random parts make no scene. Not for real robots.
std::shared_ptr<const Scene> make_sweep_scene(SweepKind kind, Random& random);

struct RealRobot {
  std::string name;
  std::shared_ptr<const Scene> scene;
};
// Panda, UR5, iiwa and PR2 among obstacles, where their files are.
std::vector<RealRobot> load_real_robots(const std::filesystem::path& data);

// One piece of degree 1 to 5; of a real robot within its limits.
Motion random_sweep_motion(const Scene& scene, bool real, Random& random);

}  // namespace proven::bench
