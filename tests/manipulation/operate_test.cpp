// A drawer that the arm opens: the handle in the hand at every time, what lies in it moves along.
#include "manipulation/operate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "manipulation/parts.h"
#include "proven/kinematics/interpolation.h"
#include "support.h"

namespace proven::manipulation {
namespace {

class Drawer : public testing::Test {
 protected:
  void SetUp() override {
    start_.q = {waiting_posture()};
    start_.joints["drawer"] = 0;
    start_.poses["block_1"] = release_poses(world_, *world_.find_place("inside_1"), start_)[0];
    start_.poses["block_2"] = world_.find_place("front_2")->release[0];
  }
  FoundMotion must_find(const Situation& before, const MotionRequest& request) const {
    auto motion = find_motion(world_, before, request, 20, {});
    EXPECT_TRUE(motion.ok()) << motion.error().text();
    EXPECT_EQ(motion.value().answer, Answer::yes) << motion.value().reason;
    auto timed = timed_motion(world_, before, request, motion.value(), {});
    EXPECT_TRUE(timed.ok()) << timed.error().text();
    return timed.value();
  }
  std::string refuted(const Situation& before, const MotionRequest& request,
                      const Motion& motion) const {
    const auto reason = refute_motion(world_, before, request, motion);
    EXPECT_TRUE(reason.ok()) << reason.error().text();
    return reason.value();
  }

  const World world_ = make_drawer_set().world;
  const MotionRequest reach_{MotionRequest::Kind::transit, "drawer", "handle", "closed"};
  const MotionRequest open_{MotionRequest::Kind::operation, "drawer", "handle", "open"};
  Situation start_;
};

TEST_F(Drawer, OpensWithTheHandleInTheHand) {
  const FoundMotion reached = must_find(start_, reach_);
  EXPECT_EQ(refuted(start_, reach_, reached.path), "");
  const FoundMotion opened = must_find(reached.after, open_);
  EXPECT_EQ(refuted(reached.after, open_, opened.path), "");
  EXPECT_EQ(opened.after.joints.at("drawer"), world_.find_fixture("drawer")->positions.at("open"));
  // Towards the robot, by as much as the drawer; the other block stays.
  const Vec3 moved = opened.after.poses.at("block_1").p - start_.poses.at("block_1").p;
  EXPECT_NEAR(norm(moved - Vec3{0, -0.25, 0}), 0, 1e-9);
  EXPECT_EQ(opened.after.poses.at("block_2"), start_.poses.at("block_2"));

  // Sampled: hand and handle are never farther apart than the tolerance.
  const Scene scene = build_scene(scene_of(world_, reached.after, open_)).value();
  const int tray = scene.tree().find_link("cabinet/tray"),
            hand = scene.tree().find_link("arm/hand");
  const auto in_tray = [&](const std::vector<double>& q) {
    LinkPoses poses;
    compute_poses(scene.tree(), q, poses);
    return relative_pose(poses.X_WL[static_cast<std::size_t>(tray)],
                         poses.X_WL[static_cast<std::size_t>(hand)]);
  };
  const Pose first = in_tray(opened.path.waypoints.front());
  double most = 0;
  std::vector<double> q(scene.home().size());
  for (int i = 0; i < opened.path.num_segments(); ++i)
    for (int k = 0; k <= 20; ++k) {
      interpolate(scene.tree(), opened.path.piece(i), k / 20.0, q);
      most = std::max(most, norm(in_tray(q).p - first.p));
    }
  EXPECT_LE(most, HoldTolerance{}.position);
  EXPECT_GT(most, 0);
}

// A path that opens the drawer faster than the hand moves is no such motion.
TEST_F(Drawer, WhatSlipsOrDoesNotArriveIsRefuted) {
  const FoundMotion reached = must_find(start_, reach_);
  const FoundMotion opened = must_find(reached.after, open_);
  const Scene scene = build_scene(scene_of(world_, reached.after, open_)).value();
  const auto slide = static_cast<std::size_t>(scene.tree().find_coordinate("cabinet/slide"));
  Motion path;
  path.waypoints = opened.path.waypoints;
  EXPECT_EQ(refuted(reached.after, open_, path), "");
  for (std::size_t i = path.waypoints.size() / 3; i < path.waypoints.size() / 2; ++i)
    path.waypoints[i][slide] += 0.001;
  EXPECT_EQ(refuted(reached.after, open_, path), "the handle is not proved to stay in the hand");
  path.waypoints = opened.path.waypoints;
  path.waypoints.back()[slide] -= 1e-6;
  EXPECT_NE(refuted(reached.after, open_, path), "");
  // The hand moves and the drawer does not, or the drawer alone.
  path.waypoints = opened.path.waypoints;
  for (auto& q : path.waypoints) q[slide] = 0;
  EXPECT_NE(refuted(reached.after, open_, path), "");
  const MotionRequest close{MotionRequest::Kind::operation, "drawer", "handle", "closed"};
  EXPECT_NE(refuted(reached.after, close, opened.path), "");
  // A transit that moves the drawer.
  path = reached.path;
  path.waypoints.back()[slide] = 0.01;
  EXPECT_NE(refuted(start_, reach_, path).find("it moves cabinet/slide"), std::string::npos);
}

// In a drawer that is closed a block is out of the hand's way, and the scene knows where it stands.
TEST_F(Drawer, MotionsAreProvedWithTheJointWhereItIs) {
  Situation open = with_joint(world_, start_, *world_.find_fixture("drawer"), 0.25);
  EXPECT_NEAR(open.poses.at("block_1").p.y, start_.poses.at("block_1").p.y - 0.25, 1e-9);
  const MotionRequest pick{MotionRequest::Kind::transit, "block_1", "top", ""};
  const FoundMotion picked = must_find(open, pick);
  EXPECT_EQ(refuted(open, pick, picked.path), "");
  const auto closed = find_motion(world_, start_, pick, 0.2, {});
  ASSERT_TRUE(closed.ok());
  EXPECT_NE(closed.value().answer, Answer::yes);
  Situation half = with_joint(world_, start_, *world_.find_fixture("drawer"), 0.12);
  const Scene scene = build_scene(scene_of(world_, half, pick)).value();
  const auto slide = static_cast<std::size_t>(scene.tree().find_coordinate("cabinet/slide"));
  EXPECT_EQ(scene.home()[slide], 0.12);
}

TEST_F(Drawer, WhatStandsOnARiderRidesToo) {
  Situation stacked = start_;
  stacked.poses["block_2"] = start_.poses.at("block_1");
  stacked.poses["block_2"].p.z += 0.085;
  const auto riders = riders_of(world_, stacked, *world_.find_fixture("drawer"));
  EXPECT_EQ(riders, (std::vector<std::string>{"block_1", "block_2"}));
  EXPECT_EQ(riders_of(world_, start_, *world_.find_fixture("drawer")),
            (std::vector<std::string>{"block_1"}));
}

}  // namespace
}  // namespace proven::manipulation
