// Scenes of the paper's kind: boxes the size of cars on random walks.
#pragma once

#include <vector>

#include "proven/base/random.h"
#include "proven/spacetime/check.h"

namespace proven::bench {

struct WalkScene {
  std::vector<spacetime::Obstacle> obstacles;
  spacetime::Trajectory candidate;
};

inline spacetime::Footprint car() {
  return spacetime::Footprint::box(4.5, 2.0).value();
}

// 150 poses 0.1 s apart; speed and rate of turn change at random.
spacetime::Trajectory random_walk(Random& random, int poses, double area);
WalkScene random_walk_scene(Random& random, int obstacles, int poses);

}  // namespace proven::bench
