#include "proven/plan/repair.h"

#include <chrono>

#include "proven/kinematics/interpolation.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/smooth.h"

namespace proven {
namespace {

using Clock = std::chrono::steady_clock;

// Appends pieces one after the other.
class MotionWriter {
 public:
  MotionWriter(std::vector<double> start, bool curved) : curved_(curved) {
    motion_.waypoints.push_back(std::move(start));
  }
  void add(const MotionPiece& piece) {
    motion_.waypoints.emplace_back(piece.to.begin(), piece.to.end());
    if (curved_) motion_.inner.emplace_back(piece.inner.begin(), piece.inner.end());
  }
  void add(const Path& path) {
    for (int i = 0; i < path.num_segments(); ++i) add(path.piece(i));
  }
  const std::vector<double>& end() const { return motion_.waypoints.back(); }
  Motion take() && { return std::move(motion_); }

 private:
  bool curved_;
  Motion motion_;
};

CheckOptions check_options(const Monitor& monitor) {
  CheckOptions check = proving_check();
  check.clearance = monitor.options().clearance;
  check.tracking_error = monitor.options().tracking_error;
  check.sweep = monitor.options().sweep;
  check.limits = monitor.options().limits;
  return check;
}

// A path around one stretch, or the reason why there is none in `result`.
Result<bool> plan_around(const CheckModel& model, const Query& query, const RepairOptions& options,
                         const Budget& budget, RepairResult& result, Path& path) {
  PlanOptions planning = options.plan;
  planning.check = model.options();
  auto planned = plan(model, query, planning, budget);
  if (!planned.ok()) return planned.error();
  PlanResult& found = planned.value();
  result.stats.iterations += found.stats.iterations;
  result.stats.configurations += found.stats.configurations;
  result.stats.segments += found.stats.segments;
  result.stats.check += found.stats.check;
  result.status = found.status;
  result.reason = std::move(found.reason);
  result.obstruction = std::move(found.obstruction);
  if (found.status != PlanStatus::solved) return false;
  path = std::move(found.path);
  if (options.smooth_steps == 0) return true;
  SmoothOptions smoothing;
  smoothing.seed = options.plan.seed;
  smoothing.check = model.options();
  smoothing.max_steps = options.smooth_steps;
  smoothing.margin = found.margin_kept;
  smoothing.input_is_proved = true;
  auto shorter = smooth(model, path, smoothing, budget);
  if (!shorter.ok()) return shorter.error();
  path = std::move(shorter.value().path);
  return true;
}

}  // namespace

Result<RepairResult> repair(const Monitor& monitor, const RepairOptions& options,
                            const Budget& budget) {
  const auto start = Clock::now();
  const Motion& motion = monitor.motion();
  const auto built = CheckModel::build(monitor.scene(), check_options(monitor));
  if (!built.ok()) return built.error();
  const CheckModel& model = built.value();
  const auto [first, t] = monitor.ahead();
  const int count = monitor.num_segments();
  const auto stands = [&](int i) { return monitor.segment(i).verdict == Verdict::free; };
  std::vector<double> q(motion.waypoints[static_cast<std::size_t>(first)]);
  if (!stands(first)) interpolate(monitor.scene().tree(), motion.piece(first), t, q);
  MotionWriter writer(std::move(q), !motion.inner.empty());
  RepairResult result;
  for (int i = first; i < count;) {
    if (stands(i)) {
      writer.add(motion.piece(i++));
      ++result.kept;
      continue;
    }
    while (i < count && !stands(i)) ++i;
    Query query{writer.end(), {}, options.planned};
    const MotionPiece last = motion.piece(i - 1);
    query.goal.assign(last.to.begin(), last.to.end());
    if (model.options().limits == Limits::ignore) ignore_limits(monitor.scene(), query);
    Path path;
    const auto around = plan_around(model, query, options, budget, result, path);
    if (!around.ok()) return around.error();
    if (!around.value()) return result;
    writer.add(path);
    ++result.stretches;
  }
  result.motion = std::move(writer).take();
  CheckOptions last = monitor.options();
  last.certificate = options.plan.check.certificate;
  auto proof = prove_finally(monitor.scene(), result.motion, last, budget);
  if (!proof.ok()) return proof.error();
  result.proved = proof.value().verdict == Verdict::free;
  result.certificate = std::move(proof.value().certificate);
  result.status = result.proved ? PlanStatus::solved : PlanStatus::budget;
  if (!result.proved) result.reason = "the way around was found but not proved in time";
  result.stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace proven
