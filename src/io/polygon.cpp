// Polygons of mesh files, cut into triangles. The rule is part of the format (docs/formats.md,
// Meshes): every reader arrives at the same triangles.
//
// Triangles that share their edges with the polygon's boundary, and of which none is turned over,
// cover each place as often as the boundary winds around it: a simple polygon exactly once. So a
// cut without a turned triangle is right, however it was found.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/mesh_readers.h"

namespace proven::io {
namespace {

constexpr double kThin = 0x1p-16;        // of its length: so thin a polygon is as good as a line
constexpr double kTurned = 0x1p-40;      // of its squared size: rounding of an area
constexpr double kBent = 0.01;           // of its size: how far corners may leave the plane
constexpr std::size_t kMostEars = 1000;  // finding ears takes the third power of this

struct Flat {
  double u = 0, v = 0;
  friend bool operator==(const Flat&, const Flat&) = default;
};

// Twice the area of a triangle, negative if it is turned over.
double area(const Flat& a, const Flat& b, const Flat& c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

class Polygon {
 public:
  Polygon(const TriangleMesh& mesh, const std::vector<std::uint32_t>& corners) : corners_(corners) {
    const Vec3& origin = mesh.vertices[corners[0]];
    for (const std::uint32_t corner : corners) {
      points_.push_back(mesh.vertices[corner] - origin);
      size_ = std::max(size_, max_abs(points_.back()));
    }
    for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
      const Vec3 part = cross(points_[i], points_[i + 1]);
      normal_ += part;
      for (int k = 0; k < 3; ++k) spread_[k] += std::fabs(part[k]);
    }
  }

  bool is_thin() const { return max_abs(spread_) <= kThin * (size_ * size_); }
  bool encloses_nothing() const { return !(max_abs(normal_) > kThin * max_abs(spread_)); }
  bool is_bent() const {
    const double most = kBent * size_ * norm(normal_);
    return std::any_of(points_.begin(), points_.end(),
                       [&](const Vec3& p) { return std::fabs(dot(normal_, p)) > most; });
  }

  // Into the plane of the two axes across the normal's largest part (of equal ones the first), seen
  // from outside.
  void flatten() {
    int largest = 0;
    for (const int k : {1, 2})
      if (std::fabs(normal_[k]) > std::fabs(normal_[largest])) largest = k;
    int u = (largest + 1) % 3, v = (largest + 2) % 3;
    if (normal_[largest] < 0) std::swap(u, v);
    for (const Vec3& p : points_) flat_.push_back({p[u], p[v]});
  }

  bool fan_fits() const {
    for (std::size_t i = 1; i + 1 < flat_.size(); ++i)
      if (!(area(flat_[0], flat_[i], flat_[i + 1]) >= -rounding())) return false;
    return true;
  }

  // Cuts off the first corner whose triangle is not turned over and holds no other corner; those
  // without an area come last. False if there is none.
  bool cut_ears(TriangleMesh& mesh) const {
    std::vector<std::size_t> rest(flat_.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = i;
    while (rest.size() > 3) {
      std::size_t ear = find_ear(rest, true);
      if (ear == rest.size()) ear = find_ear(rest, false);
      if (ear == rest.size()) return false;
      add(mesh, around(rest, ear));
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    if (!(area(flat_[rest[0]], flat_[rest[1]], flat_[rest[2]]) >= -rounding())) return false;
    add(mesh, {rest[0], rest[1], rest[2]});
    return true;
  }

 private:
  using Three = std::array<std::size_t, 3>;

  double rounding() const { return kTurned * (size_ * size_); }
  static Three around(const std::vector<std::size_t>& rest, std::size_t i) {
    const std::size_t n = rest.size();
    return {rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]};
  }
  void add(TriangleMesh& mesh, const Three& t) const {
    mesh.triangles.push_back({corners_[t[0]], corners_[t[1]], corners_[t[2]]});
  }

  std::size_t find_ear(const std::vector<std::size_t>& rest, bool with_area) const {
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (is_ear(rest, around(rest, i), with_area)) return i;
    return rest.size();
  }
  bool is_ear(const std::vector<std::size_t>& rest, const Three& t, bool with_area) const {
    const Flat &a = flat_[t[0]], &b = flat_[t[1]], &c = flat_[t[2]];
    const double own = area(a, b, c);
    if (!with_area) return std::fabs(own) <= rounding();
    if (!(own > rounding())) return false;
    return std::none_of(rest.begin(), rest.end(), [&](std::size_t other) {
      const Flat& p = flat_[other];
      if (p == a || p == b || p == c) return false;
      return area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0;
    });
  }

  const std::vector<std::uint32_t>& corners_;
  std::vector<Vec3> points_;  // from the first corner
  std::vector<Flat> flat_;
  Vec3 normal_, spread_;  // the sum of the fan's areas, and of their sizes
  double size_ = 0;
};

}  // namespace

void add_fan(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners) {
  for (std::size_t i = 2; i < corners.size(); ++i)
    mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

std::string add_polygon(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners) {
  if (corners.size() <= 3) return add_fan(mesh, corners), "";
  Polygon polygon(mesh, corners);
  if (polygon.is_thin()) return add_fan(mesh, corners), "";
  constexpr const char* kCrosses = "the polygon crosses itself; export triangles";
  if (polygon.encloses_nothing()) return kCrosses;
  if (polygon.is_bent())
    return "the corners of the polygon do not lie in a plane, so its surface is not said; export "
           "triangles";
  polygon.flatten();
  if (polygon.fan_fits()) return add_fan(mesh, corners), "";
  if (corners.size() > kMostEars)
    return fmt::format("a polygon that is not convex has more than {} corners; export triangles",
                       kMostEars);
  const std::size_t before = mesh.triangles.size();
  if (polygon.cut_ears(mesh)) return "";
  mesh.triangles.resize(before);
  return kCrosses;
}

}  // namespace proven::io
