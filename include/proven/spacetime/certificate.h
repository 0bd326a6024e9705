// Proofs of traffic for the independent verifier (verify/traffic.h): pieces of time, each with a
// line that keeps the object and an obstacle apart. The format: docs/certificate_format.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "proven/spacetime/afterwards.h"
#include "proven/spacetime/check.h"

namespace proven::spacetime {

struct CertifiedMotion {
  Footprint footprint;
  Trajectory motion;
};

struct TrafficCertificate {
  std::string bytes;
  std::int64_t pairs = 0, leaves = 0;
};

// Says for every motion, in order, that it is free among all obstacles but those in `except`
// (indices), or where it collides; a motion that is undecided gets neither. Obstacles that end
// before the last motion are made lasting here, and the proof says how. Motions and obstacles move
// linearly; deviations are allowed. An Error: there is something that has no such proof.
Result<TrafficCertificate> certify_traffic(const TrafficScene& scene,
                                           std::span<const CertifiedMotion> motions,
                                           std::span<const int> except,
                                           const TrafficOptions& options,
                                           Afterwards after = kUsualAfterwards,
                                           const Budget& budget = {});

// One certificate of several that were made for the same clearance and way to end, each of its own
// motions: for the trajectories in this order, among obstacles that are there at no time of
// another's motions.
std::string join_certificates(std::span<const TrafficCertificate> parts);

}  // namespace proven::spacetime
