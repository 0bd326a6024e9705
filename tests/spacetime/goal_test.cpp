// Goal states: every condition counts, for every goal of its own.
#include "proven/spacetime/goal.h"

#include "support.h"

namespace proven::spacetime {
namespace {

TEST(Goal, EveryConditionCounts) {
  GoalState goal;
  goal.regions = {Footprint::box(4, 2, {10, 5}, 0.5).value(),
                  Footprint::circle(1, {30, 0}).value()};
  goal.time = Interval{1, 2};
  goal.speed = Interval{3, 4};
  goal.heading = Interval{-0.1, 0.2};
  const Road road;
  const VehicleState in{1.5, {10, 5, 0}, 3.5};
  EXPECT_TRUE(reached(goal, road, in));
  VehicleState turned = in;
  turned.pose.heading = 4 * M_PI + 0.15;
  EXPECT_TRUE(reached(goal, road, turned));
  turned.pose.heading = -2 * M_PI - 0.05;
  EXPECT_TRUE(reached(goal, road, turned));
  const auto without = [&](auto&& change) {
    VehicleState state = in;
    change(state);
    return !reached(goal, road, state);
  };
  EXPECT_TRUE(without([](VehicleState& s) { s.t = 2.1; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.t = 0.9; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.speed = 4.1; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.speed = 2.9; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.pose.heading = 0.3; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.pose.heading = M_PI; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.pose.x = 13; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.t = NAN; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.speed = NAN; }));
  EXPECT_TRUE(without([](VehicleState& s) { s.pose = {NAN, 0, 0}; }));
  VehicleState circle = in;
  circle.pose = {30.9, 0, 0};
  EXPECT_TRUE(reached(goal, road, circle));
  circle.pose = {30.8, 0.8, 0};
  EXPECT_FALSE(reached(goal, road, circle));
}

TEST(Goal, LaneletsArePlaces) {
  Lanelet lane;
  lane.id = "7";
  lane.left = {{0, 2}, {10, 2}}, lane.right = {{0, -2}, {10, -2}};
  const Road road = Road::build({lane}).value();
  GoalState goal;
  goal.lanelets = {"7"};
  EXPECT_TRUE(reached(goal, road, {0, {5, 1, 0}, 0}));
  EXPECT_FALSE(reached(goal, road, {0, {5, 3, 0}, 0}));
  EXPECT_TRUE(reached(GoalState{}, road, {0, {5, 3, 0}, 0}));
}

}  // namespace
}  // namespace proven::spacetime
