// Draws a scene at a configuration into a picture file: a small software rasteriser with a depth
// buffer, one sun with shadows, soft ambient light and dark outlines. For people to look at;
// nothing is proved from it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/scene.h"

namespace proven {

struct RenderOptions {
  int width = 960, height = 640;  // pixels
  int supersampling = 2;          // samples per pixel in each direction, 1 to 4
  double azimuth = -0.9;          // of the camera about z, from x; radians
  double elevation = 0.42;        // of the camera above the ground; radians
  double zoom = 1;                // > 1: closer than the whole scene
  Vec3 look_at;                   // added to the centre of the scene
  bool ground = true;             // a grid with shadows at the lowest point
  std::optional<Vec3> centre;     // of the picture, instead of the scene's
  // Two bodies that are drawn red and blue, all others pale; -1: none.
  std::array<int, 2> pointed_out = {-1, -1};
};

// Rows from the top, three bytes (red, green, blue) per pixel.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

// Fails if the configuration or the sizes do not fit. Primitives are tessellated for drawing only.
Result<Image> render(const Scene& scene, std::span<const double> q, const RenderOptions& options);
// Keeps at most 256 colours, chosen to suit the picture.
// The bytes of a PNG file. The image must not be empty.
std::string encode_png(const Image& image);
Result<void> write_png(const Image& image, const std::filesystem::path& path);
Result<void> render_png(const Scene& scene, std::span<const double> q, const RenderOptions& options,
                        const std::filesystem::path& path);

}  // namespace proven
