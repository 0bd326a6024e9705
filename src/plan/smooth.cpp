#include "proven/plan/smooth.h"

#include <algorithm>
#include <chrono>

#include "plan/final_proof.h"
#include "plan/shortcut_path.h"
#include "proven/certify/check.h"

namespace proven {
namespace {

// One step of a smoother; returns by how much the path became shorter.
class SmootherStep {
 public:
  virtual ~SmootherStep() = default;
  virtual double step(ShortcutPath& path, Random& random) = 0;
};

// Shortcuts shorter than this share of the path are not worth a test.
constexpr double kLeastGain = 1e-6;

class WindowSmoother : public SmootherStep {
 public:
  double step(ShortcutPath& path, Random& random) override {
    const double length = path.length();
    const double width = window_ * length * random.uniform();
    const double from = random.uniform(0, length - width);
    const double gain = path.try_shortcut(from, from + width, kLeastGain * length);
    // Long shortcuts save most but fail most: the window follows their success.
    window_ = gain > 0 ? std::min(1.0, kGrow * window_) : std::max(kSmallest, kShrink * window_);
    return gain;
  }

 private:
  static constexpr double kGrow = 1.3, kShrink = 0.95, kSmallest = 0.01;
  double window_ = 1;
};

class MidpointSmoother : public SmootherStep {
 public:
  double step(ShortcutPath& path, Random& random) override {
    const double length = path.length();
    const double middle = random.uniform(0, length);
    double reach_back = 0.5 * middle, reach_on = 0.5 * (length - middle);
    for (int depth = 0; depth < kDepth; ++depth, reach_back *= 0.5, reach_on *= 0.5) {
      const double gain =
          path.try_shortcut(middle - reach_back, middle + reach_on, kLeastGain * length);
      if (gain > 0) return gain;
    }
    return 0;
  }

 private:
  static constexpr int kDepth = 10;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void run_smoother(const SmoothOptions& options, const Budget& budget, ShortcutPath& path,
                  SmoothResult& result) {
  WindowSmoother window;
  MidpointSmoother midpoint;
  SmootherStep& smoother = options.smoother == Smoother::window
                               ? static_cast<SmootherStep&>(window)
                               : static_cast<SmootherStep&>(midpoint);
  Random random(options.seed);
  std::int64_t since = 0;  // steps since the length below was noted
  double noted = path.length();
  while (result.steps < options.max_steps && path.num_segments() > 1) {
    if (budget.stopped()) return;
    smoother.step(path, random);
    if (++result.steps % 16 == 0) budget.report("steps", result.steps, options.max_steps);
    if (path.length() < (1 - options.tolerance) * noted) since = 0, noted = path.length();
    if (++since > std::max<std::int64_t>(options.patience, path.num_segments()) &&
        options.patience > 0)
      break;
  }
  result.converged = result.steps < options.max_steps;
}

JointSpace space_of(const Scene& scene, const Path& path) {
  return JointSpace(scene, {path.waypoints.front(), path.waypoints.back(), {}, {}});
}

}  // namespace

double path_length(const Scene& scene, const Path& path) {
  if (path.num_segments() == 0) return 0;
  const JointSpace space = space_of(scene, path);
  double sum = 0;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i)
    sum += space.distance(path.waypoints[i - 1], path.waypoints[i]);
  return sum;
}

namespace {

// The path as given; proved without the planners' impatience unless it is known to be.
Result<CheckResult> check_input(const Scene& scene, const Path& path, const SmoothOptions& options,
                                const Budget& budget) {
  if (options.input_is_proved) {
    CheckResult known;
    known.verdict = Verdict::free;
    return known;
  }
  CheckOptions check_options = without_certificate(options.check);
  check_options.resolution = std::min(check_options.resolution, CheckOptions{}.resolution);
  check_options.max_cells = std::max(check_options.max_cells, CheckOptions{}.max_cells);
  Scratch scratch;
  return check(scene, path, check_options, scratch, budget);
}

}  // namespace

Result<SmoothResult> smooth(const Scene& scene, const Path& path, const SmoothOptions& options,
                            const Budget& budget) {
  const auto start = Clock::now();
  if (options.check.checker == Checker::fixed)
    return bad_input("the checker fixed proves nothing: smooth with another one");
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  if (path.waypoints.empty()) return bad_input("the path has no waypoint");
  if (!path.straight())
    return bad_input("only straight paths are smoothed: this one is a curve already");
  if (auto still = scene.require_no_clock(); !still.ok()) return still.error();
  auto input = check_input(scene, path, options, budget);
  if (!input.ok()) return input.error();

  SmoothResult result;
  result.input = std::move(input).value();
  result.path = Path{path.waypoints, {}, path.defaulted};
  result.length_before = result.length_after = path_length(scene, path);
  result.check = result.input.stats;
  if (result.input.verdict != Verdict::free) {
    result.seconds = seconds_since(start);
    return result;
  }
  if (path.num_segments() > 1) {
    const JointSpace space = space_of(scene, path);
    CheckOptions check_options = without_certificate(options.check);
    check_options.max_cells = std::min(check_options.max_cells, options.max_cells_per_shortcut);
    auto model = CheckModel::build(scene, check_options, space.full_ranges());
    if (!model.ok()) return model.error();
    for (const std::vector<double>& q : path.waypoints) model = model.value().covering(q, q);
    Prover prover(model.value());
    ShortcutPath shorter(prover, space, budget, path.waypoints);
    run_smoother(options, budget, shorter, result);
    result.path.waypoints = shorter.waypoints();
    result.length_after = shorter.length();
    result.tried = shorter.tried();
    result.taken = shorter.taken();
    result.check += prover.counts().check;
  }
  auto proof = prove_finally(scene, result.path, options.check, budget);
  if (!proof.ok()) return proof.error();
  // Whatever the shortcuts did, what is returned is proved as it is returned.
  if (proof.value().verdict != Verdict::free) {
    result.path.waypoints = path.waypoints;
    result.length_after = result.length_before;
    result.taken = 0;
    if (options.check.certificate) proof = prove_finally(scene, result.path, options.check, budget);
    if (!proof.ok()) return proof.error();
  }
  result.certificate = std::move(proof.value().certificate);
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace proven
