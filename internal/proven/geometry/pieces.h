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
// A unit direction from a to b, in A, that may separate them well: a proposal, found sooner than
// the distance from a `guess`. Zero if they overlap, and for triangles and cores of capsules, whose
// distance has a closed form.
Vec3 piece_direction(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                     const Pose& X_AB, const Vec3& guess);
// Whether they overlap or touch.
bool pieces_overlap(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                    const Pose& X_AB);

// max of n·x over the piece, for any n in the body's frame.
double piece_support(const BodyGeometry& body, int piece, const Vec3& n);

}  // namespace proven
