// Slow twins in 113-bit arithmetic for the distance of triangles: other formulas than the
// library's, and enough digits to ignore rounding.
#pragma once

#include <array>

#include "proven/geometry/shapes.h"

namespace proven::test {

using Quad = __float128;

struct QuadVec {
  Quad x, y, z;
  QuadVec(Quad x_, Quad y_, Quad z_) : x(x_), y(y_), z(z_) {}
  QuadVec(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
  friend QuadVec operator-(const QuadVec& a, const QuadVec& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend QuadVec operator+(const QuadVec& a, const QuadVec& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend QuadVec operator*(Quad s, const QuadVec& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Quad dot(const QuadVec& a, const QuadVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend QuadVec cross(const QuadVec& a, const QuadVec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

inline Quad quad_sqrt(Quad a) {
  if (a <= 0) return 0;
  // Scale by squares so that the double seed neither overflows nor underflows.
  Quad scale = 1;
  while (a * scale * scale < Quad(1e-200)) scale *= Quad(1e100);
  const Quad b = a * scale * scale;
  Quad x = std::sqrt(static_cast<double>(b));
  for (int i = 0; i < 3; ++i) x = (x + b / x) / 2;
  return x / scale;
}

inline Quad clamp01(Quad t) {
  return t < 0 ? Quad(0) : t > 1 ? Quad(1) : t;
}

// Squared distance of point and segment.
inline Quad point_segment2(const QuadVec& p, const QuadVec& a, const QuadVec& b) {
  const QuadVec d = b - a;
  const Quad d2 = dot(d, d);
  const QuadVec foot = a + (d2 > 0 ? clamp01(dot(p - a, d) / d2) : Quad(0)) * d;
  return dot(p - foot, p - foot);
}

// Squared distance of two segments: the interior of both by Cramer's rule, else an end.
inline Quad segment_segment2(const QuadVec& p, const QuadVec& q, const QuadVec& r,
                             const QuadVec& s) {
  Quad best = point_segment2(p, r, s);
  for (const Quad d : {point_segment2(q, r, s), point_segment2(r, p, q), point_segment2(s, p, q)})
    if (d < best) best = d;
  const QuadVec u = q - p, v = s - r, w = p - r;
  const Quad a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, w), e = dot(v, w);
  const Quad det = a * c - b * b;
  if (!(det > 0)) return best;
  const Quad t = (b * e - c * d) / det, k = (a * e - b * d) / det;
  if (t < 0 || t > 1 || k < 0 || k > 1) return best;
  const QuadVec gap = (p + t * u) - (r + k * v);
  const Quad inner = dot(gap, gap);
  return inner < best ? inner : best;
}

// Squared distance of point and the interior of the face; infinite if the foot is outside.
inline Quad point_face2(const QuadVec& p, const QuadVec& a, const QuadVec& b, const QuadVec& c) {
  const QuadVec n = cross(b - a, c - a);
  const Quad n2 = dot(n, n);
  if (!(n2 > 0)) return 1e300;
  if (dot(cross(b - a, p - a), n) < 0 || dot(cross(c - b, p - b), n) < 0 ||
      dot(cross(a - c, p - c), n) < 0)
    return 1e300;
  const Quad h = dot(p - a, n);
  return h * h / n2;
}

// Whether the segment properly crosses the face.
inline bool crosses(const QuadVec& p, const QuadVec& q, const QuadVec& a, const QuadVec& b,
                    const QuadVec& c) {
  const QuadVec n = cross(b - a, c - a);
  const Quad hp = dot(p - a, n), hq = dot(q - a, n);
  if (hp * hq >= 0) return false;
  const QuadVec x = p + (hp / (hp - hq)) * (q - p);
  return dot(cross(b - a, x - a), n) >= 0 && dot(cross(c - b, x - b), n) >= 0 &&
         dot(cross(a - c, x - c), n) >= 0;
}

using QuadTriangle = std::array<QuadVec, 3>;

inline double quad_distance(const QuadTriangle& a, const QuadTriangle& b) {
  Quad best = 1e300;
  const auto offer = [&](Quad d) {
    if (d < best) best = d;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    offer(point_face2(a[i], b[0], b[1], b[2]));
    offer(point_face2(b[i], a[0], a[1], a[2]));
    for (std::size_t j = 0; j < 3; ++j)
      offer(segment_segment2(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    if (crosses(a[i], a[(i + 1) % 3], b[0], b[1], b[2]) ||
        crosses(b[i], b[(i + 1) % 3], a[0], a[1], a[2]))
      return 0;
  }
  return static_cast<double>(quad_sqrt(best));
}

inline double quad_distance(const Triangle& a, const Triangle& b) {
  return quad_distance(QuadTriangle{a.a, a.b, a.c}, QuadTriangle{b.a, b.b, b.c});
}

// The point posed without rounding to double.
inline QuadVec quad_posed(const Pose& X, const Vec3& p) {
  return QuadVec{dot(QuadVec(X.R.row[0]), p), dot(QuadVec(X.R.row[1]), p),
                 dot(QuadVec(X.R.row[2]), p)} +
         QuadVec(X.p);
}

}  // namespace proven::test
