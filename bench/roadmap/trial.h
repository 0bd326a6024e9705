// One robot with its roadmap: obstacles change, a plan is made, proved and verified.
#pragma once

#include <memory>
#include <string>

#include "proven/certify/scratch.h"
#include "proven/roadmap/planner.h"
#include "proven/scene/scene.h"

namespace proven::bench {

struct TrialRobot {
  std::string name;
  SceneSource source;  // without moving obstacles
  Scene scene;
  roadmap::Model model;
};

// Arms of ours and, where the data is there, real robots from files. `most` of them at most.
Result<std::vector<std::unique_ptr<TrialRobot>>> trial_robots(int most, int nodes, int threads,
                                                              std::uint64_t seed);
// A real robot ("universal_ur5/ur5"), on a grid of the given cells.
Result<std::unique_ptr<TrialRobot>> real_robot(const std::string& name, int nodes, double cell,
                                               int threads, std::uint64_t seed);

// Milliseconds.
struct TrialTimes {
  double voxelise = 0, update = 0, plan = 0, scene = 0, check = 0, verify = 0;
};

struct TrialOutcome {
  roadmap::QueryStatus status = roadmap::QueryStatus::none;
  bool proved = false, verified = false;
  int won_back = 0;
  TrialTimes times;
};

class Trial {
 public:
  explicit Trial(const TrialRobot& robot, const roadmap::QueryOptions& options = {});

  // The obstacles of now; then plans from start to goal among them.
  Result<void> set_obstacles(const std::vector<ObstacleSource>& obstacles);
  Result<TrialOutcome> plan(const std::vector<double>& start, const std::vector<double>& goal);

  const Scene& truth() const { return *truth_; }
  const roadmap::Planner& planner() const { return *planner_; }

 private:
  const TrialRobot& robot_;
  roadmap::QueryOptions options_;
  std::unique_ptr<roadmap::Planner> planner_;
  SceneSource source_;
  std::unique_ptr<Scene> truth_;
  TrialTimes times_;
  Scratch scratch_;
};

}  // namespace proven::bench
