#include "roadmap/cover.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "proven/geometry/grains.h"
#include "roadmap/cells_tables.h"

namespace proven::roadmap {
namespace {

constexpr int kSides = 8;
static_assert(2 * kSides <= kMostPoints);
// Prisms are a hair wider than computed: corners of eight-sided prisms err by less than 2^-48 of
// their size.
constexpr double kPrismSlack = 1 + 0x1p-44;

int pieces_of(double extent, double length) {
  const double pieces = std::ceil(extent / length);
  return pieces > 1 ? static_cast<int>(std::min(pieces, 64.0)) : 1;
}

Part placed(Part part, const Pose& X) {
  for (Vec3& p : part.points) p = X * p;
  for (Vec3& n : part.normals) n = X.R * n;
  return part;
}

Part box_part(const Vec3& lo, const Vec3& hi) {
  Part part;
  for (int corner = 0; corner < 8; ++corner)
    part.points.push_back(
        {corner & 1 ? hi.x : lo.x, corner & 2 ? hi.y : lo.y, corner & 4 ? hi.z : lo.z});
  part.normals = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return part;
}

// The boxes that a grid of cuts makes of one box.
void append_box(const Box& box, const Pose& X, double length, std::vector<Part>& parts) {
  const Vec3& h = box.half_extents;
  int n[3];
  for (int axis = 0; axis < 3; ++axis) n[axis] = pieces_of(2 * h[axis], length);
  const auto cut = [&](int axis, int k) { return -h[axis] + 2 * h[axis] * k / n[axis]; };
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k)
        parts.push_back(placed(box_part({cut(0, i), cut(1, j), cut(2, k)},
                                        {cut(0, i + 1), cut(1, j + 1), cut(2, k + 1)}),
                               X));
}

void append_capsule(const Capsule& capsule, const Pose& X, double length,
                    std::vector<Part>& parts) {
  const int n = pieces_of(2 * capsule.half_length, length);
  const auto cut = [&](int k) { return capsule.half_length * (2.0 * k / n - 1); };
  for (int k = 0; k < n; ++k)
    parts.push_back(placed({{{0, 0, cut(k)}, {0, 0, cut(k + 1)}}, capsule.radius, {{0, 0, 1}}}, X));
}

Vec3 side_normal(int side) {
  const double angle = 2 * std::numbers::pi * side / kSides;
  return {std::cos(angle), std::sin(angle), 0};
}

// The prism over an octagon around z with support `reach[side]` along its side normals, between two
// heights. Axes: u, v, w of the prism are given.
Part prism_part(const double (&reach)[kSides], double low, double high) {
  Part part;
  for (int side = 0; side < kSides; ++side) {
    // Where two neighbouring sides meet: n1·x = r1, n2·x = r2.
    const Vec3 n1 = side_normal(side), n2 = side_normal((side + 1) % kSides);
    const double r1 = reach[side], r2 = reach[(side + 1) % kSides];
    const double det = n1.x * n2.y - n1.y * n2.x;
    const double x = (r1 * n2.y - r2 * n1.y) / det, y = (n1.x * r2 - n2.x * r1) / det;
    part.points.push_back({x, y, low});
    part.points.push_back({x, y, high});
  }
  part.normals = {{0, 0, 1}};
  for (int side = 0; side < kSides / 2; ++side) part.normals.push_back(side_normal(side));
  return part;
}

void append_cylinder(const Cylinder& cylinder, const Pose& X, double length,
                     std::vector<Part>& parts) {
  const int n = pieces_of(2 * cylinder.half_length, length);
  const auto cut = [&](int k) { return cylinder.half_length * (2.0 * k / n - 1); };
  double reach[kSides];
  std::fill(std::begin(reach), std::end(reach), cylinder.radius * kPrismSlack);
  for (int k = 0; k < n; ++k) parts.push_back(placed(prism_part(reach, cut(k), cut(k + 1)), X));
}

// The rotation whose z is the given axis of the frame, x and y following.
Mat3 frame_along(int axis) {
  const Vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return Mat3::from_columns(unit[(axis + 1) % 3], unit[(axis + 2) % 3], unit[axis]);
}

// Slices of triangles along one axis: what each holds, by its supports.
class Slices {
 public:
  Slices(double low, double high, int n) : low_(low), width_((high - low) / n) {
    slices_.resize(static_cast<std::size_t>(n));
  }

  void add(const Triangle& t) {
    const double lo = std::min({t.a.z, t.b.z, t.c.z}), hi = std::max({t.a.z, t.b.z, t.c.z});
    // One more on each side than rounding could miss.
    const int first = std::max(0, place(lo) - 1);
    const int last = std::min(static_cast<int>(slices_.size()) - 1, place(hi) + 1);
    for (int k = first; k <= last; ++k) add_clipped(t, k);
  }

  void append_to(std::vector<Part>& parts, const Pose& X) const {
    for (std::size_t k = 0; k < slices_.size(); ++k)
      if (slices_[k].used)
        parts.push_back(placed(
            prism_part(slices_[k].reach, cut(static_cast<int>(k)), cut(static_cast<int>(k) + 1)),
            X));
  }

 private:
  struct Slice {
    bool used = false;
    double reach[kSides];
  };

  // Of slices without width, the first one.
  int place(double z) const {
    const double at = std::floor((z - low_) / width_), end = static_cast<double>(slices_.size());
    return at > 0 ? static_cast<int>(std::min(at, end)) : 0;
  }
  double cut(int k) const { return low_ + k * width_; }

  // The corners of the triangle between the two planes of the slice, a hair apart.
  void add_clipped(const Triangle& t, int k) {
    const double slack = 0x1p-30 * width_;
    const double bottom = cut(k) - slack, top = cut(k + 1) + slack;
    const Vec3 corners[3] = {t.a, t.b, t.c};
    for (int i = 0; i < 3; ++i) {
      const Vec3 &p = corners[i], &q = corners[(i + 1) % 3];
      if (p.z >= bottom && p.z <= top) include(p, k);
      for (const double plane : {bottom, top})
        if ((p.z - plane) * (q.z - plane) < 0)
          include(p + ((plane - p.z) / (q.z - p.z)) * (q - p), k);
    }
  }

  void include(const Vec3& p, int k) {
    Slice& slice = slices_[static_cast<std::size_t>(k)];
    for (int side = 0; side < kSides; ++side) {
      const Vec3 n = side_normal(side);
      const double along = n.x * p.x + n.y * p.y;
      const double wide = along + 0x1p-44 * (std::fabs(p.x) + std::fabs(p.y));
      slice.reach[side] = slice.used ? std::max(slice.reach[side], wide) : wide;
    }
    slice.used = true;
  }

  double low_, width_;
  std::vector<Slice> slices_;
};

void append_mesh(const TriangleMesh& mesh, const Pose& X, double length, std::vector<Part>& parts) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Vec3 lo{kFar, kFar, kFar}, hi{-kFar, -kFar, -kFar};
  for (const Vec3& p : mesh.vertices)
    for (int axis = 0; axis < 3; ++axis) {
      lo[axis] = std::min(lo[axis], p[axis]);
      hi[axis] = std::max(hi[axis], p[axis]);
    }
  int longest = 0;
  for (int axis = 1; axis < 3; ++axis)
    if (hi[axis] - lo[axis] > hi[longest] - lo[longest]) longest = axis;
  const Mat3 R = frame_along(longest);
  const double extent = hi[longest] - lo[longest];
  // Wider than the mesh, so that its ends lie inside the first and the last slice.
  const double slack = 0x1p-20 * extent;
  Slices slices(lo[longest] - slack, hi[longest] + slack, pieces_of(extent, length));
  for (const auto& t : mesh.triangles)
    slices.add({transpose_times(R, mesh.vertices[t[0]]), transpose_times(R, mesh.vertices[t[1]]),
                transpose_times(R, mesh.vertices[t[2]])});
  slices.append_to(parts, X * Pose{R, {}});
}

void append_hull(const ConvexHull& hull, const Pose& X, std::vector<Part>& parts) {
  if (hull.points.size() <= kMostPoints) {
    parts.push_back(placed({hull.points, 0, {}}, X));
    return;
  }
  double reach[kSides], low = hull.points[0].z, high = low;
  for (int side = 0; side < kSides; ++side) {
    const Vec3 n = side_normal(side);
    reach[side] = -std::numeric_limits<double>::infinity();
    for (const Vec3& p : hull.points)
      reach[side] = std::max(reach[side],
                             n.x * p.x + n.y * p.y + 0x1p-44 * (std::fabs(p.x) + std::fabs(p.y)));
  }
  for (const Vec3& p : hull.points) {
    low = std::min(low, p.z);
    high = std::max(high, p.z);
  }
  parts.push_back(placed(prism_part(reach, low, high), X));
}

void append_voxels(const VoxelSet& voxels, const Pose& X, double length, std::vector<Part>& parts) {
  for (const CellBox& box : merge_cells(voxels.cells)) {
    Vec3 lo, hi;
    for (int i = 0; i < 3; ++i) {
      lo[i] = voxels.size * box.first[static_cast<std::size_t>(i)];
      hi[i] = voxels.size * box.end[static_cast<std::size_t>(i)];
    }
    append_box({0.5 * (hi - lo)}, X * Pose::translation(0.5 * (lo + hi)), length, parts);
  }
}

}  // namespace

void append_parts(const CollisionElement& element, const Pose& X_AB, double length,
                  std::vector<Part>& parts) {
  const Pose X = X_AB * element.X_BS;
  if (const auto* box = std::get_if<Box>(&element.shape)) return append_box(*box, X, length, parts);
  if (const auto* sphere = std::get_if<Sphere>(&element.shape))
    return parts.push_back({{X.p}, sphere->radius, {}});
  if (const auto* cylinder = std::get_if<Cylinder>(&element.shape))
    return append_cylinder(*cylinder, X, length, parts);
  if (const auto* capsule = std::get_if<Capsule>(&element.shape))
    return append_capsule(*capsule, X, length, parts);
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&element.shape))
    return append_hull(**hull, X, parts);
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&element.shape)) {
    for (const Vec3& p : (*cloud)->points) parts.push_back({{X * p}, (*cloud)->radius, {}});
    return;
  }
  if (const auto* voxels = std::get_if<std::shared_ptr<const VoxelSet>>(&element.shape))
    return append_voxels(**voxels, X, length, parts);
  append_mesh(**std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape), X, length, parts);
}

}  // namespace proven::roadmap
