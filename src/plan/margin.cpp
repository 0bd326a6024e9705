#include "plan/margin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/plan/plan.h"

namespace proven {

CheckOptions with_margin(CheckOptions options, double margin) {
  options.clearance.world = std::max(options.clearance.world, margin);
  options.clearance.robots = std::max(options.clearance.robots, margin);
  return options;
}

Result<void> validate_margin(double margin) {
  if (std::isfinite(margin) && margin >= 0) return {};
  return bad_input(fmt::format("the margin must be a distance of at least 0, not {}", margin));
}

std::vector<double> margins_to_try(double asked, const Clearances& required) {
  constexpr int kHalvings = 4;
  const double least = std::min({asked, required.world, required.robots});
  std::vector<double> margins;
  for (int i = 0; i <= kHalvings; ++i)
    if (const double margin = std::ldexp(asked, -i); margin > least) margins.push_back(margin);
  margins.push_back(least);
  return margins;
}

}  // namespace proven
