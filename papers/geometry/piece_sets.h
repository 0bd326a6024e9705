// The pieces of one body, posed in A's frame, in sets that are split on demand: what a query
// without precomputation has instead of a tree.
#pragma once

#include <span>
#include <vector>

#include "proven/geometry/body_geometry.h"

namespace proven {

struct PieceSet {
  int first = 0, count = 0;  // a range of the order of pieces
  Aabb box;
  int first_child = -1;  // -1: not split yet; children are first_child and first_child + 1
};

// A bound of the rounding of everything here, in metres: BvPairPose::rounding_margin, 512 u S with
// S = |p_AB| + 3 (max_a + max_b). A posed vertex errs by at most 12 u S / 3 (src/geometry/
// pieces.cpp), a support value of a convex piece by 300 u S / 3, a box of three pairs of such
// values by sqrt(3) of that.
class PieceSets {
 public:
  // All pieces as set 0.
  void start(const BodyGeometry& body, const Pose& X_AB, double rounding_margin);

  const PieceSet& operator[](int set) const { return sets_[static_cast<std::size_t>(set)]; }
  std::span<const int> pieces(int set) const;
  // Holds the piece, rounding included.
  const Aabb& box(int piece) const { return boxes_[static_cast<std::size_t>(piece)]; }

  struct Support {
    double height;  // n·point
    Vec3 point;
    int piece;
  };
  // The point of the set farthest along the unit vector n.
  Support support(int set, const Vec3& n) const;
  // max of n·x over the piece.
  double height(int piece, const Vec3& n) const;

  // Cuts the set across its longest side, at `place` unless that leaves one part with next to
  // nothing. The set must have two pieces. Returns the first child.
  int split(int set, const Vec3& place);

 private:
  Support support_of(int piece, const Vec3& n) const;
  PieceSet make_set(int first, int count) const;

  const BodyGeometry* body_ = nullptr;
  Pose X_AB_;
  std::vector<Vec3> corners_;  // three per triangle, posed
  std::vector<Aabb> boxes_;
  std::vector<int> order_;
  std::vector<PieceSet> sets_;
};

inline Vec3 centre(const Aabb& box) {
  return 0.5 * (box.lo + box.hi);
}

// A lower bound on the distance of what the boxes hold.
double box_gap(const Aabb& a, const Aabb& b);

}  // namespace proven
