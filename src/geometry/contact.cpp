#include "proven/geometry/contact.h"

#include <optional>

#include "node_pair.h"
#include "triangle_distance.h"

namespace proven {
namespace {

// Convex pieces said to overlap may be this far apart, relative to the largest coordinate (gjk.h).
constexpr double kOverlapError = 0x1p-33;

// Below this share of its size a piece cannot be shrunk with any meaning: 2^-33 is lost to
// rounding.
constexpr double kLeastShrinkage = 0x1p-35;

Triangle as_segment(const Vec3& p, const Vec3& q) {
  return {p, q, q};
}

// Whether the edge crosses the triangle and goes on doing so (see the header).
std::optional<Vec3> sure_crossing(const Vec3& p, const Vec3& q, const Triangle& t, double margin) {
  const Triangle edge = as_segment(p, q);
  if (!triangles_overlap(edge, t)) return std::nullopt;
  const auto apart = [&](const Triangle& x, const Triangle& y) {
    return triangle_distance(x, y, margin).distance_lower > 0;
  };
  const bool certain = apart(as_segment(p, p), t) && apart(as_segment(q, q), t) &&
                       apart(edge, as_segment(t.a, t.b)) && apart(edge, as_segment(t.b, t.c)) &&
                       apart(edge, as_segment(t.c, t.a));
  if (!certain) return std::nullopt;
  const Vec3 normal = cross(t.b - t.a, t.c - t.a);
  const double dp = dot(normal, p - t.a), dq = dot(normal, q - t.a);
  return p + (dp / (dp - dq)) * (q - p);
}

std::optional<Vec3> sure_overlap(const Triangle& a, const Triangle& b, double margin) {
  const Vec3 corners_a[] = {a.a, a.b, a.c}, corners_b[] = {b.a, b.b, b.c};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (auto x = sure_crossing(corners_a[i], corners_a[j], b, margin)) return x;
    if (auto x = sure_crossing(corners_b[i], corners_b[j], a, margin)) return x;
  }
  return std::nullopt;
}

// Whether a ball of radius `margin` about p lies in the piece: an octahedron around the ball does.
bool is_deep_inside(const Convex& piece, const Vec3& p, double margin) {
  const double reach = 1.7320508075688774 * margin;
  for (int i = 0; i < 3; ++i)
    for (const double side : {-reach, reach}) {
      Vec3 corner = p;
      corner[i] += side;
      if (!piece.contains(corner)) return false;
    }
  return true;
}

Vec3 middle_of(const Convex& piece) {
  if (piece.kind != ConvexKind::hull) return piece.X_BS.p;
  Vec3 sum;
  for (const Vec3& p : piece.points) sum += p;
  return (1.0 / static_cast<double>(piece.points.size())) * sum;
}

// The piece shrunk towards its middle: its points lie inside the piece.
Convex shrunk(Convex piece, double factor) {
  const Vec3 middle = middle_of(piece);
  piece.half_extents *= factor;
  piece.radius *= factor;
  for (Vec3& p : piece.points) p = middle + factor * (p - middle);
  return piece;
}

// A point of `other` deep inside `piece`, in the frame of `piece`. The piece is shrunk less and
// less until it meets the other: a deep overlap shows at the first try, a shallow one at a later
// one. What the first that meets has in common with the other lies as deep as any point that could
// be found, to a factor of 8.
std::optional<Vec3> point_deep_inside(const Convex& piece, const BodyGeometry& other,
                                      int other_piece, const Pose& X_PO, double margin) {
  for (double shrinkage = 0.5; shrinkage > kLeastShrinkage; shrinkage *= 0.125) {
    const PieceDistance inner =
        convex_to_piece_distance(shrunk(piece, 1 - shrinkage), other, other_piece, X_PO);
    if (inner.distance > 0) continue;
    if (is_deep_inside(piece, inner.point_b, margin)) return inner.point_b;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Vec3> find_sure_overlap(const BodyGeometry& a, int piece_a, const BodyGeometry& b,
                                      int piece_b, const Pose& X_AB, double margin) {
  const bool triangle_a = a.is_triangle(piece_a), triangle_b = b.is_triangle(piece_b);
  if (triangle_a && triangle_b) {
    const Triangle& t = b.triangles()[static_cast<std::size_t>(piece_b)];
    return sure_overlap(a.triangles()[static_cast<std::size_t>(piece_a)],
                        {X_AB * t.a, X_AB * t.b, X_AB * t.c}, margin);
  }
  const double depth =
      margin + kOverlapError * (a.max_coordinate() + b.max_coordinate() + max_abs(X_AB.p));
  Convex room;
  if (!triangle_a) {
    if (auto x = point_deep_inside(a.convex(piece_a, room), b, piece_b, X_AB, depth)) return x;
  }
  if (triangle_b) return std::nullopt;
  const auto x = point_deep_inside(b.convex(piece_b, room), a, piece_a, inverse(X_AB), depth);
  return x ? std::optional<Vec3>(X_AB * *x) : std::nullopt;
}

namespace {

class ContactSearch {
 public:
  ContactSearch(const NodePair& pair, double margin) : pair_(pair), margin_(margin) {}

  Contact run() {
    descend(0, 0);
    return contact_;
  }

 private:
  // False once the contact is certain.
  bool descend(int node_a, int node_b) {
    if (pair_.are_leaves(node_a, node_b)) return test(pair_.pieces(node_a, node_b));
    if (pair_.boxes_apart(node_a, node_b)) return true;
    return pair_.for_children(node_a, node_b, [&](int a, int b) { return descend(a, b); });
  }

  bool test(std::array<int, 2> pieces) {
    if (!pair_.overlap(pieces)) return true;
    const auto sure = find_sure_overlap(pair_.body_a(), pieces[0], pair_.body_b(), pieces[1],
                                        pair_.X_AB(), margin_);
    if (contact_.overlap == Overlap::none || sure) {
      contact_.overlap = sure ? Overlap::certain : Overlap::touching;
      contact_.pieces = pieces;
      contact_.point = sure ? *sure : pair_.distance_of(pieces).point_a;
    }
    return !sure;
  }

  const NodePair& pair_;
  double margin_;
  Contact contact_;
};

}  // namespace

Contact find_contact(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB, double margin,
                     DistanceScratch& workspace) {
  const NodePair pair(a, b, X_AB, workspace.counts);
  return ContactSearch(pair, margin).run();
}

}  // namespace proven
