// A roadmap with its scene and its obstacles: updates, plans, and the proof of each path.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/certify/check.h"
#include "proven/roadmap/planner.h"
#include "proven/scene/scene.h"
#include "proven/verify/verify.h"
#include "tools/roadmap_obstacles.h"

namespace proven::tools {

// Milliseconds.
struct RoadmapTimes {
  // `apply` prepares what a change brings, its cells included; `voxelise` joins the cells of all.
  double apply = 0, voxelise = 0, update = 0, plan = 0, smooth = 0, scene = 0, check = 0,
         verify = 0;
  double total() const {
    return apply + voxelise + update + plan + smooth + scene + check + verify;
  }
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

  // Brings the roadmap up to date, plans, shortens the path for so long, proves it, and (if asked)
  // verifies.
  Result<RoadmapAnswer> answer(const std::vector<double>& start, const std::vector<double>& goal,
                               const roadmap::QueryOptions& options, double smooth_ms, bool verify);

 private:
  Result<void> update_truth();
  Result<void> shorten(const CheckOptions& check, double milliseconds, roadmap::QueryResult& found);

  // Has the verifier prepare the true scene of now, in a thread of its own: a path is sought and
  // proved meanwhile.
  void prepare_verifier();
  bool verify(const Motion& path, std::span<const std::uint8_t> certificate);

  SceneSource fixed_, true_source_;  // with prepared geometry
  std::int64_t true_revision_ = -1;  // of the obstacles in `truth_`
  ObstacleSet::Items true_items_;    // these
  std::optional<CheckModel> truth_;
  Scene scene_;
  // The true scene that the verifier refers to. Both belong to `preparing_` until that is done.
  std::unique_ptr<SceneSource> verified_source_;
  std::optional<Verifier> verifier_;
  std::int64_t verified_revision_ = -1;
  std::unique_ptr<roadmap::Model> model_;
  std::unique_ptr<ObstacleSet> obstacles_;
  std::unique_ptr<roadmap::Planner> planner_;
  Scratch scratch_;
  std::future<void> preparing_;  // last: what it works on must be there until it ends
};

}  // namespace proven::tools
