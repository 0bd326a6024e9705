#include "proven/certify/check.h"

#include <algorithm>
#include <cmath>

#include "proven/base/largest_number.h"
#include "proven/base/parallel.h"

namespace proven {

Result<void> validate(const CheckOptions& options) {
  const Clearances& c = options.clearance;
  for (const double clearance : {c.world, c.robots, c.self, c.attached})
    if (!(clearance >= 0 && clearance <= kLargestNumber))
      return bad_input("the clearance must be a number of metres from 0 to 1e9");
  if (!std::isfinite(options.resolution) || options.resolution < 0)
    return bad_input("the resolution must be a number of metres >= 0");
  if (!std::isfinite(options.step) || options.step <= 0)
    return bad_input("the step must be a positive number");
  const auto bad = [](double error) { return !(error >= 0 && error <= kLargestNumber); };
  const TrackingError& error = options.tracking_error;
  if (bad(error.general) ||
      std::ranges::any_of(error.joints, bad, &decltype(error.joints)::value_type::second))
    return bad_input("the tracking error must be a number of radians or metres from 0 to 1e9");
  if (options.first && options.checker != Checker::classic &&
      options.checker != Checker::directional)
    return bad_input("only the checkers directional and classic find the earliest contact");
  if (options.explain && options.checker != Checker::directional)
    return bad_input("only the checker directional explains where its work went");
  if (options.certificate && options.checker != Checker::directional)
    return bad_input("only the checker directional writes certificates");
  if (options.cover != Cover::midpoint && options.checker != Checker::classic)
    return bad_input("only the checker classic has other ways to cover a segment");
  return {};
}

Result<CheckResult> check(const Scene& scene, const Motion& motion, const CheckOptions& options,
                          Scratch& scratch, const Budget& budget) {
  const auto model = CheckModel::build(scene, options);
  if (!model.ok()) return model.error();
  return model.value().check(motion, scratch, budget);
}

std::vector<Result<CheckResult>> check_all(const Scene& scene, std::span<const Motion> motions,
                                           const CheckOptions& options, int threads,
                                           const Budget& budget) {
  if (threads <= 0) threads = default_threads();
  const auto model = CheckModel::build(scene, options);
  if (!model.ok()) return {motions.size(), Result<CheckResult>(model.error())};
  std::vector<Result<CheckResult>> results(motions.size(), CheckResult{});
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads));
  parallel_for(static_cast<int>(motions.size()), threads, [&](int item, int thread) {
    const auto i = static_cast<std::size_t>(item);
    results[i] = model.value().check(motions[i], scratch[static_cast<std::size_t>(thread)], budget);
  });
  return results;
}

}  // namespace proven
