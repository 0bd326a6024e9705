// The built-in scenes: the environments of Schwarzer, Saha, Latombe, "Adaptive Dynamic Collision
// Checking" (paper 001) and its forerunner (paper 000), and small ones for tests and the demo. All
// are generated from parameters, the same on every machine, in metres.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/scene.h"
#include "proven/scene/scene_source.h"

namespace proven {

// A motion to plan or to check: values of `joints` ("robot/joint") at both ends; both are free of
// collision. Empty where a scene has none.
struct SceneQuery {
  std::vector<std::string> joints;
  std::vector<double> start, goal;
};

struct SceneInfo {
  std::string name;
  std::string caption;
  std::string figure;           // in paper 001, e.g. "11a"; empty for our own scenes
  int joints = 0;               // coordinates that can be set
  int robot_triangles = 0;      // all robots together
  int obstacle_triangles = 0;   // primitives count as none
  double reference_length = 0;  // L_ref of paper 001, table II; 0 where it gives none
  SceneQuery query;
};

// In the order of the papers' figures, then our own. Built once.
std::span<const SceneInfo> list_scenes();
// nullptr if there is none of that name.
const SceneInfo* find_scene(std::string_view name);

struct SceneParameters {
  // floor, box, narrow-box: height of the gun's tip over the surface it sweeps, > 0.
  double clearance = 0.0101;
};

// Any name of list_scenes(), and "planar-N" for any N from 1 to 100.
Result<SceneSource> make_scene(std::string_view name, const SceneParameters& parameters = {});

}  // namespace proven
