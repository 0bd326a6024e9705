#include "tools/render/tessellate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <tuple>

#include "proven/base/elementary.h"
#include "proven/geometry/grains.h"
#include "scenes/mesh_builder.h"

namespace proven::render_detail {
namespace {

constexpr double kCreaseCosine = 0.82;  // edges sharper than 35 degrees stay sharp
constexpr int kSegments = 48;           // of round primitives

// Incremental hull: each new point replaces the faces that it sees by a cone over their horizon.
TriangleMesh hull_mesh(const std::vector<Vec3>& points) {
  TriangleMesh mesh;
  mesh.vertices = points;
  using Face = std::array<std::uint32_t, 3>;
  std::vector<Face> faces;
  const auto volume = [&](const Face& f, const Vec3& p) {
    const Vec3 &a = points[f[0]], &b = points[f[1]], &c = points[f[2]];
    return dot(cross(b - a, c - a), p - a);
  };
  double size = 0;
  for (const Vec3& p : points) size = std::fmax(size, max_abs(p - points.front()));
  const double flat = 1e-9 * size * size * size;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (faces.empty()) {  // wait for the first points that span a tetrahedron
      for (std::uint32_t j = 0; j < i && faces.empty(); ++j)
        for (std::uint32_t k = j + 1; k < i && faces.empty(); ++k)
          for (std::uint32_t l = k + 1; l < i && faces.empty(); ++l) {
            const double v = volume({j, k, l}, points[i]);
            if (std::fabs(v) <= flat) continue;
            const std::uint32_t a = v > 0 ? k : j, b = v > 0 ? j : k;
            faces = {{a, b, l}, {b, a, i}, {l, b, i}, {a, l, i}};
          }
      if (!faces.empty()) i = 0;  // earlier points must be added too
      continue;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> horizon;
    std::vector<Face> kept;
    for (const Face& f : faces) {
      if (volume(f, points[i]) <= flat) {
        kept.push_back(f);
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const auto edge = std::make_pair(f[k], f[(k + 1) % 3]);
        if (horizon.erase({edge.second, edge.first}) == 0) horizon[edge] = 1;
      }
    }
    for (const auto& [edge, count] : horizon) kept.push_back({edge.first, edge.second, i});
    faces = std::move(kept);
  }
  mesh.triangles = std::move(faces);
  return mesh;
}

TriangleMesh capsule_mesh(const Capsule& c) {
  std::vector<scenes::Vec2> profile;
  const int stacks = kSegments / 4;
  for (const double side : {-1.0, 1.0})
    for (int k = 0; k <= stacks; ++k) {
      const double t =
          side < 0 ? 1 - static_cast<double>(k) / stacks : static_cast<double>(k) / stacks;
      const double angle = (0.5 * std::numbers::pi) * std::fmin(t, 0.999);
      profile.push_back(
          {c.radius * cosine(angle), side * (c.half_length + c.radius * sine(angle))});
    }
  return scenes::revolve(profile, kSegments);
}

struct MeshOf {
  TriangleMesh operator()(const Box& b) const { return scenes::box(2 * b.half_extents); }
  TriangleMesh operator()(const Sphere& s) const {
    return scenes::sphere(s.radius, kSegments, kSegments / 2);
  }
  TriangleMesh operator()(const Cylinder& c) const {
    return scenes::cylinder(c.radius, -c.half_length, c.half_length, kSegments);
  }
  TriangleMesh operator()(const Capsule& c) const { return capsule_mesh(c); }
  TriangleMesh operator()(const std::shared_ptr<const ConvexHull>& h) const {
    return hull_mesh(h->points);
  }
  TriangleMesh operator()(const std::shared_ptr<const TriangleMesh>& m) const { return *m; }
  // Many and small: an octahedron in place of each ball.
  TriangleMesh operator()(const std::shared_ptr<const PointCloud>& cloud) const {
    TriangleMesh all;
    const TriangleMesh one = scenes::sphere(cloud->radius, 4, 2);
    for (const Vec3& p : cloud->points) scenes::append(all, one, Pose::translation(p));
    return all;
  }
  TriangleMesh operator()(const std::shared_ptr<const VoxelSet>& voxels) const {
    TriangleMesh all;
    for (const CellBox& cells : merge_cells(voxels->cells)) {
      Vec3 lo, hi;
      for (int i = 0; i < 3; ++i) {
        lo[i] = voxels->size * cells.first[static_cast<std::size_t>(i)];
        hi[i] = voxels->size * cells.end[static_cast<std::size_t>(i)];
      }
      scenes::append(all, scenes::box_between(lo, hi));
    }
    return all;
  }
};

// Corner normals: the sum of the faces around the vertex that are about as steep.
void add_normals(std::vector<DrawTriangle>& triangles) {
  std::vector<Vec3> face, unit;  // area-weighted and unit normals
  for (const DrawTriangle& t : triangles) {
    face.push_back(cross(t.point[1] - t.point[0], t.point[2] - t.point[0]));
    unit.push_back(normalized(face.back()));
  }
  // Corners at the same point stand together once sorted.
  std::vector<std::size_t> corners(3 * triangles.size());
  std::iota(corners.begin(), corners.end(), std::size_t{0});
  const auto point = [&](std::size_t corner) -> const Vec3& {
    return triangles[corner / 3].point[corner % 3];
  };
  std::sort(corners.begin(), corners.end(), [&](std::size_t i, std::size_t j) {
    const Vec3 &a = point(i), &b = point(j);
    return std::tie(a.x, a.y, a.z, i) < std::tie(b.x, b.y, b.z, j);
  });
  for (std::size_t first = 0, last = 0; first < corners.size(); first = last) {
    while (last < corners.size() && point(corners[last]) == point(corners[first])) ++last;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t own = corners[i] / 3;
      Vec3 sum;
      for (std::size_t j = first; j < last; ++j)
        if (dot(unit[own], unit[corners[j] / 3]) > kCreaseCosine) sum += face[corners[j] / 3];
      triangles[own].normal[corners[i] % 3] = squared_norm(sum) > 0 ? normalized(sum) : unit[own];
    }
  }
}

}  // namespace

TriangleMesh surface_of(const Shape& shape) {
  return std::visit(MeshOf{}, shape);
}

std::vector<DrawTriangle> tessellate(std::span<const CollisionElement> elements) {
  std::vector<DrawTriangle> triangles;
  for (const CollisionElement& element : elements) {
    const TriangleMesh mesh = surface_of(element.shape);
    for (const auto& t : mesh.triangles) {
      DrawTriangle& d = triangles.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) d.point[k] = element.X_BS * mesh.vertices[t[k]];
    }
  }
  add_normals(triangles);
  return triangles;
}

}  // namespace proven::render_detail
