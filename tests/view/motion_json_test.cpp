// Motions on their way to a page: their control points, their clock, and who moves by it.
#include "tools/view/motion_json.h"

#include <nlohmann/json.hpp>

#include "support.h"
#include "tools/view/document.h"
#include "tools/view/scene_json.h"
#include "view/unpacked.h"

namespace proven::tools {
namespace {

std::vector<CollisionElement> cube() {
  return {{Box{{0.1, 0.1, 0.1}}, Pose{}, "cube"}};
}

// A block that slides along x, with limits of 1.5 m/s and 4 m/s².
SceneBuilder slider() {
  Robot robot;
  robot.name = "slider";
  robot.links = {{"base", {}, false, nullptr}, {"block", cube(), false, nullptr}};
  RobotJoint joint;
  joint.name = "x";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "block";
  joint.limits = {-10, 10, 1.5, 4};
  robot.joints = {joint};
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "slider", Pose{}).ok());
  return builder;
}

// The slider beside a cart that drives along y from 1 s to 3 s, and a guest who grows.
Scene crossing() {
  SceneBuilder builder = slider();
  ObstacleSource cart{"cart", cube(), Pose::translation({5, 0, 0})};
  cart.motion = std::make_shared<const Motion>(
      Motion{{{0, 0, 0, 0, 0, 0, 1}, {0, 2, 0, 0, 0, 0, 1}}, {1, 3}, {}});
  ObstacleSource guest{"guest", cube(), Pose::translation({-5, 0, 0})};
  guest.grows = 0.25;
  EXPECT_TRUE(builder.add_obstacle(cart).ok());
  EXPECT_TRUE(builder.add_obstacle(guest).ok());
  EXPECT_TRUE(builder.add_obstacle("wall", cube(), Pose::translation({0, 5, 0})).ok());
  return std::move(builder).build().value();
}

// Its own row of the scene, with the first value.
std::vector<double> row(const Scene& scene, double x) {
  std::vector<double> q(scene.home().begin(), scene.home().end());
  q[0] = x;
  return q;
}

TEST(MotionJson, ControlPointsOfPiecesFollowEachOther) {
  const Scene scene = std::move(slider()).build().value();
  Motion motion{{{0}, {1}, {3}, {2}}, {0.5, 1, 2, 4}, {}};
  motion.inner = {{{0.25}, {0.75}}, {}, {{4}, {5}, {6}, {7}}};
  const auto json = motion_json(scene, motion);
  EXPECT_EQ(json["knots"], (std::vector<double>{0.5, 1, 2, 4}));
  EXPECT_EQ(json["unit"], "s");
  EXPECT_EQ(json["degrees"], (std::vector<int>{3, 1, 5}));
  EXPECT_EQ(unpacked<double>(json["values"]), (std::vector<double>{0, 1, 3, 2}));
  EXPECT_EQ(unpacked<double>(json["inner"]), (std::vector<double>{0.25, 0.75, 4, 5, 6, 7}));
  EXPECT_EQ(json["curve"], "3 pieces of degree up to 5");
  EXPECT_EQ(json["clock"], "3.5 s");
}

TEST(MotionJson, APathHasNoClockAndNoControlPoints) {
  const Scene scene = std::move(slider()).build().value();
  const auto json = motion_json(scene, {{{0}, {3}, {3}}, {}, {}});
  EXPECT_EQ(json["unit"], "");
  EXPECT_EQ(json["curve"], "2 segments");
  EXPECT_FALSE(json.contains("clock") || json.contains("inner") || json.contains("degrees"));
  EXPECT_EQ(json["knots"], (std::vector<double>{0, 3, 3.003}));  // a stop can be seen
}

TEST(MotionJson, JointsHaveLimitsAndWhatFollowsTheClockIsNotAmongThem) {
  const auto joints = joints_json(crossing());
  ASSERT_EQ(joints.size(), 1u);
  EXPECT_EQ(joints[0], (nlohmann::ordered_json{{"name", "slider/x"},
                                               {"channel", 0},
                                               {"unit", "m"},
                                               {"lower", -10.0},
                                               {"upper", 10.0},
                                               {"velocity", 1.5},
                                               {"acceleration", 4.0}}));
}

// What the page shows is what was proved: all on one clock, cut where the cart starts and stops.
TEST(MotionJson, ADocumentHoldsAllThatMovesByTheClock) {
  const Scene scene = crossing();
  ShownMotion shown;
  shown.path = {{row(scene, 0), row(scene, 2)}, {0, 4}, {}};
  ViewDocument document("crossing");
  document.set_scene(scene, size_of(scene));
  document.add_motion(scene, shown);
  const auto& json = document.json();
  EXPECT_EQ(json["subtitle"], "4 bodies of 4 pieces, 1 joints");
  const auto& motion = json["motions"][0];
  EXPECT_EQ(motion["knots"], (std::vector<double>{0, 1, 3, 4}));
  EXPECT_EQ(motion["clock"], "4 s, on one clock with cart, guest");
  const auto values = unpacked<double>(motion["values"]);
  const std::size_t width = json["channels"].size();
  std::size_t y = 0;
  while (json["channels"][y] != "cart/motion.y") ++y;
  const double x_at[] = {0, 0.5, 1.5, 2}, y_at[] = {0, 0, 2, 2};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(values[k * width], x_at[k], 1e-12);
    EXPECT_NEAR(values[k * width + y], y_at[k], 1e-12);
  }
  for (const auto& body : json["bodies"]) {
    EXPECT_EQ(body["kind"], body["name"] == "slider/block" ? "robot" : "obstacle") << body["name"];
    EXPECT_EQ(body.value("grows", 0.0), body["name"] == "guest" ? 0.25 : 0.0);
  }
  ASSERT_EQ(json["traces"].size(), 1u);  // of the tool, not of what drives by
  EXPECT_EQ(json["traces"][0]["name"], "slider/block");
}

// What may start late is shown as it is where they meet, and on time where they do not.
TEST(MotionJson, WhatStartsLateIsShownAsTheWitnessSays) {
  SceneBuilder builder = slider();
  ObstacleSource cart{"cart", cube(), Pose::translation({5, 0, 0})};
  cart.motion = std::make_shared<const Motion>(
      Motion{{{0, 0, 0, 0, 0, 0, 1}, {0, 2, 0, 0, 0, 0, 1}}, {1, 3}, {}});
  cart.late = 0.5;
  ASSERT_TRUE(builder.add_obstacle(cart).ok());
  const Scene scene = std::move(builder).build().value();
  ShownMotion shown;
  shown.path = {{row(scene, 0), row(scene, 2)}, {0, 4}, {}};
  ViewDocument document("late");
  document.set_scene(scene, "");
  document.add_motion(scene, shown);
  shown.result.emplace().undecided.emplace();
  shown.result->undecided->segment = 7;  // of some start
  shown.result->undecided->time = 2.5;
  document.add_motion(scene, shown);
  shown.result->undecided.reset();
  shown.result->collision.emplace().delays = {0.25};
  document.add_motion(scene, shown);
  const auto& motions = document.json()["motions"];
  EXPECT_EQ(motions[0]["knots"], (std::vector<double>{0, 1, 3, 4}));
  EXPECT_EQ(motions[0]["clock"].get<std::string>().substr(0, 58),
            "4 s, on one clock with cart from any start up to 0.5 s lat");
  EXPECT_EQ(motions[1]["undecided"]["segment"], 1);
  EXPECT_EQ(motions[1]["undecided"]["t"], 0.75);
  EXPECT_EQ(motions[2]["knots"], (std::vector<double>{0, 1.25, 3.25, 4}));
  EXPECT_EQ(motions[2]["clock"], "4 s, on one clock with cart if it starts 0.25 s late");
}

TEST(MotionJson, AMotionThatFitsNoClockIsShownAloneAndSaysSo) {
  const Scene scene = crossing();
  ShownMotion shown;
  shown.path = {{row(scene, 0), row(scene, 2)}, {}, {}};
  ViewDocument document("crossing");
  document.set_scene(scene, "");
  document.add_motion(scene, shown);
  EXPECT_EQ(document.json()["motions"][0]["unit"], "");
  ASSERT_EQ(document.json()["warnings"].size(), 1u);
  EXPECT_NE(document.json()["warnings"][0].get<std::string>().find("needs a time"),
            std::string::npos);
}

}  // namespace
}  // namespace proven::tools
