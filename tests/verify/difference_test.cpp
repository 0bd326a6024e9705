// The comparison of what two readers read names every field that differs.
#include <cmath>

#include "verify/readers_support.h"

namespace proven::test {
namespace {

TEST(Difference, NamesEveryFieldThatDiffers) {
  const TemporaryFolder folder;
  const SceneSource good = must(verifier::read_scene(write_rich_scene(folder)));
  EXPECT_EQ(first_difference(good, good), std::nullopt);
  struct Change {
    const char* named;
    std::function<void(SceneSource&)> make;
  };
  const auto joint = [](SceneSource& s) -> RobotJoint& { return s.robots[0].robot.joints[1]; };
  const auto link = [](SceneSource& s) -> RobotLink& { return s.robots[0].robot.links[2]; };
  for (const Change& change : std::vector<Change>{
           {"robot 'arm', position of the pose: [0, 0.5, 0] and [1, 0.5, 0]",
            [](auto& s) { s.robots[0].X_WR.p.x = 1; }},
           {"row 3 of the rotation of the pose",
            [](auto& s) { s.robots[0].X_WR.R.row[2].z += 0x1p-53; }},
           {"number of robots: 1 and 0", [](auto& s) { s.robots.clear(); }},
           {"joint 'turn', axis", [&](auto& s) { joint(s).axis.z = 2; }},
           {"joint 'turn', lower limit: -1 and -1.5",
            [&](auto& s) { joint(s).limits.lower = -1.5; }},
           {"joint 'turn', velocity", [&](auto& s) { joint(s).limits.velocity = 2; }},
           {"joint 'turn', type: revolute and prismatic",
            [&](auto& s) { joint(s).type = JointType::prismatic; }},
           {"joint 'turn', position of the origin", [&](auto& s) { joint(s).X_PJ.p.y = 1e-300; }},
           {"joint 'follow', multiplier: -0.5 and 0.5",
            [](auto& s) { s.robots[0].robot.joints[4].mimic->multiplier = 0.5; }},
           {"joint 'follow', joint that it follows",
            [](auto& s) { s.robots[0].robot.joints[4].mimic.reset(); }},
           {"link 'upper', shape 1, half extents",
            [&](auto& s) { std::get<Box>(link(s).collision[0].shape).half_extents.x = 1; }},
           {"link 'upper', shape 2, kind of shape: cylinder and sphere",
            [&](auto& s) { link(s).collision[1].shape = Sphere{0.1}; }},
           {"link 'upper', number of shapes: 2 and 1",
            [&](auto& s) { link(s).collision.pop_back(); }},
           {"disabled pair 1, reason: Adjacent and User",
            [](auto& s) { s.robots[0].robot.disabled_pairs[0].reason = "User"; }},
           {"obstacle 'ball', shape 1, radius: 0.2 and 0.3",
            [](auto& s) { std::get<Sphere>(s.obstacles[3].elements[0].shape).radius = 0.3; }},
           {"obstacle 'car', shape 1, vertex",
            [](auto& s) {
              auto& shape =
                  std::get<std::shared_ptr<const TriangleMesh>>(s.obstacles[4].elements[0].shape);
              auto other = std::make_shared<TriangleMesh>(*shape);
              other->vertices[0].x += 1;
              shape = other;
            }},
           {"obstacle 'wedge', shape 1, number of points",
            [](auto& s) {
              auto& shape =
                  std::get<std::shared_ptr<const ConvexHull>>(s.obstacles[5].elements[0].shape);
              auto other = std::make_shared<ConvexHull>(*shape);
              other->points.pop_back();
              shape = other;
            }},
           {"attached object 'part', link", [](auto& s) { s.attached[0].link = "arm/lower"; }},
           {"number of bodies that it may touch", [](auto& s) { s.attached[0].touch.pop_back(); }},
           {"clearance from the world: 0.001 and 0", [](auto& s) { s.clearance.world = 0; }},
           {"clearance of robots", [](auto& s) { s.clearance.robots = 0; }},
           {"clearance of links", [](auto& s) { s.clearance.self = 1; }},
           {"clearance of held objects", [](auto& s) { s.clearance.attached = 0; }},
           {"excluded pairs 2, first body: ball and car",
            [](auto& s) { s.exclusions[1].body_a = "car"; }},
           {"pairs with a clearance 1, value: 0.01 and -1",
            [](auto& s) { s.clearances[0].clearance = -1; }},
           {"home of arm/turn", [](auto& s) { s.home.erase("arm/turn"); }},
           {"home of arm/turn: 0.3 and 0.4", [](auto& s) { s.home["arm/turn"] = 0.4; }}}) {
    SceneSource other = good;
    change.make(other);
    const auto text = first_difference(good, other);
    ASSERT_TRUE(text) << change.named;
    EXPECT_NE(text->find(change.named), std::string::npos)
        << *text << "\nexpected: " << change.named;
  }
}

TEST(Difference, OfPathsNamesWaypointsTimesAndJoints) {
  const Path good{{{0, 1}, {2, 3}}, {0, 1}, {"a/b"}};
  EXPECT_EQ(first_difference(good, good), std::nullopt);
  Path other = good;
  other.waypoints[1][0] = std::nextafter(2, 3);
  EXPECT_EQ(first_difference(good, other), "waypoint 1, value 0: 2 and 2.0000000000000004");
  other = good;
  other.times = {};
  EXPECT_EQ(first_difference(good, other), "number of times: 2 and 0");
  other = good;
  other.defaulted[0] = "a/c";
  EXPECT_EQ(first_difference(good, other), "joints that are not named 1: a/b and a/c");
  other = good;
  other.waypoints.pop_back();
  EXPECT_EQ(first_difference(good, other), "number of waypoints: 2 and 1");
  other = good;
  other.inner = {{}};
  EXPECT_EQ(first_difference(good, other), std::nullopt);  // straight all the same
  other.inner = {{{1, 2}}};
  EXPECT_EQ(first_difference(good, other), "piece 0, number of inner control points: 0 and 1");
  Path third = other;
  third.inner[0][0][1] = 3;
  EXPECT_EQ(first_difference(other, third), "piece 0, inner control point 0, value 1: 2 and 3");
}

}  // namespace
}  // namespace proven::test
