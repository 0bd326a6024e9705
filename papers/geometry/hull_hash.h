// Distance without precomputation (paper 003, section IV): nothing is built beforehand, so that a
// body may have any shape at every query.
//
//   1. GJK on the convex hulls of two sets of pieces bounds their distance from below by L; the
//      pieces that carry the closest points bound it from above by U.
//   2. Hulls apart: pieces are put into a hashed grid. With n the direction of L, two pieces nearer
//      than U differ by d with |d| < U and n·d >= L, so that |d - L n|² <= U² - L²: once the gap is
//      closed (b moves by -L n), they lie within sqrt(U² - L²), which is the size of a cell.
//   3. Hulls overlap, or the bounds are too far apart to tell pieces apart: the larger set is split
//      where GJK found the hulls to meet, and the parts are treated in the same way.
#pragma once

#include <cstdint>
#include <memory>

#include "proven/geometry/distance.h"

namespace proven {

struct HullHashCounts {
  std::int64_t hull_tests = 0;   // pairs of sets that GJK looked at
  std::int64_t hashes = 0;       // pairs of sets that were hashed
  std::int64_t splits = 0;       // sets that were split
  std::int64_t box_tests = 0;    // pairs of pieces whose boxes were compared
  std::int64_t piece_tests = 0;  // pairs of pieces that were measured
};

// Scratch memory of one thread; reuse it.
class HullHashWorkspace {
 public:
  HullHashWorkspace();
  HullHashWorkspace(HullHashWorkspace&&) noexcept;
  HullHashWorkspace& operator=(HullHashWorkspace&&) noexcept;
  ~HullHashWorkspace();

  HullHashCounts counts;  // accumulated over calls

  struct State;  // papers/geometry/hull_hash.cpp
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// What exact_distance answers: surfaces and solid convex pieces count, `distance_lower` is proved.
// Only the pieces of the bodies are used, not their trees.
ExactDistance hull_hash_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                                 HullHashWorkspace& workspace);

}  // namespace proven
