// The manipulator dexterity test of paper 003: cubes of 60 cm with holes of 15 cm stand around the
// robot, blocks of 8 cm on top of them; a block is put over a hole and falls through. A vertical
// board may cover the upper part of the way to the rear cube. Which blocks go where is ours; as in
// the paper, problems 3 to 5, 10 and 11 need the rear blocks.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "manipulation/parts.h"

namespace proven::manipulation {
namespace {

constexpr double kCube = 0.60, kHoleRadius = 0.075, kPlate = 0.02, kBlock = 0.08;
constexpr double kPlatform = 0.45;     // the robot's base
constexpr double kSlot = 0.18;         // between the rear cube and the board
constexpr double kDropHeight = 0.010;  // of a block over a hole when it is let go of

// A square plate in the x, y plane with a round hole of 24 corners, closed: four rings of points.
std::shared_ptr<const TriangleMesh> plate_with_hole() {
  constexpr std::uint32_t kCorners = 24;
  TriangleMesh mesh;
  for (int ring = 0; ring < 4; ++ring)
    for (std::uint32_t k = 0; k < kCorners; ++k) {
      const double angle = 2 * std::numbers::pi * k / kCorners;
      const double c = std::cos(angle), s = std::sin(angle);
      const bool outer = ring == 0 || ring == 3;
      const double radius =
          outer ? 0.5 * kCube / std::fmax(std::fabs(c), std::fabs(s)) : kHoleRadius;
      mesh.vertices.push_back({radius * c, radius * s, ring < 2 ? 0.5 * kPlate : -0.5 * kPlate});
    }
  const auto vertex = [](std::uint32_t ring, std::uint32_t k) {
    return (ring % 4) * kCorners + k % kCorners;
  };
  for (std::uint32_t ring = 0; ring < 4; ++ring)
    for (std::uint32_t k = 0; k < kCorners; ++k) {
      mesh.triangles.push_back({vertex(ring, k), vertex(ring, k + 1), vertex(ring + 1, k + 1)});
      mesh.triangles.push_back({vertex(ring, k), vertex(ring + 1, k + 1), vertex(ring + 1, k)});
    }
  return std::make_shared<const TriangleMesh>(std::move(mesh));
}

CollisionElement box(const Vec3& size, const Vec3& p) {
  return {Box{0.5 * size}, Pose::translation(p), {}};
}

// A hollow cube standing on the floor: five plates with holes and a bottom.
ObstacleSource make_cube(const std::string& name, double x, double y) {
  const auto plate = plate_with_hole();
  const double side = 0.5 * (kCube - kPlate);
  // Turned so that z becomes x, or y; exact.
  const Mat3 to_x = {{Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}};
  const Mat3 to_y = {{Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 0, 0}}};
  ObstacleSource cube;
  cube.name = name;
  cube.X_WB = Pose::translation({x, y, 0.5 * kCube});
  cube.elements.push_back({plate, Pose::translation({0, 0, side}), {}});
  for (const double sign : {-1.0, 1.0}) {
    cube.elements.push_back({plate, {to_x, {sign * side, 0, 0}}, {}});
    cube.elements.push_back({plate, {to_y, {0, sign * side, 0}}, {}});
  }
  cube.elements.push_back(box({kCube, kCube, kPlate}, {0, 0, -side}));
  return cube;
}

struct Site {
  const char* name;
  double x, y;                    // of the cube
  double block_x[2], block_y[2];  // of the spots for blocks, relative to the cube
  int blocks;
};
constexpr Site kSites[] = {
    {"left", 0.10, 0.72, {0.18, 0}, {-0.18, 0}, 1},
    {"right", 0.10, -0.72, {0.18, 0}, {0.18, 0}, 1},
    {"rear", 0.76, 0, {-0.15, -0.15}, {0.18, -0.18}, 2},
};

// A spot on top of the cube for each block, and the hole.
void add_places(World& world, const Site& site) {
  const double stands = kCube + kStandingGap;
  for (int i = 0; i < site.blocks; ++i) {
    Place spot;
    spot.name = site.blocks == 1 ? fmt::format("{}_spot", site.name)
                                 : fmt::format("{}_spot_{}", site.name, i == 0 ? "left" : "right");
    spot.release.push_back(
        Pose::translation({site.x + site.block_x[i], site.y + site.block_y[i], stands}));
    world.places.push_back(std::move(spot));
  }
  Place hole;
  hole.name = fmt::format("{}_hole", site.name);
  hole.release.push_back(Pose::translation({site.x, site.y, kCube + kDropHeight}));
  hole.rest.push_back(Pose::translation({site.x, site.y, kPlate + kStandingGap}));
  world.places.push_back(std::move(hole));
}

// From above in four turns; slanting down from four sides at two slopes.
std::map<std::string, std::vector<Pose>> block_grasps() {
  std::map<std::string, std::vector<Pose>> grasps;
  constexpr double kGripHeight = 0.06;
  for (int k = 0; k < 4; ++k) {
    const double angle = k * std::numbers::pi / 2;
    const Vec3 ahead = {std::round(std::cos(angle)), std::round(std::sin(angle)), 0};
    const Vec3 across = {-ahead.y, ahead.x, 0};
    grasps["top"].push_back(grip_pose({0, 0, -1}, across, {0, 0, kGripHeight}));
    for (const double slope : {0.5, 0.8})
      for (const double turn : {1.0, -1.0}) {
        const Vec3 approach = std::cos(slope) * ahead - std::sin(slope) * Vec3{0, 0, 1};
        // Two centimetres back from the middle: the palm stays clear of the block's edge.
        grasps["slant"].push_back(
            grip_pose(approach, turn * across, Vec3{0, 0, 0.05} - 0.02 * approach));
      }
  }
  return grasps;
}

void add_block(World& world, const std::string& name) {
  Object block;
  block.name = name;
  block.grip = grip_for(kBlock);
  block.grasps = block_grasps();
  const double y = -0.3 + 0.2 * static_cast<double>(world.objects.size());
  world.scene.obstacles.push_back({name,
                                   {box({kBlock, kBlock, kBlock}, {0, 0, 0.5 * kBlock})},
                                   Pose::translation({-1, y, 0.01})});
  world.objects.push_back(std::move(block));
}

World make_world(bool board) {
  World world;
  world.scene.robots.push_back(
      {"arm", make_seven_joint_arm(), Pose::translation({0, 0, kPlatform})});
  world.arms = {describe_arm("arm")};
  auto& obstacles = world.scene.obstacles;
  const auto add = [&](const char* name, const Vec3& size, const Vec3& p) {
    obstacles.push_back({name, {box(size, {})}, Pose::translation(p)});
  };
  add("platform", {0.4, 0.4, kPlatform}, {0, 0, 0.5 * kPlatform});
  for (const Site& site : kSites) {
    obstacles.push_back(make_cube(fmt::format("{}_cube", site.name), site.x, site.y));
    add_places(world, site);
  }
  // The structures beside the robot have an outer wall and a ceiling.
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0;
    add(left ? "left_wall" : "right_wall", {kCube, kPlate, kCube},
        {0.10, side * 1.03, 1.5 * kCube});
    add(left ? "left_ceiling" : "right_ceiling", {kCube, kCube, kPlate},
        {0.10, side * 0.72, 2 * kCube + kPlate});
  }
  if (board) add("board", {kPlate, 1.4, 1.0}, {0.42, 0, kCube + kSlot + 0.5});
  for (const char* block : {"left_block", "right_block", "rear_block_left", "rear_block_right"})
    add_block(world, block);
  return world;
}

struct Times {
  double without, without_deviation, with, with_deviation;
};
constexpr Times kTimes[] = {
    {0.06, 0.01, 0.06, 0.01},    {0.06, 0.00, 0.06, 0.00},        {0.17, 0.01, 59.46, 41.92},
    {0.17, 0.00, 67.96, 46.87},  {11.22, 9.50, 207.66, 143.61},   {0.12, 0.01, 0.12, 0.00},
    {0.39, 0.01, 0.12, 0.00},    {0.23, 0.00, 0.24, 0.01},        {0.23, 0.01, 0.24, 0.00},
    {1.51, 0.01, 162.00, 52.99}, {54.79, 21.00, 978.35, 1105.81},
};

using Places = std::map<std::string, std::string>;

const Places kStart = {{"left_block", "left_spot"},
                       {"right_block", "right_spot"},
                       {"rear_block_left", "rear_spot_left"},
                       {"rear_block_right", "rear_spot_right"}};

const std::vector<Places>& goals() {
  static const std::vector<Places> all = {
      {{"left_block", "left_hole"}},
      {{"right_block", "right_hole"}},
      {{"rear_block_left", "left_hole"}},
      {{"rear_block_right", "right_hole"}},
      {{"rear_block_left", "right_hole"}},
      {{"left_block", "right_hole"}},
      {{"right_block", "left_hole"}},
      {{"left_block", "left_hole"}, {"right_block", "right_hole"}},
      {{"left_block", "right_hole"}, {"right_block", "left_hole"}},
      {{"rear_block_left", "rear_hole"}, {"left_block", "left_hole"}},
      {{"rear_block_left", "left_hole"}, {"rear_block_right", "right_hole"}},
  };
  return all;
}

}  // namespace

TaskSet make_dexterity(bool board) {
  TaskSet set;
  set.name = board ? "dexterity-board" : "dexterity";
  set.caption = board ? "Blocks over holes, the way to the rear cube half covered by a board"
                      : "Blocks over holes of cubes around a seven-joint arm";
  set.world = make_world(board);
  set.domain = make_domain(7);
  for (std::size_t i = 0; i < goals().size(); ++i) {
    const Times& times = kTimes[i];
    const Layout layout{fmt::format("{:02}", i + 1), kStart, goals()[i],
                        board ? times.with : times.without,
                        board ? times.with_deviation : times.without_deviation};
    set.problems.push_back(make_problem(set.world, layout, {"slant", "top"}));
  }
  return set;
}

}  // namespace proven::manipulation
