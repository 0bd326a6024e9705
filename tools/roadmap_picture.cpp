#include "tools/roadmap_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/base/text.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"

namespace proven::tools {
namespace {

constexpr double kWidth = 640;  // pixels

// From metres to pixels, y up.
struct View {
  explicit View(const roadmap::Grid& grid)
      : origin(grid.origin),
        scale(kWidth / (grid.cell.x * grid.count[0])),
        height(scale * grid.cell.y * grid.count[1]) {}
  double x(double m) const { return (m - origin.x) * scale; }
  double y(double m) const { return height - (m - origin.y) * scale; }
  Vec3 origin;
  double scale, height;
};

std::string head(const View& view, double extra = 0) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" "
      "height=\"100%\" fill=\"#ffffff\"/>\n",
      kWidth, view.height + extra);
}

// The outline of points seen from above: their hull, by Andrew's chain.
std::vector<Vec3> outline(std::vector<Vec3> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec3& a, const Vec3& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  const auto turns_left = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
  };
  std::vector<Vec3> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t begin = hull.size();
    for (const Vec3& p : points) {
      while (hull.size() >= begin + 2 && !turns_left(hull[hull.size() - 2], hull.back(), p))
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

std::string polygon(const View& view, const std::vector<Vec3>& points, const std::string& style) {
  std::string list;
  for (const Vec3& p : points) list += fmt::format("{:.1f},{:.1f} ", view.x(p.x), view.y(p.y));
  return fmt::format("<polygon points=\"{}\" {}/>\n", list, style);
}

// Corners of the body's box: enough for a picture.
std::string body_polygon(const View& view, const Body& body, const Pose& X_WL,
                         const std::string& style) {
  const auto& [lo, hi] = body.geometry->bounds();
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(
        X_WL * (body.X_LB * Vec3{k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z}));
  return polygon(view, outline(std::move(corners)), style);
}

}  // namespace

std::string draw_path(const Scene& scene, const roadmap::Grid& grid, const Path& path) {
  const View view(grid);
  std::string svg = head(view);
  for (const Body& body : scene.bodies())
    if (body.link == 0) svg += body_polygon(view, body, {}, "fill=\"#3b3f45\"");
  LinkPoses poses;
  std::vector<double> q(path.waypoints.empty() ? 0 : path.waypoints[0].size());
  const int shown = 28;
  for (int k = 0; k <= shown && !path.waypoints.empty(); ++k) {
    const double at = static_cast<double>(k) / shown * path.num_segments();
    const auto segment = static_cast<std::size_t>(
        std::min(std::max(path.num_segments() - 1, 0), static_cast<int>(at)));
    const auto next = std::min(segment + 1, path.waypoints.size() - 1);
    interpolate(scene.tree(), path.waypoints[segment], path.waypoints[next],
                std::min(1.0, at - static_cast<double>(segment)), q);
    compute_poses(scene.tree(), q, poses);
    const double share = static_cast<double>(k) / shown;
    const bool end = k == 0 || k == shown;
    const std::string style =
        fmt::format("fill=\"rgb({:.0f},{:.0f},{:.0f})\" fill-opacity=\"{}\"", 40 + 190 * share,
                    110 - 20 * share, 200 - 150 * share, end ? 1.0 : 0.35);
    for (const Body& body : scene.bodies())
      if (body.link != 0)
        svg += body_polygon(view, body, poses.X_WL[static_cast<std::size_t>(body.link)], style);
  }
  return svg + "</svg>\n";
}

std::string draw_cells(const roadmap::Grid& grid, const std::map<int, std::string>& words,
                       const std::string& title) {
  static const char* const kColours[] = {"#c0392b", "#2471a3", "#d68910", "#7d3c98", "#7b7d7d"};
  const View view(grid);
  std::map<std::string, std::string> colour;
  for (const auto& [cell, word] : words)
    if (!colour.contains(word)) colour[word] = kColours[colour.size() % std::size(kColours)];
  const double legend = 24.0 * static_cast<double>(colour.size() + 1);
  std::string svg = head(view, legend);
  svg += fmt::format("<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#f2f3f4\"/>\n", kWidth,
                     view.height);
  for (const auto& [cell, word] : words) {
    const Aabb box = grid.box(cell);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "fill-opacity=\"{}\"/>\n",
        view.x(box.lo.x), view.y(box.hi.y), view.scale * grid.cell.x, view.scale * grid.cell.y,
        colour[word], grid.planar() ? 0.9 : 0.35);
  }
  double y = view.height + 18;
  svg += fmt::format("<text x=\"8\" y=\"{:.0f}\">{}</text>\n", y, xml_escaped(title));
  for (const auto& [word, fill] : colour) {
    y += 24;
    svg += fmt::format(
        "<rect x=\"8\" y=\"{:.0f}\" width=\"14\" height=\"14\" fill=\"{}\"/><text x=\"30\" "
        "y=\"{:.0f}\">{}</text>\n",
        y - 12, fill, y, xml_escaped(word));
  }
  return svg + "</svg>\n";
}

}  // namespace proven::tools
