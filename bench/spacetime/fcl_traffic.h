// The paper's own way, on FCL: boxes in (x, y, t) under a dynamic AABB tree.
#pragma once

#include <memory>
#include <vector>

#include "proven/spacetime/traffic_scene.h"

namespace proven::bench {

enum class FclBoxes {
  oriented,       // as the paper: FCL bounds a turned box by a sphere, in time too
  world_aligned,  // the fair form: the tree holds tight boxes, the oriented ones are tested below
};

// Flat in time up to half a step, so that poses of one time meet and others do not.
class FclTraffic {
 public:
  FclTraffic(const std::vector<spacetime::Obstacle>& obstacles, FclBoxes boxes);
  ~FclTraffic();

  void build();  // the tree alone; objects are made by the constructor
  // The candidate's boxes, made before the query is timed.
  void set_candidate(const spacetime::Footprint& footprint, const spacetime::Trajectory& candidate);
  void build_candidate_tree();
  bool isolated() const;
  bool tree_against_tree() const;
  bool multiple_interference() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace proven::bench
