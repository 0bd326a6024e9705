// Two closed triangles share a point exactly if an edge of one meets the other: the extreme points
// of their intersection lie on edges. Everything is decided by signs of exact determinants.
#include <algorithm>

#include "predicates.h"
#include "triangle_distance.h"

namespace proven {
namespace {

Vec2 drop(const Vec3& v, int axis) {
  return axis == 0 ? Vec2{v.y, v.z} : axis == 1 ? Vec2{v.z, v.x} : Vec2{v.x, v.y};
}

int orientation_without(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
  return orientation_2d(drop(a, axis), drop(b, axis), drop(c, axis));
}

// A coordinate axis along which the triangle's projection keeps an area, or -1 if it has none.
int projection_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
  for (int axis = 0; axis < 3; ++axis)
    if (orientation_without(axis, a, b, c) != 0) return axis;
  return -1;
}

bool same_strict_side(int s, int t) {
  return s * t > 0;
}

// Whether x, on the line through p and q, lies between them.
bool between(const Vec3& p, const Vec3& q, const Vec3& x) {
  for (int i = 0; i < 3; ++i)
    if (x[i] < std::min(p[i], q[i]) || x[i] > std::max(p[i], q[i])) return false;
  return true;
}

bool collinear_segments_meet(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
  return between(p, q, r) || between(p, q, s) || between(r, s, p) || between(r, s, q);
}

// Segments in one plane that projects along `axis` without folding.
bool coplanar_segments_meet(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s, int axis) {
  const int r_side = orientation_without(axis, p, q, r);
  const int s_side = orientation_without(axis, p, q, s);
  const int p_side = orientation_without(axis, r, s, p);
  const int q_side = orientation_without(axis, r, s, q);
  if (r_side == 0 && s_side == 0 && p_side == 0 && q_side == 0)
    return collinear_segments_meet(p, q, r, s);
  return !same_strict_side(r_side, s_side) && !same_strict_side(p_side, q_side);
}

bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
  if (orientation_3d(p, q, r, s) != 0) return false;
  int axis = projection_axis(p, q, r);
  if (axis < 0) axis = projection_axis(p, q, s);
  if (axis < 0) axis = projection_axis(r, s, p);
  if (axis < 0) return collinear_segments_meet(p, q, r, s);
  return coplanar_segments_meet(p, q, r, s, axis);
}

bool coplanar_point_in_triangle(const Vec3& x, const Triangle& t, int axis) {
  const int ab = orientation_without(axis, t.a, t.b, x);
  const int bc = orientation_without(axis, t.b, t.c, x);
  const int ca = orientation_without(axis, t.c, t.a, x);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

// The segment lies in the triangle's plane, or the triangle is a segment or a point.
bool flat_segment_meets_triangle(const Vec3& p, const Vec3& q, const Triangle& t) {
  const int axis = projection_axis(t.a, t.b, t.c);
  if (axis < 0)
    return segments_meet(p, q, t.a, t.b) || segments_meet(p, q, t.b, t.c) ||
           segments_meet(p, q, t.c, t.a);
  return coplanar_point_in_triangle(p, t, axis) || coplanar_point_in_triangle(q, t, axis) ||
         coplanar_segments_meet(p, q, t.a, t.b, axis) ||
         coplanar_segments_meet(p, q, t.b, t.c, axis) ||
         coplanar_segments_meet(p, q, t.c, t.a, axis);
}

// p_side and q_side: on which side of the triangle's plane the ends lie.
bool segment_meets_triangle(const Vec3& p, const Vec3& q, int p_side, int q_side,
                            const Triangle& t) {
  if (same_strict_side(p_side, q_side)) return false;
  if (p_side == 0 && q_side == 0) return flat_segment_meets_triangle(p, q, t);
  // The line pq meets the plane in one point; it is inside if it passes all edges on one side.
  const int ab = orientation_3d(p, q, t.a, t.b);
  const int bc = orientation_3d(p, q, t.b, t.c);
  if (same_strict_side(ab, -bc)) return false;
  const int ca = orientation_3d(p, q, t.c, t.a);
  return !same_strict_side(ab, -ca) && !same_strict_side(bc, -ca);
}

struct Sides {
  int a, b, c;
  bool apart() const { return same_strict_side(a, b) && same_strict_side(b, c); }
};

Sides sides_of(const Triangle& plane, const Triangle& t) {
  return {orientation_3d(plane.a, plane.b, plane.c, t.a),
          orientation_3d(plane.a, plane.b, plane.c, t.b),
          orientation_3d(plane.a, plane.b, plane.c, t.c)};
}

bool edges_meet_triangle(const Triangle& edges, const Sides& side, const Triangle& t) {
  return segment_meets_triangle(edges.a, edges.b, side.a, side.b, t) ||
         segment_meets_triangle(edges.b, edges.c, side.b, side.c, t) ||
         segment_meets_triangle(edges.c, edges.a, side.c, side.a, t);
}

}  // namespace

bool triangles_overlap(const Triangle& a, const Triangle& b) {
  const Sides b_side = sides_of(a, b);
  if (b_side.apart()) return false;
  const Sides a_side = sides_of(b, a);
  if (a_side.apart()) return false;
  return edges_meet_triangle(b, b_side, a) || edges_meet_triangle(a, a_side, b);
}

}  // namespace proven
