#include "proven/geometry/body_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "mesh_cases.h"
#include "piece_cases.h"
#include "proven/base/parallel.h"
#include "support.h"

namespace proven {
namespace {

using test::PieceCase;
using test::PieceKind;

std::string error_of(std::vector<CollisionElement> elements) {
  const auto result = BodyGeometry::build(std::move(elements));
  return result.ok() ? "no error" : result.error().text();
}

std::string error_of(const Shape& shape) {
  return error_of({{shape, Pose{}, "part.stl"}});
}

std::string mesh_error(const std::function<void(TriangleMesh&)>& spoil) {
  TriangleMesh mesh = test::box_mesh({1, 1, 1});
  spoil(mesh);
  return error_of(std::make_shared<const TriangleMesh>(mesh));
}

TEST(BodyGeometryBuild, RefusesWithWordsThatHelp) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  };
  says(error_of(std::vector<CollisionElement>{}), "no collision elements");
  says(error_of(Box{{1, 0, 1}}), "part.stl: the box's extent along y is zero");
  says(error_of(Box{{1, 1, -1}}), "extent along z is negative");
  says(error_of(Box{{kNan, 1, 1}}), "not a finite number");
  says(error_of(Sphere{0}), "sphere's radius is zero");
  says(error_of(Sphere{2e6}), "are the units right?");
  says(error_of(Cylinder{1, 0}), "cylinder's length is zero");
  says(error_of(Cylinder{-1, 1}), "cylinder's radius is negative");
  says(error_of(Capsule{1, 0}), "use a sphere");
  says(error_of(Capsule{0, 1}), "capsule's radius is zero");
  says(error_of(std::make_shared<const ConvexHull>()), "hull has no points");
  says(error_of(std::shared_ptr<const TriangleMesh>()), "no triangles");
  says(mesh_error([](auto& m) { m.triangles.clear(); }), "no triangles");
  says(mesh_error([](auto& m) { m.triangles[3][1] = 8; }), "triangle 3 refers to vertex 8");
  says(mesh_error([](auto& m) { m.vertices[2].y = kNan; }), "vertex 2 is not finite");
  says(mesh_error([](auto& m) { m.vertices[5].x = 1e7; }), "are the units right?");
  Pose X = Pose::translation({0, 0, 0});
  X.R.row[1].y = -1;
  says(error_of({{Sphere{1}, X, ""}}), "reflection");
  X.R.row[1].y = 2;
  says(error_of({{Sphere{1}, X, ""}}), "not a rotation");
  X = Pose::translation({0, HUGE_VAL, 0});
  says(error_of({{Sphere{1}, X, ""}}), "not finite");
}

TEST(BodyGeometryBuild, PosesMeshesAndCountsPieces) {
  const Pose X{rotation({0, 0, 1}, std::numbers::pi / 2), {5, 0, 0}};
  const auto body = test::body({test::element(test::box_mesh({1, 2, 3}), X), {Sphere{1}, X, ""}});
  EXPECT_EQ(body->num_pieces(), 13);
  EXPECT_TRUE(body->is_triangle(11));
  EXPECT_FALSE(body->is_triangle(12));
  EXPECT_NEAR(body->bounds()[0].x, 3, 1e-13);
  EXPECT_NEAR(body->bounds()[1].x, 7, 1e-13);
  EXPECT_NEAR(body->bounds()[1].y, 1, 1e-13);
  EXPECT_GE(body->max_coordinate(), 7);        // of the points
  EXPECT_LE(body->max_coordinate(), 2 * 7.0);  // and of the values they were computed from
  EXPECT_FALSE(body->tree().nodes.empty());
}

TEST(BodyGeometryComponents, ClosedAndOriented) {
  const auto only = [](const TriangleMesh& mesh) {
    const auto body = test::body(mesh);
    EXPECT_EQ(body->components().size(), 1u);
    return body->components()[0];
  };
  const TriangleMesh box = test::box_mesh({1, 1, 1});
  EXPECT_TRUE(only(box).closed && only(box).directed);
  TriangleMesh open = box;
  open.triangles.pop_back();
  EXPECT_FALSE(only(open).closed || only(open).directed);
  TriangleMesh mixed = box;
  std::swap(mixed.triangles[4][0], mixed.triangles[4][1]);
  EXPECT_TRUE(only(mixed).closed);
  EXPECT_FALSE(only(mixed).directed);
  // A triangle soup as STL files hold it, with -0 beside 0, is welded.
  TriangleMesh soup;
  for (const auto& t : test::box_mesh({1, 1, 1}, {1, 1, 1}).triangles)
    for (const std::uint32_t i : t) {
      Vec3 v = test::box_mesh({1, 1, 1}, {1, 1, 1}).vertices[i];
      for (int k = 0; k < 3; ++k)
        if (v[k] == 0 && soup.vertices.size() % 2) v[k] = -0.0;
      soup.vertices.push_back(v);
    }
  for (std::uint32_t i = 0; i < 36; i += 3) soup.triangles.push_back({i, i + 1, i + 2});
  EXPECT_TRUE(only(soup).closed);
  // Triangles with two equal corners neither open nor close anything.
  TriangleMesh with_segment = box;
  with_segment.triangles.push_back({0, 0, 7});
  EXPECT_TRUE(only(with_segment).closed);
  EXPECT_FALSE(only({{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 1}}}).closed);
}

TEST(BodyGeometryComponents, OnePerConnectedPartAndConvexPiece) {
  const TriangleMesh three =
      test::joined(test::joined(test::box_mesh({1, 1, 1}), test::sphere_mesh(1, 1, {5, 0, 0})),
                   TriangleMesh{{{9, 0, 0}, {9, 1, 0}, {9, 0, 1}}, {{0, 1, 2}}});
  const auto body = test::body({test::element(three), {Sphere{1}, Pose{}, ""}});
  ASSERT_EQ(body->components().size(), 4u);
  const bool closed[4] = {true, true, false, true};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(body->components()[i].closed, closed[i]);
  EXPECT_EQ(body->components()[1].first_piece, 12);
  EXPECT_EQ(body->components()[3].first_piece, body->num_pieces() - 1);
  EXPECT_TRUE(body->has_inside());
  EXPECT_FALSE(
      test::body(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}})->has_inside());
}

TEST(BodyGeometryContains, TorusAgreesWithItsFormula) {
  Random random(51);
  const auto torus = test::body(
      {test::element(test::torus_mesh(2, 1, 128, 64), {random.rotation(), {0.1, 0.2, 0.3}})});
  const auto reversed = test::body(
      {test::element(test::flipped(test::torus_mesh(2, 1, 128, 64)), torus->elements()[0].X_BS)});
  int inside = 0;
  const int count = test::cases(5000);
  for (int n = 0; n < count; ++n) {
    const Vec3 p{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-1, 1)};
    const double depth = 1 - std::hypot(std::hypot(p.x, p.y) - 2, p.z);
    if (std::fabs(depth) < 0.01) continue;
    const Vec3 p_B = torus->elements()[0].X_BS * p;
    ASSERT_EQ(torus->contains(p_B), depth > 0);
    ASSERT_EQ(reversed->contains(p_B), depth > 0);
    inside += depth > 0;
  }
  EXPECT_GT(inside, count / 4);
  EXPECT_LT(inside, count * 3 / 4);
}

// Every ray along z from these points meets vertices and edges of the grid-aligned mesh.
TEST(BodyGeometryContains, RaysThroughVerticesAndEdges) {
  const auto ball = test::body(test::sphere_mesh(1, 3));
  for (int i = -8; i <= 8; ++i)
    for (int j = -8; j <= 8; ++j)
      for (const Vec3& direction : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{1, 1, 0}}) {
        const Vec3 p = i / 4.0 * direction + Vec3{0, 0, j / 4.0};
        if (std::fabs(norm(p) - 1) < 0.05) continue;
        ASSERT_EQ(ball->contains(p), norm(p) < 1) << p.x << " " << p.y << " " << p.z;
      }
  const auto box = test::body(test::box_mesh({1, 1, 1}));
  for (const double x : {-1.5, -0.5, 0.0, 0.5, 1.5})
    for (const double z : {-1.5, -0.5, 0.0, 0.5, 1.5})
      ASSERT_EQ(box->contains({x, x, z}), std::fabs(x) < 1 && std::fabs(z) < 1);
}

TEST(BodyGeometryContains, NestedOpenAndMixedComponents) {
  const TriangleMesh shells = test::joined(test::box_mesh({3, 3, 3}), test::box_mesh({1, 1, 1}));
  const TriangleMesh hollow =
      test::joined(test::box_mesh({3, 3, 3}), test::flipped(test::box_mesh({1, 1, 1})));
  // A shell inside another one hollows it out if it faces the other way, also if both are turned.
  for (const TriangleMesh& mesh : {shells, hollow, test::flipped(shells), test::flipped(hollow)}) {
    const bool is_hollow = mesh.triangles[0][1] != mesh.triangles[12][1] - 8;
    EXPECT_EQ(test::body(mesh)->contains({0, 0, 0}), !is_hollow);
    EXPECT_TRUE(test::body(mesh)->contains({2, 0, 0.1}));
    EXPECT_FALSE(test::body(mesh)->contains({4, 0, 0}));
  }
  // One that sticks out of the other is no cavity, though its first corner lies inside.
  const auto out = test::body(test::joined(
      test::box_mesh({1, 1, 1}), test::flipped(test::box_mesh({0.5, 0.5, 0.5}, {1, 0, 0}))));
  for (const double x : {0.25, 0.75, 1.25}) EXPECT_TRUE(out->contains({x, 0.1, 0.2}));
  TriangleMesh open = test::box_mesh({1, 1, 1});
  open.triangles.pop_back();
  EXPECT_FALSE(test::body(open)->contains({0, 0, 0}));
  TriangleMesh mixed = test::sphere_mesh(1, 2);
  for (std::size_t i = 0; i < mixed.triangles.size(); i += 3)
    std::swap(mixed.triangles[i][0], mixed.triangles[i][1]);
  EXPECT_TRUE(test::body(mixed)->contains({0.1, 0.2, 0.3}));
  EXPECT_FALSE(test::body(mixed)->contains({1.1, 0.2, 0.3}));
  // With its top turned over, a box below the ray would seem to wind twice.
  TriangleMesh turned = test::box_mesh({1, 1, 1});
  for (std::size_t i : {2u, 3u}) std::swap(turned.triangles[i][0], turned.triangles[i][1]);
  EXPECT_FALSE(test::body(turned)->contains({0.1, 0.2, -5}));
  EXPECT_TRUE(test::body(turned)->contains({0.1, 0.2, 0}));
  // Of the same surface once each way one is enough.
  EXPECT_TRUE(
      test::body(test::joined(test::box_mesh({1, 1, 1}), test::flipped(test::box_mesh({1, 1, 1}))))
          ->contains({0, 0, 0}));
  EXPECT_TRUE(test::body({test::element(test::box_mesh({1, 1, 1})),
                          {Sphere{1}, Pose::translation({5, 0, 0}), ""}})
                  ->contains({5.5, 0, 0}));
}

TEST(BodyGeometryMeasures, LineDistanceAndBoundsHoldAllFeatures) {
  Random random(52);
  double loosest = 0;
  for (int n = 0; n < test::cases(20000); ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const PieceCase c = test::random_piece(random, static_cast<PieceKind>(n % 6), scale);
    const Vec3 point = 3 * scale * random.uniform() * random.unit_vector();
    const Vec3 axis = random.unit_vector();
    const double bound = c.body->max_distance_to_line(point, axis);
    double reached = 0;
    for (int i = 0; i < 100; ++i) {
      const Vec3 p = test::random_feature(random, c).point;
      const double distance = norm(cross(p - point, axis));
      ASSERT_LE(distance, bound + 0x1p-48 * scale) << n;
      reached = std::max(reached, distance);
      for (int k = 0; k < 3; ++k) {
        ASSERT_GE(p[k], c.body->bounds()[0][k] - 0x1p-48 * scale);
        ASSERT_LE(p[k], c.body->bounds()[1][k] + 0x1p-48 * scale);
      }
      ASSERT_LE(norm(p - c.body->bounding_sphere().centre),
                c.body->bounding_sphere().radius + 0x1p-48 * scale);
      ASSERT_LE(max_abs(p), c.body->max_coordinate() + 0x1p-48 * scale);
    }
    if (c.kind == PieceKind::cylinder) loosest = std::max(loosest, bound / reached);
  }
  EXPECT_LT(loosest, 1.2);
}

// Whoever asks first builds the second tree; all get the same one.
TEST(BodyGeometryTree, IsBuiltOnceForAllThreads) {
  for (int round = 0; round < test::cases(20); ++round) {
    const auto body = test::body(test::sphere_mesh(1, 3));
    std::vector<const BvTree*> seen(8);
    parallel_for(8, 8, [&](int item, int) {
      seen[static_cast<std::size_t>(item)] = &body->tree();
      ASSERT_EQ(body->tree().nodes.size(), 2 * body->triangles().size() - 1);
    });
    for (const BvTree* tree : seen) ASSERT_EQ(tree, seen[0]);
  }
}

class Memory : public BoxTreeShapes {
 public:
  std::optional<BoxTreeShape> find(const Hash128& body) override {
    ++asked;
    if (!shape || !(body == key)) return std::nullopt;
    return shape;
  }
  void store(const Hash128& body, const BoxTreeShape& found) override {
    ++stored;
    key = body;
    shape = found;
  }
  Hash128 key;
  std::optional<BoxTreeShape> shape;
  int asked = 0, stored = 0;
};

TEST(BodyGeometryShapes, KnownOnesAreUsedAndBadOnesAreNot) {
  const CollisionElement element{std::make_shared<const TriangleMesh>(test::sphere_mesh(1, 3)),
                                 Pose::translation({1, 2, 3}), "ball"};
  const auto fresh = test::body({element});
  Memory memory;
  const auto build = [&] { return BodyGeometry::build({element}, &memory).value(); };
  const auto is_fresh = [&](const BodyGeometry& body) {
    const BoxTree &a = body.box_tree(), &b = fresh->box_tree();
    return a.points == b.points && shape_of(a) == shape_of(b);
  };
  EXPECT_TRUE(is_fresh(*build()));
  EXPECT_EQ(memory.stored, 1);
  EXPECT_TRUE(memory.key == fresh->hash());
  EXPECT_TRUE(is_fresh(*build()));
  EXPECT_EQ(memory.asked, 2);
  EXPECT_EQ(memory.stored, 1);  // found
  // A valid shape is believed: the tree is another one, yet its boxes are right.
  std::swap(memory.shape->order.front(), memory.shape->order.back());
  const auto other = build();
  EXPECT_FALSE(is_fresh(*other));
  EXPECT_EQ(other->bounds(), fresh->bounds());
  memory.shape->order.front() = memory.shape->order.back();
  EXPECT_TRUE(is_fresh(*build()));
  EXPECT_EQ(memory.stored, 2);
}

}  // namespace
}  // namespace proven
