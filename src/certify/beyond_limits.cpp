#include "beyond_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace proven {
namespace {

std::string place_on(const Motion& motion, int segment, double s) {
  if (motion.waypoints.size() < 2 || s == 0) return fmt::format("waypoint {}", segment);
  if (s == 1) return fmt::format("waypoint {}", segment + 1);
  return fmt::format("segment {} at {} of its way", segment, s);
}

}  // namespace

bool may_leave_limits(const CheckOptions& options) {
  return options.limits == Limits::ignore || options.tracking_error.any();
}

Scene scene_as_tested(const Scene& scene, const CheckOptions& options) {
  return may_leave_limits(options) && scene.has_proved_pairs() ? scene.with_proved_pairs(true)
                                                               : scene;
}

LimitBox own_limits(const Scene& scene) {
  if (scene.timed().empty()) return LimitBox(scene.tree());
  std::vector<bool> by_clock;
  for (int i = 0; i < scene.tree().num_coordinates(); ++i)
    by_clock.push_back(scene.follows_clock(i));
  return LimitBox(scene.tree(), std::move(by_clock));
}

Error refusal(const BeyondLimit& beyond) {
  return bad_input(describe(beyond) +
                   "; correct it, or have limits ignored (Limits::ignore; limits=\"ignore\" in "
                   "Python, --ignore-limits)");
}

Result<void> require_within(const Scene& scene, const LimitBox& limits, const Motion& motion) {
  const int pieces = std::max(1, motion.num_segments());
  for (int i = 0; i < pieces; ++i)
    if (const auto beyond = limits.find_beyond(scene.tree(), motion.piece(i))) {
      Error error = refusal(*beyond);
      error.message = fmt::format("{}: {}", place_on(motion, i, beyond->s), error.message);
      return error;
    }
  return {};
}

Result<void> require_within_limits(const Scene& scene, const Motion& motion,
                                   const CheckOptions& options) {
  if (options.limits == Limits::ignore) return {};
  return require_within(scene, own_limits(scene), motion);
}

Result<void> require_timed_within(const Scene& scene) {
  for (const TimedPart& part : scene.timed()) {
    // As full configurations: the rest stays at home, and is not looked at.
    std::vector<bool> others(scene.home().size(), true);
    std::fill_n(others.begin() + part.first, part.count, false);
    const auto full = [&](const std::vector<double>& values) {
      std::vector<double> q(scene.home().begin(), scene.home().end());
      std::ranges::copy(values, q.begin() + part.first);
      return q;
    };
    Motion motion;
    for (const auto& values : part.motion->waypoints) motion.waypoints.push_back(full(values));
    for (const auto& rows : part.motion->inner) {
      motion.inner.emplace_back();
      for (const auto& values : rows) motion.inner.back().push_back(full(values));
    }
    const auto within = require_within(scene, LimitBox(scene.tree(), std::move(others)), motion);
    if (!within.ok())
      return bad_input(fmt::format("the motion of '{}', {}", part.name, within.error().message));
  }
  return {};
}

}  // namespace proven
