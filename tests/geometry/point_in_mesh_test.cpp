// contains() on meshes of several closed parts against solid angles summed over all triangles.
#include "geometry/point_in_mesh.h"

#include <algorithm>
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

// A box that stands somewhere, and whether it holds a point that is not near its surface.
struct PlacedBox {
  Vec3 half;
  Pose X;

  // > 0: inside; the size says how far from the surface, at least.
  double depth(const Vec3& p) const {
    const Vec3 x = transpose_times(X.R, p - X.p);
    double least = half.x - std::fabs(x.x);
    for (int i = 1; i < 3; ++i) least = std::min(least, half[i] - std::fabs(x[i]));
    return least;
  }
};

// Boxes within boxes: `levels` of them, each well inside the one before.
std::vector<PlacedBox> random_nest(Random& random, int levels, const Vec3& place) {
  std::vector<PlacedBox> nest;
  double size = random.uniform(0.5, 1);
  for (int i = 0; i < levels; ++i, size *= random.uniform(0.3, 0.55))
    nest.push_back({{size, size * random.uniform(0.9, 1), size * random.uniform(0.9, 1)},
                    {random.rotation(), place}});
  return nest;
}

TriangleMesh turned_over(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto shift = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& [i, j, k] : other.triangles)
    mesh.triangles.push_back({i + shift, j + shift, k + shift});
}

// Faults that change nothing of what a mesh encloses: triangles written again or turned over and
// again, fins, corners that are a little off, everything in both directions, another order.
void spoil(TriangleMesh& mesh, Random& random, bool both_ways) {
  const auto any = [&] {
    return static_cast<std::size_t>(random.index(static_cast<int>(mesh.triangles.size())));
  };
  std::vector<std::array<std::uint32_t, 3>> more;
  for (int n = random.index(4); n > 0; --n) {
    auto [i, j, k] = mesh.triangles[any()];
    more.push_back(random.index(2) == 0 ? std::array{i, j, k} : std::array{j, i, k});
  }
  for (int n = random.index(3); n > 0; --n) {
    const auto [i, j, k] = mesh.triangles[any()];
    const Vec3 tip = mesh.vertices[i] + 0.1 * random.uniform() * random.unit_vector();
    mesh.vertices.push_back(tip);
    more.push_back({j, i, static_cast<std::uint32_t>(mesh.vertices.size() - 1)});
  }
  if (both_ways)
    for (const auto& [i, j, k] : mesh.triangles) more.push_back({i, k, j});
  // Where they stand first their direction counts; a turned one is no longer directed.
  mesh.triangles.insert(mesh.triangles.end(), more.begin(), more.end());
  for (int n = random.index(4); n > 0; --n) {
    auto& triangle = mesh.triangles[any()];
    const Vec3 off = random.uniform(0, 1e-8) * random.unit_vector();
    mesh.vertices.push_back(mesh.vertices[triangle[0]] + off);
    triangle[0] = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  }
}

// Cavities are empty, islands in them are solid, boxes of the same direction add nothing: against
// the formula of boxes, for meshes with all these faults, also as a whole turned over.
TEST(PointInMesh, AgreesWithTheFormulaOfNestedBoxes) {
  Random random(14);
  int inside = 0, hollow = 0, outside = 0;
  for (int round = 0; round < test::cases(400); ++round) {
    TriangleMesh mesh;
    std::vector<std::vector<PlacedBox>> nests;
    std::vector<bool> hollows;  // whether the directions of a nest alternate
    for (int n = 1 + random.index(2); n > 0; --n) {
      nests.push_back(random_nest(random, 1 + random.index(4), 3.0 * n * Vec3{1, 0, 0}));
      hollows.push_back(random.index(3) != 0);
      for (std::size_t i = 0; i < nests.back().size(); ++i) {
        TriangleMesh box;
        append_box(box, nests.back()[i].half, nests.back()[i].X);
        append(mesh, hollows.back() && i % 2 == 1 ? turned_over(box) : box);
      }
    }
    if (random.index(2) == 0) mesh = turned_over(mesh);
    if (round % 2 == 0) spoil(mesh, random, random.index(3) == 0);
    const auto body = test::mesh_body(mesh);
    for (int n = 0; n < 60; ++n) {
      const Vec3 p = Vec3{random.uniform(1.8, 7), 0, 0} + random.uniform() * random.unit_vector();
      bool expected = false, near = false, in_hollow = false;
      for (std::size_t k = 0; k < nests.size(); ++k) {
        std::size_t around = 0;
        for (const PlacedBox& box : nests[k]) {
          near |= std::fabs(box.depth(p)) < 1e-6;
          around += box.depth(p) > 0;
        }
        const bool is_hollow = hollows[k] && around % 2 == 0 && around > 0;
        in_hollow |= is_hollow;
        expected |= around > 0 && !is_hollow;
      }
      if (near) continue;
      ASSERT_EQ(body->contains(p), expected) << round << ": " << p.x << " " << p.y << " " << p.z;
      ++(expected ? inside : in_hollow ? hollow : outside);
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
  append_box(bin, {1, 1, 1}, Pose{});
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
