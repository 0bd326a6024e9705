#include "scenes/fixtures.h"

namespace proven::scenes {
namespace {

constexpr int kUprightsPerWall = 4;  // besides the corner post

// One wall: a corner post, uprights and a sill, from corner a to corner b.
TriangleMesh wall(const Vec3& a, const Vec3& b, double height, double width) {
  TriangleMesh mesh;
  const Vec3 up{0, 0, height};
  for (int k = 0; k <= kUprightsPerWall; ++k) {
    const Vec3 foot = a + (static_cast<double>(k) / (kUprightsPerWall + 1)) * (b - a);
    append(mesh, bar(foot, foot + up, width));
  }
  append(mesh, bar(a, b, width));
  return mesh;
}

}  // namespace

std::vector<TriangleMesh> make_cage(const CageDesign& d) {
  const double x = d.width / 2, y = d.depth / 2, h = d.height;
  const Vec3 corner[4] = {{x, -y, 0}, {x, y, 0}, {-x, y, 0}, {-x, -y, 0}};
  std::vector<TriangleMesh> parts;
  TriangleMesh roof, braces;
  for (int k = 0; k < 4; ++k) {
    const Vec3 &a = corner[k], &b = corner[(k + 1) % 4];
    parts.push_back(wall(a, b, h, d.bar));
    append(roof, bar(a + Vec3{0, 0, h}, b + Vec3{0, 0, h}, d.bar));
    append(braces, bar(a + Vec3{0, 0, 0.5 * h}, b + Vec3{0, 0, 0.5 * h}, d.bar));
  }
  append(roof, bar({-x, 0, h}, {x, 0, h}, d.bar));
  append(roof, bar({0, -y, h}, {0, y, h}, d.bar));
  // Two diagonal braces against swaying, in the walls at the back.
  append(braces, bar({-x, -y, 0}, {-x, y, 0.5 * h}, d.bar));
  append(braces, bar({-x, y, 0.5 * h}, {-x, -y, h}, d.bar));
  parts.push_back(std::move(roof));
  parts.push_back(std::move(braces));
  return parts;
}

TriangleMesh make_grid(double pitch, double width) {
  TriangleMesh mesh;
  const double reach = 1.6 * pitch;
  for (int k = 0; k < 4; ++k) {
    const double offset = (k - 1.5) * pitch;
    // One layer lies on the other.
    append(mesh, bar({-reach, offset, 0}, {reach, offset, 0}, width));
    append(mesh, bar({offset, -reach, width}, {offset, reach, width}, width));
  }
  return mesh;
}

}  // namespace proven::scenes
