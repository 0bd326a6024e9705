// Boxes within boxes whose inside is known by formula, as meshes with all the faults that change
// nothing of what they enclose.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "proven/base/random.h"
#include "proven/geometry/shapes.h"

namespace proven::test {

inline void append_box(TriangleMesh& mesh, const Vec3& half, const Pose& X) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  const std::array<std::uint32_t, 3> faces[] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (const auto& [i, j, k] : faces) mesh.triangles.push_back({first + i, first + j, first + k});
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
inline std::vector<PlacedBox> random_nest(Random& random, int levels, const Vec3& place) {
  std::vector<PlacedBox> nest;
  double size = random.uniform(0.5, 1);
  for (int i = 0; i < levels; ++i, size *= random.uniform(0.3, 0.55))
    nest.push_back({{size, size * random.uniform(0.9, 1), size * random.uniform(0.9, 1)},
                    {random.rotation(), place}});
  return nest;
}

inline TriangleMesh turned_over(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

inline void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto shift = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& [i, j, k] : other.triangles)
    mesh.triangles.push_back({i + shift, j + shift, k + shift});
}

// Faults that change nothing of what a mesh encloses: triangles written again or turned over and
// again, fins, corners that are a little off, everything in both directions, another order.
inline void spoil(TriangleMesh& mesh, Random& random, bool both_ways) {
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

// One or two nests side by side. Directions alternate in some (cavities and islands) and are the
// same in others (solid throughout); sometimes everything is turned over.
struct NestedBoxes {
  TriangleMesh mesh;
  std::vector<std::vector<PlacedBox>> nests;
  std::vector<bool> hollows;  // whether the directions of a nest alternate

  explicit NestedBoxes(Random& random) {
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
    if (random.index(2) == 0) spoil(mesh, random, random.index(3) == 0);
  }

  static Vec3 random_point(Random& random) {
    return Vec3{random.uniform(1.8, 7), 0, 0} + random.uniform() * random.unit_vector();
  }

  struct Place {
    bool inside = false, in_cavity = false, near_surface = false;
  };
  Place find(const Vec3& p) const {
    Place place;
    for (std::size_t k = 0; k < nests.size(); ++k) {
      std::size_t around = 0;
      for (const PlacedBox& box : nests[k]) {
        place.near_surface |= std::fabs(box.depth(p)) < 1e-6;
        around += box.depth(p) > 0;
      }
      const bool is_hollow = hollows[k] && around % 2 == 0 && around > 0;
      place.in_cavity |= is_hollow;
      place.inside |= around > 0 && !is_hollow;
    }
    return place;
  }
};

}  // namespace proven::test
