#include "io/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "proven/scene/remark_words.h"

namespace proven::io {
namespace {

struct Bounds {
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  Vec3 lower = {kInf, kInf, kInf}, upper = {-kInf, -kInf, -kInf};

  // Written so that the compiler uses a register for each coordinate.
  void add(const Vec3& centre, const Vec3& half) {
    const Vec3 low = centre - half, high = centre + half;
    lower = {std::min(lower.x, low.x), std::min(lower.y, low.y), std::min(lower.z, low.z)};
    upper = {std::max(upper.x, high.x), std::max(upper.y, high.y), std::max(upper.z, high.z)};
  }
};

// Adds the box around a shape that is centred on X.
struct AddShape {
  const Pose& X;
  Bounds& bounds;

  void add_box(const Vec3& half) const {
    Vec3 reach;
    for (int i = 0; i < 3; ++i)
      reach[i] = std::fabs(X.R(i, 0)) * half.x + std::fabs(X.R(i, 1)) * half.y +
                 std::fabs(X.R(i, 2)) * half.z;
    bounds.add(X.p, reach);
  }
  void operator()(const Box& s) const { add_box(s.half_extents); }
  void operator()(const Sphere& s) const { bounds.add(X.p, {s.radius, s.radius, s.radius}); }
  void operator()(const Cylinder& s) const { add_box({s.radius, s.radius, s.half_length}); }
  void operator()(const Capsule& s) const {
    add_box({s.radius, s.radius, s.half_length + s.radius});
  }
  void operator()(const std::shared_ptr<const ConvexHull>& s) const {
    for (const Vec3& p : s->points) bounds.add(X * p, {});
  }
  void operator()(const std::shared_ptr<const TriangleMesh>& s) const {
    for (const auto& triangle : s->triangles)
      for (const std::uint32_t i : triangle) bounds.add(X * s->vertices[i], {});
  }
  void operator()(const std::shared_ptr<const PointCloud>& s) const {
    const Vec3 half{s->radius, s->radius, s->radius};
    Bounds around = bounds;
    if (X == Pose{})
      for (const Vec3& p : s->points) around.add(p, half);
    else
      for (const Vec3& p : s->points) around.add(X * p, half);
    bounds = around;
  }
  void operator()(const std::shared_ptr<const VoxelSet>& s) const {
    const double reach = s->size;  // a corner of the cell, whichever way it is turned
    for (const auto& [i, j, k] : s->cells)
      bounds.add(X * (s->size * Vec3{i + 0.5, j + 0.5, k + 0.5}), {reach, reach, reach});
  }
};

}  // namespace

std::string refuse_size(double size) {
  if (!(size > 0) || !std::isfinite(size))
    return fmt::format("expected a positive number, got {}", size);
  if (size > kLargestCoordinate) return fmt::format("{} m is too large", size);
  if (size < kSmallestSize) return fmt::format("{} m is too small", size);
  return "";
}

std::string refuse_scale(const Vec3& scale) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(scale[i]) || scale[i] == 0)
      return fmt::format("expected scale factors that are finite and not zero, got {}", scale[i]);
  return "";
}

std::string refuse_position(const Vec3& p) {
  if (is_near(p)) return "";
  return fmt::format("position {} {} {} is too far away", p.x, p.y, p.z);
}

double longest_side(std::span<const CollisionElement> elements) {
  Bounds bounds;
  for (const CollisionElement& element : elements)
    std::visit(AddShape{element.X_BS, bounds}, element.shape);
  const Vec3 size = bounds.upper - bounds.lower;
  return std::max({0.0, size.x, size.y, size.z});
}

std::optional<std::string> doubt_size(const std::string& what, double longest,
                                      std::span<const CollisionElement> elements) {
  if (elements.empty()) return std::nullopt;
  const double side = longest_side(elements);
  if (side > longest)
    return fmt::format("{} is {:.3g} m long{}", what, side, remark_words::kMillimetres);
  if (side < 1e-4)
    return fmt::format("{} is only {:.3g} m long{}", what, side, remark_words::kOtherUnit);
  return std::nullopt;
}

}  // namespace proven::io
