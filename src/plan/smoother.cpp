#include "plan/smoother.h"

#include <algorithm>

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

}  // namespace

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

}  // namespace proven
