#include "proven/roadmap/planner.h"

#include <numbers>

#include "proven/certify/check.h"
#include "proven/geometry/body_geometry.h"
#include "proven/verify/verify.h"
#include "robots.h"

namespace proven::roadmap {
namespace {

struct Prepared {
  std::string name;
  SceneSource source;
  Scene scene;
  Model model;
};

Prepared make_setup(const std::string& name, SceneSource source, int nodes, double cell,
                    bool planar) {
  source.obstacles.clear();
  Prepared setup{name, source, build_scene(source).value(), {}};
  BuildOptions options;
  options.nodes = nodes;
  options.neighbours = 6;
  options.cell = cell;
  options.planar = planar;
  setup.model = build(setup.scene, {}, setup.scene.home(), options).value();
  return setup;
}

std::vector<Prepared> setups(int nodes) {
  std::vector<Prepared> all;
  all.push_back(make_setup("planar 2", scenes::make_planar_arm(2), nodes, 0.05, true));
  all.push_back(make_setup("planar 5", scenes::make_planar_arm(5), nodes, 0.05, true));
  all.push_back(make_setup("spatial 3", scenes::make_spatial_arm(3), nodes, 0.1, false));
  all.push_back(make_setup("spatial 6", scenes::make_spatial_arm(6), nodes, 0.1, false));
  all.push_back(make_setup("gantry", make_scene("gantry").value(), nodes, 0.2, false));
  return all;
}

// Boxes, balls and rods at random places of the grid.
SceneSource with_obstacles(const Prepared& setup, Random& random, CellMask& mask) {
  SceneSource source = setup.source;
  const Grid& grid = setup.model.grid;
  const int count = 1 + random.index(4);
  for (int k = 0; k < count; ++k) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
      p[axis] = grid.origin[axis] +
                random.uniform() * grid.cell[axis] * grid.count[static_cast<std::size_t>(axis)];
    if (grid.planar()) p.z = grid.origin.z + 0.5 * grid.cell.z;
    const double size = random.uniform(0.02, 0.15);
    Shape shape = Box{{size, random.uniform(0.02, 0.15), random.uniform(0.02, 0.15)}};
    if (k % 3 == 1) shape = Sphere{size};
    if (k % 3 == 2) shape = Cylinder{0.5 * size, 2 * size};
    ObstacleSource obstacle{
        "obstacle_" + std::to_string(k), {{shape, {}, {}}}, {random.rotation(), p}};
    EXPECT_TRUE(mark_obstacle(grid, obstacle.elements, obstacle.X_WB, mask).ok());
    source.obstacles.push_back(std::move(obstacle));
  }
  return source;
}

Path edge_path(const JointGraph& graph, int edge) {
  const auto [from, to] = graph.motion(graph.edges[static_cast<std::size_t>(edge)]);
  return {{from, to}, {}, {}};
}

// No edge that is left enabled is refuted by check; blocked ones often are.
TEST(Planner, EnabledEdgesAreFreeOfTheTrueObstacles) {
  for (const Prepared& setup : setups(test::cases(250))) {
    Planner planner = Planner::create(setup.model, setup.scene).value();
    Random random(1);
    Scratch scratch;
    int enabled = 0, refuted = 0, blocked = 0, truly_blocked = 0;
    for (int k = 0; k < test::cases(60); ++k) {
      CellMask mask(setup.model.grid);
      const SceneSource source = with_obstacles(setup, random, mask);
      const Scene truth = build_scene(source).value();
      planner.set_occupied(mask);
      for (int i = 0; i < 40; ++i) {
        const int edge = random.index(setup.model.graph.num_edges());
        const bool closed = planner.blocked_edges().contains(static_cast<std::uint32_t>(edge));
        const auto verdict =
            check(truth, edge_path(setup.model.graph, edge), {}, scratch).value().verdict;
        (closed ? blocked : enabled)++;
        refuted += !closed && verdict != Verdict::free;
        truly_blocked += closed && verdict == Verdict::collision;
      }
    }
    EXPECT_EQ(refuted, 0) << setup.name;
    EXPECT_GT(enabled, test::cases(100)) << setup.name;
    EXPECT_GT(blocked, test::cases(50)) << setup.name;
    EXPECT_GT(5 * truly_blocked, blocked) << setup.name;
  }
}

// The goal is where it is written, some turns away too; any turn is nearer.
TEST(Planner, ContinuousJointsEndAsWritten) {
  SceneSource source = scenes::make_planar_arm(2);
  for (RobotJoint& joint : source.robots[0].robot.joints)
    if (joint.type == JointType::revolute) joint.type = JointType::continuous, joint.limits = {};
  const Prepared setup = make_setup("turning", source, test::cases(250), 0.05, true);
  Planner planner = Planner::create(setup.model, setup.scene).value();
  Random random(5);
  int solved = 0, turned = 0, unwritten = 0;
  for (int k = 0; k < test::cases(60); ++k) {
    CellMask mask(setup.model.grid);
    const SceneSource among = with_obstacles(setup, random, mask);
    const Scene truth = build_scene(among).value();
    planner.set_occupied(mask);
    const auto start = random_configuration(setup.scene.tree(), random);
    auto goal = random_configuration(setup.scene.tree(), random);
    for (double& value : goal) value += (random.index(3) - 1) * 2 * std::numbers::pi;
    QueryOptions options;
    const QueryResult result = planner.plan(start, goal, &truth, options).value();
    options.any_turn = true;
    const QueryResult any = planner.plan(start, goal, &truth, options).value();
    if (any.status == QueryStatus::solved) {
      const auto& last = any.path.waypoints.back();
      for (std::size_t i = 0; i < goal.size(); ++i) {
        const double turns = (goal[i] - last[i]) / (2 * std::numbers::pi);
        ASSERT_NEAR(turns, std::round(turns), 1e-9);
      }
      turned += last != goal;
      unwritten += result.status != QueryStatus::solved;
    }
    if (result.status != QueryStatus::solved) continue;
    ++solved;
    ASSERT_EQ(result.path.waypoints.front(), start);
    ASSERT_EQ(result.path.waypoints.back(), goal);
    Scratch scratch;
    ASSERT_EQ(check(truth, result.path, {}, scratch).value().verdict, Verdict::free);
  }
  EXPECT_GT(solved, test::cases(60) / 4);
  EXPECT_GT(turned, test::cases(60) / 8);
  EXPECT_LT(unwritten, solved);
}

// Paths are proved by check among the true obstacles, and the verifier accepts the certificates.
TEST(Planner, PathsCarryCertificatesThatVerify) {
  int solved = 0, none = 0;
  for (const Prepared& setup : setups(test::cases(250))) {
    Planner planner = Planner::create(setup.model, setup.scene).value();
    Random random(2);
    Scratch scratch;
    const JointGraph& graph = setup.model.graph;
    for (int k = 0; k < test::cases(25); ++k) {
      CellMask mask(setup.model.grid);
      const SceneSource source = with_obstacles(setup, random, mask);
      const Scene truth = build_scene(source).value();
      planner.set_occupied(mask);
      const auto random_end = [&] { return random_configuration(setup.scene.tree(), random); };
      auto start = random_end(), goal = random_end();
      for (std::size_t j = 0; j < graph.planned.size(); ++j)
        for (auto* q : {&start, &goal}) {
          double& v = (*q)[static_cast<std::size_t>(graph.planned[j])];
          v = std::clamp(v, graph.ranges[j].lower, graph.ranges[j].upper);
        }
      const auto result = planner.plan(start, goal, &truth, {});
      ASSERT_TRUE(result.ok()) << result.error().text();
      if (result.value().status != QueryStatus::solved) {
        EXPECT_FALSE(result.value().reason.empty());
        ++none;
        continue;
      }
      ++solved;
      const Path& path = result.value().path;
      EXPECT_EQ(path.waypoints.front(), start);
      CheckOptions options;
      options.certificate = true;
      const auto proof = check(truth, path, options, scratch).value();
      EXPECT_EQ(proof.verdict, Verdict::free) << setup.name;
      const auto report = verify(source, path, proof.certificate);
      EXPECT_TRUE(report.accepted) << setup.name << ": " << report.reason;
    }
  }
  EXPECT_GT(solved, test::cases(40));
  EXPECT_GT(none, test::cases(5));
}

// A wall with a slit that is narrower than a cell: the cells close it, the true scene does not.
TEST(Planner, WinsBackWhatOnlyCellsBlock) {
  const Prepared setup = make_setup("planar 2", scenes::make_planar_arm(2), 400, 0.1, true);
  Planner planner = Planner::create(setup.model, setup.scene).value();
  SceneSource source = setup.source;
  CellMask mask(setup.model.grid);
  // Posts so thin that whole cells around them are lost.
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.785 * k + 0.3;
    source.obstacles.push_back(
        {"post_" + std::to_string(k),
         {{Cylinder{0.004, 1}, {}, {}}},
         Pose::translation({1.0 * std::cos(angle), 1.0 * std::sin(angle), 0})});
    ASSERT_TRUE(mark_obstacle(setup.model.grid, source.obstacles.back().elements,
                              source.obstacles.back().X_WB, mask)
                    .ok());
  }
  const Scene truth = build_scene(source).value();
  planner.set_occupied(mask);
  int more = 0, fewer = 0;
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    const std::vector<double> start = {random.uniform(-3, 3), random.uniform(-2, 2)};
    const std::vector<double> goal = {random.uniform(-3, 3), random.uniform(-2, 2)};
    QueryOptions without;
    without.win_back = 0;
    const bool by_cells =
        planner.plan(start, goal, &truth, without).value().status == QueryStatus::solved;
    const auto with = planner.plan(start, goal, &truth, {}).value();
    const bool by_truth = with.status == QueryStatus::solved;
    fewer += by_cells && !by_truth;
    more += by_truth && !by_cells;
    if (!by_truth) continue;
    Scratch scratch;
    EXPECT_EQ(check(truth, with.path, {}, scratch).value().verdict, Verdict::free);
  }
  EXPECT_EQ(fewer, 0);
  EXPECT_GT(more, 0);
}

// What was learnt of edges in one scene, or for what is required there, says nothing of another.
TEST(Planner, WhatIsKnownOfOneSceneIsNotOfAnother) {
  const Prepared setup = make_setup("planar 2", scenes::make_planar_arm(2), 400, 0.1, true);
  Planner planner = Planner::create(setup.model, setup.scene).value();
  // Every cell is occupied: the true scene decides everything.
  CellMask mask(setup.model.grid);
  mask.set_run(0, setup.model.grid.num_cells() - 1);
  planner.set_occupied(mask);
  const auto with_posts = [&](std::span<const Vec3> places) {
    SceneSource source = setup.source;
    for (const Vec3& p : places)
      source.obstacles.push_back({"post_" + std::to_string(source.obstacles.size()),
                                  {{Cylinder{0.02, 1}, {}, {}}},
                                  Pose::translation(p)});
    return build_scene(source).value();
  };
  std::vector<Vec3> posts;
  for (int k = 0; k < 6; ++k)
    posts.push_back({std::cos(1.047 * k + 0.3), std::sin(1.047 * k + 0.3), 0});
  const Scene fewer = with_posts(posts);
  Random random(3);
  Scratch scratch;
  const auto free = [&](const Scene& truth, const QueryResult& found, double clearance) {
    CheckOptions check;
    check.clearance = clearance;
    return CheckModel::build(truth, check).value().check(found.path, scratch).value().verdict ==
           Verdict::free;
  };
  QueryOptions wide;
  wide.check.clearance = 0.02;
  int won_back = 0, among = 0, wider = 0;
  for (int k = 0; k < 60; ++k) {
    const std::vector<double> start = {random.uniform(-3, 3), random.uniform(-2, 2)};
    const std::vector<double> goal = {random.uniform(-3, 3), random.uniform(-2, 2)};
    const auto before = planner.plan(start, goal, &fewer, {}).value();
    if (before.status != QueryStatus::solved || before.won_back == 0) continue;
    ++won_back;
    EXPECT_TRUE(free(fewer, before, 0)) << k;
    const auto far = planner.plan(start, goal, &fewer, wide).value();
    if (far.status == QueryStatus::solved) {
      ++wider;
      EXPECT_TRUE(free(fewer, far, 0.02)) << k;
    }
    // A post where the last link is in the middle of the way.
    std::vector<Vec3> more = posts;
    const auto& ways = before.path.waypoints;
    const std::size_t middle = ways.size() / 2;
    std::vector<double> q = ways[middle];
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = 0.5 * (q[i] + ways[middle - 1][i]);
    const int last = static_cast<int>(setup.scene.bodies().size()) - 1;
    more.push_back(setup.scene.body_pose(last, q) *
                   setup.scene.body(last).geometry->bounding_sphere().centre);
    const Scene truth = with_posts(more);
    ASSERT_FALSE(free(truth, before, 0)) << k;
    (void)planner.plan(start, goal, &fewer, {});
    const auto after = planner.plan(start, goal, &truth, {}).value();
    if (after.status != QueryStatus::solved) continue;
    ++among;
    EXPECT_TRUE(free(truth, after, 0)) << k;
  }
  EXPECT_GT(won_back, 5);
  EXPECT_GT(among, 2);
  EXPECT_GT(wider, 2);
  // Cells alone keep what the scene requires: more is not promised in silence.
  const std::vector<double> q = {0, 0};
  EXPECT_FALSE(planner.plan(q, q, nullptr, wide).ok());
}

TEST(Planner, RefusesAnotherScene) {
  const Prepared setup = make_setup("planar 2", scenes::make_planar_arm(2), 30, 0.2, true);
  const Scene other = build_scene(scenes::make_planar_arm(3)).value();
  EXPECT_FALSE(Planner::create(setup.model, other).ok());
  Planner planner = Planner::create(setup.model, setup.scene).value();
  const std::vector<double> q = {0, 0}, far = {0, 9}, wrong = {0};
  EXPECT_FALSE(planner.plan(wrong, q, nullptr, {}).ok());
  EXPECT_EQ(planner.plan(q, far, nullptr, {}).value().status, QueryStatus::goal_invalid);
}

// A box of any size: a grid of more cells than there may be is refused, not wrapped around.
TEST(Grid, OfTooManyCellsIsRefused) {
  for (const double size : {1e3, 1e9, 1e18, 1e300})
    for (const double cell : {1e-3, 1e-9, 1e-300}) {
      const Grid grid = cover_box({{-size, -size, -size}, {size, size, size}}, {cell, cell, cell});
      for (const int n : grid.count) EXPECT_GT(n, 0) << size << " by " << cell;
      EXPECT_FALSE(validate(grid).ok()) << size << " by " << cell;
    }
  EXPECT_EQ(cover_box({{0, 0, 0}, {0, 0, 0}}, {1, 1, 1}).num_cells(), 1);
}

// Conservative voxels: no sampled point of an obstacle lies in a cell that is not marked.
TEST(Voxelise, EveryPointLiesInAMarkedCell) {
  const Grid grid = cover_box({{-1, -1, -1}, {1, 1, 1}}, {0.07, 0.07, 0.07});
  Random random(4);
  auto cube = std::make_shared<TriangleMesh>();
  for (int k = 0; k < 8; ++k)
    cube->vertices.push_back({k & 1 ? 0.3 : -0.3, k & 2 ? 0.3 : -0.3, k & 4 ? 0.3 : -0.3});
  cube->triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  const Shape shapes[] = {Box{{0.3, 0.3, 0.3}}, Sphere{0.3}, Cylinder{0.2, 0.3}, Capsule{0.1, 0.3},
                          std::shared_ptr<const TriangleMesh>(cube)};
  for (const Shape& shape : shapes) {
    std::int64_t marked = 0;
    for (int k = 0; k < test::cases(30); ++k) {
      const Pose X{random.rotation(), {random.uniform(-1, 1), random.uniform(-1, 1), 0}};
      CellMask mask(grid);
      const CollisionElement element{shape, {}, {}};
      ASSERT_TRUE(mark_obstacle(grid, {&element, 1}, X, mask).ok());
      marked += static_cast<std::int64_t>(mask.cells().size());
      const auto body = BodyGeometry::build({element}).value();
      for (int i = 0; i < 2000; ++i) {
        const Vec3 p{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                     random.uniform(-0.5, 0.5)};
        if (!body->contains(p)) continue;
        const Vec3 w = X * p;
        int place[3];
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
          place[axis] =
              static_cast<int>(std::floor((w[axis] - grid.origin[axis]) / grid.cell[axis]));
          inside &= place[axis] >= 0 && place[axis] < grid.count[static_cast<std::size_t>(axis)];
        }
        const int cell = inside ? grid.index(place[0], place[1], place[2]) : grid.outside();
        ASSERT_TRUE(mask.test(cell));
      }
    }
    EXPECT_LT(marked, test::cases(30) * grid.num_cells() / 8);
  }
}

double distance_to(const Aabb& box, const Vec3& p) {
  Vec3 away;
  for (int axis = 0; axis < 3; ++axis)
    away[axis] = std::max({0.0, box.lo[axis] - p[axis], p[axis] - box.hi[axis]});
  return norm(away);
}

// A cloud marks what a sphere around each of its points marks by the general way, to the cell; no
// other cell is touched.
TEST(Voxelise, CloudsGoStraightIntoCells) {
  int outside = 0, within = 0;
  for (int k = 0; k < test::cases(60); ++k) {
    Random random(400 + static_cast<std::uint64_t>(k));
    const bool planar = k % 4 == 0;
    const Vec3 cell = {random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), planar ? 2 : 0.1};
    const Grid grid = cover_box({{-1, -0.8, -0.5}, {1, 0.7, planar ? -0.4 : 0.5}}, cell);
    auto cloud = std::make_shared<PointCloud>();
    cloud->radius = k % 3 == 0 ? 1e-6 : random.uniform(0.001, 0.3);
    std::vector<CollisionElement> spheres;
    const double reach = k % 2 == 0 ? 0.25 : 1.5;
    for (int i = 0; i < 40; ++i) {
      Vec3 p{random.uniform(-reach, reach), random.uniform(-reach, reach),
             random.uniform(-reach, reach)};
      // On a border of cells, where rounding decides.
      if (i % 5 == 0) p.x = grid.origin.x + grid.cell.x * random.index(grid.count[0]);
      cloud->points.push_back(p);
      spheres.push_back({Sphere{cloud->radius}, Pose::translation(p), {}});
    }
    const Pose X = k % 5 == 0 ? Pose{} : Pose{random.rotation(), 0.1 * random.unit_vector()};
    const CollisionElement element{std::shared_ptr<const PointCloud>(cloud), {}, {}};
    CellMask straight(grid), general(grid);
    ASSERT_TRUE(mark_obstacle(grid, {&element, 1}, X, straight).ok());
    ASSERT_TRUE(mark_obstacle(grid, spheres, X, general).ok());
    EXPECT_EQ(straight, general) << k;
    (straight.test(grid.outside()) ? outside : within) += 1;
    for (int c = 0; c < grid.num_cells(); ++c) {
      if (straight.test(c)) continue;
      for (const Vec3& p : cloud->points) ASSERT_GT(distance_to(grid.box(c), X * p), cloud->radius);
    }
  }
  EXPECT_GT(outside, 0);
  EXPECT_GT(within, 0);
}

// What is no number lies nowhere: not in a cell that a robot might be told to be free of.
TEST(Voxelise, PointsThatAreNoNumbersAreOutside) {
  const Grid grid = cover_box({{-1, -1, -1}, {1, 1, 1}}, {0.1, 0.1, 0.1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vec3& p : {Vec3{nan, 0, 0}, Vec3{0, 0, nan}, Vec3{nan, nan, nan}, Vec3{1e300, 0, 0}}) {
    CellMask mask(grid);
    mark_points(grid, {&p, 1}, 0.01, mask);
    EXPECT_EQ(mask.cells(), std::vector<std::uint32_t>{static_cast<std::uint32_t>(grid.outside())});
  }
}

}  // namespace
}  // namespace proven::roadmap
