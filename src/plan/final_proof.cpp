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

// A path that was found in time is proved to the end: only a person stops that.
Result<CheckResult> prove_finally(const Scene& scene, const Path& path, CheckOptions options,
                                  const Budget& budget) {
  const CheckOptions patient;
  options.resolution = std::min(options.resolution, patient.resolution);
  options.max_cells = patient.max_cells;
  options.sweep = !options.certificate;
  Budget unlimited;
  unlimited.cancel = budget.cancel;
  Scratch scratch;
  return check(scene, path, options, scratch, unlimited);
}

}  // namespace proven
