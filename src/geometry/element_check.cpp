#include "element_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace proven {
namespace {

// No robot cell is a thousand kilometres wide; beyond it rounding eats micrometres.
constexpr double kLargestCoordinate = 1e6;  // m
// Rotations in files are rounded to some digits; what remains after normalising is far below this.
constexpr double kRotationTolerance = 1e-9;

// Of a cloud or a voxel set: indices of nodes stay integers.
constexpr std::size_t kMostGrains = std::size_t{1} << 29;
// Indices of voxels are coded by 21 bits.
constexpr double kMostCells = 1 << 20;

// What is wrong, or empty.
using Complaint = std::string;

Complaint check_length(std::string_view what, double value) {
  if (!std::isfinite(value)) return fmt::format("the {} is not a finite number", what);
  if (value < 0) return fmt::format("the {} is negative ({} m)", what, value);
  if (value == 0)
    return fmt::format("the {} is zero; give it a small positive size, or leave the shape out",
                       what);
  if (value > kLargestCoordinate)
    return fmt::format("the {} is {} m, beyond 1e6 m; are the units right?", what, value);
  return {};
}

Complaint check_point(std::string_view what, std::size_t index, const Vec3& p) {
  if (!is_finite(p)) return fmt::format("{} {} is not finite", what, index);
  if (max_abs(p) > kLargestCoordinate)
    return fmt::format("{} {} has a coordinate of {} m, beyond 1e6 m; are the units right?", what,
                       index, max_abs(p));
  return {};
}

Complaint check_points(std::string_view what, const std::vector<Vec3>& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (Complaint c = check_point(what, i, points[i]); !c.empty()) return c;
  return {};
}

Complaint first_of(std::initializer_list<Complaint> complaints) {
  for (const Complaint& c : complaints)
    if (!c.empty()) return c;
  return {};
}

struct ShapeCheck {
  Complaint operator()(const Box& box) const {
    const Vec3& h = box.half_extents;
    return first_of({check_length("box's extent along x", 2 * h.x),
                     check_length("box's extent along y", 2 * h.y),
                     check_length("box's extent along z", 2 * h.z)});
  }
  Complaint operator()(const Sphere& sphere) const {
    return check_length("sphere's radius", sphere.radius);
  }
  Complaint operator()(const Cylinder& cylinder) const {
    return first_of({check_length("cylinder's radius", cylinder.radius),
                     check_length("cylinder's length", 2 * cylinder.half_length)});
  }
  Complaint operator()(const Capsule& capsule) const {
    if (capsule.half_length == 0 && capsule.radius > 0)
      return "the capsule's length is zero; use a sphere";
    return first_of({check_length("capsule's radius", capsule.radius),
                     check_length("capsule's length", 2 * capsule.half_length)});
  }
  Complaint operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    if (!hull || hull->points.empty()) return "the convex hull has no points";
    return check_points("hull point", hull->points);
  }
  Complaint operator()(const std::shared_ptr<const PointCloud>& cloud) const {
    if (!cloud || cloud->points.empty())
      return "the cloud has no points; leave it out, or check the filters that it went through";
    if (cloud->points.size() > kMostGrains)
      return fmt::format("the cloud has {} points, more than 2^29", cloud->points.size());
    if (Complaint c = check_length("radius of the cloud's points", cloud->radius); !c.empty())
      return c;
    // One test for all: no number compares with what is not one.
    bool good = true;
    for (const Vec3& p : cloud->points)
      good &= std::fabs(p.x) <= kLargestCoordinate && std::fabs(p.y) <= kLargestCoordinate &&
              std::fabs(p.z) <= kLargestCoordinate;
    return good ? Complaint{} : check_points("point", cloud->points);
  }
  Complaint operator()(const std::shared_ptr<const VoxelSet>& voxels) const {
    if (!voxels || voxels->cells.empty()) return "the voxel set has no cells; leave it out";
    if (voxels->cells.size() > kMostGrains)
      return fmt::format("the voxel set has {} cells, more than 2^29", voxels->cells.size());
    if (Complaint c = check_length("size of the voxels", voxels->size); !c.empty()) return c;
    std::int32_t least = 0, most = 0;
    for (const auto& [i, j, k] : voxels->cells) {
      least = std::min({least, i, j, k});
      most = std::max({most, i, j, k});
    }
    const double below = -static_cast<double>(least), above = most + 1.0;
    const double farthest = std::fmax(below, above);
    if (farthest > kMostCells)
      return fmt::format(
          "a voxel has the index {}, beyond -2^20 to 2^20 - 1; are the cells too small?",
          below > kMostCells ? least : most);
    if (farthest * voxels->size > kLargestCoordinate)
      return fmt::format("a voxel lies {} m away, beyond 1e6 m; are the units right?",
                         farthest * voxels->size);
    return {};
  }
  Complaint operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
    if (!mesh || mesh->triangles.empty())
      return "the mesh has no triangles; remove it, or check that the file was exported with faces";
    if (Complaint c = check_points("vertex", mesh->vertices); !c.empty()) return c;
    for (std::size_t t = 0; t < mesh->triangles.size(); ++t)
      for (const std::uint32_t index : mesh->triangles[t])
        if (index >= mesh->vertices.size())
          return fmt::format("triangle {} refers to vertex {}, but the mesh has {} vertices", t,
                             index, mesh->vertices.size());
    return {};
  }
};

Complaint check_pose(const Pose& X) {
  if (!is_finite(X.p)) return "the pose's position is not finite";
  if (max_abs(X.p) > kLargestCoordinate)
    return fmt::format("the pose lies {} m away, beyond 1e6 m; are the units right?", max_abs(X.p));
  const Mat3 should_be_identity = X.R * transpose(X.R);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!(std::fabs(should_be_identity(i, j) - (i == j)) <= kRotationTolerance))
        return "the pose's matrix is not a rotation; scale belongs to the shape";
  if (!(dot(X.R.row[0], cross(X.R.row[1], X.R.row[2])) > 0))
    return "the pose's matrix is a reflection, not a rotation";
  return {};
}

}  // namespace

Result<void> check_element(const CollisionElement& element) {
  Complaint complaint = std::visit(ShapeCheck{}, element.shape);
  if (complaint.empty()) complaint = check_pose(element.X_BS);
  if (complaint.empty()) return {};
  return bad_input(complaint, element.source);
}

}  // namespace proven
