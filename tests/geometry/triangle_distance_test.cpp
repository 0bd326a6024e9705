#include "geometry/triangle_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "proven/base/random.h"
#include "quad_twin.h"
#include "support.h"

namespace proven {
namespace {

// What the distance may be off, relative to the largest |coordinate|: two of the margins below.
constexpr double kAccuracy = 0x1p-44;

Vec3 random_point(Random& random, double scale) {
  return {random.uniform(-scale, scale), random.uniform(-scale, scale),
          random.uniform(-scale, scale)};
}

// Every kind of triangle that has broken a distance code: fair, needle (one short edge), sliver
// (three nearly collinear vertices), segment, point, and exactly axis-aligned ones.
Triangle random_triangle(Random& random, double scale) {
  const Vec3 a = random_point(random, scale), b = random_point(random, scale);
  const double small = scale * std::pow(10, random.uniform(-15, -2));
  const auto snapped = [&](const Vec3& v) {
    const double grid = scale / 4;
    return Vec3{grid * std::round(v.x / grid), grid * std::round(v.y / grid),
                grid * std::round(v.z / grid)};
  };
  switch (random.index(8)) {
    case 0:
      return {a, b, b + random_point(random, small)};
    case 1:
      return {a, b, a + random.uniform() * (b - a) + random_point(random, small)};
    case 2:
      return {a, b, random.index(2) ? a : b};
    case 3:
      return {a, a, a};
    case 4:
      return {a, b, a + random.uniform() * (b - a)};
    case 5:
      return {snapped(a), snapped(b), snapped(random_point(random, scale))};
    default:
      return {a, b, random_point(random, scale)};
  }
}

Triangle moved(const Triangle& t, const Vec3& by) {
  return {t.a + by, t.b + by, t.c + by};
}

double largest_coordinate(const Triangle& t) {
  return std::max({max_abs(t.a), max_abs(t.b), max_abs(t.c)});
}

// The second triangle is brought near the first in most cases: by a shared vertex or point, or at a
// small distance along some direction.
Triangle brought_near(Random& random, const Triangle& a, const Triangle& b, double scale) {
  const double small = scale * std::pow(10, random.uniform(-14, 0));
  switch (random.index(6)) {
    case 0:
      return b;
    case 1:
      return {a.a, b.b, b.c};
    case 2:
      return {a.b, a.a, b.c};
    case 3:
      return moved(b, a.c - b.a + small * random.unit_vector());
    case 4:
      return moved(b, 0.5 * (a.a + a.b) - b.c + small * random.unit_vector());
    default:
      return moved(a, small * random.unit_vector());
  }
}

struct Pair {
  Triangle a, b;
  double size;  // largest |coordinate|
};

Pair random_pair(Random& random) {
  const double scale = std::pow(10, random.uniform(-3, 3));
  const Vec3 offset = random.index(2) ? random_point(random, 10 * scale) : Vec3{};
  Pair pair{random_triangle(random, scale), random_triangle(random, scale), 0};
  pair.b = brought_near(random, pair.a, pair.b, scale);
  pair.a = moved(pair.a, offset), pair.b = moved(pair.b, offset);
  pair.size = std::max(largest_coordinate(pair.a), largest_coordinate(pair.b));
  return pair;
}

TEST(TriangleDistance, AgreesWithQuadArithmetic) {
  Random random(11);
  int overlaps = 0, apart = 0, near = 0;
  double worst = 0;
  for (int n = 0; n < test::cases(60000); ++n) {
    const Pair pair = random_pair(random);
    const double margin = 0x1p-46 * 2 * pair.size;
    const ClosestPoints found = triangle_distance(pair.a, pair.b, margin);
    const double truth = test::quad_distance(pair.a, pair.b);
    worst = std::max(worst, std::fabs(found.distance - truth) / pair.size);
    ASSERT_NEAR(found.distance, truth, kAccuracy * pair.size) << n;
    ASSERT_LE(found.distance_lower, truth) << n;
    if (truth > 4 * margin) {
      ASSERT_GT(found.distance_lower, 0) << n << " " << truth;
      ASSERT_GT(found.distance_lower, truth - 0x1p-19 * truth - 4 * margin) << n;
    }
    ASSERT_NEAR(norm(found.point_a - found.point_b), found.distance, kAccuracy * pair.size) << n;
    const auto on = [&](const Vec3& p, const Triangle& t) {
      return test::quad_distance({p, p, p}, t) < 2 * margin;
    };
    ASSERT_TRUE(on(found.point_a, pair.a) && on(found.point_b, pair.b)) << n;
    ASSERT_EQ(found.distance == 0, triangles_overlap(pair.a, pair.b)) << n;
    (found.distance == 0 ? overlaps : apart)++;
    near += truth > 0 && truth < 1e-7 * pair.size;
  }
  EXPECT_GT(overlaps, test::cases(60000) / 10);
  EXPECT_GT(apart, test::cases(60000) / 3);
  EXPECT_GT(near, test::cases(60000) / 20);
  RecordProperty("worst_relative_error_in_u", static_cast<int>(worst * 0x1p53));
}

TEST(TriangleDistance, SymmetricAndIndependentOfVertexOrder) {
  Random random(12);
  for (int n = 0; n < test::cases(20000); ++n) {
    const auto [a, b, size] = random_pair(random);
    const double d = triangle_distance(a, b, 0).distance;
    ASSERT_NEAR(triangle_distance(b, a, 0).distance, d, kAccuracy * size);
    ASSERT_NEAR(triangle_distance({a.b, a.c, a.a}, {b.c, b.b, b.a}, 0).distance, d,
                kAccuracy * size);
    ASSERT_EQ(triangles_overlap(a, b), triangles_overlap(b, a));
    ASSERT_EQ(triangles_overlap(a, b), triangles_overlap({a.c, a.a, a.b}, {b.b, b.a, b.c}));
  }
}

// Exact truth on integers: closed convex sets meet exactly if the origin lies in the hull of their
// difference, that is, in a simplex of at most four of its nine points.
using IntVec = std::array<std::int64_t, 3>;

IntVec minus(const IntVec& a, const IntVec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
std::int64_t inner(const IntVec& a, const IntVec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
IntVec outer(const IntVec& a, const IntVec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
bool is_zero(const IntVec& a) {
  return inner(a, a) == 0;
}

bool origin_in_segment(const IntVec& a, const IntVec& b) {
  return is_zero(outer(a, b)) && inner(a, b) <= 0;
}
bool origin_in_triangle(const IntVec& a, const IntVec& b, const IntVec& c) {
  const IntVec n = outer(minus(b, a), minus(c, a));
  if (is_zero(n) || inner(n, a) != 0) return false;  // flat ones are covered by their edges
  return inner(outer(a, b), n) >= 0 && inner(outer(b, c), n) >= 0 && inner(outer(c, a), n) >= 0;
}
bool origin_in_tetrahedron(const IntVec& a, const IntVec& b, const IntVec& c, const IntVec& d) {
  const auto volume = [](const IntVec& p, const IntVec& q, const IntVec& r) {
    return inner(p, outer(q, r));
  };
  const std::int64_t v[4] = {volume(b, c, d), -volume(c, d, a), volume(d, a, b), -volume(a, b, c)};
  if (v[0] + v[1] + v[2] + v[3] == 0) return false;
  return std::all_of(v, v + 4, [](auto x) { return x >= 0; }) ||
         std::all_of(v, v + 4, [](auto x) { return x <= 0; });
}

bool origin_in_hull(const std::array<IntVec, 9>& p) {
  for (std::size_t i = 0; i < 9; ++i) {
    if (is_zero(p[i])) return true;
    for (std::size_t j = i + 1; j < 9; ++j) {
      if (origin_in_segment(p[i], p[j])) return true;
      for (std::size_t k = j + 1; k < 9; ++k) {
        if (origin_in_triangle(p[i], p[j], p[k])) return true;
        for (std::size_t l = k + 1; l < 9; ++l)
          if (origin_in_tetrahedron(p[i], p[j], p[k], p[l])) return true;
      }
    }
  }
  return false;
}

TEST(TrianglesOverlap, ExactOnSmallIntegers) {
  Random random(13);
  int overlaps = 0;
  const int count = test::cases(100000);
  for (int n = 0; n < count; ++n) {
    const int range = 1 + random.index(6);
    std::array<IntVec, 6> p;
    for (IntVec& v : p)
      for (std::int64_t& x : v) x = random.index(2 * range + 1) - range;
    std::array<IntVec, 9> difference;
    for (std::size_t i = 0; i < 9; ++i) difference[i] = minus(p[i / 3], p[3 + i % 3]);
    const auto vec = [&](std::size_t i) {
      // A power of two and a shift keep the integers exact and off the origin.
      return Vec3{0x1p-3 * static_cast<double>(p[i][0]) + 1024,
                  0x1p-3 * static_cast<double>(p[i][1]) - 77,
                  0x1p-3 * static_cast<double>(p[i][2])};
    };
    const Triangle a{vec(0), vec(1), vec(2)}, b{vec(3), vec(4), vec(5)};
    const bool truth = origin_in_hull(difference);
    ASSERT_EQ(triangles_overlap(a, b), truth) << n;
    ASSERT_EQ(triangle_distance(a, b, 1e-12).distance == 0, truth) << n;
    overlaps += truth;
  }
  EXPECT_GT(overlaps, count / 10);
  EXPECT_LT(overlaps, count * 9 / 10);
}

TEST(TriangleDistance, KnownCases) {
  const Triangle floor{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto distance = [&](const Triangle& t) {
    return triangle_distance(floor, t, 0x1p-46).distance;
  };
  // Parallel above, coplanar apart, coplanar nested, piercing, touching a face, an edge, a vertex.
  EXPECT_EQ(distance({{0, 0, 2}, {1, 0, 2}, {0, 1, 2}}), 2);
  EXPECT_EQ(distance({{3, 0, 0}, {4, 0, 0}, {3, 1, 0}}), 2);
  EXPECT_EQ(distance({{0.1, 0.1, 0}, {0.2, 0.1, 0}, {0.1, 0.2, 0}}), 0);
  EXPECT_EQ(distance({{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}), 0);
  EXPECT_EQ(distance({{0.2, 0.2, -1}, {0.2, 0.2, 1}, {0.3, 0.2, 1}}), 0);
  EXPECT_EQ(distance({{0.25, 0.25, 0}, {0.25, 0.25, 1}, {0.5, 0.25, 1}}), 0);
  EXPECT_EQ(distance({{0.5, 0, 0}, {0.5, -1, 1}, {0.5, -1, -1}}), 0);
  EXPECT_EQ(distance({{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}}), 0);
  // Apart by one unit in the last place: not an overlap.
  const double tiny = 0x1p-52;
  EXPECT_GT(distance({{0.25, 0.25, tiny}, {0.25, 0.25, 1}, {0.5, 0.25, 1}}), 0);
  EXPECT_GT(distance({{1 + tiny, 0, 0}, {2, 0, 1}, {2, 0, -1}}), 0);
  EXPECT_GT(distance({{0.25, 0.25, 1e-200}, {0.25, 0.25, 1}, {0.5, 0.25, 1}}), 0);
}

}  // namespace
}  // namespace proven
