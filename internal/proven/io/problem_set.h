// Sets of planning problems for one robot: the JSON in which MotionBenchMaker's problems are kept.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

struct Problem {
  std::string set;  // e.g. "bookshelf_small"
  int index = 0;    // within the set, as the file counts
  std::string group;
  std::vector<double> start, goal;  // of ProblemSet::joints
  std::vector<ObstacleSource> obstacles;
  std::string place;  // in the file, for messages
};

struct ProblemSet {
  std::filesystem::path file;
  // The robot with its allowed pairs and rest values; its geometry is built once and shared by all
  // scenes of the set.
  SceneSource scene_without_obstacles;
  std::vector<std::string>
      joints;                     // full names ("panda/panda_joint1"), in the order of start, goal
  std::vector<Problem> problems;  // by set, then as in the file

  int size() const { return static_cast<int>(problems.size()); }
};

struct ProblemSetOptions {
  std::filesystem::path robot;  // URDF to use instead of "<robot>.urdf" beside the file
  std::map<std::string, std::filesystem::path> packages;
};

// The robot's URDF, and its SRDF if there is one, stand beside the file. Joints that the robot
// cannot move are passed over in "other_joints".
Result<ProblemSet> load_problem_set(const std::filesystem::path& file,
                                    const ProblemSetOptions& options = {});

// 0 <= index < set.size().
Result<Scene> problem_scene(const ProblemSet& set, int index, bool trust_srdf_never = false);
Result<Query> problem_query(const ProblemSet& set, int index, const Scene& scene);

}  // namespace proven
