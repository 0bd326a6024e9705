// Chapter 8: the walk. Follows the proof of every unit on every segment and checks the rule at
// every leaf (format, section 4).
#pragma once

#include <cstdint>

#include "verify/reader.h"

namespace proven::verifier {

struct WalkCounts {
  std::int64_t leaves = 0, wide_leaves = 0;
};

// Throws Rejected at the first thing that is not proved.
void walk_proof(const Model& model, const Path& path, const VerifyOptions& options,
                BodyStream& body, WalkCounts& counts);

// The two ends of a segment; a path of one waypoint has one segment of no length.
struct SegmentEnds {
  std::span<const double> from, to;
};
std::size_t num_segments(const Path& path);
SegmentEnds segment_ends(const Path& path, std::size_t segment);

}  // namespace proven::verifier
