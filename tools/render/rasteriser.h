// A depth buffer filled with triangles: which body is seen at each sample, how far, and its normal.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::render_detail {

// Looks from `eye` along `forward`. Perspective: x, y = focal * (right, up) / depth. Parallel
// (focal 0): x, y = (right, up) / extent. The window is [-aspect, aspect] x [-1, 1].
struct Camera {
  Vec3 eye, forward, right, up;
  double focal = 0, extent = 1, aspect = 1;

  // (x, y, depth along `forward`)
  Vec3 project(const Vec3& p_W) const;
  // Direction (not unit) of the line of sight through the window point; eye + depth * direction.
  Vec3 direction(double x, double y) const;
};
Camera make_camera(double azimuth, double elevation, double aspect);

struct Sample {
  float depth = std::numeric_limits<float>::infinity();
  std::int32_t body = -1;  // -1: nothing
  float normal[3] = {0, 0, 0};
};

struct Buffer {
  int width = 0, height = 0;
  std::vector<Sample> samples;

  Buffer(int w, int h)
      : width(w), height(h), samples(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  Sample& at(int x, int y) {
    return samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(x)];
  }
  const Sample& at(int x, int y) const { return const_cast<Buffer*>(this)->at(x, y); }
};

// Triangles behind the eye are left out. Normals are turned towards the camera.
void draw_triangle(Buffer& buffer, const Camera& camera, const Vec3 (&point)[3],
                   const Vec3 (&normal)[3], int body);

}  // namespace proven::render_detail
