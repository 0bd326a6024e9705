// Two pieces of two bodies: distance and overlap. A piece is a triangle or a solid convex piece.
#pragma once

#include "proven/geometry/body_geometry.h"

namespace proven {

struct PieceDistance {
  double distance_lower = 0;  // safe: a support gap less its rounding margin, never below 0
  double distance = 0;        // of the two points; 0 if the pieces overlap
  Vec3 point_a, point_b;      // both in A
};

// Piece `piece_a` of body a against piece `piece_b` of body b, whose frame stands at X_AB.
PieceDistance piece_distance(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                             const Pose& X_AB);
// Whether they overlap or touch.
bool pieces_overlap(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                    const Pose& X_AB);

// A convex piece of its own, in frame A, against a piece of body b.
PieceDistance convex_to_piece_distance(const Convex& a, const BodyGeometry& b, int piece_b,
                                       const Pose& X_AB);

}  // namespace proven
