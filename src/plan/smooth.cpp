#include "proven/plan/smooth.h"

#include <algorithm>
#include <chrono>
#include <cmath>

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

void run_smoother(const SmoothOptions& options, Clock::time_point start, ShortcutPath& path,
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
    if (options.check.cancel && options.check.cancel->load()) return;
    if (std::isfinite(options.max_seconds) && seconds_since(start) > options.max_seconds) return;
    smoother.step(path, random);
    ++result.steps;
    if (options.progress && result.steps % 16 == 0) options.progress(result.steps);
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

Result<SmoothResult> smooth(const Scene& scene, const Path& path, const SmoothOptions& options) {
  const auto start = Clock::now();
  if (options.check.checker == Checker::fixed)
    return bad_input("the checker fixed proves nothing: smooth with another one");
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  CheckOptions check_options = without_certificate(options.check);
  check_options.max_seconds = std::min(check_options.max_seconds, options.max_seconds);
  // The path itself is proved without the planners' impatience.
  CheckOptions input_options = check_options;
  input_options.resolution = std::min(check_options.resolution, CheckOptions{}.resolution);
  input_options.max_cells = std::max(check_options.max_cells, CheckOptions{}.max_cells);
  if (path.waypoints.empty()) return bad_input("the path has no waypoint");
  Workspace workspace;
  const auto input = check(scene, path, input_options, workspace);
  if (!input.ok()) return input.error();

  SmoothResult result;
  result.input = input.value();
  result.path = Path{path.waypoints, {}, path.defaulted};
  result.length_before = result.length_after = path_length(scene, path);
  result.check = input.value().stats;
  if (input.value().verdict == Verdict::free && path.num_segments() > 1) {
    const JointSpace space = space_of(scene, path);
    check_options.max_cells = std::min(check_options.max_cells, options.max_cells_per_shortcut);
    ShortcutPath shorter(scene, check_options, space, path.waypoints);
    run_smoother(options, start, shorter, result);
    result.path.waypoints = shorter.waypoints(scene);
    result.length_after = shorter.length();
    result.tried = shorter.tried();
    result.taken = shorter.taken();
    result.check += shorter.stats();
  }
  if (input.value().verdict == Verdict::free) {
    auto certificate = certificate_of(scene, result.path, options.check);
    if (!certificate.ok()) return certificate.error();
    result.certificate = std::move(certificate).value();
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace proven
