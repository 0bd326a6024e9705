// A direction along which two convex sets are apart, by Gilbert, Johnson and Keerthi. It is only a
// proposal: what counts is the gap along it.
#pragma once

#include "batch_lanes.h"

namespace proven::batch {

// The part of a simplex that is nearest to the origin.
struct Simplex {
  V3 p[4];
  int count = 0;
  V3 closest = {0, 0, 0};
  bool holds_origin = false;

  PROVEN_LANES void reduce() {
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

  PROVEN_LANES void reduce_triangle(V3 a, V3 b, V3 c) {
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

struct Separation {
  V3 direction = {0, 0, 0};  // a unit vector from the first to the second but for rounding
  bool found = false;
};

// `farthest(n)`: the support point of the first set along n; `lowest(n)`: of the second against it.
// Ends at a direction along which the gap exceeds `enough`.
template <class First, class Second>
PROVEN_LANES Separation separate(const First& farthest, const Second& lowest, const V3& guess,
                                 double enough) {
  constexpr int kMostSteps = 24;
  constexpr double kNearBest = 1e-3;
  Simplex simplex;
  simplex.p[0] = lowest(guess) - farthest(guess);
  simplex.count = 1;
  simplex.reduce();
  for (int step = 0; step < kMostSteps; ++step) {
    const V3 v = simplex.closest;
    const double square = dot(v, v);
    if (!(square > 1e-24)) return {};
    const V3 w = lowest(v) - farthest(v);
    const double along = dot(v, w);
    if (square - along <= kNearBest * square) break;
    if (along > 0 && along * along > enough * enough * square) break;
    simplex.p[simplex.count++] = w;
    simplex.reduce();
    if (simplex.holds_origin) return {};
    if (!(dot(simplex.closest, simplex.closest) < square)) {
      simplex.closest = v;
      break;
    }
  }
  const V3 n = unit(simplex.closest);
  return {n, n.x == n.x};
}

}  // namespace proven::batch
