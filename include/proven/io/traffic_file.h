// Traffic: scenes of moving obstacles and candidate trajectories from files.
//
// Scenes, by ending: CommonRoad .xml (2018b, 2020a), or .json:
//   {"proven": 1, "obstacles": [
//     {"name": "car", "box": [4.5, 2.0], "times": [0, 0.1, ...], "poses": [[x, y, heading], ...],
//      "between": "linear" | "arc" | "bounded_acceleration", "max_acceleration": 3},
//     {"name": "post", "circle": 0.3, "pose": [x, y, heading]},
//     {"name": "set", "occupancy": [{"from": 0, "to": 0.5, "polygon": [[x, y], ...]}, ...]}]}
// Trajectories: .json {"proven": 1, "box": [4.5, 2.0], "trajectories": [{"name": ..., "times": ...,
// "poses": ...}, ...]}, or .csv with the columns time, x, y, heading and optionally trajectory.
// Shapes: "box" [length, width], "circle" radius, "polygon" [[x, y], ...], or "parts", a list of
// shapes, each with an optional "centre" [x, y].
//
// Headings between two samples turn the shorter way unless "turns" is "literal".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/spacetime/goal.h"
#include "proven/spacetime/traffic_scene.h"

namespace proven {

using spacetime::Lanelet;
using spacetime::PlanningProblem;

struct TrafficFile {
  std::string name;
  std::vector<spacetime::Obstacle> obstacles;
  std::vector<Lanelet> lanelets;
  std::vector<spacetime::TrafficLight> lights;
  std::vector<PlanningProblem> problems;
  double time_step = 0;              // 0: the file has none
  std::vector<std::string> remarks;  // what was read in a way that people should know
};

Result<TrafficFile> load_traffic(const std::filesystem::path& file);

struct NamedTrajectory {
  std::string name;
  spacetime::Footprint footprint;  // no pieces: the file gives none
  spacetime::Trajectory trajectory;
};
// At least one.
Result<std::vector<NamedTrajectory>> load_trajectories(const std::filesystem::path& file);

}  // namespace proven
