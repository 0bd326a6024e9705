#include "geometry/rss.h"

#include <algorithm>
#include <array>
#include <vector>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

using Real = long double;
using RealVec = std::array<Real, 3>;

RealVec real(const Vec3& a) {
  return {a.x, a.y, a.z};
}
RealVec operator+(const RealVec& a, const RealVec& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
RealVec operator-(const RealVec& a, const RealVec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
RealVec operator*(Real s, const RealVec& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
Real dot(const RealVec& a, const RealVec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Real length(const RealVec& a) {
  return std::sqrt(dot(a, a));
}
RealVec cross(const RealVec& a, const RealVec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
RealVec times(const Mat3& m, const RealVec& v) {
  return {dot(real(m.row[0]), v), dot(real(m.row[1]), v), dot(real(m.row[2]), v)};
}

struct RealRectangle {
  RealVec centre, axis[2];
  Real half[2];

  RealVec corner(int k) const {
    return centre + ((k & 1 ? half[0] : -half[0]) * axis[0]) +
           ((k & 2 ? half[1] : -half[1]) * axis[1]);
  }
  RealVec nearest(const RealVec& p) const {
    RealVec q = centre;
    for (int i = 0; i < 2; ++i) {
      const Real s = dot(p - centre, axis[i]) / dot(axis[i], axis[i]);
      q = q + std::clamp(s, -half[i], half[i]) * axis[i];
    }
    return q;
  }
};

RealRectangle rectangle(const BvNode& node, const Pose& X) {
  RealRectangle r;
  r.centre = times(X.R, real(node.rss_centre)) + real(X.p);
  for (int i = 0; i < 2; ++i) {
    r.axis[i] = times(X.R, real(node.R_BN.column(i)));
    r.half[i] = node.rss_half[i];
  }
  return r;
}

Real segment_distance(const RealVec& p, const RealVec& p_end, const RealVec& q,
                      const RealVec& q_end) {
  const RealVec d = p_end - p, e = q_end - q, r = p - q;
  const Real dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
  const auto at = [&](Real s, Real t) { return length(r + s * d - t * e); };
  const auto best_t = [&](Real s) {
    return ee > 0 ? std::clamp((er + s * de) / ee, Real(0), Real(1)) : Real(0);
  };
  const auto best_s = [&](Real t) {
    return dd > 0 ? std::clamp((t * de - dr) / dd, Real(0), Real(1)) : Real(0);
  };
  Real best = std::min(at(0, best_t(0)), at(1, best_t(1)));
  best = std::min({best, at(best_s(0), 0), at(best_s(1), 1)});
  const Real det = dd * ee - de * de;
  if (det > 0) {
    const Real s = std::clamp((de * er - ee * dr) / det, Real(0), Real(1));
    const Real t = best_t(s);
    best = std::min(best, at(best_s(t), t));
  }
  return best;
}

bool segment_crosses(const RealRectangle& r, const RealVec& p, const RealVec& q) {
  const RealVec n = cross(r.axis[0], r.axis[1]);
  const Real hp = dot(n, p - r.centre), hq = dot(n, q - r.centre);
  if (hp * hq > 0 || hp == hq) return false;
  const RealVec x = p + (hp / (hp - hq)) * (q - p);
  return std::fabs(dot(x - r.centre, r.axis[0])) <= r.half[0] &&
         std::fabs(dot(x - r.centre, r.axis[1])) <= r.half[1];
}

// All pairs of features: corners against rectangles, edges against edges, edges through rectangles.
Real rectangle_distance(const RealRectangle& a, const RealRectangle& b) {
  constexpr std::array<std::array<int, 2>, 4> kEdges = {{{0, 1}, {1, 3}, {3, 2}, {2, 0}}};
  Real best = length(a.corner(0) - b.corner(0));
  for (int k = 0; k < 4; ++k) {
    best = std::min(best, length(a.corner(k) - b.nearest(a.corner(k))));
    best = std::min(best, length(b.corner(k) - a.nearest(b.corner(k))));
  }
  for (const auto& e : kEdges) {
    if (segment_crosses(b, a.corner(e[0]), a.corner(e[1]))) return 0;
    if (segment_crosses(a, b.corner(e[0]), b.corner(e[1]))) return 0;
    for (const auto& f : kEdges) {
      best = std::min(
          best, segment_distance(a.corner(e[0]), a.corner(e[1]), b.corner(f[0]), b.corner(f[1])));
    }
  }
  return best;
}

Real distance_of(const BvNode& a, const BvNode& b, const Pose& X_AB) {
  return rectangle_distance(rectangle(a, Pose{}), rectangle(b, X_AB)) - Real(a.rss_radius) -
         Real(b.rss_radius);
}

double random_half(Random& random) {
  switch (random.index(5)) {
    case 0:
      return 0;
    case 1:
      return 1e-4 * random.uniform();
    default:
      return random.uniform();
  }
}

BvNode random_node(Random& random) {
  BvNode node;
  if (random.index(3) > 0) node.R_BN = random.rotation();
  if (random.index(2) == 0) node.rss_centre = random.uniform() * random.unit_vector();
  for (double& half : node.rss_half) half = random_half(random);
  node.rss_radius = random.index(3) == 0 ? 0 : 0.5 * random_half(random);
  return node;
}

// Far, near, touching, deeply overlapping; turned freely, by right angles, or by very small angles.
Pose random_pose(Random& random) {
  Pose X;
  const int turn = random.index(4);
  if (turn < 2) X.R = random.rotation();
  if (turn == 2) X.R = rotation(random.unit_vector(), std::pow(10, random.uniform(-17, -1)));
  X.p = std::pow(10, random.uniform(-2, 1)) * random.unit_vector();
  if (random.index(4) == 0) X.p = {0, 0, X.p.z};  // parallel rectangles above each other
  return X;
}

// Moves b towards a until the volumes are a small distance apart.
void bring_close(const BvNode& a, const BvNode& b, double wanted, Pose& X_AB) {
  const Vec3 towards = -normalized(X_AB.p);
  for (int step = 0; step < 60; ++step) {
    const double now = static_cast<double>(distance_of(a, b, X_AB));
    if (now <= wanted) return;
    X_AB.p += 0.9 * (now - wanted) * towards;
  }
}

TEST(Rss, LowerBoundIsSafeAndTight) {
  Random random(1);
  int apart = 0, overlapping = 0, close = 0;
  double worst_error = 0;
  const int count = test::cases(100000);
  for (int k = 0; k < count; ++k) {
    const BvNode a = random_node(random), b = random_node(random);
    Pose X_AB = random_pose(random);
    if (random.index(3) == 0) bring_close(a, b, std::pow(10, random.uniform(-12, -2)), X_AB);
    const BvPairPose pose = BvPairPose::make(X_AB, 1.5, 1.5);
    const Real truth = distance_of(a, b, X_AB);
    const double lower = rss_distance_lower(a, b, pose);
    const double margin = pose.rounding_margin;
    ASSERT_LE(lower, std::max(truth, Real(0))) << "case " << k;
    ASSERT_GE(lower, truth - Real(2 * margin)) << "case " << k << " truth " << double(truth);
    if (lower > 0) {
      // The error before the margin is taken off: at most half of the 57 u S that bv_rounding.h
      // derives, of the 512 u S that are the margin.
      const double error = static_cast<double>((lower - truth) / margin + 1);
      worst_error = std::max(worst_error, error);
      ASSERT_LE(error, 0.5 * 57 / 512) << "case " << k;
    }
    apart += truth > margin;
    overlapping += truth < -margin;
    close += truth > 0 && truth < 1e-5;
  }
  EXPECT_GT(apart, count / 10);
  EXPECT_GT(overlapping, count / 10);
  EXPECT_GT(close, count / 50);
  RecordProperty("worst_share_of_margin", std::to_string(worst_error));
}

TEST(Rss, KnownDistances) {
  BvNode a, b;
  for (BvNode* node : {&a, &b}) node->rss_half[0] = 1, node->rss_half[1] = 0.5;
  a.rss_radius = 0.25, b.rss_radius = 0.125;
  const auto distance = [&](const Pose& X) {
    return rss_distance_lower(a, b, BvPairPose::make(X, 2, 2));
  };
  EXPECT_NEAR(distance(Pose::translation({0, 0, 2})), 1.625, 1e-12);                 // faces
  EXPECT_NEAR(distance(Pose::translation({4, 0, 0})), 1.625, 1e-12);                 // edges
  EXPECT_NEAR(distance(Pose::translation({4, 3, 0})), std::sqrt(8) - 0.375, 1e-12);  // corners
  EXPECT_EQ(distance(Pose::translation({0.1, 0.1, 0.3})), 0);
  // Crossed edges: b stands on its edge, turned by a quarter.
  const Mat3 upright = Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});
  EXPECT_NEAR(distance({upright, {1.5, 0, 0.7}}), std::hypot(0.5, 0.2) - 0.375, 1e-12);
}

// The rounding margin counts on poses that come from chains of joints having |R| = 1 up to 2^-45.
TEST(Rss, ChainsLeaveRotationsOrthonormal) {
  Random random(11);
  Real worst = 0;  // of |R'R - 1| in the Frobenius norm, which is at least twice | |R| - 1 |
  for (int k = 0; k < test::cases(2000); ++k) {
    Mat3 R;
    for (int joint = 0; joint < 128; ++joint) {
      R = R * rotation(random.unit_vector(), random.uniform(-3, 3));
    }
    Real squares = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const Real entry = dot(real(R.column(i)), real(R.column(j))) - (i == j ? 1 : 0);
        squares += entry * entry;
      }
    }
    worst = std::max(worst, std::sqrt(squares));
  }
  EXPECT_LE(0.5L * worst, 0.5L * 0x1p-45L);
  RecordProperty("worst_in_units_of_rounding",
                 std::to_string(static_cast<double>(0.5L * worst * 0x1p53L)));
}

TEST(Rss, NotANumberIsNeverApart) {
  const BvNode a, b;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(rss_distance_lower(a, b, BvPairPose::make(Pose::translation({nan, 9, 9}), 1, 1)) >
               0);
}

}  // namespace
}  // namespace proven
