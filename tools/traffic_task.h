// What a planning problem of a traffic file asks of a drive: the way, its limits and its border.
#pragma once

#include "proven/io/traffic_file.h"
#include "proven/spacetime/drive.h"

namespace proven::tools {

struct TaskOptions {
  spacetime::VehicleModel vehicle;
  bool ignore_road = false;
};

// The task, with the way found. An Error says that the start is not on the road.
struct PlannedTask {
  spacetime::DriveTask task;
  bool way_to_goal = true;  // false: no lane leads to a goal
  double desired_speed = 0;
};
Result<PlannedTask> make_task(const TrafficFile& file, const PlanningProblem& problem,
                              const TaskOptions& options);

// Takes recordings of the vehicle itself out of the file: what starts where and when it does.
// Returns their names.
std::vector<std::string> drop_own_recordings(TrafficFile& file, const PlanningProblem& problem);

// How a trajectory stands to the road.
struct RoadFinding {
  bool on_road = true;   // proved: all of the outline, at all times
  double t = 0;          // the first time at which that is not so
  std::string against;   // a lanelet that is driven against its direction, ...
  double against_t = 0;  // ... and when
};
Result<RoadFinding> look_at_road(const spacetime::Road& road, const spacetime::Footprint& shape,
                                 const spacetime::Trajectory& motion);

}  // namespace proven::tools
