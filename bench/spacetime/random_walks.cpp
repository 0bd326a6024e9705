#include "bench/spacetime/random_walks.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace proven::bench {

spacetime::Trajectory random_walk(Random& random, int poses, double area) {
  constexpr double kStep = 0.1, kFastest = 12;
  spacetime::Trajectory m;
  double x = random.uniform(-area, area), y = random.uniform(-area, area);
  double heading = random.uniform(-M_PI, M_PI), speed = random.uniform(0, kFastest), rate = 0;
  for (int i = 0; i < poses; ++i) {
    m.t.push_back(i * kStep);
    m.x.push_back(x), m.y.push_back(y), m.heading.push_back(heading);
    speed = std::clamp(speed + random.uniform(-0.5, 0.5), 0.0, kFastest);
    rate = std::clamp(rate + random.uniform(-0.1, 0.1), -0.6, 0.6);
    x += kStep * speed * std::cos(heading);
    y += kStep * speed * std::sin(heading);
    heading += kStep * rate;
  }
  return m;
}

WalkScene random_walk_scene(Random& random, int obstacles, int poses) {
  constexpr double kArea = 120;
  WalkScene scene;
  for (int i = 0; i < obstacles; ++i) {
    spacetime::Obstacle o;
    o.name = std::to_string(i);
    o.footprint = car();
    o.motion = random_walk(random, poses, kArea);
    scene.obstacles.push_back(std::move(o));
  }
  scene.candidate = random_walk(random, poses, 0.5 * kArea);
  return scene;
}

}  // namespace proven::bench
