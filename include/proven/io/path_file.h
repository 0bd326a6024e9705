// Paths and motions, queries and configurations from files.
//
// Formats, by ending and contents (docs/formats.md):
//   .json          {"proven": 1, "joints": [...], "waypoints": [[...], ...], "times": [...]}, or
//   with
//                  "pieces": [{"begin": 0, "end": 1, "bezier": [[...], ...]}, ...], or a ROS
//                  JointTrajectory {"joint_names": [...], "points": [{"positions": [...]}, ...]}
//   .yaml, .yml    the same in YAML; for queries a MoveIt motion plan request
//   .jsonl         one path (JSON, as above) per line
//   .csv           a header of joint names, one waypoint per line; a column "time" holds times,
//                  "joint.velocity" and "joint.acceleration" rates
//   .npy           an array of floats: a row for each waypoint, every coordinate in order
//   .txt, .path, .mat or none   a matrix as OMPL prints it: every coordinate of the scene in order
//
// Joints are "robot/joint", or "joint" where that is unambiguous. Those that are not named keep the
// scene's home value. A motion beyond its joint limits, anywhere on its way, is an error unless
// PathOptions say otherwise.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// What lies between the points of a trajectory (ROS, CSV).
enum class Interpolation {
  as_given,  // what a controller makes of it: linear, cubic with velocities, quintic with both
             // rates
  linear,    // straight lines, whatever else the points say
  cubic,     // accelerations are passed over
  quintic,
};

struct PathOptions {
  bool ignore_limits = false;
  Interpolation interpolation = Interpolation::as_given;
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
  std::vector<double> lower, upper;  // of each joint over all waypoints and control points
  bool timed = false;
};
// JSON and YAML paths; nothing if the file holds something else, such as a scene.
Result<std::optional<PathOutline>> inspect_path(const std::filesystem::path& file);

// Every coordinate is named. By the ending:
//   .json          values come back bit for bit: waypoints, or pieces where one is curved
//   .yaml, .yml    ROS's JointTrajectory, or RobotTrajectory if a base moves by transforms;
//   positions
//                  alone, with velocities (degree 2 or 3) or accelerations too. Read again, control
//                  points differ by at most 2^-45 of the largest; otherwise, such as where rates
//                  jump between pieces, an Error
//   .csv           the same with a column for each value and rate
//   .npy           waypoints as numpy.save writes them, of straight paths without times
// "-" is standard output, as .json.
// Joints go by the names of their driver, without "robot/", where there is one robot.
Result<void> save_path(const std::filesystem::path& file, const Motion& motion, const Scene& scene);

}  // namespace proven
