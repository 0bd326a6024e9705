#include "proven/geometry/penetration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "pieces.h"

namespace proven {
namespace {

// Rounding of a support gap of two convex pieces relative to L, as derived in pieces.cpp.
constexpr double kGapRounding = 0x1p-44;
// Convex pieces said to overlap may be this far apart, relative to L (gjk.h: 2^10 such roundings).
constexpr double kOverlapError = 0x1p-33;

// The support gap along any n, as a function to be maximised over unit directions.
class GapAlong {
 public:
  GapAlong(const Convex& a, const Convex& b, const Pose& X_AB) : a_(a), b_(b), X_AB_(X_AB) {}

  double operator()(const Vec3& direction) const {
    const Vec3 n = normalized(direction);
    if (n == Vec3{}) return -std::numeric_limits<double>::infinity();
    // min over B of n·x - max over A of n·x.
    const Vec3 n_B = transpose_times(X_AB_.R, n);
    return dot(n, X_AB_.p) - b_.support(-n_B) - a_.support(n);
  }

  // A's and B's own axes, their cross products, and the direction between the middles.
  std::vector<Vec3> candidates() const {
    std::vector<Vec3> result = {X_AB_ * b_.X_BS.p - a_.X_BS.p};
    for (int i = 0; i < 3; ++i) {
      const Vec3 axis_a = a_.X_BS.R.column(i);
      const Vec3 axis_b = X_AB_.R * b_.X_BS.R.column(i);
      result.push_back(axis_a);
      result.push_back(axis_b);
      // Round pieces: across their axis.
      result.push_back(result[0] - dot(result[0], axis_a) * axis_a);
      result.push_back(result[0] - dot(result[0], axis_b) * axis_b);
      for (int j = 0; j < 3; ++j) result.push_back(cross(axis_a, X_AB_.R * b_.X_BS.R.column(j)));
    }
    return result;
  }

 private:
  const Convex& a_;
  const Convex& b_;
  const Pose& X_AB_;
};

// Climbs from n: steps along the sphere that are halved where none of them helps.
double climb(const GapAlong& gap, Vec3& n, double best) {
  n = normalized(n);
  for (double step = 0.2; step > 1e-7;) {
    const Vec3 u = normalized(cross(n, std::fabs(n.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
    const Vec3 v = cross(n, u);
    bool better = false;
    for (const Vec3& aside : {u, -u, v, -v}) {
      const Vec3 next = normalized(n + step * aside);
      const double value = gap(next);
      if (value > best) {
        best = value;
        n = next;
        better = true;
        break;
      }
    }
    if (!better) step *= 0.5;
  }
  return best;
}

// The piece without its outer layer: all points deeper than `layer` inside are kept, none that is
// not.
std::optional<Convex> eroded(Convex piece, double layer) {
  switch (piece.kind) {
    case ConvexKind::box:
    case ConvexKind::cylinder:
      piece.half_extents -= Vec3{layer, layer, layer};
      break;
    case ConvexKind::sphere:
    case ConvexKind::capsule:
      piece.radius -= layer;
      return piece.radius > 0 ? std::optional(piece) : std::nullopt;
    case ConvexKind::hull:
      return std::nullopt;
  }
  const Vec3& h = piece.half_extents;
  return std::min({h.x, h.y, h.z}) > 0 ? std::optional(piece) : std::nullopt;
}

}  // namespace

bool is_convex_body(const BodyGeometry& body) {
  return body.triangles().empty() && body.convexes().size() == 1;
}

SignedDistance signed_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB) {
  const PieceDistance apart = piece_distance(a, 0, b, 0, X_AB);
  if (apart.distance_lower > 0)
    return {apart.distance_lower, normalized(apart.point_b - apart.point_a)};
  const GapAlong gap(a.convexes()[0], b.convexes()[0], X_AB);
  double best = -std::numeric_limits<double>::infinity();
  Vec3 direction;
  for (const Vec3& n : gap.candidates())
    for (const Vec3& signed_n : {n, -n}) {
      const double value = gap(signed_n);
      if (value > best) best = value, direction = signed_n;
    }
  const double scale = a.max_coordinate() + b.max_coordinate() + max_abs(X_AB.p);
  const double lower = climb(gap, direction, best) - kGapRounding * scale;
  return {lower, direction};
}

bool overlap_deeper_than(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                         double depth) {
  const double scale = a.max_coordinate() + b.max_coordinate() + max_abs(X_AB.p);
  const double layer = depth + kOverlapError * scale;
  if (const auto inner = eroded(a.convexes()[0], layer))
    if (convex_to_piece_distance(*inner, b, 0, X_AB).distance == 0) return true;
  const auto inner = eroded(b.convexes()[0], layer);
  return inner && convex_to_piece_distance(*inner, a, 0, inverse(X_AB)).distance == 0;
}

}  // namespace proven
