#include "proven/scene/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "proven/geometry/body_geometry.h"
#include "proven/scene/remark_words.h"
#include "scene/foundation.h"

namespace proven {
namespace {

// Links are rarely longer, in metres, and other bodies neither; nothing is so small.
constexpr double kLongLink = 10, kLongBody = 100, kSmallBody = 1e-4;
// Nor are links so far from their own frame, and other bodies from every robot.
constexpr double kFarInLink = 10, kFarFromRobots = 100;
constexpr double kManyTurns = 4 * std::numbers::pi;

bool says(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

class Finder {
 public:
  explicit Finder(const Scene& scene)
      : scene_(scene), foundation_(SceneEditor::foundation_of(scene)) {}

  std::vector<Remark> find() && {
    take_warnings();
    look_at_links();
    look_at_bodies();
    look_at_places();
    look_at_joints();
    return std::move(all_);
  }

 private:
  void add(RemarkCode code, std::string text, std::string where) {
    all_.push_back({code, std::move(text), std::move(where)});
  }

  // The robot that a warning begins with: "arm: ...".
  std::string robot_of(std::string_view text) const {
    for (const RobotSource& robot : foundation_.robots)
      if (text.starts_with(robot.name + ": ")) return robot.name;
    return "";
  }

  void take_warnings() {
    using namespace remark_words;
    for (const std::string& text : scene_.warnings()) {
      const bool said_below = says(text, kMillimetres) || says(text, kOtherUnit) ||
                              says(text, kDegrees) || says(text, kVisualOnly);
      const bool srdf = says(text, kUnknownNames) || says(text, kOtherRobot);
      if (!said_below) add(srdf ? RemarkCode::srdf : RemarkCode::note, text, robot_of(text));
    }
  }

  void look_at_links() {
    for (const RobotSource& robot : foundation_.robots)
      for (const RobotLink& link : robot.robot.links)
        if (link.has_visual && link.collision.empty() && !link.geometry)
          add(RemarkCode::visual_only,
              fmt::format("link {}/{}{}", robot.name, link.name, remark_words::kVisualOnly),
              robot.name + "/" + link.name);
  }

  bool is_of_robot(std::size_t index) const {
    return static_cast<int>(index) < foundation_.num_link_bodies;
  }

  void look_at_bodies() {
    for (std::size_t i = 0; i < scene_.bodies().size(); ++i) {
      const Body& body = scene_.bodies()[i];
      const auto& [low, high] = body.geometry->bounds();
      const double side = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
      const std::string what = fmt::format("{} '{}'", is_of_robot(i) ? "link" : "body", body.name);
      if (side > (is_of_robot(i) ? kLongLink : kLongBody))
        add(RemarkCode::size,
            fmt::format("{} is {:.3g} m long{}", what, side, remark_words::kMillimetres),
            body.name);
      else if (side < kSmallBody)
        add(RemarkCode::size,
            fmt::format("{} is only {:.3g} m long{}", what, side, remark_words::kOtherUnit),
            body.name);
    }
  }

  void look_at_places() {
    LinkPoses poses;
    compute_poses(scene_.tree(), scene_.home(), poses);
    std::vector<BoundingSphere> robots;
    for (std::size_t i = 0; i < scene_.bodies().size() && is_of_robot(i); ++i) {
      const Body& body = scene_.bodies()[i];
      const BoundingSphere& sphere = body.geometry->bounding_sphere();
      const double from_frame = norm(body.X_LB * sphere.centre) - sphere.radius;
      if (from_frame > kFarInLink)
        add(RemarkCode::place,
            fmt::format("link '{}' lies {:.3g} m from its own frame: in millimetres?", body.name,
                        from_frame),
            body.name);
      robots.push_back(
          {scene_.body_pose(static_cast<int>(i), poses) * sphere.centre, sphere.radius});
    }
    if (!robots.empty()) look_at_distances(poses, robots);
  }

  // One remark for all that are far away: it may be the robot that is.
  void look_at_distances(const LinkPoses& poses, const std::vector<BoundingSphere>& robots) {
    std::vector<std::pair<double, std::string>> far;
    for (std::size_t i = static_cast<std::size_t>(foundation_.num_link_bodies);
         i < scene_.bodies().size(); ++i) {
      const BoundingSphere& sphere = scene_.bodies()[i].geometry->bounding_sphere();
      const Vec3 centre = scene_.body_pose(static_cast<int>(i), poses) * sphere.centre;
      double nearest = std::numeric_limits<double>::infinity();
      for (const BoundingSphere& robot : robots) {
        nearest = std::min(nearest, norm(centre - robot.centre) - sphere.radius - robot.radius);
        if (nearest <= kFarFromRobots) break;
      }
      if (nearest > kFarFromRobots) far.emplace_back(nearest, scene_.bodies()[i].name);
    }
    if (far.empty()) return;
    std::ranges::stable_sort(far, std::ranges::greater{}, [](const auto& f) { return f.first; });
    const std::string others = far.size() == 1 ? "" : fmt::format(" and {} more", far.size() - 1);
    add(RemarkCode::place,
        fmt::format("'{}'{}: {:.3g} m from every robot: in millimetres?", far[0].second, others,
                    far[0].first),
        far[0].second);
  }

  void look_at_joints() {
    for (const Coordinate& c : scene_.tree().coordinates()) {
      if (c.quaternion) continue;
      const double largest = std::fmax(std::fabs(c.lower), std::fabs(c.upper));
      if (c.rotary && std::isfinite(largest) && largest > kManyTurns)
        add(RemarkCode::degrees,
            fmt::format("limits of joint {} are {} and {}{}they are read as radians", c.name,
                        c.lower, c.upper, remark_words::kDegrees),
            c.name);
      if (c.lower == c.upper)
        add(RemarkCode::range,
            fmt::format("joint {} cannot move: both of its limits are {}", c.name, c.lower),
            c.name);
    }
  }

  const Scene& scene_;
  const SceneEditor::Foundation& foundation_;
  std::vector<Remark> all_;
};

}  // namespace

std::vector<Remark> find_remarks(const Scene& scene) {
  return Finder(scene).find();
}

std::vector<std::string> outside_limits(const KinematicTree& tree, std::span<const double> q) {
  constexpr double kTolerance = 1e-6;
  std::vector<std::string> outside;
  const auto look = [&](const std::string& name, double value, double lower, double upper) {
    if (value < lower - kTolerance || value > upper + kTolerance)
      outside.push_back(
          fmt::format("{} = {:.6g} (limits {:.6g} to {:.6g})", name, value, lower, upper));
  };
  for (std::size_t c = 0; c < q.size(); ++c)
    look(tree.coordinates()[c].name, q[c], tree.coordinates()[c].lower,
         tree.coordinates()[c].upper);
  for (const KinematicTree::MimicName& m : tree.mimic_names())
    look(m.name, m.multiplier * q[static_cast<std::size_t>(m.coordinate)] + m.offset, m.lower,
         m.upper);
  return outside;
}

}  // namespace proven
