// Robots for the tests of roadmaps: planar and spatial arms, sliding joints, meshes.
#pragma once

#include <string>
#include <vector>

#include "proven/kinematics/interpolation.h"
#include "proven/roadmap/grid.h"
#include "scenes/arms.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven::test {

struct TestRobot {
  std::string name;
  SceneSource source;
  Scene scene;
  roadmap::Grid grid;
};

// Without obstacles.
inline TestRobot make_robot(const std::string& name, SceneSource source, double cell, bool planar) {
  source.obstacles.clear();
  TestRobot robot{name, source, build_scene(source).value(), {}};
  Vec3 lo{-1.3, -1.3, -0.05}, hi{1.3, 1.3, 0.25};
  if (!planar) lo = {-3, -3, -3}, hi = {3, 3, 3};
  robot.grid = roadmap::cover_box({lo, hi}, {cell, cell, planar ? 0.5 : cell});
  return robot;
}

inline std::vector<TestRobot> all_robots() {
  std::vector<TestRobot> robots;
  robots.push_back(make_robot("planar 2", scenes::make_planar_arm(2), 0.04, true));
  robots.push_back(make_robot("planar 7", scenes::make_planar_arm(7), 0.03, true));
  robots.push_back(make_robot("spatial 6", scenes::make_spatial_arm(6), 0.1, false));
  robots.push_back(make_robot("gantry", make_scene("gantry").value(), 0.13, false));
  robots.push_back(make_robot("lever", make_scene("lever").value(), 0.09, false));
  robots.push_back(make_robot("industrial arm", make_scene("demo").value(), 0.12, false));
  return robots;
}

// Two configurations, the second at most `step` from the first in every coordinate.
inline std::vector<std::vector<double>> random_motion(const Scene& scene, Random& random,
                                                      double step) {
  std::vector<double> a = random_configuration(scene.tree(), random), b = a;
  for (std::size_t k = 0; k < b.size(); ++k) b[k] += random.uniform(-step, step);
  return {a, b};
}

}  // namespace proven::test
