// Mugs that stay upright, spots on surfaces, grasps from shapes and files.
#include "manipulation/upright.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "manipulation/grasps.h"
#include "manipulation/parts.h"
#include "manipulation/support.h"
#include "proven/base/random.h"
#include "proven/kinematics/interpolation.h"
#include "support.h"

namespace proven::manipulation {
namespace {

namespace fs = std::filesystem;

class Mug : public testing::Test {
 protected:
  void SetUp() override {
    start_.q = {waiting_posture()};
    const double top = 0.605;
    start_.poses["mug_1"] = Pose::translation({0.42, -0.27, top});
    start_.poses["box_1"] = Pose::translation({0.42, -0.09, top});
    start_.poses["mug_2"] = Pose::translation({0.42, 0.09, top});
    const MotionRequest pick{MotionRequest::Kind::transit, "mug_1", "top", ""};
    const auto picked = find_motion(world_, start_, pick, 20, {});
    ASSERT_TRUE(picked.ok() && picked.value().answer == Answer::yes);
    before_ = picked.value().after;
  }
  FoundMotion must_find(const World& world, std::uint64_t seed) const {
    MotionOptions options;
    options.seed = seed;
    const auto put = find_motion(world, before_, put_, 20, options);
    EXPECT_TRUE(put.ok()) << put.error().text();
    EXPECT_EQ(put.value().answer, Answer::yes) << put.value().reason;
    return put.value();
  }
  // The largest tilt that is seen at many times.
  double tilt_of(const World& world, const Motion& motion) const {
    const Scene scene = build_scene(scene_of(world, before_, put_)).value();
    const int body = scene.find_body("mug_1");
    std::vector<double> q(scene.home().size());
    double most = 0;
    for (int i = 0; i < motion.num_segments(); ++i)
      for (int k = 0; k <= 200; ++k) {
        interpolate(scene.tree(), motion.piece(i), k / 200.0, q);
        const double cosine = scene.body_pose(body, q).R(2, 2);
        most = std::max(most, std::acos(std::clamp(cosine, -1.0, 1.0)));
      }
    return most;
  }
  std::string refuted(const Motion& motion) const {
    const auto reason = refute_motion(world_, before_, put_, motion);
    EXPECT_TRUE(reason.ok()) << reason.error().text();
    return reason.value();
  }

  const World world_ = make_sorting().world;
  const MotionRequest put_{MotionRequest::Kind::transfer, "mug_1", "", "left_surface"};
  Situation start_, before_;
};

TEST_F(Mug, IsNeverSeenTilted) {
  const double cone = *world_.find_object("mug_1")->upright;
  const Scene scene = build_scene(scene_of(world_, before_, put_)).value();
  const auto wrist = static_cast<std::size_t>(scene.tree().find_coordinate("arm/joint_6"));
  int spills = 0, holds = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const FoundMotion put = must_find(world_, seed);
    EXPECT_EQ(refuted(put.path), "");
    EXPECT_LE(tilt_of(world_, put.path), cone);
    MotionOptions options;
    options.seed = seed;
    const auto timed = timed_motion(world_, before_, put_, put, options);
    ASSERT_TRUE(timed.ok()) << timed.error().text();
    EXPECT_EQ(refuted(timed.value().path), "");
    EXPECT_LE(tilt_of(world_, timed.value().path), cone);
    EXPECT_TRUE(stands_on_surface(world_, *world_.find_place("left_surface"), before_, "mug_1",
                                  timed.value().after.poses.at("mug_1")));
    // A wrist that bends on the way, by little more than it may, spills.
    for (const double bend : {0.7, 1.3}) {
      Motion bent = put.path;
      const std::size_t middle = bent.waypoints.size() / 2;
      const double before = bent.waypoints[middle][wrist];
      for (const double by : {-bend * cone, bend * cone}) {
        bent.waypoints[middle][wrist] = before + by;
        const bool spilled = tilt_of(world_, bent) > cone;
        EXPECT_EQ(refuted(bent) == "what is carried is not proved to stay upright", spilled);
        (spilled ? spills : holds) += 1;
      }
    }
  }
  EXPECT_GT(spills, 0);
  EXPECT_GT(holds, 0);
}

TEST_F(Mug, ASurfaceHoldsWhatStandsOnIt) {
  const Place& place = *world_.find_place("left_surface");
  const Pose X_WS = *frame_of(world_, start_, "left_table");
  const auto stands = [&](double x, double y, double z, const Mat3& R = {}) {
    return stands_on_surface(world_, place, start_, "mug_1", X_WS * Pose{R, {x, y, z}});
  };
  EXPECT_TRUE(stands(0.5, 0, 0.605));
  EXPECT_FALSE(stands(0.5, 0, 0.63));  // would fall
  EXPECT_FALSE(stands(0.5, 0, 0.59));  // within the table
  EXPECT_FALSE(stands(0.41, 0, 0.605));
  EXPECT_FALSE(stands(0.5, 0.29, 0.605));
  EXPECT_FALSE(stands(0.5, 0, 0.605, rotation(Vec3{1, 0, 0}, 0.01)));
  for (const Pose& X_WO : sample_poses(world_, place, start_, 50, 3))
    EXPECT_TRUE(stands_on_surface(world_, place, start_, "mug_1", X_WO));
  // A surface that is larger than its table does not carry beyond it.
  Place wide = place;
  wide.surface->upper[0] = 2;
  EXPECT_FALSE(
      stands_on_surface(world_, wide, start_, "mug_1", X_WS * Pose::translation({0.9, 0, 0.605})));
  // A motion that ends off the surface is refused.
  FoundMotion put = must_find(world_, 1);
  World other = world_;
  other.places[1].surface->lower[0] = other.places[1].surface->upper[0] - 1e-3;
  ASSERT_EQ(other.places[1].name, "left_surface");
  EXPECT_EQ(refute_motion(other, before_, put_, put.path).value(),
            "it does not end at the place or grasp");
}

// Nothing is proved where every sample is taken.
TEST_F(Mug, AFullSurfaceIsUnknown) {
  World full = world_;
  full.places[1].surface->lower[0] = full.places[1].surface->upper[0] = 0.5;
  full.places[1].surface->lower[1] = full.places[1].surface->upper[1] = 0;
  Situation before = before_;
  before.poses["box_1"] =
      *frame_of(full, before, "left_table") * Pose::translation({0.5, 0, 0.605});
  const auto put = find_motion(full, before, put_, 1, {});
  ASSERT_TRUE(put.ok());
  EXPECT_EQ(put.value().answer, Answer::unknown);
  EXPECT_EQ(put.value().reason, "no free spot was found for 'mug_1' on 'left_surface'");
}

TEST(Grasps, AreAcrossWhatFitsBetweenTheFingers) {
  const double opening = 0.11;
  const std::vector<CollisionElement> box = {
      {Box{{0.09, 0.035, 0.13}}, Pose::translation({0, 0, 0.13}), {}}};
  for (const GraspSide side : {GraspSide::top, GraspSide::side}) {
    const auto grasps = sample_grasps(box, side, opening);
    EXPECT_EQ(grasps.size(), 2u);
    for (const Pose& X : grasps) EXPECT_NEAR(std::fabs(X.R.column(0).y), 1, 1e-12);
  }
  const std::vector<CollisionElement> cylinder = {
      {Cylinder{0.035, 0.045}, Pose::translation({0, 0, 0.045}), {}}};
  EXPECT_EQ(sample_grasps(cylinder, GraspSide::top, opening).size(), 8u);
  EXPECT_EQ(sample_grasps(cylinder, GraspSide::top, 0.075).size(), 0u);
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0.2, 0, 0}, {0, 0.06, 0}, {0, 0, 0.1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  const std::vector<CollisionElement> wedge = {
      {std::make_shared<const TriangleMesh>(mesh), Pose::translation({1, 2, 3}), {}}};
  const Aabb bounds = box_of(wedge);
  EXPECT_NEAR(norm(bounds.lo - Vec3{1, 2, 3}), 0, 1e-12);
  EXPECT_NEAR(norm(bounds.hi - Vec3{1.2, 2.06, 3.1}), 0, 1e-12);
  EXPECT_EQ(sample_grasps(wedge, GraspSide::top, opening).size(), 2u);
  EXPECT_TRUE(sample_grasps({}, GraspSide::top, opening).empty());
  // Right-handed, and the grip point within the box, 35 mm below where the hand comes from.
  for (const auto* object : {&box, &cylinder, &wedge})
    for (const GraspSide side : {GraspSide::top, GraspSide::side})
      for (const Pose& X : sample_grasps(*object, side, opening)) {
        EXPECT_NEAR(dot(cross(X.R.column(0), X.R.column(1)), X.R.column(2)), 1, 1e-12);
        const Aabb b = box_of(*object);
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(X.p[k] >= b.lo[k] && X.p[k] <= b.hi[k]);
        const double down = X.R.column(2).z;
        EXPECT_NEAR(down, side == GraspSide::top ? -1 : 0, 1e-12);
        if (side == GraspSide::top) {
          EXPECT_NEAR(b.hi.z - X.p.z, 0.035, 1e-12);
        }
      }
}

// What a file says of uprightness, surfaces and grasps is honoured or refused with its line.
TEST(Worlds, SurfacesAndSampledGraspsAreRead) {
  const fs::path folder = fs::path(testing::TempDir()) / "proven_upright_world";
  ASSERT_TRUE(save_world(make_sorting().world, folder).ok());
  std::ifstream in(folder / "world.json");
  std::string good((std::istreambuf_iterator<char>(in)), {});
  const auto loaded = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(folder / "world.json") << text;
    return load_world(folder / "world.json");
  };
  const auto fails = [&](const std::string& from, const std::string& to, const std::string& with) {
    const auto world = loaded(from, to);
    ASSERT_FALSE(world.ok()) << to;
    EXPECT_NE(world.error().text().find(with), std::string::npos) << world.error().text();
  };
  const auto start = good.find("\"grasps\""), stop = good.find("\"upright\"");
  const std::string grasps = good.substr(start, stop - start);
  const auto sampled = loaded(grasps, R"("grasps": {"top": {"sample": "top"}}, )");
  ASSERT_TRUE(sampled.ok()) << sampled.error().text();
  EXPECT_EQ(sampled.value().objects[0].grasps.at("top").size(), 8u);
  EXPECT_EQ(sampled.value().objects[0].upright, 0.3);
  std::ofstream(folder / "mug.json") << R"({"proven": 1, "poses": [{"xyz": [0, 0, 0.05]}]})";
  const auto filed = loaded(grasps, R"("grasps": {"top": {"file": "mug.json"}}, )");
  ASSERT_TRUE(filed.ok()) << filed.error().text();
  EXPECT_EQ(filed.value().objects[0].grasps.at("top").size(), 1u);
  fails(grasps, R"("grasps": {"top": {"file": "none.json"}}, )", "none.json");
  fails(grasps, R"("grasps": {"top": {"sample": "below"}}, )", "below");
  EXPECT_TRUE(loaded("\"opening\": 0.11", "\"opening\": 0.05").ok());  // poses are given
  fails("\"upright\": 0.3", "\"upright\": 0", "upright");
  fails("\"on\": \"front_table\"", "\"on\": \"no_table\"", "no_table");
  fails("\"surface\"", "\"poses\": [], \"surface\"", "surface");
  good.replace(start, grasps.size(), R"("grasps": {"top": {"sample": "top"}}, )");
  fails("\"opening\": 0.11", "\"opening\": 0.05", "too wide");
  fails(",\n  \"opening\": 0.11", "", "needs 'opening'");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace proven::manipulation
