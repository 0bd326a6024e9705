// What must not change a verdict: the unit of length, the place of the scene, its mirror image, the
// order of its parts, the direction of the path, and more waypoints on it (certificates.md,
// section 4). Never `free` on one side and `collision` on the other; `free` and `undecided` only
// where bodies come within clearance + resolution, to rounding.
#include <cstdio>
#include <functional>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven {
namespace {

using Waypoints = std::vector<std::vector<double>>;

// One problem: a scene, a path in it, and how to check it.
struct Problem {
  SceneSource source;
  Waypoints path;
  CheckOptions options = test::any_values();
};

// Applies to every part of a scene.
void for_each_elements(SceneSource& source,
                       const std::function<void(std::vector<CollisionElement>&)>& change) {
  for (RobotSource& r : source.robots)
    for (RobotLink& link : r.robot.links) {
      link.geometry = nullptr;
      change(link.collision);
    }
  for (ObstacleSource& o : source.obstacles) change(o.elements);
}

void for_each_pose(SceneSource& source, const std::function<void(Pose&)>& change) {
  for (RobotSource& r : source.robots) {
    change(r.X_WR);
    for (RobotJoint& joint : r.robot.joints) change(joint.X_PJ);
  }
  for (ObstacleSource& o : source.obstacles) change(o.X_WB);
  for_each_elements(source, [&](std::vector<CollisionElement>& elements) {
    for (CollisionElement& e : elements) change(e.X_BS);
  });
}

// Points are mapped by `map`, lengths by `factor`; `flip` turns triangles over.
struct ShapeMap {
  std::function<Vec3(const Vec3&)> map;
  double factor = 1;
  bool flip = false;

  Shape operator()(const Box& s) const { return Box{factor * s.half_extents}; }
  Shape operator()(const Sphere& s) const { return Sphere{factor * s.radius}; }
  Shape operator()(const Cylinder& s) const {
    return Cylinder{factor * s.radius, factor * s.half_length};
  }
  Shape operator()(const Capsule& s) const {
    return Capsule{factor * s.radius, factor * s.half_length};
  }
  Shape operator()(const std::shared_ptr<const ConvexHull>& s) const {
    ConvexHull hull = *s;
    for (Vec3& p : hull.points) p = map(p);
    return std::make_shared<const ConvexHull>(std::move(hull));
  }
  Shape operator()(const std::shared_ptr<const TriangleMesh>& s) const {
    TriangleMesh mesh = *s;
    for (Vec3& p : mesh.vertices) p = map(p);
    if (flip)
      for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    return std::make_shared<const TriangleMesh>(std::move(mesh));
  }
  Shape operator()(const std::shared_ptr<const PointCloud>& s) const {
    PointCloud cloud = *s;
    for (Vec3& p : cloud.points) p = map(p);
    cloud.radius *= factor;
    return std::make_shared<const PointCloud>(std::move(cloud));
  }
  Shape operator()(const std::shared_ptr<const VoxelSet>& s) const {
    VoxelSet voxels = *s;
    voxels.size *= factor;
    for (auto& cell : voxels.cells) {
      const Vec3 middle = map(s->size * Vec3{cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5});
      for (int i = 0; i < 3; ++i)
        cell[static_cast<std::size_t>(i)] =
            static_cast<std::int32_t>(std::floor(middle[i] / voxels.size));
    }
    return std::make_shared<const VoxelSet>(std::move(voxels));
  }
};

void map_shapes(SceneSource& source, const ShapeMap& map) {
  for_each_elements(source, [&](std::vector<CollisionElement>& elements) {
    for (CollisionElement& e : elements) e.shape = std::visit(map, e.shape);
  });
}

// Which coordinates are lengths: all that are neither angles nor parts of quaternions.
bool is_length(const Coordinate& c) {
  return !c.rotary && !c.quaternion;
}

Problem scaled(Problem p, double factor) {
  const Scene before = test::build(p.source);
  for_each_pose(p.source, [&](Pose& X) { X.p *= factor; });
  map_shapes(p.source, {[&](const Vec3& v) { return factor * v; }, factor, false});
  for (RobotSource& r : p.source.robots)
    for (RobotJoint& joint : r.robot.joints)
      if (joint.type == JointType::prismatic)
        joint.limits.lower *= factor, joint.limits.upper *= factor;
  p.source.clearance *= factor;
  for (ClearanceSource& c : p.source.clearances) c.clearance *= factor;
  p.options.clearance *= factor;
  p.options.resolution *= factor;
  for (std::vector<double>& q : p.path)
    for (std::size_t i = 0; i < q.size(); ++i)
      if (is_length(before.tree().coordinates()[i])) q[i] *= factor;
  return p;
}

Problem moved(Problem p, const Pose& X) {
  for (RobotSource& r : p.source.robots) r.X_WR = X * r.X_WR;
  for (ObstacleSource& o : p.source.obstacles) o.X_WB = X * o.X_WB;
  return p;
}

Vec3 mirror(const Vec3& v) {
  return {-v.x, v.y, v.z};
}

// At the plane x = 0. A turn by θ about a becomes a turn by θ about -mirror(a).
Problem mirrored(Problem p) {
  const Scene before = test::build(p.source);
  for_each_pose(p.source, [](Pose& X) {
    X.p = mirror(X.p);
    X.R = Mat3::from_columns(-mirror(X.R.column(0)), mirror(X.R.column(1)), mirror(X.R.column(2)));
  });
  map_shapes(p.source, {mirror, 1, true});
  for (RobotSource& r : p.source.robots)
    for (RobotJoint& joint : r.robot.joints)
      joint.axis = joint.type == JointType::prismatic ? mirror(joint.axis) : -mirror(joint.axis);
  for (std::vector<double>& q : p.path)
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string& name = before.tree().coordinates()[i].name;
      if (name.ends_with(".x") || name.ends_with(".qy") || name.ends_with(".qz")) q[i] = -q[i];
    }
  return p;
}

Problem reordered(Problem p) {
  std::reverse(p.source.obstacles.begin(), p.source.obstacles.end());
  for (RobotSource& r : p.source.robots)
    for (RobotLink& link : r.robot.links)
      std::reverse(link.collision.begin(), link.collision.end());
  return p;
}

Problem split(Problem p) {
  const Scene scene = test::build(p.source);
  std::vector<double> middle(p.path[0].size());
  interpolate(scene.tree(), p.path[0], p.path[1], 0.5, middle);
  p.path = {p.path[0], middle, p.path[1]};
  return p;
}

Problem reversed(Problem p) {
  std::reverse(p.path.begin(), p.path.end());
  return p;
}

CheckResult solve(const Problem& p) {
  Scratch scratch;
  auto result = check(test::build(p.source), Path{p.path, {}, {}}, p.options, scratch);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : CheckResult{};
}

struct Counts {
  int same_free = 0, same_collision = 0, same_undecided = 0;
  int free_or_undecided = 0, collision_or_undecided = 0;

  void print(const char* name) const {
    std::printf("%s: free %d, collision %d, undecided %d; free/undecided %d, other %d\n", name,
                same_free, same_collision, same_undecided, free_or_undecided,
                collision_or_undecided);
  }
};

// An undecided verdict beside a free one stands where the gap is below clearance + resolution.
void expect_small_gap(const CheckResult& result, const CheckOptions& options) {
  ASSERT_TRUE(result.undecided.has_value());
  EXPECT_EQ(result.undecided->reason, UndecidedReason::gap_below_resolution);
  // Scenes of metres: 2^-39 of that, with the paths' and the distance code's own.
  constexpr double kRounding = 1e-9;
  EXPECT_LE(result.undecided->distance, options.clearance.world + options.resolution + kRounding);
}

void compare(const CheckResult& x, const CheckOptions& x_options, const CheckResult& y,
             const CheckOptions& y_options, Counts& counts) {
  if (x.verdict == y.verdict) {
    ++(x.verdict == Verdict::free        ? counts.same_free
       : x.verdict == Verdict::collision ? counts.same_collision
                                         : counts.same_undecided);
    return;
  }
  const bool one_undecided = x.verdict == Verdict::undecided || y.verdict == Verdict::undecided;
  EXPECT_TRUE(one_undecided) << to_string(x.verdict) << " became " << to_string(y.verdict);
  if (!one_undecided) return;
  const bool one_free = x.verdict == Verdict::free || y.verdict == Verdict::free;
  ++(one_free ? counts.free_or_undecided : counts.collision_or_undecided);
  if (!one_free) return;
  if (x.verdict == Verdict::undecided) expect_small_gap(x, x_options);
  if (y.verdict == Verdict::undecided) expect_small_gap(y, y_options);
}

// Problems of random scenes. Half of them ask for a clearance very near to what the path has, so
// that all three verdicts are common.
Problem random_problem(Random& random, int n, Checker checker) {
  static SceneSource source;
  static Scene scene;
  if (n % 10 == 0) {
    test::RandomSceneOptions options;
    options.links = 3 + random.index(3);
    options.floating = random.index(4) == 0;
    source = test::random_scene(random, options);
    scene = test::build(source);
  }
  Problem p{source, test::random_segment(scene.tree(), random, random.uniform(0.05, 0.6))};
  p.options.checker = checker;
  const double resolutions[] = {1e-6, 1e-4, 1e-3, 1e-2};
  p.options.resolution = resolutions[random.index(4)];
  if (random.index(2) == 0) return p;
  const double offset = std::pow(10, random.uniform(-12, -3)) * (random.index(2) == 0 ? 1 : -1);
  p.options.clearance =
      Clearances::everywhere(std::fmax(0, test::sampled_distance(scene, p.path, 16) + offset));
  return p;
}

class Metamorphic : public testing::TestWithParam<Checker> {
 protected:
  // Compares each problem with its changed form.
  void run(const char* name, int full_count,
           const std::function<Problem(const Problem&, Random&)>& change, bool exact = false) {
    Random random(2024);
    Counts counts;
    const int n = test::cases(full_count);
    for (int i = 0; i < n; ++i) {
      SCOPED_TRACE(i);
      const Problem p = random_problem(random, i, GetParam());
      const Problem other = change(p, random);
      const CheckResult x = solve(p), y = solve(other);
      compare(x, p.options, y, other.options, counts);
      if (exact) expect_equal(x, y);
    }
    counts.print(name);
    if (n < full_count) return;
    EXPECT_GT(counts.same_free, n / 10);
    EXPECT_GT(counts.same_collision, n / 10);
    EXPECT_GT(counts.same_undecided, n / 100);
    EXPECT_LE(counts.collision_or_undecided, n / 20);
  }

 private:
  static void expect_equal(const CheckResult& x, const CheckResult& y) {
    EXPECT_EQ(x.verdict, y.verdict);
    EXPECT_EQ(x.stats.cells, y.stats.cells);
    EXPECT_EQ(x.stats.box_tests, y.stats.box_tests);
    if (!x.collision || !y.collision) return;
    EXPECT_EQ(x.collision->t, y.collision->t);
    EXPECT_EQ(x.collision->bodies, y.collision->bodies);
  }
};
INSTANTIATE_TEST_SUITE_P(Property, Metamorphic,
                         testing::Values(Checker::directional, Checker::classic, Checker::refined),
                         [](const auto& i) { return std::string(to_string(i.param)); });

// Powers of two change no digit of any number.
TEST_P(Metamorphic, TheUnitOfLength) {
  run(
      "scaled", 300,
      [](const Problem& p, Random& random) {
        return scaled(p, std::ldexp(1.0, random.index(13) - 6));
      },
      true);
}

TEST_P(Metamorphic, ThePlaceOfTheScene) {
  run("moved", 400, [](const Problem& p, Random& random) {
    return moved(p, {random.rotation(), random.uniform(0, 3) * random.unit_vector()});
  });
}

TEST_P(Metamorphic, TheMirrorImage) {
  run("mirrored", 400, [](const Problem& p, Random&) { return mirrored(p); });
}

TEST_P(Metamorphic, TheOrderOfTheParts) {
  run("reordered", 400, [](const Problem& p, Random&) { return reordered(p); });
}

TEST_P(Metamorphic, AWaypointInTheMiddle) {
  run("split", 400, [](const Problem& p, Random&) { return split(p); });
}

TEST_P(Metamorphic, TheDirectionOfThePath) {
  run("reversed", 400, [](const Problem& p, Random&) { return reversed(p); });
}

// The built-in scenes: larger, with real meshes.
TEST_P(Metamorphic, BuiltInScenes) {
  for (const char* name : {"rod", "cage-a", "lattice-1", "gantry", "free-flyer", "lever"}) {
    SCOPED_TRACE(name);
    Problem p{make_scene(name).value(), {}, {}};
    p.options.checker = GetParam();
    p.options.resolution = 1e-5;
    const Scene scene = test::build(p.source);
    Random random(7);
    Counts counts;
    for (int i = test::cases(4); i > 0; --i) {
      p.path = test::random_segment(scene.tree(), random, 0.2);
      const CheckResult x = solve(p);
      for (const Problem& other :
           {reversed(p), split(p), reordered(p),
            moved(p, {random.rotation(), random.unit_vector()}), scaled(p, 0.25), mirrored(p)})
        compare(x, p.options, solve(other), other.options, counts);
    }
    counts.print(name);
  }
}

}  // namespace
}  // namespace proven
