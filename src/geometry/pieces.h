// Distances of pieces that do not belong to a body.
#pragma once

#include "proven/geometry/pieces.h"

namespace proven {

// A convex piece of its own, in frame A, against a piece of body b.
PieceDistance convex_to_piece_distance(const Convex& a, const BodyGeometry& b, int piece_b,
                                       const Pose& X_AB);

}  // namespace proven
