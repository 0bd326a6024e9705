#include "tools/roadmap_session.h"

#include <algorithm>
#include <chrono>

#include "proven/io/roadmap_file.h"
#include "proven/plan/smooth.h"

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

// Edits the true scene where obstacles have changed; the model of it follows.
Result<void> RoadmapSession::update_truth() {
  if (true_revision_ == obstacles_->revision()) return {};
  const ObstacleSet::Items& items = obstacles_->items();
  const auto has = [](const ObstacleSet::Items& all, const auto& item) {
    return std::ranges::find(all, item) != all.end();
  };
  Scene scene = truth_ ? truth_->scene() : scene_;
  const auto take = [&](Result<Scene> edited) -> Result<void> {
    if (!edited.ok()) return edited.error();
    scene = std::move(edited).value();
    return {};
  };
  for (const auto& item : true_items_)
    if (!has(items, item))
      if (auto done = take(scene.without(item->source.name)); !done.ok()) return done;
  for (const auto& item : items) {
    if (has(true_items_, item)) continue;
    ObstacleSource source = item->source;
    source.geometry = item->geometry;
    if (auto done = take(scene.with_obstacle(std::move(source))); !done.ok()) return done;
  }
  if (truth_) {
    truth_ = truth_->with_scene(scene);
  } else {
    auto model = CheckModel::build(scene);
    if (!model.ok()) return model.error();
    truth_ = std::move(model).value();
  }
  true_items_ = items;
  true_source_ = scene.description();
  true_revision_ = obstacles_->revision();
  return {};
}

// The verifier follows the scene: of bodies that did not change it keeps what it prepared.
void RoadmapSession::prepare_verifier() {
  if (preparing_.valid()) preparing_.get();
  if (verified_revision_ == true_revision_ && verifier_) return;
  verified_revision_ = true_revision_;
  auto source = std::make_unique<SceneSource>(true_source_);
  preparing_ = std::async(std::launch::async, [this, source = std::move(source)]() mutable {
    VerifyOptions options;
    options.trust_srdf_never = fixed_.trust_srdf_never;
    verifier_ =
        verifier_ ? Verifier(*source, options, std::move(*verifier_)) : Verifier(*source, options);
    verified_source_ = std::move(source);
  });
}

bool RoadmapSession::verify(const Motion& path, std::span<const std::uint8_t> certificate) {
  if (preparing_.valid()) preparing_.get();
  return verifier_->verify(path, certificate).accepted;
}

// Whatever the time allows: the path is never longer than it was.
Result<void> RoadmapSession::shorten(const CheckOptions& check, double milliseconds,
                                     roadmap::QueryResult& found) {
  if (!(milliseconds > 0)) return {};
  SmoothOptions options;
  options.check.clearance = check.clearance;
  options.check.tracking_error = check.tracking_error;
  auto shorter = smooth(*truth_, found.path, options, Budget::of_seconds(1e-3 * milliseconds));
  if (!shorter.ok()) return shorter.error();
  found.path = std::move(shorter.value().path);
  found.length = shorter.value().length_after;
  return {};
}

Result<RoadmapAnswer> RoadmapSession::answer(const std::vector<double>& start,
                                             const std::vector<double>& goal,
                                             const roadmap::QueryOptions& options, double smooth_ms,
                                             bool verify) {
  RoadmapAnswer answer;
  RoadmapTimes& times = answer.times;
  timed(times.voxelise, [&] { obstacles_->cells(); });
  timed(times.update, [&] { planner_->set_occupied(obstacles_->cells()); });
  Result<void> current;
  timed(times.scene, [&] { current = update_truth(); });
  if (!current.ok()) return current.error();
  if (verify) timed(times.verify, [&] { prepare_verifier(); });
  Result<roadmap::QueryResult> found = bad_input("");
  timed(times.plan, [&] { found = planner_->plan(start, goal, &truth_->scene(), options); });
  if (!found.ok()) return found.error();
  answer.query = std::move(found).value();
  if (answer.query.status != roadmap::QueryStatus::solved) return answer;
  Result<void> shorter;
  timed(times.smooth, [&] { shorter = shorten(options.check, smooth_ms, answer.query); });
  if (!shorter.ok()) return shorter.error();
  CheckOptions check_options = options.check;
  check_options.certificate = true;
  Result<CheckResult> proof = bad_input("");
  timed(times.check, [&] {
    const auto model = truth_->with_options(check_options);
    proof = model.ok() ? model.value().check(answer.query.path, scratch_)
                       : Result<CheckResult>(model.error());
  });
  if (!proof.ok()) return proof.error();
  answer.verdict = proof.value().verdict;
  answer.certificate = std::move(proof.value().certificate);
  if (verify && answer.verdict == Verdict::free)
    timed(times.verify,
          [&] { answer.verified = this->verify(answer.query.path, answer.certificate); });
  return answer;
}

}  // namespace proven::tools
