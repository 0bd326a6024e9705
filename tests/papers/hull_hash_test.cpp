#include "papers/geometry/hull_hash.h"

#include <limits>

#include "geometry/body_samples.h"
#include "support.h"

namespace proven {
namespace {

struct Workspaces {
  DistanceScratch trees;
  HullHashWorkspace hulls;
};

// The trees are the twin; they are tested against brute force themselves.
void expect_same(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                 Workspaces& workspaces) {
  const ExactDistance expected = exact_distance(a, b, X_AB, {-1, -1}, workspaces.trees);
  const ExactDistance found = hull_hash_distance(a, b, X_AB, workspaces.hulls);
  ASSERT_NEAR(found.distance, expected.distance, 1e-9);
  ASSERT_LE(found.distance_lower, expected.distance);
  ASSERT_GE(found.distance_lower, expected.distance - 1e-9);
  ASSERT_NEAR(norm(found.points[1] - found.points[0]), found.distance, 1e-9);
  ASSERT_TRUE(found.pieces[0] >= 0 && found.pieces[0] < a.num_pieces());
  ASSERT_TRUE(found.pieces[1] >= 0 && found.pieces[1] < b.num_pieces());
}

Pose random_pose(Random& random, const BodyGeometry& a, const BodyGeometry& b) {
  const double reach = a.bounding_sphere().radius + b.bounding_sphere().radius;
  return {random.rotation(), random.uniform(0, 1.4) * reach * random.unit_vector()};
}

// Moves b until it is about `wanted` away.
void bring_close(const BodyGeometry& a, const BodyGeometry& b, double wanted, Pose& X_AB,
                 DistanceScratch& workspace) {
  for (int step = 0; step < 3; ++step) {
    const ExactDistance now = exact_distance(a, b, X_AB, {-1, -1}, workspace);
    if (now.distance <= wanted) return;
    X_AB.p += (1 - wanted / now.distance) * (now.points[0] - now.points[1]);
  }
}

TEST(HullHash, EqualsTheTrees) {
  Random random(1);
  const auto bodies = test::sample_bodies(random);
  const auto pick = [&]() -> const BodyGeometry& {
    return *bodies[static_cast<std::size_t>(random.index(static_cast<int>(bodies.size())))];
  };
  Workspaces workspaces;
  int overlapping = 0, close = 0;
  const int count = test::cases(10000);
  for (int k = 0; k < count; ++k) {
    const BodyGeometry &a = pick(), &b = pick();
    Pose X_AB = random_pose(random, a, b);
    if (k % 4 == 0) bring_close(a, b, std::pow(10, random.uniform(-9, -1)), X_AB, workspaces.trees);
    SCOPED_TRACE(testing::Message() << "case " << k);
    expect_same(a, b, X_AB, workspaces);
    if (testing::Test::HasFatalFailure()) return;
    const double distance = exact_distance(a, b, X_AB, {-1, -1}, workspaces.trees).distance;
    overlapping += distance == 0;
    close += distance > 0 && distance < 1e-5;
  }
  EXPECT_GT(overlapping, count / 10);
  EXPECT_LT(overlapping, count - count / 10);
  EXPECT_GT(close, count / 100);
  // All three stages were at work.
  EXPECT_GT(workspaces.hulls.counts.hashes, count / 50);
  EXPECT_GT(workspaces.hulls.counts.splits, count / 10);
  EXPECT_GT(workspaces.hulls.counts.piece_tests, count);
}

// A wavy plate of n × n squares: many pieces are nearly as close as the closest.
TriangleMesh plate(int n, double wave) {
  std::vector<std::array<Vec3, 3>> triangles;
  const auto point = [&](int i, int j) {
    return Vec3{i / double(n), j / double(n), wave * std::sin(7.0 * i / n) * std::cos(5.0 * j / n)};
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      triangles.push_back({point(i, j), point(i + 1, j), point(i + 1, j + 1)});
      triangles.push_back({point(i, j), point(i + 1, j + 1), point(i, j + 1)});
    }
  return test::soup(triangles);
}

TEST(HullHash, PlatesFaceToFace) {
  Random random(2);
  const auto a = test::mesh_body(plate(24, 0.01)), b = test::mesh_body(plate(17, 0.02));
  Workspaces workspaces;
  for (int k = 0; k < test::cases(300); ++k) {
    const Pose X_AB = {
        rotation(random.unit_vector(), random.uniform(0, 0.05)),
        {random.uniform(-1, 1), random.uniform(-1, 1), 0.03 + std::pow(10, random.uniform(-4, 0))}};
    SCOPED_TRACE(testing::Message() << "case " << k);
    expect_same(*a, *b, X_AB, workspaces);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(workspaces.hulls.counts.hashes, test::cases(300) / 4);
}

TEST(HullHash, NeedlesAndSlivers) {
  Random random(3);
  std::vector<std::array<Vec3, 3>> thin;
  for (int k = 0; k < 40; ++k) {
    const Vec3 p = random.uniform(0, 1) * random.unit_vector(), along = random.unit_vector();
    const double width = std::pow(10, random.uniform(-14, -6));
    thin.push_back({p, p + along, p + 0.5 * along + width * random.unit_vector()});
  }
  thin.push_back({Vec3{1, 2, 3}, Vec3{1, 2, 3}, Vec3{1, 2, 3}});  // a point
  const auto needles = test::mesh_body(test::soup(thin));
  const auto torus = test::mesh_body(test::torus(0.8, 0.2, 24, 8));
  Workspaces workspaces;
  for (int k = 0; k < test::cases(1000); ++k) {
    const BodyGeometry &a = k % 2 == 0 ? *needles : *torus, &b = k % 3 == 0 ? *torus : *needles;
    const Pose X_AB = random_pose(random, a, b);
    SCOPED_TRACE(testing::Message() << "case " << k);
    expect_same(a, b, X_AB, workspaces);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(HullHash, TouchingAndNested) {
  Workspaces workspaces;
  const auto box = test::build_body({{Box{{0.5, 0.5, 0.5}}, Pose{}, ""}});
  const auto outer = test::mesh_body(test::ball_mesh(1, 4));
  const auto inner = test::mesh_body(test::ball_mesh(0.25, 3));
  // Exactly touching faces, edges and corners.
  for (const Vec3& p : {Vec3{1, 0, 0}, Vec3{1, 1, 0}, Vec3{1, 1, 1}})
    EXPECT_EQ(hull_hash_distance(*box, *box, Pose::translation(p), workspaces.hulls).distance, 0);
  // A ball in a ball: the hulls overlap wherever it is, the surfaces do not touch.
  for (const double x : {0.0, 0.3, 0.6, 0.74}) {
    const Pose X_AB = Pose::translation({x, 0.01, 0});
    expect_same(*outer, *inner, X_AB, workspaces);
    EXPECT_GT(hull_hash_distance(*outer, *inner, X_AB, workspaces.hulls).distance, 0);
  }
  expect_same(*outer, *inner, Pose::translation({0.9, 0, 0}), workspaces);
  EXPECT_EQ(
      hull_hash_distance(*outer, *inner, Pose::translation({0.9, 0, 0}), workspaces.hulls).distance,
      0);
}

TEST(HullHash, NotANumberProvesNothing) {
  const auto a = test::mesh_body(test::torus(0.8, 0.2, 8, 4));
  HullHashWorkspace workspace;
  const Pose X_AB = Pose::translation({std::numeric_limits<double>::quiet_NaN(), 9, 9});
  EXPECT_FALSE(hull_hash_distance(*a, *a, X_AB, workspace).distance_lower > 0);
}

}  // namespace
}  // namespace proven
