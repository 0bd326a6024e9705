#include "geometry/obb.h"

#include <algorithm>
#include <array>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

using Real = long double;

// How far the boxes are apart along the best of the fifteen axes, in extended precision on the
// corners themselves; not above 0 if no axis separates them.
Real separation(const BvNode& a, const BvNode& b, const Pose& X_AB) {
  using Point = std::array<Real, 3>;
  std::array<Point, 8> corners[2];
  std::array<Point, 3> axes[2];
  for (int body = 0; body < 2; ++body) {
    const BvNode& node = body == 0 ? a : b;
    const Pose X = body == 0 ? Pose{} : X_AB;
    const auto place = [&](const Point& p, Real shift) {
      Point q{};
      for (int i = 0; i < 3; ++i) {
        q[size_t(i)] = X.R(i, 0) * p[0] + X.R(i, 1) * p[1] + X.R(i, 2) * p[2] + shift * X.p[i];
      }
      return q;
    };
    for (int j = 0; j < 3; ++j) {
      axes[body][size_t(j)] = place({node.R_BN(0, j), node.R_BN(1, j), node.R_BN(2, j)}, 0);
    }
    for (int k = 0; k < 8; ++k) {
      Point p{node.obb_centre.x, node.obb_centre.y, node.obb_centre.z};
      for (int j = 0; j < 3; ++j) {
        const Real h = (k >> j) & 1 ? Real(node.obb_half[j]) : -Real(node.obb_half[j]);
        for (int i = 0; i < 3; ++i) p[size_t(i)] += h * node.R_BN(i, j);
      }
      corners[body][size_t(k)] = place(p, 1);
    }
  }
  Real best = -std::numeric_limits<Real>::infinity();
  const auto try_axis = [&](const Point& n) {
    const Real length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 1e-9L)) return;
    Real low[2], high[2];
    for (int body = 0; body < 2; ++body) {
      low[body] = std::numeric_limits<Real>::infinity(), high[body] = -low[body];
      for (const Point& p : corners[body]) {
        const Real x = (n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / length;
        low[body] = std::min(low[body], x), high[body] = std::max(high[body], x);
      }
    }
    best = std::max({best, low[1] - high[0], low[0] - high[1]});
  };
  for (const Point& p : axes[0]) {
    try_axis(p);
    for (const Point& q : axes[1]) {
      try_axis({p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]});
    }
  }
  for (const Point& q : axes[1]) try_axis(q);
  return best;
}

BvNode random_node(Random& random) {
  BvNode node;
  if (random.index(3) > 0) node.R_BN = random.rotation();
  if (random.index(2) == 0) node.obb_centre = 0.5 * random.unit_vector();
  for (int i = 0; i < 3; ++i) {
    node.obb_half[i] = random.index(5) == 0 ? 1e-4 * random.uniform() : random.uniform();
  }
  return node;
}

TEST(Obb, ApartExactlyWhenAnAxisSeparates) {
  Random random(2);
  int apart = 0, overlapping = 0, tight = 0;
  const int count = test::cases(100000);
  for (int k = 0; k < count; ++k) {
    const BvNode a = random_node(random), b = random_node(random);
    Pose X_AB;
    const int turn = random.index(4);
    if (turn < 2) X_AB.R = random.rotation();
    if (turn == 2) X_AB.R = rotation(random.unit_vector(), std::pow(10, random.uniform(-17, -1)));
    X_AB.p = std::pow(10, random.uniform(-2, 0.5)) * random.unit_vector();
    if (random.index(3) == 0) {  // to touching, up to a few units of rounding
      const Vec3 n = normalized(X_AB.p);
      for (int step = 0; step < 40; ++step) {
        const Real gap = separation(a, b, X_AB);
        if (std::fabs(gap) < 1e-14L) break;
        X_AB.p -= static_cast<double>(gap) * n;
      }
    }
    const BvPairPose pose = BvPairPose::make(X_AB, 2, 2);
    const Real truth = separation(a, b, X_AB);
    const bool says_apart = obbs_apart(a, b, pose);
    if (says_apart) {
      ASSERT_GT(truth, 0) << "case " << k;
    }
    // A cross product of axes at a small angle is short; the gap along it shrinks with it.
    if (truth > 1e-5) {
      ASSERT_TRUE(says_apart) << "case " << k << " truth " << double(truth);
    }
    apart += says_apart;
    overlapping += truth < 0;
    tight += std::fabs(truth) < 1e-13L;
  }
  EXPECT_GT(apart, count / 10);
  EXPECT_GT(overlapping, count / 10);
  EXPECT_GT(tight, count / 50);
}

// Flat boxes, so that pairs of edges decide often.
TEST(Obb, FlatBoxes) {
  Random random(3);
  std::array<int, 2> seen = {0, 0};  // apart, overlapping
  const int count = test::cases(20000);
  for (int k = 0; k < count; ++k) {
    BvNode a, b;
    a.obb_half = {1, random.uniform(0.01, 1), 0.01};
    b.obb_half = {1, random.uniform(0.01, 1), 0.01};
    const Pose X_AB{random.rotation(), random.uniform(0, 2) * random.unit_vector()};
    const bool says_apart = obbs_apart(a, b, BvPairPose::make(X_AB, 1, 1));
    const Real truth = separation(a, b, X_AB);
    if (std::fabs(truth) < 1e-6) continue;
    ASSERT_EQ(says_apart, truth > 0);
    ++seen[truth > 0 ? 0 : 1];
  }
  EXPECT_GT(seen[0], count / 20);
  EXPECT_GT(seen[1], count / 20);
}

TEST(Obb, NotANumberIsNeverApart) {
  BvNode a, b;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(obbs_apart(a, b, BvPairPose::make(Pose::translation({nan, nan, nan}), 1, 1)));
}

}  // namespace
}  // namespace proven
