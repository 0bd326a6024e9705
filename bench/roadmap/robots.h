// The arms of the roadmap benchmarks: numbers of joints as in paper 004.
#pragma once

#include "proven/roadmap/roadmap.h"
#include "scenes/arms.h"

namespace proven::bench {

struct ArmCase {
  std::string name;
  bool planar = true;
  int joints = 2;
  Scene scene;
};

inline ArmCase make_arm_case(bool planar, int joints) {
  const SceneSource source =
      planar ? scenes::make_planar_arm(joints) : scenes::make_spatial_arm(joints);
  return {(planar ? "planar-" : "spatial-") + std::to_string(joints), planar, joints,
          build_scene(source).value()};
}

// Cells: 64 across the reach of a planar arm, 24 of a spatial one.
inline roadmap::BuildOptions arm_options(const ArmCase& arm, int nodes, int threads,
                                         std::uint64_t seed) {
  roadmap::BuildOptions options;
  options.nodes = nodes;
  options.neighbours = 5;
  options.seed = seed;
  options.threads = threads;
  options.planar = arm.planar;
  options.cell = arm.planar ? 1.0 / 32 : 1.0 / 12;
  return options;
}

}  // namespace proven::bench
