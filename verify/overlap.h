// Chapter 10: a proof that two pieces meet.
//
// A and B come closer than c if the origin lies in B - A + (ball of radius c). That set is convex:
// it is enough to find four of its points around the origin. They are sought in plain doubles, by
// portal refinement; that the four are points of the set, and surround the origin, is then proved.
#pragma once

#include "verify/motion.h"

namespace proven::verifier {

struct PlacedPiece {
  const Body* body = nullptr;
  Piece piece;
};

// Whether, with bodies at the given times and places, the pieces surely come closer than c (c = 0:
// overlap). `false` means: not shown.
template <class T>
struct PlacedPair {
  PlacedPiece A, B;
  Placement<T> X_WA, X_WB;
};

// Four points of the set, proposed by the search.
struct Combination {
  Vec3 points[4];  // of the piece, in its element's frame; of a grain, from its centre
  double weights[3] = {0, 0, 0};  // points[0] + sum of weights[k] (points[k + 1] - points[0])
};
struct SetPoint {
  Combination a, b;
  Vec3 offset;  // shorter than c
};
using Tetrahedron = std::array<SetPoint, 4>;

std::optional<Tetrahedron> find_tetrahedron(const PlacedPair<Interval>& pair, double c,
                                            std::uint64_t attempt);
template <class T>
bool surrounds_origin(const Tetrahedron& tetrahedron, const PlacedPair<T>& pair);

}  // namespace proven::verifier
