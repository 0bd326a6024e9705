// Trajectories as planners and drivers keep them in memory: points with values of named joints, and
// perhaps times and rates; and the motion that a controller makes of them.
#pragma once

#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/io/path_file.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

struct Trajectory {
  std::vector<std::string> joints;  // "robot/joint", or "joint" where that is unambiguous
  // A row for each point with a value for each joint; rates of all points or of none.
  std::vector<std::vector<double>> positions, velocities, accelerations;
  std::vector<double> times;  // seconds, increasing; one per point, or none
};

// As a file that says the same is read (docs/formats.md): straight lines, cubics with velocities,
// quintics with accelerations too, or what the options ask for. Joints that are not named stay at
// the scene's home. Errors name the point, counted from 0.
Result<Motion> to_motion(const Trajectory& trajectory, const Scene& scene,
                         const PathOptions& options = {});

// All coordinates of the scene by their names, with rates where pieces are curved. Fails, like
// save_path, unless the motion that is made of it is the same but for rounding, and where a ball
// joint moves.
Result<Trajectory> to_trajectory(const Motion& motion, const Scene& scene);

}  // namespace proven
