// A cabinet with a drawer: what lies in it is taken out, or put in, and the drawer is closed again.
#include <fmt/format.h>

#include "manipulation/parts.h"

namespace proven::manipulation {
namespace {

constexpr double kTravel = 0.25;       // of the drawer
constexpr double kFloor = 0.615;       // of its tray, above the ground
constexpr double kBarDistance = 0.10;  // of the handle's bar from the front

CollisionElement box(const Vec3& size, const Vec3& p) {
  return {Box{0.5 * size}, Pose::translation(p), {}};
}

RobotLink link(const std::string& name, std::vector<CollisionElement> elements) {
  RobotLink made;
  made.name = name;
  made.collision = std::move(elements);
  return made;
}

// The front looks along x; z = 0 is the ground. The links' frames coincide while it is closed.
Robot make_cabinet() {
  Robot robot;
  robot.name = "cabinet";
  robot.links.push_back(
      link("case",
           {box({0.36, 0.40, 0.59}, {0, 0, 0.295}), box({0.36, 0.40, 0.01}, {0, 0, 0.805}),
            box({0.36, 0.01, 0.21}, {0, 0.195, 0.695}), box({0.36, 0.01, 0.21}, {0, -0.195, 0.695}),
            box({0.01, 0.38, 0.21}, {-0.175, 0, 0.695})}));
  robot.links.push_back(link("tray", {box({0.30, 0.34, 0.01}, {0.01, 0, kFloor - 0.005}),
                                      box({0.30, 0.01, 0.06}, {0.01, 0.165, kFloor + 0.03}),
                                      box({0.30, 0.01, 0.06}, {0.01, -0.165, kFloor + 0.03}),
                                      box({0.01, 0.32, 0.06}, {-0.135, 0, kFloor + 0.03}),
                                      box({0.01, 0.34, 0.09}, {0.165, 0, kFloor + 0.03})}));
  const double bar = 0.17 + kBarDistance;
  robot.links.push_back(link("handle", {box({0.02, 0.10, 0.02}, {bar, 0, 0.66}),
                                        box({0.08, 0.01, 0.01}, {bar - 0.05, 0.045, 0.66}),
                                        box({0.08, 0.01, 0.01}, {bar - 0.05, -0.045, 0.66})}));
  RobotJoint slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.parent_link = "case";
  slide.child_link = "tray";
  slide.axis = {1, 0, 0};
  slide.limits = {0, kTravel + 0.01, 0.5, 2};
  RobotJoint fixed;
  fixed.name = "screws";
  fixed.type = JointType::fixed;
  fixed.parent_link = "tray";
  fixed.child_link = "handle";
  robot.joints = {slide, fixed};
  return robot;
}

Fixture make_drawer() {
  Fixture drawer;
  drawer.name = "drawer";
  drawer.joint = "cabinet/slide";
  drawer.link = "cabinet/tray";
  drawer.handle = {"cabinet/handle"};
  drawer.grip = grip_for(0.02);
  const Vec3 bar = {0.17 + kBarDistance, 0, 0.66};
  // From above, and from the front with the fingers above and below the bar.
  drawer.grasps["handle"] = {
      grip_pose({0, 0, -1}, {1, 0, 0}, bar), grip_pose({0, 0, -1}, {-1, 0, 0}, bar),
      grip_pose({-1, 0, 0}, {0, 0, 1}, bar), grip_pose({-1, 0, 0}, {0, 0, -1}, bar)};
  drawer.positions = {{"closed", 0}, {"open", kTravel}};
  return drawer;
}

}  // namespace

TaskSet make_drawer_set() {
  TaskSet set;
  set.name = "drawer";
  set.caption = "A seven-joint arm and a drawer with a handle";
  World& world = set.world = make_tables_world({"front", "right"});
  // To the left of the robot, its front towards it.
  world.scene.robots.push_back(
      {"cabinet",
       make_cabinet(),
       {Mat3::from_columns({0, -1, 0}, {1, 0, 0}, {0, 0, 1}), {0, 0.95, 0}}});
  world.fixtures.push_back(make_drawer());
  for (const char* name : {"block_1", "block_2"}) {
    add_box(world, name, {0.06, 0.06, 0.08});
    world.objects.back().grasps.erase("side");
  }
  int number = 0;
  for (const double y : {-0.08, 0.08}) {
    Place place;
    place.name = fmt::format("inside_{}", ++number);
    place.on = "drawer";
    for (int turns = 0; turns < 4; ++turns)
      place.release.push_back({quarter_turns(turns), {0.05, y, kFloor + kStandingGap}});
    world.places.push_back(std::move(place));
  }
  set.domain = make_domain(7, {.timed = true, .fixtures = true});
  const Layout take{.name = "take",
                    .start = {{"block_1", "inside_1"}},
                    .goal = {{"block_1", "front_1"}},
                    .fixtures = {{"drawer", "closed"}},
                    .fixtures_goal = {{"drawer", "closed"}}};
  const Layout exchange{.name = "exchange",
                        .start = {{"block_1", "inside_1"}, {"block_2", "front_2"}},
                        .goal = {{"block_1", "front_1"}, {"block_2", "inside_2"}},
                        .fixtures = {{"drawer", "closed"}},
                        .fixtures_goal = {{"drawer", "closed"}}};
  for (const Layout& layout : {take, exchange})
    set.problems.push_back(make_problem(world, layout, {"top", "handle"}));
  return set;
}

}  // namespace proven::manipulation
