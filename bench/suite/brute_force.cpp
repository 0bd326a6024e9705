#include "bench/suite/brute_force.h"

#include <limits>
#include <numbers>

#include "proven/geometry/body_geometry.h"

namespace proven::bench {
namespace {

using Real = long double;
using Point = Vector3<Real>;
using Corners = std::array<Point, 3>;

// Poses of a scene of tens of metres are exact to about 1e-18 m in long double, and points that the
// checkers compute in double to about 1e-14 m.
constexpr Real kPointTolerance = 1e-11L;
constexpr Real kGapTolerance = 1e-9L;  // of gaps found by projections
constexpr int kMaxProjections = 5000;

int sign_of_volume(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Real volume = (b - a).cross(c - a).dot(d - a);
  return (volume > 0) - (volume < 0);
}

// Whether the segment pq passes through the triangle's interior, its ends on either side.
bool crosses(const Point& p, const Point& q, const Corners& t) {
  const int side_p = sign_of_volume(t[0], t[1], t[2], p);
  const int side_q = sign_of_volume(t[0], t[1], t[2], q);
  if (side_p * side_q >= 0) return false;
  const int s0 = sign_of_volume(p, q, t[0], t[1]);
  const int s1 = sign_of_volume(p, q, t[1], t[2]);
  const int s2 = sign_of_volume(p, q, t[2], t[0]);
  return s0 != 0 && s0 == s1 && s1 == s2;
}

bool triangles_cross(const Corners& a, const Corners& b) {
  for (std::size_t i = 0; i < 3; ++i)
    if (crosses(a[i], a[(i + 1) % 3], b) || crosses(b[i], b[(i + 1) % 3], a)) return true;
  return false;
}

Point nearest_on_segment(const Point& a, const Point& b, const Point& p) {
  const Real length2 = (b - a).squaredNorm();
  if (length2 == 0) return a;
  return a + std::clamp((p - a).dot(b - a) / length2, Real(0), Real(1)) * (b - a);
}

Point nearest_on_triangle(const Corners& t, const Point& p) {
  const Point n = (t[1] - t[0]).cross(t[2] - t[0]);
  const Real n2 = n.squaredNorm();
  if (n2 > 0) {
    const Point foot = p - (p - t[0]).dot(n) / n2 * n;
    bool in = true;
    for (std::size_t i = 0; i < 3; ++i)
      in = in && (t[(i + 1) % 3] - t[i]).cross(foot - t[i]).dot(n) >= 0;
    if (in) return foot;
  }
  Point best = t[0];
  for (std::size_t i = 0; i < 3; ++i) {
    const Point x = nearest_on_segment(t[i], t[(i + 1) % 3], p);
    if ((x - p).squaredNorm() < (best - p).squaredNorm()) best = x;
  }
  return best;
}

Point shrink_to(const Point& centre, Real radius, const Point& p) {
  const Real distance = (p - centre).norm();
  return distance <= radius ? p : Point(centre + radius / distance * (p - centre));
}

// All in the piece's own frame.
Point nearest_in_convex(const Convex& piece, const Point& p) {
  const Point h = to_eigen<Real>(piece.half_extents);
  const Real radius = piece.radius;
  switch (piece.kind) {
    case ConvexKind::box:
      return p.cwiseMax(-h).cwiseMin(h);
    case ConvexKind::sphere:
      return shrink_to(Point::Zero(), radius, p);
    case ConvexKind::capsule: {
      const Point end(0, 0, h.z());
      return shrink_to(nearest_on_segment(-end, end, p), radius, p);
    }
    case ConvexKind::cylinder: {
      const Real across = std::hypot(p.x(), p.y());
      const Real scale = across > h.x() ? h.x() / across : Real(1);
      return {p.x() * scale, p.y() * scale, std::clamp(p.z(), -h.z(), h.z())};
    }
    case ConvexKind::hull:
      break;
  }
  return Point::Constant(std::numeric_limits<Real>::quiet_NaN());
}

// The solid angle of a triangle seen from p, over 4π, signed. Doubles suffice: the sum is an
// integer for points off the surface.
double winding_share(const Triangle& triangle, const Vec3& p) {
  const Vec3 x = triangle.a - p, y = triangle.b - p, z = triangle.c - p;
  const double a = norm(x), b = norm(y), c = norm(z);
  const double rest = a * b * c + dot(x, y) * c + dot(y, z) * a + dot(z, x) * b;
  return std::atan2(dot(x, cross(y, z)), rest) / (2 * std::numbers::pi);
}

bool in_box(std::span<const Triangle> triangles, const Point& p) {
  if (triangles.empty()) return false;
  Vec3 low = triangles[0].a, high = low;
  for (const Triangle& t : triangles)
    for (const Vec3& v : {t.a, t.b, t.c})
      for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], v[i]);
        high[i] = std::max(high[i], v[i]);
      }
  return (p.array() >= to_eigen<Real>(low).array()).all() &&
         (p.array() <= to_eigen<Real>(high).array()).all();
}

}  // namespace

BruteForce::BruteForce(const Scene& scene, std::span<const double> q, int body_a, int body_b) {
  const std::vector<Real> wide(q.begin(), q.end());
  std::vector<Frame<Real>> poses;
  twin_poses<Real>(scene.tree(), wide, poses);
  const auto side = [&](int index) {
    const Body& body = scene.body(index);
    return Side{body.geometry.get(),
                poses[static_cast<std::size_t>(body.link)] * to_eigen<Real>(body.X_LB)};
  };
  sides_ = {side(body_a), side(body_b)};
}

std::array<Point, 3> BruteForce::triangle(int which, int piece) const {
  const Side& side = sides_[static_cast<std::size_t>(which)];
  const Triangle& t = side.geometry->triangles()[static_cast<std::size_t>(piece)];
  return {side.X_WB * to_eigen<Real>(t.a), side.X_WB * to_eigen<Real>(t.b),
          side.X_WB * to_eigen<Real>(t.c)};
}

Convex BruteForce::convex(int which, int piece) const {
  Convex room;
  return sides_[static_cast<std::size_t>(which)].geometry->convex(piece, room);
}

Point BruteForce::nearest(int which, int piece, const Point& p_W) const {
  const Side& side = sides_[static_cast<std::size_t>(which)];
  if (side.geometry->is_triangle(piece)) return nearest_on_triangle(triangle(which, piece), p_W);
  const Convex c = convex(which, piece);
  const Frame<Real> X_WS = side.X_WB * to_eigen<Real>(c.X_BS);
  // Not inverse(): the pose is a rotation only to the precision of the file.
  const Point p_S = X_WS.linear().inverse() * (p_W - X_WS.translation());
  return X_WS * nearest_in_convex(c, p_S);
}

Point BruteForce::some_point(int which, int piece) const {
  const Side& side = sides_[static_cast<std::size_t>(which)];
  if (side.geometry->is_triangle(piece)) return triangle(which, piece)[0];
  return side.X_WB * to_eigen<Real>(convex(which, piece).X_BS.p);
}

// How far the piece reaches from a point: an upper bound.
Real BruteForce::radius_about(int which, int piece, const Point& p_W) const {
  const Side& side = sides_[static_cast<std::size_t>(which)];
  if (side.geometry->is_triangle(piece)) {
    const Corners t = triangle(which, piece);
    return std::max({(t[0] - p_W).norm(), (t[1] - p_W).norm(), (t[2] - p_W).norm()});
  }
  const Convex c = convex(which, piece);
  return (some_point(which, piece) - p_W).norm() + to_eigen<Real>(c.half_extents).norm() + c.radius;
}

// max over the piece of n·x.
Real BruteForce::support(int which, int piece, const Point& n_W) const {
  const Side& side = sides_[static_cast<std::size_t>(which)];
  if (side.geometry->is_triangle(piece)) {
    const Corners t = triangle(which, piece);
    return std::max({n_W.dot(t[0]), n_W.dot(t[1]), n_W.dot(t[2])});
  }
  const Convex c = convex(which, piece);
  const Frame<Real> X_WS = side.X_WB * to_eigen<Real>(c.X_BS);
  const Point n = X_WS.linear().transpose() * n_W;
  const Point h = to_eigen<Real>(c.half_extents);
  const Real centre = n_W.dot(X_WS.translation());
  if (c.kind == ConvexKind::cylinder)
    return centre + h.x() * std::hypot(n.x(), n.y()) + h.z() * std::fabs(n.z());
  return centre + h.dot(n.cwiseAbs()) + Real(c.radius) * n.norm();
}

// Projections in turn onto two convex sets converge to their closest points.
std::array<Point, 2> BruteForce::closest(int piece_a, int piece_b, const Point& start_W) const {
  Point x = nearest(0, piece_a, start_W), y = nearest(1, piece_b, x);
  for (int i = 0; i < kMaxProjections; ++i) {
    const Real before = (x - y).norm();
    x = nearest(0, piece_a, y);
    y = nearest(1, piece_b, x);
    if (!((x - y).norm() < before)) break;
  }
  return {x, y};
}

bool BruteForce::both_triangles(int piece_a, int piece_b) const {
  return sides_[0].geometry->is_triangle(piece_a) && sides_[1].geometry->is_triangle(piece_b);
}

bool BruteForce::pieces_overlap(int piece_a, int piece_b, const Vec3& start_W) const {
  if (both_triangles(piece_a, piece_b))
    return triangles_cross(triangle(0, piece_a), triangle(1, piece_b));
  const auto [x, y] = closest(piece_a, piece_b, to_eigen<Real>(start_W));
  return (x - y).norm() < kPointTolerance;
}

bool BruteForce::pieces_apart(int piece_a, int piece_b, Real clearance) const {
  if (clearance == 0 && both_triangles(piece_a, piece_b))
    return !triangles_cross(triangle(0, piece_a), triangle(1, piece_b));
  const auto [x, y] = closest(piece_a, piece_b, some_point(0, piece_a));
  const Point n = (y - x).normalized();
  return -support(1, piece_b, -n) - support(0, piece_a, n) >
         clearance - kGapTolerance * (clearance > 0);
}

// Whether the test holds for any two pieces that may be closer than the clearance.
template <class Test>
bool BruteForce::any_close_pieces(Real clearance, Test&& test) const {
  const int num_a = sides_[0].geometry->num_pieces(), num_b = sides_[1].geometry->num_pieces();
  for (int a = 0; a < num_a; ++a) {
    const Point p = some_point(0, a);
    const Real reach = radius_about(0, a, p) + clearance;
    for (int b = 0; b < num_b; ++b)
      if ((nearest(1, b, p) - p).norm() <= reach && test(a, b)) return true;
  }
  return false;
}

bool BruteForce::overlap(const Vec3& start_W) const {
  return any_close_pieces(0, [&](int a, int b) { return pieces_overlap(a, b, start_W); });
}

bool BruteForce::apart(double clearance) const {
  return !any_close_pieces(clearance,
                           [&](int a, int b) { return !pieces_apart(a, b, Real(clearance)); });
}

Real BruteForce::distance_to(int which, const Vec3& p_W) const {
  const Point p = to_eigen<Real>(p_W);
  Real best = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < sides_[static_cast<std::size_t>(which)].geometry->num_pieces(); ++i)
    best = std::min(best, (nearest(which, i, p) - p).norm());
  return best;
}

bool BruteForce::inside_mesh(int which, const Point& p_W) const {
  const Side& side = sides_[static_cast<std::size_t>(which)];
  const Point p = side.X_WB.linear().inverse() * (p_W - side.X_WB.translation());
  if (!in_box(side.geometry->triangles(), p)) return false;
  // Winding for meshes that are consistently directed, parity of crossings for the others.
  const auto components = side.geometry->components();
  const bool directed = std::all_of(components.begin(), components.end(),
                                    [](const Component& c) { return c.directed || !c.closed; });
  const Vec3 p_B{static_cast<double>(p.x()), static_cast<double>(p.y()),
                 static_cast<double>(p.z())};
  const Point far = p + Point(0.6123L, 0.4297L, 0.6639L) * 1e5L;
  double winding = 0;
  int crossings = 0;
  for (const Triangle& t : side.geometry->triangles()) {
    winding += winding_share(t, p_B);
    if (!directed)
      crossings += crosses(p, far, {to_eigen<Real>(t.a), to_eigen<Real>(t.b), to_eigen<Real>(t.c)});
  }
  const bool open = std::none_of(components.begin(), components.end(),
                                 [](const Component& c) { return c.closed; });
  return open ? std::fabs(winding) > kAlmostWhole : std::fabs(winding) > 0.5 || crossings % 2 == 1;
}

bool BruteForce::inside(int which, const Vec3& p_W) const {
  const BodyGeometry& geometry = *sides_[static_cast<std::size_t>(which)].geometry;
  const Point p = to_eigen<Real>(p_W);
  for (int i = static_cast<int>(geometry.triangles().size()); i < geometry.num_pieces(); ++i)
    if ((nearest(which, i, p) - p).norm() < kPointTolerance) return true;
  return geometry.has_inside() && inside_mesh(which, p);
}

bool BruteForce::contained() const {
  for (int inner = 0; inner < 2; ++inner) {
    const BodyGeometry& geometry = *sides_[static_cast<std::size_t>(inner)].geometry;
    const auto lies_inside = [&](int piece) {
      const Point p = some_point(inner, piece);
      return inside(1 - inner, {static_cast<double>(p.x()), static_cast<double>(p.y()),
                                static_cast<double>(p.z())});
    };
    for (const Component& component : geometry.components())
      if (lies_inside(component.first_piece)) return true;
    for (int i = 0; i < static_cast<int>(geometry.grains().size()); ++i)
      if (lies_inside(i)) return true;
  }
  return false;
}

namespace {

bool lies_on_path(const Scene& scene, std::span<const std::vector<double>> waypoints,
                  const Witness& witness) {
  const auto from = static_cast<std::size_t>(witness.segment);
  const std::size_t to = std::min(from + 1, waypoints.size() - 1);
  if (from >= waypoints.size() || !(witness.t >= 0 && witness.t <= 1)) return false;
  std::vector<Real> q;
  twin_interpolate<Real>(scene.tree(), waypoints[from], waypoints[to], Real(witness.t), q);
  for (const Link& link : scene.tree().links()) {
    if (link.joint.kind != JointKind::ball) continue;
    // The same rotation has two quaternions.
    const auto first = static_cast<std::size_t>(link.joint.coordinate);
    Real dot = 0;
    for (std::size_t k = first; k < first + 4; ++k) dot += q[k] * witness.configuration[k];
    if (dot < 0)
      for (std::size_t k = first; k < first + 4; ++k) q[k] = -q[k];
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Real error = std::fabs(q[i] - Real(witness.configuration[i]));
    // Ball joints may be given within 1e-6 of unit length, and are returned as given at the ends.
    const Real allowed = scene.tree().coordinates()[i].quaternion ? 2e-6L : 1e-14L;
    if (!(error <= allowed * (1 + std::fabs(q[i])))) return false;
  }
  return true;
}

}  // namespace

bool confirms(const Scene& scene, std::span<const std::vector<double>> waypoints,
              const Witness& witness, double clearance) {
  return lies_on_path(scene, waypoints, witness) && meets(scene, witness, clearance);
}

bool meets(const Scene& scene, const Witness& witness, double clearance) {
  const BruteForce pair(scene, witness.configuration, witness.bodies[0], witness.bodies[1]);
  switch (witness.kind) {
    case ContactKind::overlap:
      if (witness.pieces[0] < 0 || witness.pieces[1] < 0) return pair.overlap(witness.points[0]);
      return pair.pieces_overlap(witness.pieces[0], witness.pieces[1], witness.points[0]);
    case ContactKind::containment:
      for (int inner = 0; inner < 2; ++inner)
        if (pair.distance_to(inner, witness.points[0]) < kPointTolerance &&
            pair.inside(1 - inner, witness.points[0]))
          return true;
      return false;
    case ContactKind::too_close:
      return pair.distance_to(0, witness.points[0]) < kPointTolerance &&
             pair.distance_to(1, witness.points[1]) < kPointTolerance &&
             norm(witness.points[0] - witness.points[1]) < clearance;
  }
  return false;
}

}  // namespace proven::bench
