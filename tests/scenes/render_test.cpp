#include "tools/render/render.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "places.h"
#include "scenes/scenes.h"
#include "support.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace proven {
namespace {

Scene build(const char* name) {
  return build_scene(make_scene(name).value()).value();
}

RenderOptions small() {
  RenderOptions options;
  options.width = 160;
  options.height = 120;
  options.supersampling = 2;
  return options;
}

// The share of pixels that differ.
double difference(const Image& a, const Image& b) {
  int differing = 0;
  for (std::size_t k = 0; k < a.rgb.size(); k += 3)
    if (a.rgb[k] != b.rgb[k] || a.rgb[k + 1] != b.rgb[k + 1] || a.rgb[k + 2] != b.rgb[k + 2])
      ++differing;
  return 3.0 * differing / static_cast<double>(a.rgb.size());
}

TEST(Render, ShowsTheSceneFillingThePicture) {
  const Scene scene = build("demo");
  RenderOptions options = small();
  options.ground = false;
  const Image image = render(scene, scene.home(), options).value();
  ASSERT_EQ(image.rgb.size(), 160u * 120u * 3u);
  // The background shows in the corner; the scene reaches near two opposite rims.
  const auto is_background = [&](int x, int y) {
    const std::size_t at = 3 * static_cast<std::size_t>(y * image.width + x);
    return std::equal(image.rgb.begin(), image.rgb.begin() + 3,
                      image.rgb.begin() + static_cast<std::ptrdiff_t>(at));
  };
  int top = image.height, bottom = 0, left = image.width, right = 0, seen = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (!is_background(x, y)) {
        ++seen;
        top = std::min(top, y), bottom = std::max(bottom, y);
        left = std::min(left, x), right = std::max(right, x);
      }
  EXPECT_GT(seen, 160 * 120 / 10);
  EXPECT_LT(seen, 160 * 120 * 9 / 10);
  EXPECT_GT(top, 0);
  EXPECT_LT(bottom, image.height - 1);
  EXPECT_GT(left, 0);
  EXPECT_LT(right, image.width - 1);
  EXPECT_TRUE(bottom - top > 0.85 * image.height || right - left > 0.85 * image.width);
}

TEST(Render, FollowsTheConfigurationAndIsRepeatable) {
  const Scene scene = build("demo");
  std::vector<double> q(scene.home().begin(), scene.home().end());
  const Image at_home = render(scene, q, small()).value();
  EXPECT_EQ(difference(at_home, render(scene, q, small()).value()), 0);
  q[0] = 1.0;
  EXPECT_GT(difference(at_home, render(scene, q, small()).value()), 0.03);
}

TEST(Render, DrawsEveryKindOfShape) {
  for (const char* name : {"gantry", "free-flyer", "lever", "planar-3"}) {
    const Scene scene = build(name);
    const Image image = render(scene, scene.home(), small()).value();
    std::set<std::uint8_t> values(image.rgb.begin(), image.rgb.end());
    EXPECT_GT(values.size(), 10u) << name;
  }
}

TEST(Render, DrawsHulls) {
  auto hull = std::make_shared<ConvexHull>();
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) hull->points.push_back({x, y, z});
  hull->points.push_back({0.2, 0.1, 0});  // inside
  SceneSource source, twin;
  source.obstacles.push_back({"hull", {CollisionElement{hull, {}, {}}}, {}});
  twin.obstacles.push_back({"box", {CollisionElement{Box{{1, 1, 1}}, {}, {}}}, {}});
  const Scene scene = build_scene(source).value(), twin_scene = build_scene(twin).value();
  const Image a = render(scene, {}, small()).value(), b = render(twin_scene, {}, small()).value();
  EXPECT_LT(difference(a, b), 0.01);
}

// An independent reader gets back what was written, up to the palette.
TEST(Render, WritesPngThatOthersRead) {
  const Scene scene = build("demo");
  const Image image = render(scene, scene.home(), small()).value();
  const auto file = std::filesystem::temp_directory_path() / "proven_render_test.png";
  ASSERT_TRUE(write_png(image, file).ok());
  int width = 0, height = 0, channels = 0;
  unsigned char* pixels = stbi_load(file.c_str(), &width, &height, &channels, 3);
  std::filesystem::remove(file);
  ASSERT_NE(pixels, nullptr) << stbi_failure_reason();
  ASSERT_EQ(width, image.width);
  ASSERT_EQ(height, image.height);
  double error = 0;
  for (std::size_t k = 0; k < image.rgb.size(); ++k) error += std::abs(image.rgb[k] - pixels[k]);
  stbi_image_free(pixels);
  EXPECT_LT(error / static_cast<double>(image.rgb.size()), 2);  // steps of 255
}

TEST(Render, RefusesBadArguments) {
  const Scene scene = build("lever");
  const std::vector<double> too_many(5);
  EXPECT_FALSE(render(scene, too_many, small()).ok());
  RenderOptions options = small();
  options.width = 0;
  EXPECT_FALSE(render(scene, scene.home(), options).ok());
  options = small();
  options.supersampling = 9;
  EXPECT_FALSE(render(scene, scene.home(), options).ok());
  EXPECT_FALSE(render_png(scene, scene.home(), small(), "/no/such/folder/picture.png").ok());
}

// The pictures in docs are those of the scenes of today: same names, none missing, all small.
TEST(Render, EveryPaperSceneHasItsPicture) {
  const auto folder = std::filesystem::path(test::source_dir()) / "docs" / "pictures";
  for (const SceneInfo& info : list_scenes()) {
    const auto file = folder / (info.name + ".png");
    ASSERT_TRUE(std::filesystem::exists(file)) << file;
    EXPECT_LT(std::filesystem::file_size(file), 150u * 1024u) << file;
  }
}

}  // namespace
}  // namespace proven
