#include <algorithm>
#include <cmath>
#include <limits>

#include "io/failure.h"
#include "io/sensed_readers.h"

namespace proven::io {
namespace {

// Pixels from `first` to before `last` along one axis of the image.
struct Pixels {
  std::ptrdiff_t first = 0, last = 0;
};

// Which pixels an interval of cells falls on, seen between the distances near and far.
class Axis {
 public:
  Axis(double focal, double centre, std::size_t pixels)
      : focal_(focal), centre_(centre), count_(static_cast<std::ptrdiff_t>(pixels)) {}

  Pixels of(double low, double high, double near, double far) const {
    const double from = centre_ + focal_ * (low / (low < 0 ? near : far));
    const double to = centre_ + focal_ * (high / (high > 0 ? near : far));
    return {clamped(std::ceil(from - 0.5 - kSlack)), clamped(std::floor(to + 0.5 + kSlack) + 1)};
  }
  // The cells that can be in view up to the distance: from the first to before the last.
  std::pair<long, long> cells(double far, double size) const {
    const double low = (-0.5 - centre_) / focal_ * far;
    const double high = (static_cast<double>(count_) - 0.5 - centre_) / focal_ * far;
    return {index(std::floor(std::min(low, 0.0) / size) - 1),
            index(std::ceil(std::max(high, 0.0) / size) + 1)};
  }
  // Voxel sets have indices below 2^20.
  static long index(double cell) {
    if (!(std::fabs(cell) < 0x1p20)) fail("", kTooMany);
    return std::lround(cell);
  }
  static constexpr const char* kTooMany =
      "what is not seen takes too many cells; choose a larger \"size\" or a nearer \"far\"";

 private:
  // Where a place falls on is known within 8 roundings of |centre| + |focal x/z|, both below 2^24
  // for what is in view: 2^-25 of a pixel.
  static constexpr double kSlack = 0x1p-20;
  std::ptrdiff_t clamped(double pixel) const {
    return static_cast<std::ptrdiff_t>(std::clamp(pixel, 0.0, static_cast<double>(count_)));
  }
  double focal_, centre_;
  std::ptrdiff_t count_;
};

}  // namespace

std::vector<Vec3> seen_points(const DepthImage& image) {
  std::vector<Vec3> points;
  const Camera& camera = image.camera;
  for (std::size_t row = 0; row < image.rows; ++row)
    for (std::size_t column = 0; column < image.columns; ++column) {
      const double z = image.depths[row * image.columns + column];
      if (!std::isfinite(z)) continue;
      points.push_back({(static_cast<double>(column) - camera.cx) / camera.fx * z,
                        (static_cast<double>(row) - camera.cy) / camera.fy * z, z});
    }
  return points;
}

VoxelSet shadow_of(const DepthImage& image, const Shadow& shadow) {
  VoxelSet cells{shadow.size, {}};
  const Axis across(image.camera.fx, image.camera.cx, image.columns);
  const Axis down(image.camera.fy, image.camera.cy, image.rows);
  std::vector<double> depths = image.depths;
  for (double& depth : depths)
    if (!std::isfinite(depth)) depth = shadow.near;  // unknown from the camera on
  const auto columns = static_cast<std::ptrdiff_t>(image.columns);
  std::vector<double> nearest(image.rows);  // of the pixels of a row that a column of cells covers
  const double size = shadow.size;
  const long end = Axis::index(std::ceil(shadow.far / size));
  for (long k = std::lround(std::floor(shadow.near / size)); k < end; ++k) {
    const double near = std::max(static_cast<double>(k) * size, shadow.near);
    // Beyond what the far side rounds to.
    const double far = static_cast<double>(k + 1) * size * (1 + 0x1p-50);
    const auto [first_i, last_i] = across.cells(far, size);
    const auto [first_j, last_j] = down.cells(far, size);
    for (long i = first_i; i < last_i; ++i) {
      const Pixels u =
          across.of(static_cast<double>(i) * size, static_cast<double>(i + 1) * size, near, far);
      if (u.first >= u.last) continue;
      for (std::size_t row = 0; row < image.rows; ++row) {
        const auto begin = depths.begin() + static_cast<std::ptrdiff_t>(row) * columns;
        nearest[row] = *std::min_element(begin + u.first, begin + u.last);
      }
      for (long j = first_j; j < last_j; ++j) {
        const Pixels v =
            down.of(static_cast<double>(j) * size, static_cast<double>(j + 1) * size, near, far);
        if (v.first >= v.last) continue;
        if (*std::min_element(nearest.begin() + v.first, nearest.begin() + v.last) > far) continue;
        if (cells.cells.size() >= shadow.most) fail("", Axis::kTooMany);
        cells.cells.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
                               static_cast<std::int32_t>(k)});
      }
    }
  }
  std::sort(cells.cells.begin(), cells.cells.end());
  return cells;
}

TriangleMesh solid_below(const Array& heights, double scale, double size, double floor) {
  const std::size_t nx = heights.shape[0], ny = heights.shape[1], stride = ny + 1;
  std::vector<double> corners((nx + 1) * stride, floor);
  for (std::size_t i = 0; i < nx; ++i)
    for (std::size_t j = 0; j < ny; ++j)
      for (const std::size_t corner :
           {i * stride + j, i * stride + j + 1, (i + 1) * stride + j, (i + 1) * stride + j + 1})
        corners[corner] = std::max(corners[corner], heights[i * ny + j] * scale);
  TriangleMesh mesh;
  const auto place = [&](std::size_t i, std::size_t j, double z) {
    return Vec3{static_cast<double>(i) * size, static_cast<double>(j) * size, z};
  };
  for (std::size_t i = 0; i <= nx; ++i)
    for (std::size_t j = 0; j <= ny; ++j)
      mesh.vertices.push_back(place(i, j, corners[i * stride + j]));
  const auto top = [&](std::size_t i, std::size_t j) {
    return static_cast<std::uint32_t>(i * stride + j);
  };
  for (std::size_t i = 0; i < nx; ++i)
    for (std::size_t j = 0; j < ny; ++j) {
      mesh.triangles.push_back({top(i, j), top(i + 1, j), top(i + 1, j + 1)});
      mesh.triangles.push_back({top(i, j), top(i + 1, j + 1), top(i, j + 1)});
    }
  // Once around, seen from above with the clock: walls, and a fan from the middle of the floor.
  std::vector<std::pair<std::size_t, std::size_t>> border;
  for (std::size_t j = 0; j < ny; ++j) border.emplace_back(0, j);
  for (std::size_t i = 0; i < nx; ++i) border.emplace_back(i, ny);
  for (std::size_t j = ny; j > 0; --j) border.emplace_back(nx, j);
  for (std::size_t i = nx; i > 0; --i) border.emplace_back(i, 0);
  const auto middle = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.push_back(
      {0.5 * (static_cast<double>(nx) * size), 0.5 * (static_cast<double>(ny) * size), floor});
  for (const auto& [i, j] : border) mesh.vertices.push_back(place(i, j, floor));
  for (std::size_t n = 0; n < border.size(); ++n) {
    const std::size_t next = (n + 1) % border.size();
    const std::uint32_t a = top(border[n].first, border[n].second),
                        b = top(border[next].first, border[next].second);
    const auto below_a = static_cast<std::uint32_t>(middle + 1 + n),
               below_b = static_cast<std::uint32_t>(middle + 1 + next);
    mesh.triangles.push_back({a, b, below_b});
    mesh.triangles.push_back({a, below_b, below_a});
    mesh.triangles.push_back({middle, below_a, below_b});
  }
  return mesh;
}

}  // namespace proven::io
