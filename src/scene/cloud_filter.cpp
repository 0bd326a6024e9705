#include "proven/scene/cloud_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/kinematics/poses.h"

namespace proven {
namespace {

bool holds(const Aabb& box, const Vec3& p) {
  for (int i = 0; i < 3; ++i)
    if (!(p[i] >= box.lo[i] && p[i] <= box.hi[i])) return false;
  return true;
}

// The bodies of robots at one configuration, and a ball that is moved among them.
class RobotBodies {
 public:
  static Result<RobotBodies> make(const Scene& scene, const std::vector<double>& q,
                                  double padding) {
    // A point itself is a ball, too: the smallest that a scene can hold.
    constexpr double kSmallest = 1e-9;
    RobotBodies bodies;
    bodies.radius_ = std::max(padding, kSmallest);
    auto ball = BodyGeometry::build({{Sphere{bodies.radius_}, Pose{}, "padding"}});
    if (!ball.ok()) return ball.error();
    bodies.ball_ = std::move(ball).value();
    LinkPoses poses;
    compute_poses(scene.tree(), q, poses);
    for (int i = 0; i < static_cast<int>(scene.bodies().size()); ++i) {
      const Body& body = scene.body(i);
      const bool of_robot = body.name.find('/') != std::string::npos;
      const bool held =
          body.link != 0 && !std::ranges::any_of(scene.timed(), [&](const auto& part) {
            return part.name == body.name;
          });
      if (of_robot || held) bodies.parts_.push_back({body.geometry, scene.body_pose(i, poses)});
    }
    return bodies;
  }

  bool touch(const Vec3& p_W) {
    for (const Part& part : parts_) {
      const Vec3 p = transpose_times(part.X_WB.R, p_W - part.X_WB.p);
      Aabb near = {part.geometry->bounds()[0], part.geometry->bounds()[1]};
      for (int i = 0; i < 3; ++i) near.lo[i] -= 2 * radius_, near.hi[i] += 2 * radius_;
      if (!holds(near, p)) continue;
      const Pose X_BP = Pose::translation(p);
      if (bodies_overlap(*part.geometry, *ball_, X_BP, scratch_) ||
          component_inside(*ball_, *part.geometry, X_BP) >= 0)
        return true;
    }
    return false;
  }

 private:
  struct Part {
    std::shared_ptr<const BodyGeometry> geometry;
    Pose X_WB;
  };
  std::vector<Part> parts_;
  std::shared_ptr<const BodyGeometry> ball_;
  double radius_ = 0;
  DistanceScratch scratch_;
};

Result<void> check(const CloudFilter& filter, const Scene& scene) {
  if (!(filter.padding >= 0 && std::isfinite(filter.padding)))
    return bad_input(fmt::format("a padding of {} m; it must be 0 or more", filter.padding));
  if (filter.ground && !std::isfinite(*filter.ground)) return bad_input("the ground is not finite");
  if (filter.region) {
    for (int i = 0; i < 3; ++i)
      if (!(filter.region->lo[i] < filter.region->hi[i]))
        return bad_input("the region needs two corners, the first below the second");
  }
  const int wanted = scene.tree().num_coordinates();
  if (filter.configuration) {
    if (static_cast<int>(filter.configuration->size()) != wanted)
      return bad_input(fmt::format("a configuration has {} values, one for each joint", wanted));
    for (const double value : *filter.configuration)
      if (!std::isfinite(value)) return bad_input("a value of the configuration is not finite");
  } else if (filter.padding > 0) {
    return bad_input("a padding needs the configuration of the robot that it is about");
  }
  return {};
}

}  // namespace

Result<FilteredCloud> filter_cloud(std::span<const Vec3> points, const CloudFilter& filter,
                                   const Scene& scene) {
  if (const auto good = check(filter, scene); !good.ok()) return good.error();
  std::optional<RobotBodies> robot;
  if (filter.configuration) {
    auto made = RobotBodies::make(scene, *filter.configuration, filter.padding);
    if (!made.ok()) return made.error();
    robot = std::move(made).value();
  }
  FilteredCloud cloud;
  cloud.points.reserve(points.size());
  for (const Vec3& p : points) {
    if (!is_finite(p))
      ++cloud.not_finite;
    else if (filter.region && !holds(*filter.region, p))
      ++cloud.outside;
    else if (filter.ground && p.z <= *filter.ground)
      ++cloud.ground;
    else if (robot && robot->touch(p))
      ++cloud.robot;
    else
      cloud.points.push_back(p);
  }
  return cloud;
}

}  // namespace proven
