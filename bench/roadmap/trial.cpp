#ifdef PROVEN_BENCH_WITH_FCL
#include "bench/roadmap/trial.h"

#include <chrono>

#include "bench/data.h"
#include "proven/certify/check.h"
#include "proven/io/scene_file.h"
#include "proven/verify/verify.h"
#include "scenes/arms.h"

namespace proven::bench {
namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double time_ms(Work&& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Prepared meshes are shared by all scenes with this robot.
void share_geometry(SceneSource& source, const Scene& scene) {
  for (RobotSource& robot : source.robots)
    for (RobotLink& link : robot.robot.links) {
      const int body = scene.find_body(robot.name + "/" + link.name);
      if (body >= 0) link.geometry = scene.body(body).geometry;
    }
}

Result<std::unique_ptr<TrialRobot>> make(const std::string& name, SceneSource source, int nodes,
                                         double cell, bool planar, int threads,
                                         std::uint64_t seed) {
  auto robot = std::make_unique<TrialRobot>();
  auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  robot->name = name;
  robot->scene = std::move(scene).value();
  share_geometry(source, robot->scene);
  robot->source = std::move(source);
  roadmap::BuildOptions options;
  options.nodes = nodes;
  options.neighbours = 7;
  options.cell = cell;
  options.planar = planar;
  options.threads = threads;
  options.seed = seed;
  auto model = roadmap::build(robot->scene, {}, robot->scene.home(), options);
  if (!model.ok()) return model.error();
  robot->model = std::move(model).value();
  return robot;
}

}  // namespace

Result<std::unique_ptr<TrialRobot>> real_robot(const std::string& name, int nodes, double cell,
                                               int threads, std::uint64_t seed) {
  auto source = load_scene_source(data_dir() / "robots" / (name + ".urdf"));
  if (!source.ok()) return source.error();
  return make(name.substr(name.find('/') + 1), std::move(source).value(), nodes, cell, false,
              threads, seed);
}

Result<std::vector<std::unique_ptr<TrialRobot>>> trial_robots(int most, int nodes, int threads,
                                                              std::uint64_t seed) {
  std::vector<std::unique_ptr<TrialRobot>> robots;
  const auto add = [&](Result<std::unique_ptr<TrialRobot>> robot) -> Result<void> {
    if (!robot.ok()) return robot.error();
    robots.push_back(std::move(robot).value());
    return {};
  };
  for (const auto& [planar, joints] :
       {std::pair{true, 2}, std::pair{true, 5}, std::pair{false, 3}, std::pair{false, 6}}) {
    SceneSource source =
        planar ? scenes::make_planar_arm(joints) : scenes::make_spatial_arm(joints);
    const std::string name = (planar ? "planar-" : "spatial-") + std::to_string(joints);
    if (static_cast<int>(robots.size()) == most) return robots;
    if (auto done =
            add(make(name, std::move(source), nodes, planar ? 0.04 : 0.08, planar, threads, seed));
        !done.ok())
      return done.error();
  }
  for (const char* name : {"universal_ur5/ur5", "kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820",
                           "fanuc_lrmate200ic/lrmate200ic"}) {
    if (static_cast<int>(robots.size()) == most) return robots;
    if (!std::filesystem::exists(data_dir() / "robots" / (std::string(name) + ".urdf"))) continue;
    if (auto done = add(real_robot(name, nodes, 0.08, threads, seed)); !done.ok())
      return done.error();
  }
  return robots;
}

Trial::Trial(const TrialRobot& robot, const roadmap::QueryOptions& options)
    : robot_(robot),
      options_(options),
      planner_(std::make_unique<roadmap::Planner>(
          roadmap::Planner::create(robot.model, robot.scene).value())) {}

Result<void> Trial::set_obstacles(const std::vector<ObstacleSource>& obstacles) {
  times_ = {};
  const roadmap::Grid& grid = robot_.model.grid;
  roadmap::CellMask mask(grid);
  Result<void> marked;
  times_.voxelise = time_ms([&] {
    for (const ObstacleSource& o : obstacles)
      if (marked.ok()) marked = mark_obstacle(grid, o.elements, o.X_WB, mask);
  });
  if (!marked.ok()) return marked;
  times_.update = time_ms([&] { planner_->set_occupied(mask); });
  Result<Scene> truth = bad_input("");
  times_.scene = time_ms([&] {
    source_ = robot_.source;
    source_.obstacles.insert(source_.obstacles.end(), obstacles.begin(), obstacles.end());
    truth = build_scene(source_);
  });
  if (!truth.ok()) return truth.error();
  truth_ = std::make_unique<Scene>(std::move(truth).value());
  return {};
}

Result<TrialOutcome> Trial::plan(const std::vector<double>& start,
                                 const std::vector<double>& goal) {
  TrialOutcome outcome;
  outcome.times = times_;
  Result<roadmap::QueryResult> found = bad_input("");
  outcome.times.plan =
      time_ms([&] { found = planner_->plan(start, goal, truth_.get(), options_); });
  if (!found.ok()) return found.error();
  outcome.status = found.value().status;
  outcome.won_back = found.value().won_back;
  if (outcome.status != roadmap::QueryStatus::solved) return outcome;
  CheckOptions options;
  options.certificate = true;
  Result<CheckResult> proof = bad_input("");
  outcome.times.check =
      time_ms([&] { proof = check(*truth_, found.value().path, options, scratch_); });
  if (!proof.ok()) return proof.error();
  outcome.proved = proof.value().verdict == Verdict::free;
  outcome.times.verify = time_ms([&] {
    outcome.verified =
        outcome.proved && verify(source_, found.value().path, proof.value().certificate).accepted;
  });
  return outcome;
}

}  // namespace proven::bench
#endif
