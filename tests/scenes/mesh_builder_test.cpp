#include "scenes/mesh_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>

#include "proven/base/random.h"

namespace proven::scenes {
namespace {

// Each edge of a closed, consistently turned mesh is used once in each direction.
bool is_closed(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const auto& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++uses[{t[k], t[(k + 1) % 3]}];
  for (const auto& [edge, count] : uses) {
    const auto back = uses.find({edge.second, edge.first});
    if (count != 1 || back == uses.end() || back->second != 1) return false;
  }
  return true;
}

// Positive exactly if the normals point outwards.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6;
  return sum;
}

double area(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += 0.5 * norm(cross(mesh.vertices[t[1]] - mesh.vertices[t[0]],
                            mesh.vertices[t[2]] - mesh.vertices[t[0]]));
  return sum;
}

constexpr double kPi = std::numbers::pi;

TEST(MeshBuilder, ShapesAreClosedWithOutwardNormalsAndTheRightVolume) {
  const Vec3 line[] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 3}};
  const struct {
    const char* name;
    TriangleMesh mesh;
    double volume;
    double tolerance;  // relative; round shapes are inscribed
  } cases[] = {{"box", box({1, 2, 3}), 6, 1e-12},
               {"fine box", box({1, 2, 3}, {4, 5, 6}), 6, 1e-12},
               {"box between", box_between({1, 1, 1}, {2, 3, 4}), 6, 1e-12},
               {"bevelled box", bevelled_box({1, 2, 3}, 0.01), 6, 2e-3},
               {"cylinder", cylinder(1, 0, 2, 200), 2 * kPi, 1e-3},
               {"drum", drum(1, 0, 2, 0.01, 200), 2 * kPi, 1e-3},
               {"sphere", sphere(1, 100, 60), 4 * kPi / 3, 5e-3},
               {"torus", torus(1, 0.1, 100, 60), 2 * kPi * kPi * 0.01, 5e-3},
               {"tube", tube(line, 0.5, 200), 3 * kPi * 0.25, 1e-3},
               {"bar", bar({1, 2, 3}, {1, 5, 7}, 0.2), 5 * 0.04, 1e-12}};
  for (const auto& c : cases) {
    EXPECT_TRUE(is_closed(c.mesh)) << c.name;
    EXPECT_NEAR(volume(c.mesh) / c.volume, 1, c.tolerance) << c.name;
  }
  EXPECT_FALSE(is_closed(sheet(1, 1, {3, 4})));
}

TEST(MeshBuilder, CountsTriangles) {
  EXPECT_EQ(num_triangles(box({1, 1, 1})), 12);
  EXPECT_EQ(num_triangles(box({1, 1, 1}, {2, 3, 4})), 4 * (2 * 3 + 3 * 4 + 4 * 2));
  EXPECT_EQ(num_triangles(torus(1, 0.1, 100, 30)), 6000);
  EXPECT_EQ(num_triangles(sheet(1, 1, {80, 50})), 8000);
  EXPECT_EQ(num_triangles(bar({0, 0, 0}, {1, 0, 0}, 0.1)), 12);
}

TEST(MeshBuilder, TurnsOfTheAxisAreRotations) {
  EXPECT_EQ((z_to_x() * Vec3{0, 0, 1}), (Vec3{1, 0, 0}));
  EXPECT_EQ((z_to_y() * Vec3{0, 0, 1}), (Vec3{0, 1, 0}));
  for (const Mat3& R : {z_to_x(), z_to_y()})
    EXPECT_EQ(cross(R.column(0), R.column(1)), R.column(2));
}

TEST(RefineTo, ReachesAnyEvenCountAndKeepsTheSurface) {
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    TriangleMesh a = bevelled_box({1, 2, 3}, 0.2), b = torus(1, 0.2, 12, 8);
    const double volume_a = volume(a), area_b = area(b);
    const int total = num_triangles(a) + num_triangles(b) + 2 * random.index(500);
    TriangleMesh* meshes[] = {&a, &b};
    ASSERT_TRUE(refine_to(meshes, total));
    EXPECT_EQ(num_triangles(a) + num_triangles(b), total);
    EXPECT_TRUE(is_closed(a));
    EXPECT_TRUE(is_closed(b));
    EXPECT_NEAR(volume(a), volume_a, 1e-12);
    EXPECT_NEAR(area(b), area_b, 1e-12);
  }
}

TEST(RefineTo, AnOddCountNeedsASheet) {
  TriangleMesh cube = box({1, 1, 1}), plate = sheet(1, 1, {1, 1});
  TriangleMesh* closed[] = {&cube};
  EXPECT_FALSE(refine_to(closed, 13));
  EXPECT_FALSE(refine_to(closed, 10));
  EXPECT_EQ(num_triangles(cube), 12);
  TriangleMesh* open[] = {&cube, &plate};
  ASSERT_TRUE(refine_to(open, 31));
  EXPECT_EQ(num_triangles(cube) + num_triangles(plate), 31);
  EXPECT_TRUE(is_closed(cube));
  EXPECT_NEAR(area(plate), 1, 1e-14);
}

// A sheet's rim is split like the rest; else its triangles would all gather at a corner.
TEST(RefineTo, KeepsTrianglesInShape) {
  TriangleMesh cube = box({1, 1, 1}), plate = sheet(1.5, 1, {1, 1});
  TriangleMesh* meshes[] = {&cube, &plate};
  ASSERT_TRUE(refine_to(meshes, 5001));
  for (const TriangleMesh* mesh : meshes) {
    std::vector<int> around(mesh->vertices.size());
    for (const auto& t : mesh->triangles)
      for (const std::uint32_t v : t) ++around[v];
    EXPECT_LE(*std::max_element(around.begin(), around.end()), 10);
    EXPECT_GT(num_triangles(*mesh), 500);
  }
}

TEST(RefineTo, SplitsTheLongestEdges) {
  TriangleMesh plank = box({10, 1, 1});
  TriangleMesh* meshes[] = {&plank};
  ASSERT_TRUE(refine_to(meshes, 400));
  double longest = 0;
  for (const auto& t : plank.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      longest = std::max(longest, norm(plank.vertices[t[k]] - plank.vertices[t[(k + 1) % 3]]));
  EXPECT_LT(longest, 1.5);  // ten times shorter than at first
}

}  // namespace
}  // namespace proven::scenes
