#include "tools/roadmap_session.h"

#include <chrono>

#include "proven/io/roadmap_file.h"
#include "proven/verify/verify.h"

namespace proven::tools {
namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
void timed(double& milliseconds, Work&& work) {
  const auto begin = Clock::now();
  work();
  milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

Result<std::unique_ptr<RoadmapSession>> RoadmapSession::open(const std::string& roadmap_file,
                                                             const SceneSource& fixed,
                                                             bool trust_srdf_never) {
  auto session = std::make_unique<RoadmapSession>();
  auto scene = build_scene(fixed, trust_srdf_never);
  if (!scene.ok()) return scene.error();
  session->scene_ = std::move(scene).value();
  session->fixed_ = session->scene_.description();
  auto model = load_roadmap(roadmap_file);
  if (!model.ok()) return model.error();
  session->model_ = std::make_unique<roadmap::Model>(std::move(model).value());
  session->obstacles_ = std::make_unique<ObstacleSet>(session->model_->grid);
  auto planner = roadmap::Planner::create(*session->model_, session->scene_);
  if (!planner.ok()) return Error{planner.error().code, planner.error().message, roadmap_file};
  session->planner_ = std::make_unique<roadmap::Planner>(std::move(planner).value());
  return session;
}

// Builds the true scene if obstacles have changed.
Result<void> RoadmapSession::update_truth() {
  if (true_revision_ == obstacles_->revision()) return {};
  true_source_ = fixed_;
  for (ObstacleSource& o : obstacles_->sources()) true_source_.obstacles.push_back(std::move(o));
  auto truth = build_scene(true_source_);
  if (!truth.ok()) return truth.error();
  truth_ = std::make_unique<Scene>(std::move(truth).value());
  true_revision_ = obstacles_->revision();
  return {};
}

Result<RoadmapAnswer> RoadmapSession::answer(const std::vector<double>& start,
                                             const std::vector<double>& goal,
                                             const roadmap::QueryOptions& options, bool verify) {
  RoadmapAnswer answer;
  RoadmapTimes& times = answer.times;
  timed(times.voxelise, [&] { obstacles_->cells(); });
  timed(times.update, [&] { planner_->set_occupied(obstacles_->cells()); });
  Result<void> current;
  timed(times.scene, [&] { current = update_truth(); });
  if (!current.ok()) return current.error();
  Result<roadmap::QueryResult> found = bad_input("");
  timed(times.plan, [&] { found = planner_->plan(start, goal, truth_.get(), options); });
  if (!found.ok()) return found.error();
  answer.query = std::move(found).value();
  if (answer.query.status != roadmap::QueryStatus::solved) return answer;
  CheckOptions check_options = options.check;
  check_options.certificate = true;
  Result<CheckResult> proof = bad_input("");
  timed(times.check, [&] { proof = check(*truth_, answer.query.path, check_options, scratch_); });
  if (!proof.ok()) return proof.error();
  answer.verdict = proof.value().verdict;
  answer.certificate = std::move(proof.value().certificate);
  if (verify && answer.verdict == Verdict::free) {
    VerifyOptions verify_options;
    verify_options.trust_srdf_never = fixed_.trust_srdf_never;
    timed(times.verify, [&] {
      answer.verified =
          proven::verify(true_source_, answer.query.path, answer.certificate, verify_options)
              .accepted;
    });
  }
  return answer;
}

}  // namespace proven::tools
