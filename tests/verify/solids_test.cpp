// Bodies that start inside closed bodies: both directions, component by component, moved and turned
// elements, meshes that are open, written badly or hollow.
#include "verify/solids.h"

#include "certify/random_scenes.h"
#include "flyer.h"
#include "geometry/nested_boxes.h"
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
    source.robots.push_back(flyer(std::move(moving)));
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

std::vector<CollisionElement> mesh_of(TriangleMesh mesh) {
  return {{std::make_shared<const TriangleMesh>(std::move(mesh)), {}, "mesh"}};
}

TriangleMesh large_box() {
  return *std::get<std::shared_ptr<const TriangleMesh>>(large_mesh()[0].shape);
}

// A box without a triangle is named, not judged; one with a crack holds what is inside.
TEST(Solids, OpenMeshesAreNamed) {
  TriangleMesh open = large_box();
  open.triangles.pop_back();
  const VerifyReport named = Nest(small_mesh(), mesh_of(open), {0.1, 0, 0}).report();
  EXPECT_TRUE(named.accepted);
  EXPECT_EQ(named.no_inside, std::vector<std::string>{"box"});
  EXPECT_NE(named.theorem.back().find("box"), std::string::npos);
  EXPECT_TRUE(Nest(small_mesh(), large_mesh(), {0.9, 0.07, 0}).report().no_inside.empty());
  TriangleMesh cracked = large_box();
  const Vec3 off = 1.0001 * cracked.vertices[cracked.triangles[0][0]];
  cracked.triangles[0][0] = static_cast<std::uint32_t>(cracked.vertices.size());
  cracked.vertices.push_back(off);
  const VerifyReport held = Nest(small_mesh(), mesh_of(cracked), {0.1, 0, 0}).report();
  EXPECT_NE(held.reason.find("lies inside"), std::string::npos) << held.reason;
  EXPECT_TRUE(Nest(small_mesh(), mesh_of(cracked), {0.9, 0.07, 0}).report().accepted);
}

// A closed box, written badly.
TEST(Solids, BadlyWrittenShellsHoldWhatIsInside) {
  const TriangleMesh box = large_box();
  TriangleMesh flipped = box, both = box, again = box, fin = box, off = box;
  for (std::size_t i = 0; i < 5; ++i) std::swap(flipped.triangles[i][0], flipped.triangles[i][1]);
  for (const auto& [i, j, k] : box.triangles) both.triangles.push_back({i, k, j});
  again.triangles.push_back(box.triangles[4]);
  fin.vertices.push_back({-2, 0, -2});
  fin.triangles.push_back({box.triangles[0][0], box.triangles[0][1], 8});
  off.vertices.push_back(box.vertices[box.triangles[0][0]] + Vec3{1e-13, 0, 0});
  off.triangles[0][0] = 8;
  for (const TriangleMesh& mesh : {flipped, both, again, fin, off}) {
    const VerifyReport in = Nest(small_mesh(), mesh_of(mesh), {0.1, 0, 0}).report();
    EXPECT_NE(in.reason.find("lies inside"), std::string::npos) << in.reason;
    EXPECT_TRUE(Nest(small_mesh(), mesh_of(mesh), {0.9, 0.07, 0}).report().accepted);
  }
}

TEST(Solids, RoomsAreEmpty) {
  for (const bool turned : {false, true})
    for (const bool same : {false, true}) {
      TriangleMesh room;
      append_box(room, {1, 1, 1}, Pose{});
      TriangleMesh inner;
      append_box(inner, {0.5, 0.5, 0.5}, Pose{});
      append(room, same ? inner : turned_over(inner));
      if (turned) room = turned_over(room);
      const VerifyReport report = Nest(small_mesh(), mesh_of(room), {0.1, 0, 0}).report();
      EXPECT_EQ(report.accepted, !same) << report.reason;
      EXPECT_FALSE(Nest(small_mesh(), mesh_of(room), {0.7, 0, 0}).report().accepted);
    }
}

// What was welded must not be passed through: the pair needs the way of the corner as clearance.
TEST(Solids, WeldingAsksForClearance) {
  TriangleMesh off = large_box();
  const auto clearance = [](const TriangleMesh& mesh) {
    Nest nest(small_mesh(), mesh_of(mesh), {0.9, 0.07, 0});
    return verifier::build_model(nest.source, {}).pairs[0].clearance;
  };
  EXPECT_EQ(clearance(off), 0);
  off.vertices.push_back(off.vertices[off.triangles[0][0]] + Vec3{3e-9, 0, 4e-9});
  off.triangles[0][0] = 8;
  EXPECT_NEAR(clearance(off), 5e-9, 1e-15);
}

// The same boxes within boxes as for the checker, against their formula.
TEST(Solids, AgreesWithTheFormulaOfNestedBoxes) {
  Random random(2);
  int inside = 0, hollow = 0, outside = 0;
  for (int round = 0; round < cases(300); ++round) {
    const NestedBoxes boxes(random);
    const std::vector<CollisionElement> elements = mesh_of(boxes.mesh);
    verifier::Body body;
    body.elements = &elements;
    verifier::build_body(body);
    for (int n = 0; n < 30; ++n) {
      const Vec3 p = boxes.random_point(random);
      const NestedBoxes::Place place = boxes.find(p);
      if (place.near_surface) continue;
      ASSERT_EQ(verifier::locate(body, verifier::Vector<verifier::Interval>(p)),
                place.inside ? verifier::Side::inside : verifier::Side::outside)
          << round;
      ++(place.inside ? inside : place.in_cavity ? hollow : outside);
    }
  }
  for (const int count : {inside, hollow, outside}) EXPECT_GT(count, cases(300) / 2);
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
    ASSERT_EQ(body.topology.shells.size(), 1u);
    ASSERT_TRUE(body.topology.open.empty());
    for (int k = 0; k < 3; ++k) {
      const Vec3 p{random.uniform(-1.2, 1.2) * half.x, random.uniform(-1.2, 1.2) * half.y,
                   random.uniform(-1.2, 1.2) * half.z};
      const bool within =
          std::fabs(p.x) < half.x && std::fabs(p.y) < half.y && std::fabs(p.z) < half.z;
      const auto side = verifier::locate(body, verifier::Vector<verifier::Interval>(X * p));
      ASSERT_EQ(side, within ? verifier::Side::inside : verifier::Side::outside);
      (within ? inside : outside) += 1;
    }
  }
  EXPECT_GT(inside, cases(20000) / 4);
  EXPECT_GT(outside, cases(20000) / 4);
}

}  // namespace
}  // namespace proven::test
