#include "verify/overlap.h"

#include <cmath>

#include "proven/base/random.h"

namespace proven::verifier {
namespace {

// Lengths that were computed in doubles are shortened by this share: a point of a round shape that
// was computed with fewer than 8 roundings of u = 2^-53 is then inside.
constexpr double kShrink = 0x1p-50;

Vec3 unit(const Vec3& v) {
  const Vec3 n = proven::normalized(v);
  return n == Vec3{} ? Vec3{1, 0, 0} : n;
}

double with_sign(double size, double sign) {
  return sign < 0 ? -size : size;
}

Vec3 farthest(std::span<const Vec3> points, const Vec3& d) {
  const Vec3* best = &points[0];
  for (const Vec3& p : points)
    if (dot(p, d) > dot(*best, d)) best = &p;
  return *best;
}

// A point of the piece that is (nearly) farthest along d; both in the element's frame, the point of
// a grain as seen from its centre.
Vec3 support(const PlacedPiece& placed, const Vec3& d) {
  if (placed.piece.triangle >= 0) return farthest(corners(*placed.body, placed.piece), d);
  if (placed.piece.grain >= 0) {  // seen from its centre
    const Vec3 h = (1 - kShrink) * approximate(grain_of<Interval>(*placed.body, placed.piece).half);
    return Vec3{with_sign(h.x, d.x), with_sign(h.y, d.y), with_sign(h.z, d.z)} +
           grain_radius(*placed.body) * (1 - kShrink) * unit(d);
  }
  const Shape& shape = placed.body->element(placed.piece).shape;
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape))
    return farthest((*hull)->points, d);
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_extents;
    return {with_sign(h.x, d.x), with_sign(h.y, d.y), with_sign(h.z, d.z)};
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    return sphere->radius * (1 - kShrink) * unit(d);
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const double slack = kShrink * (capsule->radius + capsule->half_length);
    return Vec3{0, 0, with_sign(capsule->half_length, d.z)} +
           std::fmax(0, capsule->radius - slack) * unit(d);
  }
  const Cylinder& cylinder = std::get<Cylinder>(shape);
  Vec3 rim = cylinder.radius * (1 - kShrink) * unit({d.x, d.y, 0});
  rim.z = with_sign(cylinder.half_length, d.z);
  return rim;
}

// The piece in the world, in plain doubles.
struct Rough {
  PlacedPiece placed;
  Pose X_WE;

  Rough(const PlacedPiece& p, const Placement<Interval>& X_WB) : placed(p) {
    Pose X;
    for (std::size_t i = 0; i < 3; ++i) X.R.row[i] = X_WB.R.M.row[i];
    X.p = X_WB.p;
    X_WE = X * p.body->element(p.piece).X_BS;
    if (p.piece.grain >= 0)
      X_WE.p = X_WE * approximate(grain_of<Interval>(*p.body, p.piece).centre);
  }
  Combination farthest_along(const Vec3& d) const {
    const Vec3 point = support(placed, transpose_times(X_WE.R, d));
    return {{point, point, point, point}};
  }
  // Some point well inside: a mixture of four points of the surface.
  Combination inner(Random& random) const {
    Combination mix;
    for (Vec3& p : mix.points) p = support(placed, random.unit_vector());
    for (double& w : mix.weights) w = random.uniform(0.2, 0.3);
    return mix;
  }
  Vec3 in_world(const Combination& c) const {
    Vec3 p = c.points[0];
    for (int k = 0; k < 3; ++k) p += c.weights[k] * (c.points[k + 1] - c.points[0]);
    return X_WE * p;
  }
};

// Portal refinement: keeps a triangle v1 v2 v3 through which the ray from v0 to the origin passes.
class PortalSearch {
 public:
  PortalSearch(const PlacedPair<Interval>& pair, double c, std::uint64_t attempt)
      : a_(pair.A, pair.X_WA), b_(pair.B, pair.X_WB), c_(c), random_(attempt + 1) {}

  std::optional<Tetrahedron> run() {
    v_[0] = placed({a_.inner(random_), b_.inner(random_), {}});
    v_[1] = farthest(-v_[0].w);
    v_[2] = farthest(cross(v_[1].w, v_[0].w));
    Vec3 n = cross(v_[1].w - v_[0].w, v_[2].w - v_[0].w);
    if (dot(n, v_[0].w) > 0) std::swap(v_[1], v_[2]), n = -n;
    if (!find_portal(n)) return std::nullopt;
    for (int i = 0; i < kMostSteps; ++i) {
      n = cross(v_[2].w - v_[1].w, v_[3].w - v_[1].w);
      if (dot(n, v_[1].w) > 0) return Tetrahedron{v_[0].p, v_[1].p, v_[2].p, v_[3].p};
      const Vertex next = farthest(n);
      if (!(dot(next.w, n) > 0)) return std::nullopt;
      replace(next);
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMostSteps = 200;
  struct Vertex {
    SetPoint p;
    Vec3 w;  // in the world
  };

  Vertex placed(const SetPoint& p) const {
    return {p, b_.in_world(p.b) - a_.in_world(p.a) + p.offset};
  }
  Vertex farthest(const Vec3& n) const {
    const Vec3 d = unit(n);
    return placed({a_.farthest_along(-d), b_.farthest_along(d), c_ * (1 - kShrink) * d});
  }
  bool find_portal(Vec3 n) {
    for (int i = 0; i < kMostSteps; ++i) {
      v_[3] = farthest(n);
      if (!(dot(v_[3].w, n) > 0)) return false;
      if (dot(cross(v_[1].w, v_[3].w), v_[0].w) < 0)
        v_[2] = v_[3];
      else if (dot(cross(v_[3].w, v_[2].w), v_[0].w) < 0)
        v_[1] = v_[3];
      else
        return true;
      n = cross(v_[1].w - v_[0].w, v_[2].w - v_[0].w);
    }
    return false;
  }
  void replace(const Vertex& next) {
    const Vec3 side = cross(next.w, v_[0].w);
    if (dot(v_[1].w, side) > 0)
      v_[dot(v_[2].w, side) > 0 ? 1 : 3] = next;
    else
      v_[dot(v_[3].w, side) > 0 ? 2 : 1] = next;
  }

  Rough a_, b_;
  double c_;
  Random random_;
  std::array<Vertex, 4> v_;
};

template <class T>
Vector<T> in_world(const Combination& c, const PlacedPiece& placed, const Placement<T>& X_WB) {
  Vector<T> p(c.points[0]);
  if (placed.piece.grain >= 0) p = p + grain_of<T>(*placed.body, placed.piece).centre;
  for (int k = 0; k < 3; ++k)
    if (c.weights[k] != 0)
      p = p + T(c.weights[k]) * (Vector<T>(c.points[k + 1]) - Vector<T>(c.points[0]));
  return X_WB * (placed.body->pose_of(placed.piece).as<T>() * p);
}

}  // namespace

std::optional<Tetrahedron> find_tetrahedron(const PlacedPair<Interval>& pair, double c,
                                            std::uint64_t attempt) {
  return PortalSearch(pair, c, attempt).run();
}

// det(w1 w2 w3) w0 - det(w0 w2 w3) w1 + det(w0 w1 w3) w2 - det(w0 w1 w2) w3 = 0 for any four
// vectors: if the four factors have one sign, the origin is a mixture of the w.
template <class T>
bool surrounds_origin(const Tetrahedron& tetrahedron, const PlacedPair<T>& pair) {
  Vector<T> w[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const SetPoint& p = tetrahedron[k];
    w[k] =
        in_world(p.b, pair.B, pair.X_WB) - in_world(p.a, pair.A, pair.X_WA) + Vector<T>(p.offset);
  }
  const auto det = [&](int i, int j, int k) { return dot(w[i], cross(w[j], w[k])); };
  const T factors[] = {det(1, 2, 3), -det(0, 2, 3), det(0, 1, 3), -det(0, 1, 2)};
  bool all_positive = true, all_negative = true;
  for (const T& factor : factors) {
    all_positive = all_positive && surely_positive(factor);
    all_negative = all_negative && surely_positive(-factor);
  }
  return all_positive || all_negative;
}
template bool surrounds_origin(const Tetrahedron&, const PlacedPair<Interval>&);
template bool surrounds_origin(const Tetrahedron&, const PlacedPair<Wide>&);

}  // namespace proven::verifier
