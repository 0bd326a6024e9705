// What is said of scenes that may not be meant as they are, and that nothing is said of others.
#include "proven/scene/remarks.h"

#include <algorithm>

#include "support.h"

namespace proven {
namespace {

CollisionElement block(double side, const Vec3& place = {}) {
  CollisionElement element;
  element.shape = Box{{side / 2, side / 2, side / 2}};
  element.X_BS = Pose::translation(place);
  return element;
}

// base -j- tip, each with a cube of 20 cm.
Robot robot() {
  Robot r;
  r.name = "r";
  r.links = {{"base", {block(0.2)}, false, nullptr}, {"tip", {block(0.2)}, true, nullptr}};
  RobotJoint joint;
  joint.name = "j";
  joint.type = JointType::revolute;
  joint.parent_link = "base";
  joint.child_link = "tip";
  joint.X_PJ = Pose::translation({0, 0, 0.5});
  joint.limits = {-1, 1, 1, 1};
  r.joints = {joint};
  return r;
}

std::vector<Remark> remarks_of(const Robot& r, std::vector<ObstacleSource> obstacles = {}) {
  SceneSource source;
  source.robots = {{"arm", r, Pose{}}};
  source.obstacles = std::move(obstacles);
  const auto scene = build_scene(source);
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return find_remarks(scene.value());
}

ObstacleSource obstacle(const std::string& name, double side, const Vec3& place) {
  ObstacleSource o;
  o.name = name;
  o.elements = {block(side)};
  o.X_WB = Pose::translation(place);
  return o;
}

void expect_one(const std::vector<Remark>& remarks, RemarkCode code, const std::string& where,
                std::string_view words) {
  ASSERT_EQ(remarks.size(), 1u) << remarks[0].text << remarks.back().text;
  EXPECT_EQ(remarks[0].code, code) << remarks[0].text;
  EXPECT_EQ(remarks[0].where, where);
  EXPECT_NE(remarks[0].text.find(words), std::string::npos) << remarks[0].text;
}

TEST(Remarks, NoneOfWhatIsMeant) {
  EXPECT_TRUE(
      remarks_of(robot(), {obstacle("floor", 50, {0, 0, -30}), obstacle("far", 0.1, {99, 0, 0})})
          .empty());
}

TEST(Remarks, SizesOfLinksAndBodies) {
  Robot large = robot();
  large.links[1].collision = {block(300)};
  expect_one(remarks_of(large), RemarkCode::size, "arm/tip", "300 m long: in millimetres?");
  Robot small = robot();
  small.links[1].collision = {block(5e-5)};
  expect_one(remarks_of(small), RemarkCode::size, "arm/tip", "only 5e-05 m long");
  expect_one(remarks_of(robot(), {obstacle("car", 4500, {0, 0, 0})}), RemarkCode::size, "car",
             "'car' is 4.5e+03 m long");
}

TEST(Remarks, PlacesThatAreFarAway) {
  // A mesh whose vertices are a kilometre from its frame.
  Robot far = robot();
  far.links[1].collision = {block(0.2, {1000, 0, 0})};
  expect_one(remarks_of(far), RemarkCode::place, "arm/tip", "1e+03 m from its own frame");
  // The remark names the farthest, and how many there are.
  expect_one(remarks_of(robot(), {obstacle("a", 0.1, {500, 0, 0}), obstacle("b", 0.1, {0, 900, 0}),
                                  obstacle("c", 0.1, {1, 0, 0})}),
             RemarkCode::place, "b", "'b' and 1 more: 900 m from every robot");
}

TEST(Remarks, LinksThatOnlyLookLikeSomething) {
  Robot bare = robot();
  bare.links[1].collision.clear();
  expect_one(remarks_of(bare), RemarkCode::visual_only, "arm/tip", "only visual geometry");
}

TEST(Remarks, LimitsThatLookLikeDegreesOrLeaveNoRoom) {
  Robot degrees = robot();
  degrees.joints[0].limits = {-170, 170, 1, 1};
  expect_one(remarks_of(degrees), RemarkCode::degrees, "arm/j", "-170 and 170: in degrees?");
  Robot frozen = robot();
  frozen.joints[0].limits = {0, 0, 1, 1};
  expect_one(remarks_of(frozen), RemarkCode::range, "arm/j", "cannot move");
}

// What readers say of the same is not said twice.
TEST(Remarks, WordsOfReaders) {
  Robot noted = robot();
  noted.warnings = {"not read, as it moves and collides with nothing: transmission"};
  expect_one(remarks_of(noted), RemarkCode::note, "arm", "arm: not read");
  Robot other = robot();
  other.warnings = {"x.srdf names what the robot does not have (ignored): wrist"};
  expect_one(remarks_of(other), RemarkCode::srdf, "arm", "wrist");
  Robot large = robot();
  large.links[1].collision = {block(300)};
  large.warnings = {"link 'tip' is 300 m long: in millimetres? try scale 0.001"};
  expect_one(remarks_of(large), RemarkCode::size, "arm/tip", "300 m long");
}

TEST(Remarks, FollowEdits) {
  SceneSource source;
  source.robots = {{"arm", robot(), Pose{}}};
  const Scene scene = build_scene(source).value();
  EXPECT_TRUE(find_remarks(scene).empty());
  const Scene edited = scene.with_obstacle(obstacle("car", 4500, {0, 0, 0})).value();
  expect_one(find_remarks(edited), RemarkCode::size, "car", "in millimetres?");
  EXPECT_TRUE(find_remarks(edited.without("car").value()).empty());
}

TEST(OutsideLimits, NamesJointsAndThoseThatFollow) {
  Robot r = robot();
  r.joints[0].limits = {1, 2, 1, 1};
  r.links.push_back({"finger", {block(0.1)}, false, nullptr});
  RobotJoint follower = r.joints[0];
  follower.name = "f";
  follower.parent_link = "tip";
  follower.child_link = "finger";
  follower.limits = {-2, 2, 1, 1};
  follower.mimic = Mimic{"j", 2, 0};
  r.joints.push_back(follower);
  SceneSource source;
  source.robots = {{"arm", r, Pose{}}};
  const Scene scene = build_scene(source).value();
  EXPECT_EQ(outside_limits(scene.tree(), std::vector<double>{0}),
            std::vector<std::string>{"arm/j = 0 (limits 1 to 2)"});
  EXPECT_TRUE(outside_limits(scene.tree(), std::vector<double>{1}).empty());
  EXPECT_EQ(outside_limits(scene.tree(), std::vector<double>{1.5}),
            std::vector<std::string>{"arm/f = 3 (limits -2 to 2)"});
}

}  // namespace
}  // namespace proven
