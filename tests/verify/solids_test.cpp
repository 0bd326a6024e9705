// Bodies that start inside closed bodies: both directions, component by component, moved and turned
// elements, meshes that are open or not consistently directed.
#include "verify/solids.h"

#include "certify/random_scenes.h"
#include "naive_producer.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

std::vector<CollisionElement> box_mesh(const Vec3& size, const Pose& X = {}) {
  return {{block_mesh(0.5 * size), X, "mesh"}};
}

// A free-flying body and an obstacle; the path moves the body a little.
struct Nest {
  SceneSource source;
  Path path;

  Nest(std::vector<CollisionElement> moving, std::vector<CollisionElement> obstacle,
       const Vec3& place) {
    Robot robot;
    robot.name = "flyer";
    robot.links = {{"base", {}, false, nullptr}, {"body", std::move(moving), false, nullptr}};
    RobotJoint joint;
    joint.name = "fly";
    joint.type = JointType::floating;
    joint.parent_link = "base";
    joint.child_link = "body";
    robot.joints = {joint};
    source.robots.push_back({"flyer", robot, Pose{}});
    source.obstacles.push_back({"box", std::move(obstacle), Pose{}});
    path.waypoints = {{place.x, place.y, place.z, 0, 0, 0, 1},
                      {place.x + 0.01, place.y, place.z, 0, 0, 0.01, std::sqrt(1 - 1e-4)}};
  }

  // Proves the surfaces apart, whatever lies inside what.
  VerifyReport report() {
    const verifier::Model model = verifier::build_model(source, {});
    const auto proofs = NaiveProducer(model, path, 0, 1).run();
    EXPECT_TRUE(proofs.has_value());
    if (!proofs) return {};
    PlainCertificate certificate = blank_certificate(model, path);
    certificate.body = write(*proofs);
    return verify(source, path, write(certificate));
  }
};

std::vector<CollisionElement> small_mesh() {
  return box_mesh({0.1, 0.1, 0.1});
}

std::vector<CollisionElement> large_mesh(const Pose& X = {}) {
  return box_mesh({1, 1, 1}, X);
}

TEST(Solids, SmallInLargeAndLargeAroundSmall) {
  const Vec3 inside{0.11, 0.07, -0.13}, outside{0.9, 0.07, 0};
  EXPECT_FALSE(Nest(small_mesh(), large_mesh(), inside).report().accepted);
  EXPECT_FALSE(Nest(large_mesh(), small_mesh(), inside).report().accepted);
  EXPECT_TRUE(Nest(small_mesh(), large_mesh(), outside).report().accepted);
  EXPECT_TRUE(Nest(large_mesh(), small_mesh(), outside).report().accepted);
  const Pose turned{rotation({0, 0.6, 0.8}, 0.7), {0.02, 0.03, 0.04}};
  const VerifyReport in = Nest(small_mesh(), large_mesh(turned), inside).report();
  EXPECT_NE(in.reason.find("inside"), std::string::npos) << in.reason;
  EXPECT_TRUE(Nest(small_mesh(), large_mesh(turned), {1.2, 0, 0}).report().accepted);
}

TEST(Solids, ConvexPiecesInsideMeshes) {
  EXPECT_FALSE(
      Nest({{Box{{0.05, 0.05, 0.05}}, {}, ""}}, large_mesh(), {0.1, 0, 0}).report().accepted);
  EXPECT_FALSE(Nest({{Sphere{0.05}, {}, ""}}, large_mesh(), {0.1, 0, 0}).report().accepted);
}

// One component of two is inside.
TEST(Solids, EveryComponentCounts) {
  std::vector<CollisionElement> pair = small_mesh();
  pair.push_back(box_mesh({0.1, 0.1, 0.1}, Pose::translation({3, 0, 0}))[0]);
  EXPECT_FALSE(Nest(pair, large_mesh(), {0.1, 0, 0}).report().accepted);
  EXPECT_FALSE(Nest(pair, large_mesh(), {-2.9, 0, 0}).report().accepted);
  EXPECT_TRUE(Nest(pair, large_mesh(), {-1.5, 0, 0}).report().accepted);
}

// A wall around a hollow is not an inside of the hollow: a box within a box, both walls of one
// body.
TEST(Solids, OpenMeshesHaveNoInside) {
  auto open = std::make_shared<TriangleMesh>(
      *std::get<std::shared_ptr<const TriangleMesh>>(large_mesh()[0].shape));
  open->triangles.pop_back();
  EXPECT_TRUE(Nest(small_mesh(), {{std::shared_ptr<const TriangleMesh>(open), {}, ""}}, {0.1, 0, 0})
                  .report()
                  .accepted);
  auto flipped = std::make_shared<TriangleMesh>(
      *std::get<std::shared_ptr<const TriangleMesh>>(large_mesh()[0].shape));
  for (std::size_t i = 0; i < 5; ++i) std::swap(flipped->triangles[i][0], flipped->triangles[i][1]);
  EXPECT_FALSE(
      Nest(small_mesh(), {{std::shared_ptr<const TriangleMesh>(flipped), {}, ""}}, {0.1, 0, 0})
          .report()
          .accepted);
}

// Random points against the formula of a box; rays pass near edges and corners often.
TEST(Solids, LocatesPoints) {
  Random random(1);
  int inside = 0, outside = 0;
  for (int i = 0; i < cases(20000); ++i) {
    const Vec3 half{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    const Pose X{random.rotation(), random.unit_vector()};
    const std::vector<CollisionElement> elements = box_mesh(2 * half, X);
    verifier::Body body;
    body.elements = &elements;
    verifier::build_body(body);
    const verifier::Topology topology = find_topology(body);
    ASSERT_TRUE(topology.any_closed);
    for (int k = 0; k < 3; ++k) {
      const Vec3 p{random.uniform(-1.2, 1.2) * half.x, random.uniform(-1.2, 1.2) * half.y,
                   random.uniform(-1.2, 1.2) * half.z};
      const bool within =
          std::fabs(p.x) < half.x && std::fabs(p.y) < half.y && std::fabs(p.z) < half.z;
      const auto side =
          verifier::locate(body, topology, verifier::Vector<verifier::Interval>(X * p));
      ASSERT_EQ(side, within ? verifier::Side::inside : verifier::Side::outside);
      (within ? inside : outside) += 1;
    }
  }
  EXPECT_GT(inside, cases(20000) / 4);
  EXPECT_GT(outside, cases(20000) / 4);
}

}  // namespace
}  // namespace proven::test
