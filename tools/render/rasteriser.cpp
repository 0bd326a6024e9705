#include "tools/render/rasteriser.h"

#include <algorithm>
#include <cmath>

namespace proven::render_detail {

Vec3 Camera::project(const Vec3& p_W) const {
  const Vec3 d = p_W - eye;
  const double depth = dot(d, forward);
  const double scale = focal > 0 ? focal / depth : 1 / extent;
  return {scale * dot(d, right), scale * dot(d, up), depth};
}

Vec3 Camera::direction(double x, double y) const {
  return forward + (x / focal) * right + (y / focal) * up;
}

Camera make_camera(double azimuth, double elevation, double aspect) {
  Camera camera;
  camera.forward = {-std::cos(elevation) * std::cos(azimuth),
                    -std::cos(elevation) * std::sin(azimuth), -std::sin(elevation)};
  camera.right = {-std::sin(azimuth), std::cos(azimuth), 0};
  camera.up = cross(camera.right, camera.forward);
  camera.aspect = aspect;
  return camera;
}

void draw_triangle(Buffer& buffer, const Camera& camera, const Vec3 (&point)[3],
                   const Vec3 (&normal)[3], int body) {
  Vec3 p[3];
  double near_depth = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    p[k] = camera.project(point[k]);
    near_depth = std::min(near_depth, p[k].z);
    p[k].x = (p[k].x / camera.aspect + 1) * 0.5 * buffer.width;
    p[k].y = (1 - p[k].y) * 0.5 * buffer.height;
  }
  if (camera.focal > 0 && near_depth < 1e-3) return;
  const double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
  if (!(std::fabs(area) > 0)) return;
  const double inverse_area = 1 / area;
  const auto [x_low, x_high] = std::minmax({p[0].x, p[1].x, p[2].x});
  const auto [y_low, y_high] = std::minmax({p[0].y, p[1].y, p[2].y});
  const int x0 = static_cast<int>(std::clamp(std::floor(x_low), 0.0, double(buffer.width)));
  const int x1 = static_cast<int>(std::clamp(std::ceil(x_high), 0.0, double(buffer.width)));
  const int y0 = static_cast<int>(std::clamp(std::floor(y_low), 0.0, double(buffer.height)));
  const int y1 = static_cast<int>(std::clamp(std::ceil(y_high), 0.0, double(buffer.height)));
  // 1 / depth is linear on the screen in perspective, depth itself in a parallel view.
  const bool perspective = camera.focal > 0;
  double linear_depth[3];
  for (int k = 0; k < 3; ++k) linear_depth[k] = perspective ? 1 / p[k].z : p[k].z;
  const Vec3 facing = point[0] - camera.eye;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const double px = x + 0.5, py = y + 0.5;
      double w[3];
      w[0] = ((p[1].x - px) * (p[2].y - py) - (p[2].x - px) * (p[1].y - py)) * inverse_area;
      w[1] = ((p[2].x - px) * (p[0].y - py) - (p[0].x - px) * (p[2].y - py)) * inverse_area;
      w[2] = 1 - w[0] - w[1];
      if (w[0] < 0 || w[1] < 0 || w[2] < 0) continue;
      double depth = 0;
      for (int k = 0; k < 3; ++k) depth += w[k] * linear_depth[k];
      if (perspective) depth = 1 / depth;
      Sample& sample = buffer.at(x, y);
      if (depth >= static_cast<double>(sample.depth)) continue;
      Vec3 n;
      for (int k = 0; k < 3; ++k) n += w[k] * normal[k];
      n *= (dot(n, facing) > 0 ? -1 : 1) / std::sqrt(squared_norm(n));
      sample.depth = static_cast<float>(depth);
      sample.body = body;
      for (int k = 0; k < 3; ++k) sample.normal[k] = static_cast<float>(n[k]);
    }
}

}  // namespace proven::render_detail
