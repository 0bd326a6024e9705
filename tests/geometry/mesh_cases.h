// Meshes for tests: boxes, tori, spheres, and how to turn and join them.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <numbers>

#include "proven/geometry/body_geometry.h"

namespace proven::test {

inline TriangleMesh box_mesh(const Vec3& half, const Vec3& centre = {}) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(centre + Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                          i & 4 ? half.z : -half.z});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Outward; around z; `tube` < `ring`.
inline TriangleMesh torus_mesh(double ring, double tube, std::uint32_t n, std::uint32_t m) {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < m; ++j) {
      const double u = 2 * std::numbers::pi * i / n, v = 2 * std::numbers::pi * j / m;
      const double r = ring + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
      const std::uint32_t i1 = (i + 1) % n, j1 = (j + 1) % m;
      mesh.triangles.push_back({i * m + j, i1 * m + j, i1 * m + j1});
      mesh.triangles.push_back({i * m + j, i1 * m + j1, i * m + j1});
    }
  return mesh;
}

// An octahedron whose faces are split `levels` times; vertices on the sphere.
inline TriangleMesh sphere_mesh(double radius, int levels, const Vec3& centre = {}) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::array<std::uint32_t, 2>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [it, is_new] = middles.try_emplace(
          {std::min(a, b), std::max(a, b)}, static_cast<std::uint32_t>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back(normalized(mesh.vertices[a] + mesh.vertices[b]));
      return it->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  for (Vec3& v : mesh.vertices) v = radius * v + centre;
  return mesh;
}

inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.triangles)
    a.triangles.push_back({i + shift, j + shift, k + shift});
  return a;
}

inline TriangleMesh flipped(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

inline CollisionElement element(const TriangleMesh& mesh, const Pose& X_BS = {}) {
  return {std::make_shared<const TriangleMesh>(mesh), X_BS, "mesh.stl"};
}

inline std::shared_ptr<const BodyGeometry> body(std::vector<CollisionElement> elements) {
  return BodyGeometry::build(std::move(elements)).value();
}

inline std::shared_ptr<const BodyGeometry> body(const TriangleMesh& mesh) {
  return body({element(mesh)});
}

}  // namespace proven::test
