#include "manipulation/motions.h"

#include <gtest/gtest.h>

#include "manipulation/parts.h"
#include "manipulation/support.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven::manipulation {
namespace {

Situation start_of(const World& world, const std::map<std::string, std::string>& places) {
  Situation situation;
  situation.q = {waiting_posture()};
  for (const auto& [object, place] : places)
    situation.poses[object] = world.find_place(place)->release[0];
  return situation;
}

MotionRequest transit(const std::string& object, const std::string& grasp) {
  return {MotionRequest::Kind::transit, object, grasp, ""};
}

MotionRequest transfer(const std::string& object, const std::string& place) {
  return {MotionRequest::Kind::transfer, object, "", place};
}

FoundMotion must_find(const World& world, const Situation& before, const MotionRequest& request) {
  const auto motion = find_motion(world, before, request, 20, {});
  EXPECT_TRUE(motion.ok()) << motion.error().text();
  EXPECT_EQ(motion.value().answer, Answer::yes) << motion.value().reason;
  return motion.value();
}

double largest_difference(const Pose& a, const Pose& b) {
  double largest = norm(a.p - b.p);
  for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, max_abs(a.R.row[i] - b.R.row[i]));
  return largest;
}

class Motions : public testing::Test {
 protected:
  const World world_ = make_tables().world;
  const Situation start_ = start_of(world_, {{"red_box", "front_1"}, {"green_bottle", "left_2"}});

  std::string refuted(const Situation& before, const MotionRequest& request, const Path& path) {
    const auto reason = refute_motion(world_, before, request, path);
    EXPECT_TRUE(reason.ok()) << reason.error().text();
    return reason.value();
  }
};

TEST_F(Motions, PickUpAndPutDown) {
  const MotionRequest pick = transit("red_box", "side");
  const FoundMotion picked = must_find(world_, start_, pick);
  EXPECT_EQ(refuted(start_, pick, picked.path), "");
  EXPECT_EQ(picked.after.poses, start_.poses);
  EXPECT_NE(picked.after.q, start_.q);

  const MotionRequest put = transfer("red_box", "right_2");
  const FoundMotion placed = must_find(world_, picked.after, put);
  EXPECT_EQ(refuted(picked.after, put, placed.path), "");
  double nearest = 1;
  for (const Pose& pose : world_.find_place("right_2")->release)
    nearest = std::min(nearest, largest_difference(placed.after.poses.at("red_box"), pose));
  EXPECT_LT(nearest, 1e-5);
  EXPECT_EQ(placed.after.poses.at("green_bottle"), start_.poses.at("green_bottle"));
  // The object moved with the hand: the same in its frame before and after.
  const auto in_hand = [&](const Situation& s) {
    const auto scene = build_scene(scene_with(world_, s));
    EXPECT_TRUE(scene.ok());
    const ArmIndex index = index_arm(world_.arms[0], scene.value().tree());
    return relative_pose(hand_pose(scene.value(), index, scene.value().home()),
                         s.poses.at("red_box"));
  };
  EXPECT_LT(largest_difference(in_hand(picked.after), in_hand(placed.after)), 1e-12);
}

// Open, closed on the way, open again.
TEST_F(Motions, FingersHoldWhatIsCarried) {
  const FoundMotion picked = must_find(world_, start_, transit("green_bottle", "top"));
  const FoundMotion placed = must_find(world_, picked.after, transfer("green_bottle", "left_4"));
  const auto scene = build_scene(scene_with(world_, picked.after, {{0, "green_bottle"}}));
  ASSERT_TRUE(scene.ok());
  const auto fingers =
      static_cast<std::size_t>(index_arm(world_.arms[0], scene.value().tree()).fingers);
  const auto& waypoints = placed.path.waypoints;
  ASSERT_GE(waypoints.size(), 4u);
  EXPECT_EQ(waypoints.front()[fingers], world_.arms[0].open);
  EXPECT_EQ(waypoints.back()[fingers], world_.arms[0].open);
  for (std::size_t i = 1; i + 1 < waypoints.size(); ++i)
    EXPECT_EQ(waypoints[i][fingers], world_.find_object("green_bottle")->grip);
}

TEST_F(Motions, TheSameSeedGivesTheSamePath) {
  const MotionRequest pick = transit("red_box", "top");
  const auto first = find_motion(world_, start_, pick, 20, {});
  const auto again = find_motion(world_, start_, pick, 20, {});
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first.value().path.waypoints, again.value().path.waypoints);
}

TEST_F(Motions, ProvesWhatIsImpossible) {
  const FoundMotion picked = must_find(world_, start_, transit("red_box", "side"));
  const auto taken = find_motion(world_, picked.after, transfer("red_box", "left_2"), 5, {});
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken.value().answer, Answer::no);
  EXPECT_EQ(taken.value().reason.find("place 'left_2' is taken by '"), 0u) << taken.value().reason;

  Situation far = start_;
  far.poses["red_box"].p = {1.6, 0, 0.61};
  const auto out_of_reach = find_motion(world_, far, transit("red_box", "side"), 5, {});
  ASSERT_TRUE(out_of_reach.ok());
  EXPECT_EQ(out_of_reach.value().answer, Answer::no);
  EXPECT_EQ(out_of_reach.value().reason.find("out of reach"), 0u) << out_of_reach.value().reason;

  const auto no_grasp = find_motion(world_, start_, transit("red_box", "bottom"), 5, {});
  ASSERT_TRUE(no_grasp.ok());
  EXPECT_EQ(no_grasp.value().answer, Answer::no);
}

// Walled in, but within reach: nobody has proved that there is no way.
TEST_F(Motions, WhatIsOnlyNotFoundIsUnknown) {
  World walled = world_;
  const Vec3 p = start_.poses.at("red_box").p;
  ObstacleSource cage{"cage", {}, Pose::translation(p + Vec3{0, 0, 0.15})};
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec3 half = {0.14, 0.14, 0.17}, centre;
      centre[axis] = side * (half[axis] + 0.005);
      half[axis] = 0.005;
      if (axis == 2 && side < 0) continue;
      cage.elements.push_back({Box{half}, Pose::translation(centre), {}});
    }
  walled.scene.obstacles.push_back(cage);
  const auto motion = find_motion(walled, start_, transit("red_box", "side"), 0.5, {});
  ASSERT_TRUE(motion.ok());
  EXPECT_EQ(motion.value().answer, Answer::unknown);
}

TEST_F(Motions, NamesThatDoNotExistAreErrors) {
  EXPECT_FALSE(find_motion(world_, start_, transit("no_box", "side"), 1, {}).ok());
  EXPECT_FALSE(find_motion(world_, start_, transfer("red_box", "nowhere"), 1, {}).ok());
  EXPECT_FALSE(find_motion(world_, start_, transit("blue_box", "side"), 1, {}).ok());
}

TEST_F(Motions, WrongPathsAreRefuted) {
  const MotionRequest pick = transit("red_box", "side");
  const FoundMotion picked = must_find(world_, start_, pick);
  const auto scene = build_scene(scene_with(world_, start_));
  const ArmIndex index = index_arm(world_.arms[0], scene.value().tree());
  const auto joint = static_cast<std::size_t>(index.joints[0]);

  Path path = picked.path;
  path.waypoints.front()[joint] += 1e-9;
  EXPECT_EQ(refuted(start_, pick, path), "it does not start where the arm is");
  path = picked.path;
  path.waypoints.back()[joint] += 1e-3;
  EXPECT_EQ(refuted(start_, pick, path), "it does not end at the place or grasp");
  path = picked.path;
  path.waypoints.insert(path.waypoints.begin() + 1, path.waypoints[0]);
  path.waypoints[1][static_cast<std::size_t>(index.fingers)] = 0.02;
  EXPECT_NE(refuted(start_, pick, path).find("it moves"), std::string::npos);
  // Down into the front table.
  path = picked.path;
  path.waypoints.insert(path.waypoints.begin() + 1, path.waypoints[0]);
  path.waypoints[1][static_cast<std::size_t>(index.joints[1])] = 1.9;
  path.waypoints[1][static_cast<std::size_t>(index.joints[3])] = 0;
  EXPECT_EQ(refuted(start_, pick, path), "it is not proved free: collision");
  EXPECT_NE(refuted(start_, transit("red_box", "top"), picked.path), "");
}

// Boxes without turns overlap if they do on every axis.
TEST_F(Motions, BlockedAgreesWithOverlappingIntervals) {
  const Vec3 size = {0.18, 0.07, 0.26}, other = {0.16, 0.06, 0.24};
  Random random(3);
  int blocked_count = 0, free_count = 0;
  for (int n = test::cases(200); n > 0; --n) {
    Situation situation = start_;
    situation.poses.erase("green_bottle");
    const Vec3 p = {0.63, 0, 0.9};
    situation.poses["blue_box"] = Pose::translation(p);
    const Vec3 offset = {random.uniform(-0.3, 0.3), random.uniform(-0.12, 0.12),
                         random.uniform(-0.2, 0.3)};
    const auto blocked = blocker(world_, situation, "red_box", Pose::translation(p + offset));
    ASSERT_TRUE(blocked.ok());
    const bool expected = std::fabs(offset.x) < 0.5 * (size.x + other.x) &&
                          std::fabs(offset.y) < 0.5 * (size.y + other.y) && offset.z < other.z &&
                          -offset.z < size.z;
    ASSERT_EQ(blocked.value() == "blue_box", expected)
        << offset.x << " " << offset.y << " " << offset.z;
    (expected ? blocked_count : free_count) += 1;
  }
  std::printf("%d blocked, %d free\n", blocked_count, free_count);
  if (blocked_count + free_count < 100) return;
  EXPECT_GT(blocked_count, 20);
  EXPECT_GT(free_count, 20);
}

TEST_F(Motions, ClearanceIsKept) {
  World careful = world_;
  careful.clearance = 0.02;
  const MotionRequest pick = transit("red_box", "side");
  const FoundMotion picked = must_find(careful, start_, pick);
  const auto scene = build_scene(scene_with(careful, start_));
  ASSERT_TRUE(scene.ok());
  int kept = 0;
  for (const BodyPair& pair : scene.value().pairs()) kept += pair.clearance == 0.02;
  EXPECT_GT(kept, 20);
  Scratch scratch;
  const auto checked = check(scene.value(), picked.path, {}, scratch);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked.value().verdict, Verdict::free);
}

// What is let go of over a hole falls to the bottom of the cube.
TEST(MotionsThroughHoles, TheBlockFalls) {
  const World world = make_dexterity(false).world;
  const Situation start = start_of(world, {{"left_block", "left_spot"}});
  const FoundMotion picked = must_find(world, start, transit("left_block", "top"));
  const FoundMotion placed = must_find(world, picked.after, transfer("left_block", "left_hole"));
  EXPECT_EQ(placed.after.poses.at("left_block"), world.find_place("left_hole")->rest[0]);
  EXPECT_LT(placed.after.poses.at("left_block").p.z, 0.1);
}

// Blocks on blocks: where the centre is above what carries, and by the tower as it is built.
TEST(Support, IsWhereTheCentreIsAboveWhatCarries) {
  const std::vector<CollisionElement> block = {{Box{{0.03, 0.03, 0.04}}, {}, {}}};
  const auto stands = [&](const Vec3& offset, const Mat3& turn = {}) {
    const Pose X_WS{rotation(Vec3{0, 0, 1}, 0.3), {0.4, -0.2, 0.7}};
    return stands_on(block, X_WS * Pose{turn, offset}, block, X_WS);
  };
  EXPECT_TRUE(stands({0, 0, 0.085}));
  EXPECT_TRUE(stands({0.027, 0, 0.085}));
  EXPECT_FALSE(stands({0.029, 0, 0.085}));  // within the margin of tipping
  EXPECT_FALSE(stands({0.031, 0, 0.085}));
  EXPECT_TRUE(stands({-0.02, 0.02, 0.085}, rotation(Vec3{0, 0, 1}, 0.8)));
  EXPECT_FALSE(stands({0, 0, 0.12}));   // would fall
  EXPECT_FALSE(stands({0, 0, 0.075}));  // overlaps
  EXPECT_FALSE(stands({0, 0, 0.085}, rotation(Vec3{1, 0, 0}, 0.01)));
  // A cylinder on a box, and a plate across two posts, neither of which is below its centre.
  EXPECT_TRUE(
      stands_on({{Cylinder{0.03, 0.05}, {}, {}}}, Pose::translation({0.01, 0, 0.1}), block, {}));
  const std::vector<CollisionElement> posts = {
      {Box{{0.01, 0.05, 0.1}}, Pose::translation({-0.2, 0, 0}), {}},
      {Cylinder{0.01, 0.1}, Pose::translation({0.2, 0, 0}), {}}};
  const std::vector<CollisionElement> plate = {{Box{{0.25, 0.1, 0.01}}, {}, {}}};
  EXPECT_TRUE(stands_on(plate, Pose::translation({0, 0, 0.115}), posts, {}));
  EXPECT_FALSE(stands_on(plate, Pose::translation({0.24, 0, 0.115}), posts, {}));
  // Random offsets of one box on another: the analytic answer, but within a millimetre of it.
  Random random(3);
  int yes = 0, no = 0;
  for (int n = test::cases(500); n > 0; --n) {
    const Vec3 offset = {random.uniform(-0.06, 0.06), random.uniform(-0.06, 0.06), 0.085};
    const double inside = 0.03 - std::max(std::fabs(offset.x), std::fabs(offset.y));
    if (std::fabs(inside - kSupportMargin) < 1e-3) continue;
    ASSERT_EQ(stands(offset), inside > kSupportMargin) << offset.x << " " << offset.y;
    (inside > 0 ? yes : no) += 1;
  }
  if (yes + no < 300) return;
  EXPECT_GT(yes, 50);
  EXPECT_GT(no, 50);
}

TEST(Support, PlacesOnObjectsMoveWithThem) {
  const World world = make_tower().world;
  Situation start;
  start.q = {waiting_posture()};
  start.poses["block_1"] = world.find_place("front_1")->release[0];
  start.poses["block_2"] = world.find_place("left_1")->release[0];
  const FoundMotion picked = must_find(world, start, transit("block_2", "top"));
  const FoundMotion put = must_find(world, picked.after, transfer("block_2", "on_block_1"));
  const Vec3 above = put.after.poses.at("block_2").p - start.poses.at("block_1").p;
  EXPECT_NEAR(norm(above - Vec3{0, 0, 0.08 + kStandingGap}), 0, 1e-4);
  const auto refuted =
      refute_motion(world, picked.after, transfer("block_2", "on_block_1"), put.path);
  ASSERT_TRUE(refuted.ok());
  EXPECT_EQ(refuted.value(), "");
  const auto itself = find_motion(world, picked.after, transfer("block_2", "on_block_2"), 1, {});
  ASSERT_TRUE(itself.ok());
  EXPECT_EQ(itself.value().reason, "an object cannot stand on itself");
  // A block that is turned on its edge carries nothing.
  Situation tilted = picked.after;
  tilted.poses["block_1"].R = rotation(Vec3{1, 0, 0}, 0.2);
  tilted.poses["block_1"].p.z += 0.02;
  const auto slope = find_motion(world, tilted, transfer("block_2", "on_block_1"), 1, {});
  ASSERT_TRUE(slope.ok());
  EXPECT_EQ(slope.value().answer, Answer::no);
  EXPECT_NE(slope.value().reason.find("is not proved to stand on 'block_1'"), std::string::npos)
      << slope.value().reason;
}

}  // namespace
}  // namespace proven::manipulation
