// contains() on meshes of several closed parts against solid angles summed over all triangles.
#include "geometry/point_in_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "body_samples.h"
#include "geometry/mesh_topology.h"
#include "nested_boxes.h"
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

TEST(PointInMesh, AgreesWithSolidAnglesForManyOverlappingBoxes) {
  Random random(11);
  int inside = 0, outside = 0;
  for (int round = 0; round < test::cases(20); ++round) {
    constexpr int kBoxes = 40;
    auto mesh = std::make_shared<TriangleMesh>();
    for (int i = 0; i < kBoxes; ++i)
      test::append_box(
          *mesh, {random.uniform(0.01, 0.4), random.uniform(0.01, 0.4), random.uniform(0.01, 0.4)},
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
      test::append_box(mesh, {size(), size(), size()},
                       {aligned ? Mat3{} : random.rotation(), place});
      if (random.index(3) == 0) mesh.triangles.pop_back();  // not closed
      if (random.index(3) == 0) std::swap(mesh.triangles.back()[0], mesh.triangles.back()[1]);
    }
    std::vector<Triangle> triangles;
    for (const auto& [i, j, k] : mesh.triangles)
      triangles.push_back({mesh.vertices[i], mesh.vertices[j], mesh.vertices[k]});
    const MeshTopology topology = find_topology(triangles);
    ASSERT_TRUE(topology.welded.empty());
    std::vector<Shell> shells;
    std::vector<Aabb> boxes;
    std::vector<int> open;
    for (const MeshTopology::Shell& shell : topology.shells) shells.push_back({shell.directed});
    for (std::size_t t = 0; t < triangles.size(); ++t)
      if (topology.triangle_shell[t] == MeshTopology::kOpen) open.push_back(static_cast<int>(t));
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
      const bool without = is_in_mesh(
          p, {triangles, topology.triangle_shell, shells, open, tree.bounds, tree, 0, everything});
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
    const std::array<int, 1> shell = {0};
    const std::array<Shell, 1> closed = {Shell{true}};
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
        crossings += is_in_mesh(p, {alone, shell, closed, {}, all[0], everything, 0, everything});
      }
      ASSERT_EQ(body->contains(p), crossings % 2 == 1);
    }
  }
}

// Cavities are empty, islands in them are solid, boxes of the same direction add nothing: against
// the formula of boxes, for meshes with all these faults, also as a whole turned over.
TEST(PointInMesh, AgreesWithTheFormulaOfNestedBoxes) {
  Random random(14);
  int inside = 0, hollow = 0, outside = 0;
  for (int round = 0; round < test::cases(400); ++round) {
    const test::NestedBoxes boxes(random);
    const auto body = test::mesh_body(boxes.mesh);
    for (int n = 0; n < 60; ++n) {
      const Vec3 p = boxes.random_point(random);
      const test::NestedBoxes::Place place = boxes.find(p);
      if (place.near_surface) continue;
      ASSERT_EQ(body->contains(p), place.inside)
          << round << ": " << p.x << " " << p.y << " " << p.z;
      ++(place.inside ? inside : place.in_cavity ? hollow : outside);
    }
  }
  for (const int count : {inside, hollow, outside}) EXPECT_GT(count, test::cases(400));
}

// Open meshes: the winding number within its bound of a sum in longer numbers, and a ball whose
// triangles do not hang together at all still holds what is inside.
TEST(PointInMesh, OpenTrianglesHoldWhatTheyEncloseAlmostWholly) {
  Random random(15);
  TriangleMesh ball = test::ball_mesh(1, 3), soup;
  for (auto& [i, j, k] : ball.triangles) {
    const Vec3 &a = ball.vertices[i], &b = ball.vertices[j], &c = ball.vertices[k];
    if (dot(a, cross(b, c)) < 0) std::swap(j, k);
  }
  for (const auto& t : ball.triangles)
    for (const std::uint32_t i : t)
      soup.vertices.push_back((1 + 1e-5 * random.uniform()) * ball.vertices[i]);
  for (std::uint32_t i = 0; i < soup.vertices.size(); i += 3)
    soup.triangles.push_back({i, i + 1, i + 2});
  const auto body = test::mesh_body(soup);
  ASSERT_FALSE(body->is_solid());
  std::vector<int> all;
  for (std::size_t t = 0; t < soup.triangles.size(); ++t) all.push_back(static_cast<int>(t));
  int inside = 0, outside = 0;
  for (int n = 0; n < test::cases(300); ++n) {
    const Vec3 p = random.uniform(0, 1.5) * random.unit_vector();
    const Winding w = winding_number(p, body->triangles(), all);
    long double sum = 0;
    for (const Triangle& t : body->triangles()) sum += solid_angle(t, p);
    sum /= 4 * std::numbers::pi_v<long double>;
    ASSERT_LE(std::fabs(static_cast<double>(sum) - w.number), w.error + 1e-12);
    ASSERT_LT(w.error, 1e-6);
    if (norm(p) < 0.9) {
      ASSERT_TRUE(body->contains(p)) << w.number;
      ++inside;
    } else if (norm(p) > 1.01) {
      ASSERT_FALSE(body->contains(p)) << w.number;
      ++outside;
    }
  }
  EXPECT_GT(inside, test::cases(300) / 4);
  EXPECT_GT(outside, test::cases(300) / 8);
  // A bowl, a box without its lid: what stands in them is outside.
  TriangleMesh bin;
  test::append_box(bin, {1, 1, 1}, Pose{});
  std::erase_if(bin.triangles, [&](const std::array<std::uint32_t, 3>& t) {
    return std::ranges::all_of(t, [&](std::uint32_t i) { return bin.vertices[i].z > 0; });
  });
  ASSERT_EQ(bin.triangles.size(), 10u);
  for (const Mat3& R : {Mat3{}, rotation({1, 0, 0}, std::numbers::pi), rotation({1, 0, 0}, 1.2)}) {
    TriangleMesh turned = bin;
    for (Vec3& v : turned.vertices) v = R * v;
    EXPECT_FALSE(test::mesh_body(turned)->contains({0, 0, 0}));
    EXPECT_FALSE(test::mesh_body(turned)->is_solid());
  }
}

}  // namespace
}  // namespace proven
