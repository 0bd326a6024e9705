// A direction along which two convex sets are apart, by Gilbert, Johnson and Keerthi. It is only a
// proposal: what counts is the gap along it.
#pragma once

#include "batch_tables.h"

namespace proven::batch {

// The part of a simplex that is nearest to the origin.
struct Simplex {
  V3 p[4];
  int count = 0;
  V3 closest = {0, 0, 0};
  bool holds_origin = false;

  PROVEN_ALONE void reduce() {
    if (count == 1) {
      closest = p[0];
    } else if (count == 2) {
      reduce_edge(p[0], p[1]);
    } else if (count == 3) {
      reduce_triangle(p[0], p[1], p[2]);
    } else {
      reduce_tetrahedron();
    }
  }

 private:
  PROVEN_LANES void set(const V3& a) {
    p[0] = a;
    count = 1;
    closest = a;
  }
  PROVEN_LANES void set(const V3& a, const V3& b, double share) {
    p[0] = a;
    p[1] = b;
    count = 2;
    closest = a + share * (b - a);
  }

  PROVEN_LANES void reduce_edge(V3 a, V3 b) {
    const V3 ab = b - a;
    const double along = -dot(a, ab), square = dot(ab, ab);
    if (!(along > 0)) return set(a);
    if (!(along < square)) return set(b);
    set(a, b, along / square);
  }

  PROVEN_ALONE void reduce_triangle(V3 a, V3 b, V3 c) {
    const V3 ab = b - a, ac = c - a;
    const double d1 = -dot(ab, a), d2 = -dot(ac, a);
    if (d1 <= 0 && d2 <= 0) return set(a);
    const double d3 = -dot(ab, b), d4 = -dot(ac, b);
    if (d3 >= 0 && d4 <= d3) return set(b);
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return set(a, b, d1 / (d1 - d3));
    const double d5 = -dot(ab, c), d6 = -dot(ac, c);
    if (d6 >= 0 && d5 <= d6) return set(c);
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return set(a, c, d2 / (d2 - d6));
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
      return set(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    const double whole = 1 / (va + vb + vc);
    p[0] = a;
    p[1] = b;
    p[2] = c;
    count = 3;
    closest = a + (vb * whole) * ab + (vc * whole) * ac;
  }

  // Of the faces that have the origin on their outer side, the one that comes nearest.
  PROVEN_LANES void reduce_tetrahedron() {
    const V3 q[4] = {p[0], p[1], p[2], p[3]};
    Simplex best;
    double least = INFINITY;
    bool outside = false;
    for (int skip = 0; skip < 4; ++skip) {
      const V3 &a = q[(skip + 1) & 3], &b = q[(skip + 2) & 3], &c = q[(skip + 3) & 3];
      const V3 n = cross(b - a, c - a);
      const double origin = -dot(n, a), other = dot(n, q[skip] - a);
      if (origin * other > 0) continue;
      outside = true;
      Simplex face;
      face.reduce_triangle(a, b, c);
      const double square = dot(face.closest, face.closest);
      if (square < least) least = square, best = face;
    }
    if (!outside) {
      holds_origin = true;
      return;
    }
    *this = best;
  }
};

// A convex set: the hull of points, a piece, or a solid; where `pose` has it, or as it is.
struct ConvexSet {
  enum Kind { kPoints, kPiece, kSolid };
  Kind kind;
  const float* points;
  int count;
  const Piece* piece;
  const Solid* solid;
  const double* pose;  // R row by row and p; null: none

  PROVEN_LANES static ConvexSet of(const float* points, int count, const double* pose) {
    return {kPoints, points, count, nullptr, nullptr, pose};
  }
  PROVEN_LANES static ConvexSet of(const Piece& piece, const double* pose) {
    return {kPiece, nullptr, 0, &piece, nullptr, pose};
  }
  PROVEN_LANES static ConvexSet of(const Solid& solid) {
    return {kSolid, nullptr, 0, nullptr, &solid, nullptr};
  }
};

PROVEN_LANES V3 vector(const float* p) {
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}
PROVEN_LANES V3 posed(const double* X, const V3& x) {
  return {X[0] * x.x + X[1] * x.y + X[2] * x.z + X[9], X[3] * x.x + X[4] * x.y + X[5] * x.z + X[10],
          X[6] * x.x + X[7] * x.y + X[8] * x.z + X[11]};
}
PROVEN_LANES V3 turned(const double* X, const V3& n) {
  return {X[0] * n.x + X[1] * n.y + X[2] * n.z, X[3] * n.x + X[4] * n.y + X[5] * n.z,
          X[6] * n.x + X[7] * n.y + X[8] * n.z};
}
PROVEN_LANES V3 turned_back(const double* X, const V3& n) {
  return {X[0] * n.x + X[3] * n.y + X[6] * n.z, X[1] * n.x + X[4] * n.y + X[7] * n.z,
          X[2] * n.x + X[5] * n.y + X[8] * n.z};
}

// The point of a list that reaches farthest along n, by all lanes.
PROVEN_LANES V3 farthest_point(const float* points, int count, const V3& n) {
  const float x = static_cast<float>(n.x), y = static_cast<float>(n.y), z = static_cast<float>(n.z);
  const auto height = [&](int i) {
    return x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2];
  };
  // Each lane its own best one.
  const Floats lowest = per_lane([&](int k) {
    float most = -INFINITY;
    for (int i = k; i < count; i += kLanes) most = larger(most, height(i));
    return -most;
  });
  const int lane = lane_of_least(lowest);
  const float most = -least_of(lowest);
  int best = lane;
  for (int i = lane; i < count; i += kLanes)
    if (height(i) == most) {
      best = i;
      break;
    }
  return vector(points + 3 * best);
}

// A point of the core of a box or a cylinder with these half extents; `along`: n in its frame.
PROVEN_LANES void core_support(const double* along, const double* half, bool cylinder, double* y) {
  for (int i = 0; i < 3; ++i) y[i] = along[i] >= 0 ? half[i] : -half[i];
  if (!cylinder) return;
  const double r = sqrt(along[0] * along[0] + along[1] * along[1]);
  const double share = r > 0 ? half[0] / r : 0;
  y[0] = along[0] * share;
  y[1] = along[1] * share;
}

PROVEN_LANES V3 piece_support(const Piece& piece, const V3& n) {
  if (piece.kind == Piece::kTriangle) {
    V3 best = {piece.v[0], piece.v[1], piece.v[2]};
    for (int i = 1; i < 3; ++i) {
      const V3 p = {piece.v[3 * i], piece.v[3 * i + 1], piece.v[3 * i + 2]};
      if (dot(n, p) > dot(n, best)) best = p;
    }
    return best;
  }
  const double* R = piece.v;
  double y[3], along[3];
  for (int i = 0; i < 3; ++i) along[i] = R[i] * n.x + R[3 + i] * n.y + R[6 + i] * n.z;
  core_support(along, piece.v + 12, piece.kind == Piece::kCylinder, y);
  return {R[0] * y[0] + R[1] * y[1] + R[2] * y[2] + piece.v[9],
          R[3] * y[0] + R[4] * y[1] + R[5] * y[2] + piece.v[10],
          R[6] * y[0] + R[7] * y[1] + R[8] * y[2] + piece.v[11]};
}

PROVEN_LANES V3 solid_support(const Solid& s, const V3& n) {
  double along[3], y[3];
  const double half[3] = {static_cast<double>(s.half[0]), static_cast<double>(s.half[1]),
                          static_cast<double>(s.half[2])};
  for (int i = 0; i < 3; ++i)
    along[i] = static_cast<double>(s.R[3 * i]) * n.x + static_cast<double>(s.R[3 * i + 1]) * n.y +
               static_cast<double>(s.R[3 * i + 2]) * n.z;
  core_support(along, half, s.cylinder != 0, y);
  return {s.c[0] + s.R[0] * y[0] + s.R[3] * y[1] + s.R[6] * y[2],
          s.c[1] + s.R[1] * y[0] + s.R[4] * y[1] + s.R[7] * y[2],
          s.c[2] + s.R[2] * y[0] + s.R[5] * y[1] + s.R[8] * y[2]};
}

// A point of the set's core that reaches farthest along n: by all lanes together, or by one of them
// for itself.
enum class By { all, one };

PROVEN_LANES V3 own_farthest(const float* points, int count, const V3& n) {
  const float x = static_cast<float>(n.x), y = static_cast<float>(n.y), z = static_cast<float>(n.z);
  int best = 0;
  float most = -INFINITY;
  for (int i = 0; i < count; ++i) {
    const float height = x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2];
    if (height > most) most = height, best = i;
  }
  return vector(points + 3 * best);
}

template <By kBy>
PROVEN_ALONE V3 support(const ConvexSet& set, const V3& n) {
  const V3 m = set.pose != nullptr ? turned_back(set.pose, n) : n;
  V3 p;
  if (set.kind == ConvexSet::kPoints)
    p = kBy == By::all ? farthest_point(set.points, set.count, m)
                       : own_farthest(set.points, set.count, m);
  else
    p = set.kind == ConvexSet::kPiece ? piece_support(*set.piece, m) : solid_support(*set.solid, m);
  return set.pose != nullptr ? posed(set.pose, p) : p;
}

// How far the cores of two sets are apart along n.
template <By kBy>
PROVEN_LANES double gap_along(const ConvexSet& a, const ConvexSet& b, const V3& n) {
  return dot(n, support<kBy>(b, -1 * n) - support<kBy>(a, n));
}

struct Separation {
  V3 direction = {0, 0, 0};  // a unit vector from the first to the second but for rounding
  bool found = false;
};

// Ends at a direction along which the gap exceeds `enough`; `guess` is a unit vector.
template <By kBy>
PROVEN_ALONE Separation separate(const ConvexSet& a, const ConvexSet& b, const V3& guess,
                                 double enough) {
  constexpr int kMostSteps = 24;
  constexpr double kNearBest = 1e-3;
  Simplex simplex;
  V3 v = guess;
  double square = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    const V3 w = support<kBy>(b, -1 * v) - support<kBy>(a, v);
    const double along = dot(v, w);
    if (along > 0 && along * along > enough * enough * square) break;
    if (step > 0 && square - along <= kNearBest * square) break;
    simplex.p[simplex.count++] = w;
    simplex.reduce();
    const double shorter = dot(simplex.closest, simplex.closest);
    if (simplex.holds_origin || !(shorter > 1e-24)) return {};
    if (step > 0 && !(shorter < square)) break;
    v = simplex.closest;
    square = shorter;
  }
  const V3 n = unit(v);
  return {n, n.x == n.x};
}

}  // namespace proven::batch
