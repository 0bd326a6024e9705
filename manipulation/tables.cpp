// The tables scene of paper 003: a robot between three tables, cereal boxes and bottles on them.
// The paper gives classes and times of its problems, not the problems; these are ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "manipulation/parts.h"

namespace proven::manipulation {
namespace {

constexpr double kTableHeight = 0.60;

struct Direction {
  const char* name;
  double x, y;  // from the robot to the table
};
constexpr Direction kTables[] = {{"front", 1, 0}, {"left", 0, 1}, {"right", 0, -1}};

CollisionElement box(const Vec3& size, const Vec3& p) {
  return {Box{0.5 * size}, Pose::translation(p), {}};
}

void add_table(World& world, const Direction& way) {
  const Pose X_WB{Mat3::from_columns({way.x, way.y, 0}, {-way.y, way.x, 0}, {0, 0, 1}), {}};
  ObstacleSource table;
  table.name = std::string(way.name) + "_table";
  table.X_WB = X_WB;
  table.elements.push_back(box({0.50, 0.72, 0.04}, {0.63, 0, kTableHeight - 0.02}));
  for (const double x : {0.41, 0.85})
    for (const double y : {-0.33, 0.33})
      table.elements.push_back(
          box({0.05, 0.05, kTableHeight - 0.04}, {x, y, 0.5 * (kTableHeight - 0.04)}));
  world.scene.obstacles.push_back(std::move(table));
  int number = 0;
  for (const double x : {0.52, 0.72})
    for (const double y : {-0.20, 0.20}) {
      Place place;
      place.name = fmt::format("{}_{}", way.name, ++number);
      for (int turns = 0; turns < 4; ++turns)
        place.release.push_back(
            {X_WB.R * quarter_turns(turns), X_WB * Vec3{x, y, kTableHeight + kStandingGap}});
      world.places.push_back(std::move(place));
    }
}

// Gripped from eight sides, or from above.
void add_bottle(World& world, const std::string& name, double radius, double height) {
  Object object;
  object.name = name;
  object.grip = grip_for(2 * radius);
  for (int k = 0; k < 8; ++k) {
    const double angle = k * std::numbers::pi / 4;
    const Vec3 outward = {std::cos(angle), std::sin(angle), 0};
    const Vec3 across = {-outward.y, outward.x, 0};
    object.grasps["side"].push_back(grip_pose(-outward, across, {0, 0, 0.55 * height}));
    object.grasps["top"].push_back(grip_pose({0, 0, -1}, across, {0, 0, height - 0.035}));
  }
  add_object(world, std::move(object),
             {{Cylinder{radius, 0.5 * height}, Pose::translation({0, 0, 0.5 * height}), {}}});
}

World make_world() {
  World world = make_tables_world({"front", "left", "right"});
  add_box(world, "red_box", {0.18, 0.07, 0.26});
  add_box(world, "blue_box", {0.16, 0.06, 0.24});
  add_box(world, "yellow_box", {0.12, 0.08, 0.14});
  add_bottle(world, "green_bottle", 0.035, 0.24);
  add_bottle(world, "brown_bottle", 0.030, 0.20);
  add_bottle(world, "white_bottle", 0.040, 0.28);
  return world;
}

using Places = std::map<std::string, std::string>;

// Where everything stands unless a problem says otherwise: near and far rows of all tables.
const Places kUsual = {{"red_box", "front_1"},      {"blue_box", "front_2"},
                       {"yellow_box", "left_1"},    {"green_bottle", "left_3"},
                       {"brown_bottle", "right_2"}, {"white_bottle", "right_4"}};

std::vector<Layout> make_layouts() {
  return {
      // Class I: to places that are free.
      {"I-01", kUsual, {{"yellow_box", "front_3"}}, 3.48, 1.23},
      {"I-02", kUsual, {{"red_box", "left_2"}}, 6.08, 3.49},
      {"I-03", kUsual, {{"brown_bottle", "front_4"}}, 3.44, 1.61},
      {"I-04", kUsual, {{"blue_box", "front_4"}}, 1.47, 0.12},
      {"I-05", kUsual, {{"green_bottle", "right_1"}}, 3.77, 0.97},
      {"I-06", kUsual, {{"white_bottle", "left_4"}}, 3.98, 3.01},
      {"I-07", kUsual, {{"red_box", "right_1"}}, 4.75, 2.36},
      {"I-08", kUsual, {{"blue_box", "right_3"}, {"yellow_box", "left_2"}}, 5.27, 2.71},
      {"I-09",
       kUsual,
       {{"red_box", "left_2"},
        {"blue_box", "right_1"},
        {"green_bottle", "front_3"},
        {"white_bottle", "left_4"},
        {"brown_bottle", "front_4"}},
       63.83,
       7.67},
      {"I-10", kUsual, {{"white_bottle", "front_3"}}, 5.66, 7.50},
      {"I-11",
       kUsual,
       {{"red_box", "right_3"}, {"green_bottle", "front_4"}, {"brown_bottle", "left_4"}},
       12.48,
       14.74},
      {"I-12", kUsual, {{"yellow_box", "right_1"}}, 3.30, 0.96},
      {"I-13", kUsual, {{"green_bottle", "front_3"}, {"brown_bottle", "left_2"}}, 5.80, 2.40},
      // Class II: another object stands at the place.
      {"II-01", kUsual, {{"red_box", "front_2"}}, 24.32, 8.63},
      {"II-02", kUsual, {{"brown_bottle", "left_1"}}, 24.95, 9.25},
      {"II-03", kUsual, {{"red_box", "front_2"}, {"blue_box", "front_1"}}, 91.87, 14.01},
      {"II-04", kUsual, {{"yellow_box", "right_2"}, {"brown_bottle", "right_1"}}, 30.26, 9.74},
      // Class III: several do.
      {"III-01",
       kUsual,
       {{"red_box", "front_2"}, {"blue_box", "left_1"}, {"yellow_box", "right_1"}},
       37.33,
       6.85},
      {"III-02", kUsual, {{"green_bottle", "front_1"}, {"red_box", "right_2"}}, 15.50, 2.52},
      {"III-03",
       kUsual,
       {{"red_box", "front_2"}, {"blue_box", "left_1"}, {"yellow_box", "front_1"}},
       78.55,
       45.61},
  };
}

}  // namespace

Mat3 quarter_turns(int count) {
  static constexpr double kCosine[] = {1, 0, -1, 0}, kSine[] = {0, 1, 0, -1};
  const double c = kCosine[count % 4], s = kSine[count % 4];
  return {{Vec3{c, -s, 0}, Vec3{s, c, 0}, Vec3{0, 0, 1}}};
}

void add_object(World& world, Object object, std::vector<CollisionElement> elements) {
  // In the scene file they stand in a row behind the robot until a problem puts them somewhere.
  const double y = -0.75 + 0.25 * static_cast<double>(world.objects.size());
  world.scene.obstacles.push_back(
      {object.name, std::move(elements), Pose::translation({-1, y, 0.01})});
  world.objects.push_back(std::move(object));
}

void add_box(World& world, const std::string& name, const Vec3& size) {
  Object object;
  object.name = name;
  object.grip = grip_for(size.y);
  const double depth = 0.5 * size.x - 0.035;  // of the grip point; the palm stays 15 mm away
  for (const double side : {1.0, -1.0}) {
    const Vec3 closing = {0, side, 0};
    object.grasps["side"].push_back(
        grip_pose({side, 0, 0}, closing, {-side * depth, 0, 0.55 * size.z}));
    object.grasps["side"].push_back(
        grip_pose({side, 0, 0}, -closing, {-side * depth, 0, 0.55 * size.z}));
    object.grasps["top"].push_back(grip_pose({0, 0, -1}, closing, {0, 0, size.z - 0.035}));
  }
  add_object(world, std::move(object), {box(size, {0, 0, 0.5 * size.z})});
}

World make_tables_world(const std::vector<std::string>& tables) {
  World world;
  world.scene.robots.push_back(
      {"arm", make_seven_joint_arm(), Pose::translation({0, 0, kTableHeight})});
  world.arms = {describe_arm("arm")};
  ObstacleSource pedestal{"pedestal", {}, {}};
  pedestal.elements.push_back(box({0.24, 0.24, kTableHeight}, {0, 0, 0.5 * kTableHeight}));
  world.scene.obstacles.push_back(std::move(pedestal));
  for (const Direction& way : kTables)
    if (std::find(tables.begin(), tables.end(), way.name) != tables.end()) add_table(world, way);
  return world;
}

TaskSet make_tables() {
  TaskSet set;
  set.name = "tables";
  set.caption = "A seven-joint arm between three tables with boxes and bottles";
  set.world = make_world();
  set.domain = make_domain(7);
  for (const Layout& layout : make_layouts())
    set.problems.push_back(make_problem(set.world, layout, {"side", "top"}));
  return set;
}

// Six blocks, each with a place on it.
TaskSet make_tower() {
  TaskSet set;
  set.name = "tower";
  set.caption = "A seven-joint arm builds a tower of six blocks";
  set.world = make_tables_world({"front", "left", "right"});
  set.domain = make_domain(7, {.stacking = true, .timed = true});
  constexpr int kBlocks = 6;
  const Vec3 size = {0.06, 0.06, 0.08};
  const char* const start[kBlocks] = {"left_1", "right_2", "front_2",
                                      "left_2", "right_1", "front_4"};
  Layout tower{"six", {}, {{"block_1", "front_1"}}, 0, 0};
  Layout pair{"two", {}, {{"block_2", "on_block_1"}}, 0, 0};
  for (int i = 1; i <= kBlocks; ++i) {
    const std::string name = fmt::format("block_{}", i);
    add_box(set.world, name, size);
    set.world.objects.back().grasps.erase("side");
    tower.start[name] = start[i - 1];
    if (i <= 2) pair.start[name] = start[i - 1];
    if (i > 1) tower.goal[name] = fmt::format("on_block_{}", i - 1);
  }
  for (int i = 1; i <= kBlocks; ++i) {
    Place place;
    place.on = fmt::format("block_{}", i);
    place.name = "on_" + place.on;
    for (int turns = 0; turns < 4; ++turns)
      place.release.push_back({quarter_turns(turns), {0, 0, size.z + kStandingGap}});
    set.world.places.push_back(std::move(place));
  }
  for (const Layout& layout : {pair, tower})
    set.problems.push_back(make_problem(set.world, layout, {"top"}));
  return set;
}

// Six blocks into a crate with room for six, side by side.
TaskSet make_packing() {
  TaskSet set;
  set.name = "packing";
  set.caption = "A seven-joint arm packs six blocks into a crate";
  set.world = make_tables_world({"front", "left", "right"});
  set.domain = make_domain(7, {.timed = true});
  World& world = set.world;
  constexpr double kFloor = 0.01, kWall = 0.01, kWallHeight = 0.05, kSpacing = 0.12;
  const Vec3 inner = {kSpacing + 0.17, 2 * kSpacing + 0.17, 0};
  std::vector<CollisionElement> parts = {
      box({inner.x + 2 * kWall, inner.y + 2 * kWall, kFloor}, {0, 0, 0.5 * kFloor})};
  for (const double side : {-1.0, 1.0}) {
    parts.push_back(box({kWall, inner.y + 2 * kWall, kWallHeight},
                        {side * 0.5 * (inner.x + kWall), 0, kFloor + 0.5 * kWallHeight}));
    parts.push_back(box({inner.x, kWall, kWallHeight},
                        {0, side * 0.5 * (inner.y + kWall), kFloor + 0.5 * kWallHeight}));
  }
  add_object(world, {{"crate"}}, std::move(parts));
  world.places.push_back(
      {"middle", {}, {Pose::translation({0.63, 0, kTableHeight + kStandingGap})}, {}});
  const char* const start[] = {"left_1", "left_2", "left_3", "right_1", "right_2", "right_4"};
  Layout all{"six", {{"crate", "middle"}}, {}, 0, 0};
  int number = 0;
  for (const double x : {0.5, -0.5})
    for (const double y : {-1.0, 0.0, 1.0}) {
      const std::string name = fmt::format("block_{}", ++number);
      add_box(world, name, {0.06, 0.06, 0.08});
      world.objects.back().grasps.erase("side");
      Place cell;
      cell.name = fmt::format("cell_{}", number);
      cell.on = "crate";
      for (int turns = 0; turns < 4; ++turns)
        cell.release.push_back(
            {quarter_turns(turns), {x * kSpacing, y * kSpacing, kFloor + kStandingGap}});
      all.start[name] = start[number - 1];
      all.goal[name] = cell.name;
      world.places.push_back(std::move(cell));
    }
  set.problems.push_back(make_problem(world, all, {"top"}));
  return set;
}

}  // namespace proven::manipulation
