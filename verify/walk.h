// Chapter 8: the walk. Follows the proof of every unit on every segment and checks the rule at
// every leaf (format, section 4).
#pragma once

#include <cstdint>

#include "verify/reader.h"

namespace proven::verifier {

struct WalkCounts {
  std::int64_t leaves = 0, wide_leaves = 0;
};

// Throws Rejected at the first thing that is not proved. `errors` as of errors_of.
void walk_proof(const Model& model, std::span<const Motion> runs, std::span<const double> errors,
                const VerifyOptions& options, BodyStream& body, WalkCounts& counts);

// Segments are the pieces of the motion; one of a single waypoint has one of no length.
std::size_t num_segments(const Motion& motion);

}  // namespace proven::verifier
