// Bodies of many kinds for the tests of trees and distances.
#pragma once

#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"

namespace proven::test {

using BodyPtr = std::shared_ptr<const BodyGeometry>;

inline BodyPtr build_body(std::vector<CollisionElement> elements) {
  auto body = BodyGeometry::build(std::move(elements));
  if (!body.ok()) throw std::runtime_error(body.error().text());
  return body.value();
}

inline BodyPtr mesh_body(TriangleMesh mesh) {
  return build_body({{std::make_shared<const TriangleMesh>(std::move(mesh)), Pose{}, "sample"}});
}

inline TriangleMesh soup(const std::vector<std::array<Vec3, 3>>& triangles) {
  TriangleMesh mesh;
  for (const auto& t : triangles) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), t.begin(), t.end());
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

inline TriangleMesh torus(double ring, double tube, int around, int across) {
  std::vector<std::array<Vec3, 3>> triangles;
  const auto point = [&](int i, int j) {
    const double a = 2 * std::numbers::pi * i / around, b = 2 * std::numbers::pi * j / across;
    const double r = ring + tube * std::cos(b);
    return Vec3{r * std::cos(a), r * std::sin(a), tube * std::sin(b)};
  };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      triangles.push_back({point(i, j), point(i + 1, j), point(i + 1, j + 1)});
      triangles.push_back({point(i, j), point(i + 1, j + 1), point(i, j + 1)});
    }
  }
  return soup(triangles);
}

// A sphere from an octahedron whose faces are divided `levels` times.
inline TriangleMesh ball_mesh(double radius, int levels) {
  std::vector<std::array<Vec3, 3>> triangles;
  for (int k = 0; k < 8; ++k) {
    const double x = k & 1 ? 1 : -1, y = k & 2 ? 1 : -1, z = k & 4 ? 1 : -1;
    triangles.push_back({Vec3{x, 0, 0}, Vec3{0, y, 0}, Vec3{0, 0, z}});
  }
  for (int level = 0; level < levels; ++level) {
    std::vector<std::array<Vec3, 3>> finer;
    for (const auto& [a, b, c] : triangles) {
      const Vec3 ab = normalized(a + b), bc = normalized(b + c), ca = normalized(c + a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    triangles = std::move(finer);
  }
  for (auto& t : triangles) {
    for (Vec3& p : t) p = radius * p;
  }
  return soup(triangles);
}

// A wavy sheet over [-1, 1]^2.
inline TriangleMesh sheet(int n, double wave) {
  std::vector<std::array<Vec3, 3>> triangles;
  const auto point = [&](int i, int j) {
    const double x = -1 + 2.0 * i / n, y = -1 + 2.0 * j / n;
    return Vec3{x, y, wave * std::sin(3 * x) * std::cos(2 * y)};
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      triangles.push_back({point(i, j), point(i + 1, j), point(i + 1, j + 1)});
      triangles.push_back({point(i, j), point(i + 1, j + 1), point(i, j + 1)});
    }
  }
  return soup(triangles);
}

inline TriangleMesh box_mesh(const Vec3& half) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertices.push_back(
        {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Triangles of the given size; the third corner stays within `width` of the first edge.
inline TriangleMesh random_soup(Random& random, int count, double size, double width) {
  std::vector<std::array<Vec3, 3>> triangles;
  for (int k = 0; k < count; ++k) {
    const Vec3 a = random.uniform() * random.unit_vector();
    const Vec3 b = a + size * random.unit_vector();
    const Vec3 c = a + random.uniform() * (b - a) + width * random.unit_vector();
    triangles.push_back({a, b, c});
  }
  return soup(triangles);
}

inline Shape random_primitive(Random& random) {
  const double x = random.uniform(0.02, 0.3), y = random.uniform(0.02, 0.3);
  switch (random.index(5)) {
    case 0:
      return Box{{x, y, random.uniform(0.02, 0.3)}};
    case 1:
      return Sphere{x};
    case 2:
      return Cylinder{x, y};
    case 3:
      return Capsule{x, y};
    default: {
      auto hull = std::make_shared<ConvexHull>();
      for (int k = 0; k < 12; ++k) hull->points.push_back(x * random.unit_vector());
      return std::shared_ptr<const ConvexHull>(hull);
    }
  }
}

inline BodyPtr primitives_body(Random& random, int count, double spread) {
  std::vector<CollisionElement> elements;
  for (int k = 0; k < count; ++k) {
    const Pose X{random.rotation(), spread * random.uniform() * random.unit_vector()};
    elements.push_back({random_primitive(random), X, "sample"});
  }
  return build_body(std::move(elements));
}

inline BodyPtr mixed_body(Random& random, int primitives, TriangleMesh mesh) {
  std::vector<CollisionElement> elements;
  elements.push_back({std::make_shared<const TriangleMesh>(std::move(mesh)), Pose{}, "sample"});
  for (int k = 0; k < primitives; ++k) {
    const Pose X{random.rotation(), random.uniform(0.3, 1.2) * random.unit_vector()};
    elements.push_back({random_primitive(random), X, "sample"});
  }
  return build_body(std::move(elements));
}

// One body of every kind, all about a metre in size; up to a few hundred pieces.
inline std::vector<BodyPtr> sample_bodies(Random& random) {
  return {
      mesh_body(torus(0.8, 0.2, 24, 8)),
      mesh_body(torus(0.9, 0.05, 30, 5)),
      mesh_body(ball_mesh(0.9, 2)),
      mesh_body(ball_mesh(0.5, 3)),
      mesh_body(box_mesh({0.6, 0.4, 0.3})),
      mesh_body(box_mesh({1, 0.05, 0.02})),
      mesh_body(sheet(12, 0)),
      mesh_body(sheet(14, 0.3)),
      mesh_body(random_soup(random, 300, 0.3, 0.2)),
      mesh_body(random_soup(random, 40, 1.0, 0.5)),
      mesh_body(random_soup(random, 300, 0.8, 1e-4)),  // needles
      mesh_body(random_soup(random, 200, 0.4, 0)),     // without area
      mesh_body(random_soup(random, 1, 1.0, 0.5)),
      primitives_body(random, 1, 0),
      primitives_body(random, 12, 1),
      primitives_body(random, 60, 1),
      mixed_body(random, 20, torus(0.8, 0.2, 16, 6)),
      mixed_body(random, 4, box_mesh({0.5, 0.2, 0.2})),
  };
}

}  // namespace proven::test
