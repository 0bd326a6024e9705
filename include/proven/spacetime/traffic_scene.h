// Obstacles in workspace-time, ready to be asked about many trajectories.
//
// Time is cut into bins; every obstacle has one box per bin that holds all it does in that time,
// and one per 16 bins above it. The order of time is the order of the tree: nothing is sorted, no
// pointer is kept. The boxes only choose what is looked at closely; verdicts come from exact
// shapes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proven/spacetime/footprint.h"
#include "proven/spacetime/trajectory.h"

namespace proven::spacetime {

// A region of the world that is taken for a time; set-based predictions are lists of them.
struct Occupancy {
  double t_begin = 0, t_end = 0;
  Footprint region;  // in W
};

// Either it moves along a trajectory of at least two samples, and exists only from its first to its
// last; or it stands at `pose` for ever; or it is a list of occupancies.
struct Obstacle {
  std::string name;
  Footprint footprint;
  Trajectory motion;  // empty: it stands still
  Pose2 pose;
  std::vector<Occupancy> occupancies;  // not empty: footprint, motion and pose are not used

  bool is_set() const { return !occupancies.empty(); }
  bool moves() const { return !is_set() && motion.size() > 0; }
};

class TrafficScene {
 public:
  // An Error names the obstacle.
  static Result<TrafficScene> build(std::vector<Obstacle> obstacles);

  const std::vector<Obstacle>& obstacles() const;
  // From the first to the last time at which something other than a standing obstacle exists;
  // begin > end if there is none.
  double t_begin() const;
  double t_end() const;
  int num_bins() const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  explicit TrafficScene(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace proven::spacetime
