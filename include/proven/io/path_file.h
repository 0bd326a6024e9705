// Paths, queries and configurations from files.
//
// Formats, by ending and contents:
//   .json          {"proven": 1, "joints": [...], "waypoints": [[...], ...], "times": [...]}, or a
//   ROS
//                  JointTrajectory {"joint_names": [...], "points": [{"positions": [...]}, ...]}
//   .yaml, .yml    the same in YAML; for queries a MoveIt motion plan request
//   .jsonl         one path (JSON, as above) per line
//   .csv           a header of joint names, one waypoint per line; a column "time" holds times
//   .txt, .path, .mat or none   a matrix as OMPL prints it: every coordinate of the scene in order
//
// Joints are "robot/joint", or "joint" where that is unambiguous. Those that are not named keep the
// scene's home value. A path beyond its joint limits is an error unless PathOptions say otherwise.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

struct PathOptions {
  bool ignore_limits = false;
  // Reads the straight lines between the positions of a trajectory, whatever else its points say.
  // Otherwise velocities, accelerations and efforts that are not zero are refused.
  bool linear = false;
};

// At least one waypoint.
Result<Path> load_path(const std::filesystem::path& file, const Scene& scene,
                       const PathOptions& options = {});
// A *.jsonl file: one entry per line that is not blank; a bad line is an Error in its place. Other
// files are a list of one path.
Result<std::vector<Result<Path>>> load_paths(const std::filesystem::path& file, const Scene& scene,
                                             const PathOptions& options = {});

// {"proven": 1, "joints": [...], "start": [...], "goal": [...]}, or a motion plan request, whose
// start state may name joints that the scene cannot move (they are passed over).
Result<Query> load_query(const std::filesystem::path& file, const Scene& scene,
                         const PathOptions& options = {});

// Values of the named joints.
Result<void> save_query(const std::filesystem::path& file, const std::vector<std::string>& joints,
                        const std::vector<double>& start, const std::vector<double>& goal);

// A path with one waypoint, or the start of a query.
Result<std::vector<double>> load_configuration(const std::filesystem::path& file,
                                               const Scene& scene, const PathOptions& options = {});

// What a path file says by itself, without the scene that gives it meaning.
struct PathOutline {
  std::vector<std::string> joints;
  int num_waypoints = 0;
  std::vector<double> lower, upper;  // of each joint over all waypoints
  bool timed = false;
};
// JSON and YAML paths; nothing if the file holds something else, such as a scene.
Result<std::optional<PathOutline>> inspect_path(const std::filesystem::path& file);

// Our JSON, with every coordinate named; values come back bit for bit.
Result<void> save_path(const std::filesystem::path& file, const Path& path, const Scene& scene);

}  // namespace proven
