#include "plan/final_proof.h"

#include <algorithm>

#include "proven/certify/check.h"

namespace proven {

CheckOptions without_certificate(CheckOptions options) {
  options.certificate = false;
  return options;
}

CheckOptions for_planning(CheckOptions options) {
  options.certificate = false;
  options.sweep = true;
  return options;
}

// The search alone proves: sweeps have no say. A path that was found in time is proved to the end:
// only a person stops that.
Result<CheckResult> prove_finally(const CheckModel& model, const Path& path, CheckOptions options,
                                  const Budget& budget) {
  const CheckOptions patient;
  options.resolution = std::min(options.resolution, patient.resolution);
  options.max_cells = patient.max_cells;
  options.sweep = false;
  const auto asked = model.with_options(options);
  if (!asked.ok()) return asked.error();
  Budget unlimited;
  unlimited.cancel = budget.cancel;
  Scratch scratch;
  return asked.value().check(path, scratch, unlimited);
}

Result<CheckResult> prove_finally(const Scene& scene, const Path& path, CheckOptions options,
                                  const Budget& budget) {
  const auto model = CheckModel::build(scene, options);
  if (!model.ok()) return model.error();
  return prove_finally(model.value(), path, std::move(options), budget);
}

}  // namespace proven
