#include <algorithm>
#include <cmath>
#include <limits>

#include "proven/geometry/body_geometry.h"
#include "proven/roadmap/grid.h"
#include "roadmap/cover.h"
#include "roadmap/plain.h"

namespace proven::roadmap {
namespace {

struct Reach {
  double low, high;
};

Reach reach_along(const Vec3& n, std::span<const Vec3> points, double radius) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& p : points) {
    low = std::min(low, dot(n, p));
    high = std::max(high, dot(n, p));
  }
  return {low - radius, high + radius};
}

const Vec3 kUnit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// The separating directions of a cell and a convex part: its normals and their products with the
// cell's axes.
void mark_part(const RasterGrid& grid, const Part& part, CellMask& mask) {
  const double radius = part.radius + grid.margin;
  Raster raster;
  raster.begin();
  for (int axis = 0; axis < 3; ++axis) {
    const Reach r = reach_along(kUnit[axis], part.points, radius);
    raster.set_box(grid, axis, r.low, r.high);
  }
  const auto add = [&](const Vec3& direction) {
    const double length = norm(direction);
    if (!(length > 1e-3)) return;
    const Vec3 n = (1 / (length * (1 + 0x1p-50))) * direction;
    const Reach r = reach_along(n, part.points, radius);
    raster.add_slab(grid, plain(n), r.low, r.high);
  };
  for (const Vec3& n : part.normals) add(n);
  for (const Vec3& n : part.normals)
    for (const Vec3& axis : kUnit) add(cross(n, axis));
  raster.end();
  mark_raster(grid, raster, mask);
}

// Balls straight into cells. A cell is a box along the axes: what separates it from the box around
// a ball is one of these, and no other direction is tried.
template <class Place>
void mark_balls(const Grid& grid, std::span<const Vec3> points, double radius, Place&& place,
                CellMask& mask) {
  const double reach = radius + plain(grid).margin;
  for (const Vec3& point : points) {
    const Vec3 p = place(point);
    int first[3], last[3];
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      const double n = grid.count[static_cast<std::size_t>(axis)];
      const double low = (p[axis] - reach - grid.origin[axis]) / grid.cell[axis];
      const double high = (p[axis] + reach - grid.origin[axis]) / grid.cell[axis];
      inside = inside && low >= 0 && high <= n;
      // Of what is not a number nothing is inside.
      first[axis] = low >= 0 ? static_cast<int>(std::min(low, n)) : 0;
      last[axis] = high >= 0 ? static_cast<int>(std::min(high, n - 1)) : -1;
    }
    if (!inside) mask.set(grid.outside());
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        if (first[0] <= last[0])
          mask.set_run(grid.index(first[0], y, z), grid.index(last[0], y, z));
  }
}

Part triangle_part(const Triangle& t) {
  Part part;
  part.points = {t.a, t.b, t.c};
  const Vec3 normal = normalized(cross(t.b - t.a, t.c - t.a));
  part.normals = {normal};
  for (const Vec3& edge : {t.b - t.a, t.c - t.b, t.a - t.c})
    part.normals.push_back(normalized(edge));
  return part;
}

// Cells that the surface does not touch lie wholly inside or outside: one point tells, and
// neighbours in a row agree.
void mark_inside(const Grid& grid, const BodyGeometry& body, const Pose& X_WB,
                 const CellMask& surface, CellMask& mask) {
  const Aabb box = box_of(Aabb{body.bounds()[0], body.bounds()[1]}, X_WB);
  int first[3], last[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double n = grid.count[static_cast<std::size_t>(axis)];
    const double low = (box.lo[axis] - grid.origin[axis]) / grid.cell[axis];
    const double high = (box.hi[axis] - grid.origin[axis]) / grid.cell[axis];
    first[axis] = static_cast<int>(std::floor(std::clamp(low, 0.0, n)));
    last[axis] = static_cast<int>(std::floor(std::clamp(high, -1.0, n - 1)));
  }
  for (int z = first[2]; z <= last[2]; ++z)
    for (int y = first[1]; y <= last[1]; ++y) {
      bool known = false, inside = false;
      for (int x = first[0]; x <= last[0]; ++x) {
        const int cell = grid.index(x, y, z);
        if (surface.test(cell)) {
          known = false;
          continue;
        }
        if (!known) {
          const Aabb b = grid.box(cell);
          inside = body.contains(transpose_times(X_WB.R, 0.5 * (b.lo + b.hi) - X_WB.p));
          known = true;
        }
        if (inside) mask.set(cell);
      }
    }
}

Result<void> mark_mesh(const Grid& grid, const CollisionElement& element, const Pose& X_WB,
                       CellMask& mask) {
  auto body = BodyGeometry::build({element});
  if (!body.ok()) return body.error();
  const RasterGrid cells = plain(grid);
  CellMask surface(grid);
  for (const Triangle& t : body.value()->triangles())
    mark_part(cells, triangle_part({X_WB * t.a, X_WB * t.b, X_WB * t.c}), surface);
  if (body.value()->has_inside()) mark_inside(grid, *body.value(), X_WB, surface, mask);
  for (const std::uint32_t cell : surface.cells()) mask.set(static_cast<int>(cell));
  return {};
}

}  // namespace

Result<void> mark_obstacle(const Grid& grid, std::span<const CollisionElement> elements,
                           const Pose& X_WB, CellMask& mask) {
  const RasterGrid cells = plain(grid);
  for (const CollisionElement& element : elements) {
    if (std::holds_alternative<std::shared_ptr<const TriangleMesh>>(element.shape)) {
      if (auto done = mark_mesh(grid, element, X_WB, mask); !done.ok()) return done;
      continue;
    }
    if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&element.shape)) {
      const Pose X_WS = X_WB * element.X_BS;
      mark_balls(
          grid, (*cloud)->points, (*cloud)->radius, [&](const Vec3& p) { return X_WS * p; }, mask);
      continue;
    }
    std::vector<Part> parts;
    append_parts(element, X_WB, std::numeric_limits<double>::infinity(), parts);
    for (const Part& part : parts) mark_part(cells, part, mask);
  }
  return {};
}

void mark_points(const Grid& grid, std::span<const Vec3> points, double radius, CellMask& mask) {
  mark_balls(
      grid, points, radius, [](const Vec3& p) { return p; }, mask);
}

}  // namespace proven::roadmap
