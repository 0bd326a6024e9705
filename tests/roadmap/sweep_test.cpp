#include "roadmap/sweep.h"

#include "any_values.h"
#include "proven/certify/check.h"
#include "proven/geometry/pieces.h"
#include "proven/kinematics/poses.h"
#include "robots.h"

namespace proven::roadmap {
namespace {

// A random point of a shape, on its surface or inside, in the body's frame.
Vec3 point_of(const CollisionElement& element, Random& random) {
  const auto sign = [&] { return random.index(2) == 0 ? -1.0 : 1.0; };
  Vec3 p;
  if (const auto* box = std::get_if<Box>(&element.shape)) {
    p = {random.uniform(-1, 1) * box->half_extents.x, random.uniform(-1, 1) * box->half_extents.y,
         random.uniform(-1, 1) * box->half_extents.z};
    const int face = random.index(4);  // corners and faces are where it counts
    for (int axis = 0; axis < 3; ++axis)
      if (face == 3 || face == axis) p[axis] = sign() * box->half_extents[axis];
  } else if (const auto* sphere = std::get_if<Sphere>(&element.shape)) {
    p = sphere->radius * random.unit_vector();
  } else if (const auto* cylinder = std::get_if<Cylinder>(&element.shape)) {
    const double angle = random.uniform(0, 7);
    p = {cylinder->radius * std::cos(angle), cylinder->radius * std::sin(angle),
         sign() * cylinder->half_length};
  } else if (const auto* capsule = std::get_if<Capsule>(&element.shape)) {
    p = capsule->radius * random.unit_vector();
    p.z += random.uniform(-1, 1) * capsule->half_length;
  } else if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&element.shape)) {
    p = (*hull)->points[static_cast<std::size_t>(
        random.index(static_cast<int>((*hull)->points.size())))];
  } else {
    const TriangleMesh& mesh = **std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape);
    const auto& t = mesh.triangles[static_cast<std::size_t>(
        random.index(static_cast<int>(mesh.triangles.size())))];
    const double u = random.uniform(), v = random.uniform(0, 1 - u);
    p = u * mesh.vertices[t[0]] + v * mesh.vertices[t[1]] + (1 - u - v) * mesh.vertices[t[2]];
  }
  return element.X_BS * p;
}

int cell_at(const Grid& grid, const Vec3& p) {
  int place[3];
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] = static_cast<int>(std::floor((p[axis] - grid.origin[axis]) / grid.cell[axis]));
    if (place[axis] < 0 || place[axis] >= grid.count[static_cast<std::size_t>(axis)])
      return grid.outside();
  }
  return grid.index(place[0], place[1], place[2]);
}

// Points of the robot at random moments must lie in marked cells.
TEST(Sweep, EveryPointOfTheRobotLiesInAMarkedCell) {
  for (const auto& robot : test::all_robots()) {
    const Sweeper sweeper = Sweeper::build(robot.scene, robot.grid).value();
    Sweeper::Scratch scratch;
    Random random(7);
    LinkPoses poses;
    std::int64_t points = 0, misses = 0, marked = 0, cells = 0;
    for (int k = 0; k < test::cases(60); ++k) {
      const auto motion = test::random_motion(robot.scene, random, k % 3 == 0 ? 2.5 : 0.6);
      CellMask mask(robot.grid);
      sweeper.mark(motion[0], motion[1], scratch, mask);
      marked += static_cast<std::int64_t>(mask.cells().size());
      cells += robot.grid.num_cells();
      std::vector<double> q(motion[0].size());
      for (int i = 0; i < 100; ++i) {
        const double t = i < 2 ? i : random.uniform();
        interpolate(robot.scene.tree(), motion[0], motion[1], t, q);
        compute_poses(robot.scene.tree(), q, poses);
        for (const Body& body : robot.scene.bodies()) {
          if (robot.scene.tree().rigid_root(body.link) == 0) continue;
          for (const CollisionElement& element : body.geometry->elements()) {
            const Vec3 p = poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB *
                           point_of(element, random);
            ++points;
            misses += !mask.test(cell_at(robot.grid, p));
          }
        }
      }
    }
    EXPECT_EQ(misses, 0) << robot.name << " of " << points;
    EXPECT_GT(points, 100) << robot.name;
    // A sweep that marks everything would pass, too.
    EXPECT_LT(marked, cells / 3) << robot.name;
  }
}

// A box that can be put anywhere, as a robot of three sliding joints beside the arm.
SceneSource with_probe(SceneSource source, const Vec3& half) {
  Robot probe;
  probe.name = "probe";
  probe.links.resize(4);
  const char* names[4] = {"origin", "x", "y", "box"};
  for (std::size_t k = 0; k < 4; ++k) probe.links[k].name = names[k];
  probe.links[3].collision = {{Box{half}, {}, {}}};
  for (std::size_t k = 0; k < 3; ++k) {
    RobotJoint joint;
    joint.name = names[k + 1];
    joint.type = JointType::prismatic;
    joint.parent_link = names[k];
    joint.child_link = names[k + 1];
    joint.axis = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    joint.limits.lower = -10;
    joint.limits.upper = 10;
    probe.joints.push_back(joint);
  }
  source.robots.push_back({"probe", probe, {}});
  // Only the probe and what moves matters.
  if (!source.robots[0].robot.links[0].collision.empty())
    source.exclusions.push_back(
        {source.robots[0].name + "/" + source.robots[0].robot.links[0].name, "probe/box", "still"});
  const auto& links = source.robots[0].robot.links;
  for (const RobotLink& a : links)
    for (const RobotLink& b : links)
      if (a.name < b.name && !a.collision.empty() && !b.collision.empty())
        source.exclusions.push_back({source.robots[0].name + "/" + a.name,
                                     source.robots[0].name + "/" + b.name, "not asked"});
  return source;
}

// What is left out is proved by the directional checker, too; what is marked is often touched.
TEST(Sweep, CellsLeftOutAreProvedFreeByTheChecker) {
  int left_out = 0, proved = 0, marked = 0, touched = 0;
  for (const auto& robot : test::all_robots()) {
    if (robot.name == "lever") continue;  // its links are excluded from each other already
    const Sweeper sweeper = Sweeper::build(robot.scene, robot.grid).value();
    Sweeper::Scratch scratch;
    const Scene probed = build_scene(with_probe(robot.source, 0.5 * robot.grid.cell)).value();
    proven::Scratch check_scratch;
    Random random(11);
    for (int k = 0; k < test::cases(30); ++k) {
      const auto motion = test::random_motion(robot.scene, random, 0.8);
      CellMask mask(robot.grid);
      sweeper.mark(motion[0], motion[1], scratch, mask);
      const auto cells = mask.cells();
      if (cells.empty()) continue;
      for (int i = 0; i < 6; ++i) {
        // A cell, or the one beside it: near the surface, where mistakes would be.
        int cell = static_cast<int>(
            cells[static_cast<std::size_t>(random.index(static_cast<int>(cells.size())))]);
        if (cell == robot.grid.outside()) continue;
        if (i % 2 == 0) cell = std::min(cell + 1, robot.grid.num_cells() - 1);
        const Aabb box = robot.grid.box(cell);
        const Vec3 c = 0.5 * (box.lo + box.hi);
        Path path;
        for (auto q : motion) {
          q.insert(q.end(), {c.x, c.y, c.z});
          path.waypoints.push_back(q);
        }
        const auto result = check(probed, path, test::any_values(), check_scratch).value();
        if (mask.test(cell)) {
          ++marked;
          touched += result.verdict == Verdict::collision;
        } else {
          ++left_out;
          proved += result.verdict == Verdict::free;
          EXPECT_NE(result.verdict, Verdict::collision) << robot.name;
        }
      }
    }
  }
  EXPECT_EQ(proved, left_out);
  EXPECT_GT(left_out, test::cases(50));
  EXPECT_GT(2 * touched, marked);  // most marked cells are really touched
}

TEST(Sweep, AvoidsIsTheSameQuestion) {
  const auto robots = test::all_robots();
  int yes = 0, no = 0;
  for (const auto& robot : robots) {
    const Sweeper sweeper = Sweeper::build(robot.scene, robot.grid).value();
    Sweeper::Scratch scratch;
    Random random(3);
    for (int k = 0; k < test::cases(40); ++k) {
      const auto motion = test::random_motion(robot.scene, random, 0.5);
      CellMask mask(robot.grid), others(robot.grid);
      sweeper.mark(motion[0], motion[1], scratch, mask);
      bool meets = false;
      for (int i = 0; i < 40; ++i) {
        const int cell = random.index(robot.grid.outside() + 1);
        others.set(cell);
        meets |= mask.test(cell);
      }
      EXPECT_EQ(sweeper.avoids(motion[0], motion[1], others, scratch), !meets) << robot.name;
      (meets ? no : yes)++;
    }
  }
  EXPECT_GT(yes, test::cases(20));
  EXPECT_GT(no, test::cases(20));
}

// Many turns from home, positions err by more than within the limits: the true place of a ball,
// whose joint follows another one, is within its bounds.
TEST(Sweep, HasRoomForRoundingOfManyTurns) {
  SceneSource source;
  Robot robot;
  const char* names[] = {"base", "leader", "arm"};
  for (const char* name : names) robot.links.emplace_back().name = name;
  robot.links[2].collision = {{Sphere{0.05}, Pose::translation({1, 0, 0}), ""}};
  for (int i = 1; i < 3; ++i) {
    RobotJoint& joint = robot.joints.emplace_back();
    joint.name = names[i], joint.type = JointType::continuous;
    joint.parent_link = "base", joint.child_link = names[i];
    joint.axis = {0, 0, 1};
  }
  robot.joints[1].mimic = Mimic{"leader", 0.7, 0};
  source.robots.push_back({"r", robot, Pose{}});
  const Scene scene = build_scene(source).value();
  Grid grid;
  grid.cell = {0.01, 0.01, 0.01};
  SweepOptions options;
  options.remainder = 1e-14;
  const Sweeper sweeper = Sweeper::build(scene, grid, options).value();
  Sweeper::Scratch scratch;
  Random random(1);
  for (const double far : {1.0, 1e3, 1e6, 1e9})
    for (int i = 0; i < test::cases(100); ++i) {
      const double q[1] = {random.uniform(-far, far)};
      const Aabb box = sweeper.bounds(q, q, scratch);
      const long double angle = static_cast<long double>(0.7) * q[0];
      const long double place[2] = {std::cos(angle), std::sin(angle)};
      for (int axis = 0; axis < 2; ++axis) {
        EXPECT_LE(static_cast<long double>(box.lo[axis]), place[axis] - 0.05L) << q[0];
        EXPECT_GE(static_cast<long double>(box.hi[axis]), place[axis] + 0.05L) << q[0];
      }
    }
}

TEST(Sweep, RefusesCellsThatAreTooSmall) {
  auto robots = test::all_robots();
  Grid grid = robots[0].grid;
  grid.cell = {1e-9, 1e-9, 1e-9};
  EXPECT_FALSE(Sweeper::build(robots[0].scene, grid).ok());
}

// The clearance of the scene is kept to cells, too.
TEST(Sweep, KeepsTheClearance) {
  SceneSource source = scenes::make_planar_arm(1);
  const Scene plain = build_scene(source).value();
  source.clearance = 0.1;
  const Scene wide = build_scene(source).value();
  const Grid grid = cover_box({{-1.5, -1.5, -0.5}, {1.5, 1.5, 0.5}}, {0.05, 0.05, 1});
  const std::vector<double> q = {0.0};
  for (const Scene* scene : {&plain, &wide}) {
    const Sweeper sweeper = Sweeper::build(*scene, grid).value();
    Sweeper::Scratch scratch;
    CellMask mask(grid);
    sweeper.mark(q, q, scratch, mask);
    EXPECT_TRUE(mask.test(cell_at(grid, {0.5, 0, 0})));
    EXPECT_EQ(mask.test(cell_at(grid, {0.5, 0.1, 0})), scene == &wide);
    EXPECT_FALSE(mask.test(cell_at(grid, {0.5, 0.25, 0})));
  }
}

}  // namespace
}  // namespace proven::roadmap
