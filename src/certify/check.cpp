#include "proven/certify/check.h"

#include <fmt/format.h>

#include <cmath>

#include "proven/base/parallel.h"
#include "proven/certify/certificate.h"
#include "proven/kinematics/interpolation.h"

namespace proven {

Result<void> validate(const CheckOptions& options) {
  if (!std::isfinite(options.clearance) || options.clearance < 0)
    return bad_input("the clearance must be a number of metres >= 0");
  if (!std::isfinite(options.resolution) || options.resolution < 0)
    return bad_input("the resolution must be a number of metres >= 0");
  if (!std::isfinite(options.step) || options.step <= 0)
    return bad_input("the step must be a positive number");
  if (!std::isfinite(options.tracking_error) || options.tracking_error < 0)
    return bad_input("the tracking error must be a number of radians or metres >= 0");
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

Result<CheckResult> check(const Scene& scene, const Path& path, const CheckOptions& options,
                          Workspace& workspace) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (path.waypoints.empty()) return bad_input("the path has no waypoint");
  for (std::size_t i = 0; i < path.waypoints.size(); ++i)
    if (auto valid = check_configuration(scene.tree(), path.waypoints[i]); !valid.ok())
      return bad_input(fmt::format("waypoint {}: {}", i, valid.error().message));
  // Of many paths, those after the stop must not even be prepared.
  if (options.cancel && options.cancel->load(std::memory_order_relaxed)) {
    CheckResult result;
    result.undecided.emplace();
    result.undecided->reason = UndecidedReason::cancelled;
    result.undecided->configuration = path.waypoints[0];
    return result;
  }
  CheckSession session(scene, options);
  std::vector<int> segments;
  int last = session.add_configuration(path.waypoints[0]);
  // A path of one waypoint is a segment of no length.
  if (path.waypoints.size() == 1) segments.push_back(session.add_segment(last, last));
  for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
    const int next = session.add_configuration(path.waypoints[i]);
    segments.push_back(session.add_segment(last, next));
    last = next;
  }
  CheckResult result = session.run(segments, workspace);
  if (!options.certificate) return result;
  if (result.verdict == Verdict::free) {
    std::vector<std::span<const std::uint8_t>> proofs;
    for (const int segment : segments) proofs.push_back(session.proof(segment));
    result.certificate = make_certificate(scene, path, options, proofs);
  } else if (result.verdict == Verdict::collision) {
    result.certificate = make_certificate(scene, path, options, *result.collision);
  }
  return result;
}

std::vector<Result<CheckResult>> check_all(const Scene& scene, std::span<const Path> paths,
                                           const CheckOptions& options, int threads) {
  if (threads <= 0) threads = default_threads();
  std::vector<Result<CheckResult>> results(paths.size(), CheckResult{});
  std::vector<Workspace> workspaces(static_cast<std::size_t>(threads));
  parallel_for(static_cast<int>(paths.size()), threads, [&](int item, int thread) {
    const auto i = static_cast<std::size_t>(item);
    results[i] = check(scene, paths[i], options, workspaces[static_cast<std::size_t>(thread)]);
  });
  return results;
}

}  // namespace proven
