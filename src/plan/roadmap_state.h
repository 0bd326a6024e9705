// What a roadmap holds.
#pragma once

#include "proven/certify/check.h"
#include "proven/kinematics/joint_graph.h"
#include "proven/plan/roadmap.h"

namespace proven {

struct Roadmap::State {
  JointGraph graph;
  std::vector<EdgeState> states;  // per edge
  int neighbours = 10;
  CheckOptions check;
  Hash128 scene_hash;

  // A model for everything that the roadmap may ask.
  Result<CheckModel> model(const Scene& scene) const;
};

// Planned coordinates, ranges and metric for a scene; fails on ball joints.
Result<void> prepare_roadmap(const Scene& scene, std::span<const int> planned,
                             std::span<const double> rest, Roadmap::State& state);

}  // namespace proven
