#include "plan/final_proof.h"

#include <algorithm>

#include "proven/certify/check.h"

namespace proven {

CheckOptions without_certificate(CheckOptions options) {
  options.certificate = false;
  return options;
}

Result<Certificate> certificate_of(const Scene& scene, const Path& path, CheckOptions options) {
  if (!options.certificate) return Certificate{};
  const CheckOptions patient;
  options.resolution = std::min(options.resolution, patient.resolution);
  options.max_cells = patient.max_cells;
  options.max_seconds = patient.max_seconds;
  Workspace workspace;
  auto result = check(scene, path, options, workspace);
  if (!result.ok()) return result.error();
  if (result.value().verdict != Verdict::free) return Certificate{};
  return std::move(result.value().certificate);
}

}  // namespace proven
