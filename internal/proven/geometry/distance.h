// Proximity queries between two bodies: the four algorithms of Schwarzer, Saha, Latombe (table I).
//
// All take X_AB, the pose of body B in body A's frame. Surfaces and solid convex pieces count; a
// body wholly inside a closed mesh without touching it is NOT seen here (see solid.h).
//
// Lower bounds are safe: each is a support gap along some direction, which bounds the distance from
// below whatever the direction is. Rounding is covered by subtracting a margin
// (docs/error_budget.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "proven/geometry/body_geometry.h"

namespace proven {

// Every evaluation of a node pair of any kind counts as one box test; every evaluation of two
// pieces counts as one triangle test.
struct QueryCounts {
  std::int64_t box_tests = 0;
  std::int64_t triangle_tests = 0;
};

// Scratch memory of one thread; reuse it, nothing is allocated once it has grown.
struct DistanceScratch {
  struct Entry {
    double distance_lower;
    int node_a, node_b;
  };
  std::vector<Entry> queue;
  QueryCounts counts;  // accumulated over calls
};

// COLL-CHECKER: whether any two pieces overlap or touch, on OBB trees.
bool bodies_overlap(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                    DistanceScratch& workspace);

// GREEDY-DIST on RSS trees: a lower bound on the distance, greater than `threshold`, or 0 if the
// distance is not proved greater than `threshold` (>= 0). With threshold 0: positive exactly when
// the bodies are apart by more than the rounding margin.
double greedy_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                       double threshold, DistanceScratch& workspace);

struct ExactDistance {
  double distance_lower = 0;             // proved: no two points are closer
  double distance = 0;                   // of the two points below; 0 if the bodies overlap
  std::array<Vec3, 2> points;            // closest points on a and b, both in A
  std::array<int, 2> pieces = {-1, -1};  // the pieces they lie on
};

// EXACT-DIST: priority-directed search on RSS trees; pairs of leaves, too, wait by the distance of
// their RSS, and most are never measured. `cached_pieces` (pieces of an earlier answer, or -1)
// starts the search with the distance of these two: triangle caching.
ExactDistance exact_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                             std::array<int, 2> cached_pieces, DistanceScratch& workspace);

// APPROX-DIST, depth first on RSS trees: a lower bound d' with (1 - relative_error) d <= d' <= d up
// to the rounding margin; 0 < relative_error < 1.
double approximate_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                            double relative_error, DistanceScratch& workspace);

}  // namespace proven
