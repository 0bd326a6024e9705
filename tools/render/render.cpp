#include "tools/render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "proven/base/parallel.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/poses.h"
#include "tools/render/rasteriser.h"
#include "tools/render/tessellate.h"

namespace proven {
namespace {

using namespace render_detail;

constexpr double kFocal = 3.2;     // a narrow field of view flatters machines
constexpr int kShadowSize = 2048;  // samples of the shadow map in each direction
constexpr int kMaxPixels = 4096;   // in each direction
constexpr Vec3 kBackground{0.955, 0.96, 0.965};
constexpr Vec3 kRobotColours[] = {{0.95, 0.47, 0.10}, {0.16, 0.42, 0.76}, {0.93, 0.72, 0.12},
                                  {0.24, 0.60, 0.38}, {0.78, 0.22, 0.24}, {0.48, 0.36, 0.68},
                                  {0.12, 0.60, 0.66}, {0.62, 0.44, 0.28}, {0.85, 0.45, 0.62}};
constexpr Vec3 kPointedOut[] = {{0.84, 0.15, 0.16}, {0.18, 0.50, 0.84}};
constexpr Vec3 kObstacleColours[] = {
    {0.70, 0.74, 0.78}, {0.80, 0.78, 0.72}, {0.62, 0.67, 0.70}, {0.76, 0.72, 0.67}};

struct Surface {
  int body;
  Vec3 point[3], normal[3];
};

struct Stage {
  std::vector<Surface> surfaces;
  std::vector<Vec3> colours;  // per body
  Vec3 low, high;             // bounds of everything
  Vec3 sun;                   // unit, towards the light
};

// Robots have a colour each, and every other link is a little darker; obstacles are grey.
std::vector<Vec3> choose_colours(const Scene& scene) {
  std::vector<Vec3> colours;
  std::map<std::string, std::size_t> robots;
  std::size_t obstacles = 0;
  for (const Body& body : scene.bodies()) {
    const std::size_t slash = body.name.find('/');
    if (body.link == 0 && slash == std::string::npos) {
      colours.push_back(kObstacleColours[obstacles++ % std::size(kObstacleColours)]);
      continue;
    }
    const auto [it, is_new] = robots.try_emplace(body.name.substr(0, slash), robots.size());
    const double shade = colours.size() % 2 == 0 ? 1.0 : 0.9;
    colours.push_back(shade * kRobotColours[it->second % std::size(kRobotColours)]);
  }
  return colours;
}

// What is not pointed out fades to a light grey.
void point_out(const std::array<int, 2>& bodies, std::vector<Vec3>& colours) {
  if (bodies[0] < 0 && bodies[1] < 0) return;
  for (Vec3& colour : colours) {
    const double grey = (colour.x + colour.y + colour.z) / 3;
    colour = 0.25 * colour + 0.2 * Vec3{grey, grey, grey} + Vec3{0.46, 0.46, 0.46};
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (bodies[i] >= 0) colours[static_cast<std::size_t>(bodies[i])] = kPointedOut[i];
}

Stage set_stage(const Scene& scene, std::span<const double> q, double camera_azimuth) {
  Stage stage;
  LinkPoses poses;
  compute_poses(scene.tree(), q, poses);
  stage.colours = choose_colours(scene);
  // Over the left shoulder of whoever looks.
  const double sun = camera_azimuth - 0.5;
  stage.sun = normalized({0.8 * std::cos(sun), 0.8 * std::sin(sun), 1.2});
  for (std::size_t b = 0; b < scene.bodies().size(); ++b) {
    const Body& body = scene.bodies()[b];
    const Pose X_WB = poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
    for (const DrawTriangle& t : tessellate(body.geometry->elements())) {
      Surface& s = stage.surfaces.emplace_back();
      s.body = static_cast<int>(b);
      for (std::size_t k = 0; k < 3; ++k) {
        s.point[k] = X_WB * t.point[k];
        s.normal[k] = X_WB.R * t.normal[k];
      }
    }
  }
  stage.low = stage.high = stage.surfaces.empty() ? Vec3{} : stage.surfaces.front().point[0];
  for (const Surface& s : stage.surfaces)
    for (const Vec3& p : s.point)
      for (int k = 0; k < 3; ++k) {
        stage.low[k] = std::min(stage.low[k], p[k]);
        stage.high[k] = std::max(stage.high[k], p[k]);
      }
  return stage;
}

// Moves the camera back, and sideways, until everything just fits into the window.
Camera fit_camera(const Stage& stage, const RenderOptions& options) {
  constexpr double kMargin = 0.94;
  Camera camera = make_camera(options.azimuth, options.elevation,
                              static_cast<double>(options.width) / options.height);
  camera.focal = kFocal;
  Vec3 target = 0.5 * (stage.low + stage.high);
  double distance = 3 * norm(stage.high - stage.low) + 1e-3;
  for (int round = 0; round < 8; ++round) {
    camera.eye = target - distance * camera.forward;
    double x[2] = {1e300, -1e300}, y[2] = {1e300, -1e300};
    for (const Surface& s : stage.surfaces)
      for (const Vec3& p : s.point) {
        const Vec3 v = camera.project(p);
        x[0] = std::min(x[0], v.x), x[1] = std::max(x[1], v.x);
        y[0] = std::min(y[0], v.y), y[1] = std::max(y[1], v.y);
      }
    const double scale = distance / kFocal;
    target += 0.5 * (x[0] + x[1]) * scale * camera.right + 0.5 * (y[0] + y[1]) * scale * camera.up;
    const double fill = std::max((x[1] - x[0]) / (2 * camera.aspect), (y[1] - y[0]) / 2);
    distance *= fill / kMargin;
  }
  if (options.centre) target = *options.centre;
  camera.eye = target + options.look_at - (distance / options.zoom) * camera.forward;
  return camera;
}

Camera fit_sun(const Stage& stage) {
  const double elevation = std::asin(stage.sun.z), azimuth = std::atan2(stage.sun.y, stage.sun.x);
  Camera camera = make_camera(azimuth, elevation, 1);
  const double radius = 0.5 * norm(stage.high - stage.low) + 1e-6;
  camera.extent = radius;
  camera.eye = 0.5 * (stage.low + stage.high) + 2 * radius * stage.sun;
  return camera;
}

Buffer draw(const Stage& stage, const Camera& camera, int width, int height) {
  Buffer buffer(width, height);
  for (const Surface& s : stage.surfaces) draw_triangle(buffer, camera, s.point, s.normal, s.body);
  return buffer;
}

// Light and materials of one picture.
class Shader {
 public:
  Shader(const Stage& stage, const RenderOptions& options, const Camera& camera,
         const Buffer& buffer)
      : stage_(stage),
        options_(options),
        camera_(camera),
        buffer_(buffer),
        sun_(fit_sun(stage)),
        shadow_map_(draw(stage, sun_, kShadowSize, kShadowSize)),
        size_(norm(stage.high - stage.low)) {
    // Grid lines at a round spacing, about fifteen over the scene.
    grid_ = std::pow(10, std::floor(std::log10(size_ / 4)));
    if (size_ / grid_ < 12) grid_ /= 2;
  }

  Vec3 colour(int x, int y) const {
    const Sample& sample = buffer_.at(x, y);
    const double wx = ((x + 0.5) / buffer_.width * 2 - 1) * camera_.aspect;
    const double wy = 1 - (y + 0.5) / buffer_.height * 2;
    const Vec3 sight = camera_.direction(wx, wy);
    if (sample.body < 0) return ground(sight);
    const Vec3 point = camera_.eye + static_cast<double>(sample.depth) * sight;
    const Vec3 n = coarse({sample.normal[0], sample.normal[1], sample.normal[2]});
    const double facing = std::max(0.0, dot(n, stage_.sun));
    const double lit = facing > 0 ? facing * sunlight(point + 0.004 * size_ * n) : 0;
    const double sky = 0.5 + 0.5 * n.z;
    const Vec3 half = normalized(stage_.sun - normalized(sight));
    const double gloss = 0.16 * lit * std::pow(std::max(0.0, dot(n, half)), 40);
    const double light = (0.30 + 0.24 * sky) * ambient(x, y, sample) + 0.58 * lit;
    Vec3 c = light * stage_.colours[static_cast<std::size_t>(sample.body)];
    c += Vec3{gloss, gloss, gloss};
    return edge(x, y, sample) * c;
  }

 private:
  // Rounded, so that all triangles of a plane get the very same colour.
  static Vec3 coarse(const Vec3& n) {
    constexpr double kSteps = 4096;
    return {std::round(n.x * kSteps) / kSteps, std::round(n.y * kSteps) / kSteps,
            std::round(n.z * kSteps) / kSteps};
  }

  // The lit share of a few samples of the shadow map around the point.
  double sunlight(const Vec3& point) const {
    const Vec3 p = sun_.project(point);
    const double x = (p.x + 1) * 0.5 * kShadowSize, y = (1 - p.y) * 0.5 * kShadowSize;
    int lit = 0, count = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int sx = static_cast<int>(x) + dx, sy = static_cast<int>(y) + dy;
        ++count;
        if (sx < 0 || sy < 0 || sx >= kShadowSize || sy >= kShadowSize ||
            static_cast<double>(shadow_map_.at(sx, sy).depth) > p.z - 0.003 * size_)
          ++lit;
      }
    return static_cast<double>(lit) / count;
  }

  // Darker where nearby samples stand in front: corners and joints.
  double ambient(int x, int y, const Sample& sample) const {
    static constexpr int kRing[8][2] = {{5, 1},   {3, 4},   {-1, 5}, {-4, 3},
                                        {-5, -1}, {-3, -4}, {1, -5}, {4, -3}};
    double hidden = 0;
    for (const auto& step : kRing)
      for (const int far : {1, 3}) {
        const int sx = x + far * step[0], sy = y + far * step[1];
        if (sx < 0 || sy < 0 || sx >= buffer_.width || sy >= buffer_.height) continue;
        const double ahead = static_cast<double>(sample.depth - buffer_.at(sx, sy).depth) / size_;
        if (ahead > 0.002 && ahead < 0.05) hidden += 1 - ahead / 0.05;
      }
    return 1 - 0.5 * hidden / 16;
  }

  // Outlines: another body or a jump in depth beside this sample.
  double edge(int x, int y, const Sample& sample) const {
    double strength = 0;
    const int step = std::max(1, options_.supersampling / 2);
    for (const auto& [dx, dy] : {std::pair{step, 0}, {-step, 0}, {0, step}, {0, -step}}) {
      const int sx = x + dx, sy = y + dy;
      if (sx < 0 || sy < 0 || sx >= buffer_.width || sy >= buffer_.height) continue;
      const Sample& other = buffer_.at(sx, sy);
      const double jump = static_cast<double>(other.depth - sample.depth) / size_;
      if (other.body != sample.body && jump > -0.002)
        strength = std::max(strength, other.body < 0 ? 0.3 : 0.5);
      if (jump > 0.012 && other.body >= 0) strength = std::max(strength, 0.5);
      const double bend = sample.normal[0] * other.normal[0] + sample.normal[1] * other.normal[1] +
                          sample.normal[2] * other.normal[2];
      if (other.body == sample.body && bend < 0.7) strength = std::max(strength, 0.25);
    }
    return 1 - strength;
  }

  Vec3 ground(const Vec3& sight) const {
    if (!options_.ground || sight.z >= 0) return kBackground;
    const Vec3 p = camera_.eye + ((stage_.low.z - camera_.eye.z) / sight.z) * sight;
    const Vec3 centre = 0.5 * (stage_.low + stage_.high);
    const double reach =
        0.75 * std::hypot(stage_.high.x - stage_.low.x, stage_.high.y - stage_.low.y) + 0.1 * size_;
    const double away = std::hypot(p.x - centre.x, p.y - centre.y) / reach;
    if (away >= 1) return kBackground;
    const double fade = std::min(1.0, 3 * (1 - away));
    const auto line = [&](double v) {
      const double off = std::fabs(v / grid_ - std::round(v / grid_)) * grid_;
      return off < 0.0012 * size_;
    };
    double shade = line(p.x) || line(p.y) ? 0.84 : 0.93;
    shade *= 0.72 + 0.28 * sunlight(p + Vec3{0, 0, 0.002 * size_});
    return (1 - fade) * kBackground + fade * shade * kBackground;
  }

  const Stage& stage_;
  const RenderOptions& options_;
  const Camera& camera_;
  const Buffer& buffer_;
  Camera sun_;
  Buffer shadow_map_;
  double size_, grid_;
};

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

Result<void> validate(const Scene& scene, std::span<const double> q, const RenderOptions& o) {
  if (q.size() != static_cast<std::size_t>(scene.tree().num_coordinates()))
    return bad_input(fmt::format("the configuration has {} values, the scene {} coordinates",
                                 q.size(), scene.tree().num_coordinates()));
  if (o.width < 1 || o.height < 1 || o.width > kMaxPixels || o.height > kMaxPixels)
    return bad_input(fmt::format("a picture has 1 to {} pixels each way", kMaxPixels));
  if (o.supersampling < 1 || o.supersampling > 4) return bad_input("supersampling is 1 to 4");
  if (!(o.zoom > 0) || !is_finite(o.look_at)) return bad_input("the zoom must be above 0");
  return {};
}

}  // namespace

Result<Image> render(const Scene& scene, std::span<const double> q, const RenderOptions& options) {
  if (const Result<void> valid = validate(scene, q, options); !valid.ok()) return valid.error();
  Stage stage = set_stage(scene, q, options.azimuth);
  point_out(options.pointed_out, stage.colours);
  const Camera camera = fit_camera(stage, options);
  const int samples = options.supersampling;
  const Buffer buffer = draw(stage, camera, options.width * samples, options.height * samples);
  const Shader shader(stage, options, camera, buffer);
  Image image{options.width, options.height, {}};
  image.rgb.resize(3 * static_cast<std::size_t>(image.width) *
                   static_cast<std::size_t>(image.height));
  parallel_for(image.height, 0, [&](int y, int) {
    for (int x = 0; x < image.width; ++x) {
      Vec3 sum;
      for (int sy = 0; sy < samples; ++sy)
        for (int sx = 0; sx < samples; ++sx)
          sum += shader.colour(x * samples + sx, y * samples + sy);
      sum *= 1.0 / (samples * samples);
      const auto at = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                           static_cast<std::size_t>(x));
      for (int k = 0; k < 3; ++k) image.rgb[at + static_cast<std::size_t>(k)] = to_byte(sum[k]);
    }
  });
  return image;
}

Result<void> render_png(const Scene& scene, std::span<const double> q, const RenderOptions& options,
                        const std::filesystem::path& path) {
  const Result<Image> image = render(scene, q, options);
  if (!image.ok()) return image.error();
  return write_png(image.value(), path);
}

}  // namespace proven
