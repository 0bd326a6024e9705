// contains() on meshes of several closed parts against solid angles summed over all triangles.
#include "geometry/point_in_mesh.h"

#include <cmath>
#include <numbers>

#include "body_samples.h"
#include "geometry/mesh_topology.h"
#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

// Signed solid angle of a triangle seen from p (van Oosterom and Strackee).
double solid_angle(const Triangle& t, const Vec3& p) {
  const Vec3 a = t.a - p, b = t.b - p, c = t.c - p;
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double determinant = dot(a, cross(b, c));
  const double denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return 2 * std::atan2(determinant, denominator);
}

void append_box(TriangleMesh& mesh, const Vec3& half, const Pose& X) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  const std::array<std::uint32_t, 3> faces[] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (const auto& [i, j, k] : faces) mesh.triangles.push_back({first + i, first + j, first + k});
}

TEST(PointInMesh, AgreesWithSolidAnglesForManyOverlappingBoxes) {
  Random random(11);
  int inside = 0, outside = 0;
  for (int round = 0; round < test::cases(20); ++round) {
    constexpr int kBoxes = 40;
    auto mesh = std::make_shared<TriangleMesh>();
    for (int i = 0; i < kBoxes; ++i)
      append_box(*mesh,
                 {random.uniform(0.01, 0.4), random.uniform(0.01, 0.4), random.uniform(0.01, 0.4)},
                 {random.rotation(), 1.2 * random.uniform() * random.unit_vector()});
    const auto body =
        BodyGeometry::build({{std::shared_ptr<const TriangleMesh>(mesh), Pose{}, "boxes"}});
    ASSERT_TRUE(body.ok());
    for (int n = 0; n < 200; ++n) {
      const Vec3 p = 1.5 * random.uniform() * random.unit_vector();
      // Boxes are all directed outwards, so their winding numbers add up.
      double total = 0;
      for (const Triangle& t : body.value()->triangles()) total += solid_angle(t, p);
      const bool expected = std::fabs(total / (4 * std::numbers::pi)) > 0.5;
      ASSERT_EQ(body.value()->contains(p), expected) << p.x << " " << p.y << " " << p.z;
      ++(expected ? inside : outside);
    }
  }
  EXPECT_GT(inside, test::cases(20) * 20);
  EXPECT_GT(outside, test::cases(20) * 20);
}

// Boxes around components only spare rays: with one box around everything the answer is the same,
// on the sides, edges and corners of boxes too.
TEST(PointInMesh, BoxesOfComponentsChangeNothing) {
  Random random(12);
  int inside = 0, outside = 0;
  for (int round = 0; round < test::cases(40); ++round) {
    TriangleMesh mesh;
    const bool aligned = round % 2 == 0;  // then surfaces lie in the sides of their boxes
    for (int i = 1 + random.index(12); i > 0; --i) {
      const auto size = [&] { return 0.125 * (1 + random.index(4)); };
      const Vec3 place{0.5 * random.index(5), 0.5 * random.index(5), 0.5 * random.index(5)};
      append_box(mesh, {size(), size(), size()}, {aligned ? Mat3{} : random.rotation(), place});
      if (random.index(3) == 0) mesh.triangles.pop_back();  // not closed
      if (random.index(3) == 0) std::swap(mesh.triangles.back()[0], mesh.triangles.back()[1]);
    }
    std::vector<Triangle> triangles;
    for (const auto& [i, j, k] : mesh.triangles)
      triangles.push_back({mesh.vertices[i], mesh.vertices[j], mesh.vertices[k]});
    const MeshTopology topology = find_topology(triangles);
    std::vector<Component> components;
    std::vector<Aabb> boxes;
    for (const MeshTopology::Part& part : topology.components)
      components.push_back({{}, part.closed, part.oriented, part.first_triangle});
    for (const Triangle& t : triangles) boxes.push_back(box_of(t));
    const BoxTree tree = build_box_tree(boxes, boxes);
    const std::vector<Aabb> all = {tree.bounds};
    const BoxTree everything = build_box_tree(all, all);
    const auto body = test::mesh_body(mesh);
    for (int n = 0; n < 400; ++n) {
      Vec3 p{random.uniform(-0.5, 2.5), random.uniform(-0.5, 2.5), random.uniform(-0.5, 2.5)};
      for (int k = 0; k < 3; ++k)
        if (random.index(2) == 0) p[k] = std::round(8 * p[k]) / 8;
      if (n % 8 == 0)
        p = mesh.vertices[static_cast<std::size_t>(
            random.index(static_cast<int>(mesh.vertices.size())))];
      const bool without =
          is_in_mesh(p, {triangles, topology.triangle_component, components, tree, everything});
      ASSERT_EQ(body->contains(p), without) << p.x << " " << p.y << " " << p.z;
      ++(without ? inside : outside);
    }
  }
  EXPECT_GT(inside, test::cases(40) * 10);
  EXPECT_GT(outside, test::cases(40) * 10);
}

// The ray against every triangle, without a tree.
TEST(PointInMesh, TreeChangesNothing) {
  Random random(13);
  for (int round = 0; round < test::cases(20); ++round) {
    const auto body = test::mesh_body(test::ball_mesh(1 + 0.1 * round, 2));
    ASSERT_TRUE(body->has_inside());
    const auto triangles = body->triangles();
    const std::array<int, 1> component = {0};
    const std::array<Component, 1> closed = {Component{{}, true, true, 0}};
    const std::vector<Aabb> all = {body->box_tree().bounds};
    const BoxTree everything = build_box_tree(all, all);
    for (int n = 0; n < 200; ++n) {
      Vec3 p = 1.5 * random.uniform() * random.unit_vector();
      const Triangle& some = triangles[static_cast<std::size_t>(n) % triangles.size()];
      if (n % 4 == 0) p = some.a;
      if (n % 4 == 1) p.x = some.b.x, p.y = some.b.y;
      int crossings = 0;  // one triangle at a time
      for (const Triangle& t : triangles) {
        const std::array<Triangle, 1> alone = {t};
        crossings += is_in_mesh(p, {alone, component, closed, everything, everything});
      }
      ASSERT_EQ(body->contains(p), crossings % 2 == 1);
    }
  }
}

}  // namespace
}  // namespace proven
