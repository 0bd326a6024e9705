// A roadmap with its scene and its obstacles: updates, plans, and the proof of each path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proven/certify/check.h"
#include "proven/roadmap/planner.h"
#include "proven/scene/scene.h"
#include "tools/roadmap_obstacles.h"

namespace proven::tools {

// Milliseconds.
struct RoadmapTimes {
  double voxelise = 0, update = 0, plan = 0, scene = 0, check = 0, verify = 0;
  double total() const { return voxelise + update + plan + scene + check + verify; }
};

struct RoadmapAnswer {
  roadmap::QueryResult query;
  Verdict verdict = Verdict::undecided;  // of the path among the true obstacles
  std::vector<std::uint8_t> certificate;
  bool verified = false;  // by the independent verifier
  RoadmapTimes times;
};

class RoadmapSession {
 public:
  // `fixed`: the robot and what never moves.
  static Result<std::unique_ptr<RoadmapSession>> open(const std::string& roadmap_file,
                                                      const SceneSource& fixed,
                                                      bool trust_srdf_never);

  const roadmap::Model& model() const { return *model_; }
  const Scene& scene() const { return scene_; }
  ObstacleSet& obstacles() { return *obstacles_; }
  roadmap::Planner& planner() { return *planner_; }
  // The scene with the obstacles of now.
  const SceneSource& true_source() const { return true_source_; }

  // Brings the roadmap up to date, plans, proves, and (if asked) verifies.
  Result<RoadmapAnswer> answer(const std::vector<double>& start, const std::vector<double>& goal,
                               const roadmap::QueryOptions& options, bool verify);

 private:
  Result<void> update_truth();

  SceneSource fixed_, true_source_;  // with prepared geometry
  std::int64_t true_revision_ = -1;  // of the obstacles in `truth_`
  std::unique_ptr<Scene> truth_;
  Scene scene_;
  std::unique_ptr<roadmap::Model> model_;
  std::unique_ptr<ObstacleSet> obstacles_;
  std::unique_ptr<roadmap::Planner> planner_;
  Scratch scratch_;
};

}  // namespace proven::tools
