#include "proven/scene/cloud_filter.h"

#include <cmath>
#include <limits>

#include "proven/base/random.h"
#include "proven/scene/scene_source.h"
#include "support.h"

namespace proven {
namespace {

// An arm of one joint about z: a box from x = 0 to 1 on it, and a ball in its hand; a wall beside.
Scene make_scene() {
  SceneSource source;
  RobotSource robot;
  robot.name = "arm";
  robot.robot.name = "arm";
  robot.robot.links.resize(2);
  robot.robot.links[0].name = "base";
  robot.robot.links[1].name = "bar";
  robot.robot.links[1].collision = {{Box{{0.5, 0.1, 0.1}}, Pose::translation({0.5, 0, 0}), ""}};
  RobotJoint joint;
  joint.name = "turn";
  joint.type = JointType::continuous;
  joint.parent_link = "base";
  joint.child_link = "bar";
  joint.axis = {0, 0, 1};
  robot.robot.joints.push_back(joint);
  source.robots.push_back(robot);
  source.obstacles.push_back(
      {"wall", {{Box{{0.1, 2, 2}}, Pose{}, ""}}, Pose::translation({3, 0, 0})});
  source.attached.push_back(
      {"ball", "arm/bar", {{Sphere{0.2}, Pose{}, ""}}, Pose::translation({1.3, 0, 0}), {}});
  auto scene = build_scene(source);
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return scene.value();
}

// From the shapes themselves.
double distance_from_robot(const Vec3& p_W, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3 p{c * p_W.x + s * p_W.y, -s * p_W.x + c * p_W.y, p_W.z};
  const Vec3 off{std::max({0.0, -p.x, p.x - 1}), std::max(0.0, std::fabs(p.y) - 0.1),
                 std::max(0.0, std::fabs(p.z) - 0.1)};
  return std::min(norm(off), norm(p - Vec3{1.3, 0, 0}) - 0.2);
}

TEST(CloudFilter, TakesOutTheRobotAndWhatItHolds) {
  const Scene scene = make_scene();
  Random random(3);
  int kept = 0, gone = 0;
  for (const double padding : {0.0, 0.07}) {
    for (const double angle : {0.0, 0.9, -2.5}) {
      std::vector<Vec3> points;
      for (int i = 0; i < 2000; ++i)
        points.push_back({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-0.5, 0.5)});
      CloudFilter filter;
      filter.configuration = std::vector<double>{angle};
      filter.padding = padding;
      const auto filtered = filter_cloud(points, filter, scene);
      ASSERT_TRUE(filtered.ok()) << filtered.error().text();
      std::vector<Vec3> wanted;
      for (const Vec3& p : points) {
        const double distance = distance_from_robot(p, angle);
        ASSERT_TRUE(distance == 0 ||
                    std::fabs(distance - padding) > 1e-8);  // rounding decides none
        if (distance > padding) wanted.push_back(p);
      }
      EXPECT_EQ(filtered.value().points, wanted);
      EXPECT_EQ(filtered.value().robot, points.size() - wanted.size());
      kept += static_cast<int>(wanted.size());
      gone += static_cast<int>(filtered.value().robot);
    }
  }
  EXPECT_GT(kept, 1000);
  EXPECT_GT(gone, 100);
}

TEST(CloudFilter, CountsEachPointOnce) {
  const Scene scene = make_scene();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CloudFilter filter;
  filter.region = Aabb{{-1, -1, -1}, {1, 1, 1}};
  filter.ground = -0.5;
  filter.configuration = std::vector<double>{0};
  const std::vector<Vec3> points = {{nan, 0, 0}, {2, 0, -2},   {1, 1, 1},     {0, 0, -0.5},
                                    {0.5, 0, 0}, {-0.5, 0, 0}, {0.5, 0, -0.6}};
  const auto filtered = filter_cloud(points, filter, scene);
  ASSERT_TRUE(filtered.ok());
  EXPECT_EQ(filtered.value().points, (std::vector<Vec3>{{1, 1, 1}, {-0.5, 0, 0}}));
  EXPECT_EQ(filtered.value().not_finite, 1u);
  EXPECT_EQ(filtered.value().outside, 1u);
  EXPECT_EQ(filtered.value().ground, 2u);
  EXPECT_EQ(filtered.value().robot, 1u);
}

TEST(CloudFilter, RefusesWhatItCannotMean) {
  const Scene scene = make_scene();
  const auto refused = [&](const auto& change) {
    CloudFilter filter;
    filter.configuration = std::vector<double>{0};
    change(filter);
    return !filter_cloud(std::vector<Vec3>{{0, 0, 0}}, filter, scene).ok();
  };
  EXPECT_FALSE(refused([](CloudFilter&) {}));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.padding = -1; }));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.padding = NAN; }));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.ground = NAN; }));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.configuration->push_back(0); }));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.configuration->at(0) = INFINITY; }));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.region = Aabb{{0, 0, 0}, {1, 0, 1}}; }));
  EXPECT_TRUE(refused([](CloudFilter& f) { f.configuration.reset(), f.padding = 0.1; }));
}

}  // namespace
}  // namespace proven
