#include "scenes/scenes.h"

#include <gtest/gtest.h>

#include <set>

#include "proven/base/random.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/kinematics/poses.h"
#include "scenes/assembly.h"
#include "support.h"

namespace proven {
namespace {

// Every scene is built once for all tests.
const Scene& built(const std::string& name) {
  static std::map<std::string, Scene> scenes;
  const auto it = scenes.find(name);
  if (it != scenes.end()) return it->second;
  Result<Scene> scene = build_scene(make_scene(name).value());
  EXPECT_TRUE(scene.ok()) << name << ": " << scene.error().text();
  return scenes.emplace(name, std::move(scene).value()).first->second;
}

bool pair_collides(const Scene& scene, const BodyPair& pair, const LinkPoses& poses,
                   DistanceScratch& workspace) {
  const Body &a = scene.body(pair.a), &b = scene.body(pair.b);
  const Pose X_WA = poses.X_WL[static_cast<std::size_t>(a.link)] * a.X_LB;
  const Pose X_WB = poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB;
  const Pose X_AB = relative_pose(X_WA, X_WB);
  if (bodies_overlap(*a.geometry, *b.geometry, X_AB, workspace)) return true;
  const BoundingSphere &s = a.geometry->bounding_sphere(), &t = b.geometry->bounding_sphere();
  if (norm(s.centre - X_AB * t.centre) > s.radius + t.radius) return false;
  return find_containment(*a.geometry, *b.geometry, X_AB).inside;
}

// The first colliding pair, or "" if the configuration is free.
std::string find_collision(const Scene& scene, std::span<const double> q) {
  LinkPoses poses;
  DistanceScratch workspace;
  compute_poses(scene.tree(), q, poses);
  for (const BodyPair& pair : scene.pairs())
    if (pair_collides(scene, pair, poses, workspace))
      return scene.body(pair.a).name + " x " + scene.body(pair.b).name;
  return {};
}

std::vector<double> configuration(const Scene& scene, const SceneQuery& query,
                                  const std::vector<double>& values) {
  std::vector<double> q(scene.home().begin(), scene.home().end());
  EXPECT_EQ(query.joints.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int coordinate = scene.tree().find_coordinate(query.joints[k]);
    EXPECT_GE(coordinate, 0) << query.joints[k];
    if (coordinate >= 0) q[static_cast<std::size_t>(coordinate)] = values[k];
  }
  return q;
}

void expect_within_limits(const Scene& scene, std::span<const double> q) {
  for (int k = 0; k < scene.tree().num_coordinates(); ++k) {
    const Coordinate& c = scene.tree().coordinates()[static_cast<std::size_t>(k)];
    EXPECT_GE(q[static_cast<std::size_t>(k)], c.lower) << c.name;
    EXPECT_LE(q[static_cast<std::size_t>(k)], c.upper) << c.name;
  }
}

std::vector<double> random_configuration(const Scene& scene, Random& random) {
  std::vector<double> q;
  for (const Coordinate& c : scene.tree().coordinates())
    q.push_back(std::isfinite(c.lower) ? random.uniform(c.lower, c.upper) : random.uniform(-1, 1));
  return q;
}

Hash128 hash_of(const SceneSource& source) {
  const Result<Scene> scene = build_scene(source);
  EXPECT_TRUE(scene.ok());
  return scene.value().hash();
}

TEST(Scenes, NamesAreUnique) {
  std::set<std::string> names;
  for (const SceneInfo& info : list_scenes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.caption.empty());
    EXPECT_EQ(find_scene(info.name), &info);
  }
  EXPECT_EQ(names.size(), 20u);
  EXPECT_EQ(find_scene("nowhere"), nullptr);
}

// The captions of paper 001, written out once more.
TEST(Scenes, HaveTheNumbersOfThePaper) {
  const struct {
    const char* name;
    int joints, robot_triangles, obstacle_triangles;
    double reference_length;
  } paper[] = {{"rings", 40, 2 * 320, 3 * 6000, 0.5}, {"cage-a", 6, 2991, 432, 1.77},
               {"cage-b", 6, 2502, 432, 1.65},        {"lattice-1", 20, 320, 384, 0.5},
               {"lattice-9", 180, 9 * 320, 384, 0.5}, {"machine-tool", 6, 2502, 34171, 1.16},
               {"workshop", 6, 5450, 74681, 0.64},    {"car-a", 36, 6 * 3594, 19668, 1.59},
               {"car-b", 36, 6 * 2502, 4016, 1.32},   {"floor", 6, 2502, 8000, 0},
               {"box", 6, 2502, 6 * 8000 + 12, 0},    {"narrow-box", 6, 2502, 6 * 8000 + 12, 0}};
  for (const auto& p : paper) {
    const SceneInfo* info = find_scene(p.name);
    ASSERT_NE(info, nullptr) << p.name;
    EXPECT_EQ(info->joints, p.joints) << p.name;
    EXPECT_EQ(info->robot_triangles, p.robot_triangles) << p.name;
    EXPECT_EQ(info->obstacle_triangles, p.obstacle_triangles) << p.name;
    EXPECT_EQ(info->reference_length, p.reference_length) << p.name;
  }
  EXPECT_EQ(find_scene("rod")->robot_triangles, 3500);
}

TEST(Scenes, HaveTheNumbersTheyPromise) {
  for (const SceneInfo& info : list_scenes()) {
    const SceneSource source = make_scene(info.name).value();
    EXPECT_EQ(scenes::count_robot_triangles(source), info.robot_triangles) << info.name;
    EXPECT_EQ(scenes::count_obstacle_triangles(source), info.obstacle_triangles) << info.name;
    EXPECT_EQ(built(info.name).tree().num_coordinates(), info.joints) << info.name;
    EXPECT_TRUE(built(info.name).warnings().empty()) << info.name;
  }
}

// Table I of the paper counts links times obstacles per configuration.
TEST(Scenes, HaveAsManyBodiesAsTableOneCounts) {
  const std::pair<const char*, int> queries[] = {
      {"rings", 40}, {"cage-a", 54}, {"cage-b", 42}, {"machine-tool", 14}, {"workshop", 22}};
  for (const auto& [name, expected] : queries) {
    int moving = 0, standing = 0;
    for (const Body& body : built(name).bodies()) {
      if (built(name).tree().rigid_root(body.link) != 0) ++moving;
      if (body.link == 0) ++standing;
    }
    EXPECT_EQ(moving * standing, expected) << name;
  }
}

// The forearm, axis 3 to wrist centre, has the length of table II.
TEST(Scenes, HaveTheReferenceLength) {
  for (const SceneInfo& info : list_scenes()) {
    if (info.reference_length == 0) continue;
    const SceneSource source = make_scene(info.name).value();
    const Robot& robot = source.robots.front().robot;
    const auto joint = [&](const std::string& name) {
      for (const RobotJoint& j : robot.joints)
        if (j.name == name) return j.X_PJ.p;
      ADD_FAILURE() << name;
      return Vec3{};
    };
    const bool linkage = joint("joint_2").x == 0;
    const double length = linkage ? joint("joint_2").z : joint("joint_4").x + joint("joint_5").x;
    EXPECT_NEAR(length, info.reference_length, 1e-12) << info.name;
  }
}

TEST(Scenes, AreTheSameEveryTime) {
  std::set<std::string> hashes;
  for (const SceneInfo& info : list_scenes()) {
    const Hash128 hash = hash_of(make_scene(info.name).value());
    EXPECT_EQ(hash, built(info.name).hash()) << info.name;
    EXPECT_TRUE(hashes.insert(hash.hex()).second) << info.name;
  }
}

TEST(Scenes, HomeStartAndGoalAreFreeAndWithinLimits) {
  int with_query = 0;
  for (const SceneInfo& info : list_scenes()) {
    const Scene& scene = built(info.name);
    EXPECT_EQ(find_collision(scene, scene.home()), "") << info.name << " home";
    expect_within_limits(scene, scene.home());
    if (info.query.joints.empty()) continue;
    ++with_query;
    for (const auto* values : {&info.query.start, &info.query.goal}) {
      const std::vector<double> q = configuration(scene, info.query, *values);
      expect_within_limits(scene, q);
      EXPECT_EQ(find_collision(scene, q), "") << info.name;
    }
    EXPECT_NE(info.query.start, info.query.goal) << info.name;
  }
  EXPECT_GE(with_query, 14);
}

TEST(Scenes, RandomConfigurationsAreNeitherAllFreeNorAllColliding) {
  const int count = test::cases(150);
  for (const char* name : {"rings", "rod", "cage-a", "cage-b", "machine-tool", "workshop", "car-a",
                           "car-b", "demo", "gantry", "free-flyer", "lever"}) {
    const Scene& scene = built(name);
    Random random(7);
    int free = 0;
    for (int k = 0; k < count; ++k)
      if (find_collision(scene, random_configuration(scene, random)).empty()) ++free;
    if (count < 50) continue;
    EXPECT_GT(free, count / 10) << name;
    EXPECT_LT(free, count * 19 / 20) << name;
  }
}

// Figure 14: the gun passes the surface at the given height, and only just where it is lowest.
TEST(Scenes, TheGunSweepsAtTheGivenClearance) {
  for (const double clearance : {0.1, 0.0101, 0.00011})
    for (const char* name : {"floor", "box", "narrow-box"}) {
      const SceneSource source = make_scene(name, {clearance}).value();
      const Result<Scene> scene = build_scene(source);
      ASSERT_TRUE(scene.ok());
      const Body& gun = scene.value().body(scene.value().find_body("arm/gun"));
      const int surface = scene.value().find_body(std::string(name) == "floor" ? "floor" : "box");
      LinkPoses poses;
      DistanceScratch workspace;
      compute_poses(scene.value().tree(), scene.value().home(), poses);
      const Pose X_WG = poses.X_WL[static_cast<std::size_t>(gun.link)] * gun.X_LB;
      const Pose X_GS = relative_pose(X_WG, scene.value().body(surface).X_LB);
      const ExactDistance d = exact_distance(*gun.geometry, *scene.value().body(surface).geometry,
                                             X_GS, {-1, -1}, workspace);
      EXPECT_NEAR(d.distance, clearance, 1e-9) << name;
    }
}

TEST(Scenes, EveryFaceOfTheFineBoxHasEightThousandTriangles) {
  for (const char* name : {"box", "narrow-box"}) {
    const Scene& scene = built(name);
    const BodyGeometry& box = *scene.body(scene.find_body("box")).geometry;
    ASSERT_EQ(box.components().size(), 1u);  // the faces are welded into one solid
    EXPECT_TRUE(box.components()[0].closed);
    std::map<std::array<double, 3>, int> per_normal;
    for (const Triangle& t : box.triangles()) {
      const Vec3 n = normalized(cross(t.b - t.a, t.c - t.a));
      ++per_normal[{std::round(n.x), std::round(n.y), std::round(n.z)}];
    }
    EXPECT_EQ(per_normal.size(), 6u);
    for (const auto& [normal, count] : per_normal) EXPECT_EQ(count, 8000);
  }
}

// Solids collide also when one lies inside the other: all parts but sheets must be closed.
TEST(Scenes, MeshesAreClosedExceptSheets) {
  const std::map<std::string, int> sheets = {
      {"cage-a", 1}, {"machine-tool", 1}, {"workshop", 1}, {"floor", 1}};
  for (const SceneInfo& info : list_scenes()) {
    int open = 0;
    for (const Body& body : built(info.name).bodies())
      for (const Component& component : body.geometry->components())
        if (!component.closed) ++open;
    const auto it = sheets.find(info.name);
    EXPECT_EQ(open, it == sheets.end() ? 0 : it->second) << info.name;
  }
}

TEST(Scenes, PlanarLinkagesOfAnyLength) {
  for (const int links : {1, 6, 100}) {
    const SceneSource source = make_scene("planar-" + std::to_string(links)).value();
    EXPECT_EQ(build_scene(source).value().tree().num_coordinates(), links);
  }
}

TEST(Scenes, RefuseUnknownNamesAndBadParameters) {
  for (const char* name :
       {"", "cage", "planar-", "planar-0", "planar-101", "planar-x", "planar-1 "}) {
    const Result<SceneSource> result = make_scene(name);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.error().code, ErrorCode::not_found);
  }
  for (const double clearance : {0.0, -1.0, 2.0, std::nan("")})
    EXPECT_FALSE(make_scene("floor", {clearance}).ok());
}

}  // namespace
}  // namespace proven
