// The verifier against the checker: every `free` of the directional checker comes with a
// certificate that the verifier accepts, every `collision` with a witness that it confirms.
#include <algorithm>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

TEST(Producer, EveryVerdictIsAccepted) {
  int free = 0, collisions = 0;
  std::int64_t leaves = 0, wide = 0;
  for (int i = 0; i < cases(400); ++i) {
    Random random(1000 + static_cast<std::uint64_t>(i));
    RandomSceneOptions options;
    options.floating = i % 4 == 0;
    options.meshes_only = i % 3 == 0;
    options.links = 3 + i % 5;
    const SceneSource source = random_scene(random, options);
    const Scene scene = build(source);
    Verifier verifier(source, {});
    for (int k = 0; k < 4; ++k) {
      const Path path{random_segment(scene.tree(), random, k % 2 ? 0.3 : 1.5), {}, {}};
      CheckOptions check_options = test::any_values();
      check_options.checker = Checker::directional;
      check_options.certificate = true;
      Scratch scratch;
      const auto result = check(scene, path, check_options, scratch);
      ASSERT_TRUE(result.ok()) << result.error().text();
      if (result.value().verdict == Verdict::undecided) continue;
      const VerifyReport report = verifier.verify(path, result.value().certificate);
      EXPECT_TRUE(report.accepted) << "scene " << i << " path " << k << ": " << report.reason;
      (report.kind == CertificateKind::free ? free : collisions) += 1;
      leaves += report.leaves;
      wide += report.wide_leaves;
    }
  }
  EXPECT_GT(free, cases(400) / 2);
  EXPECT_GT(collisions, cases(400) / 2);
  // The checker's margins are wider than the errors of double intervals.
  EXPECT_LE(wide, leaves / 1000);
}

// Triangles that are points and needles, at places where they touch a corner or coincide with one:
// no verdict stands on a direction that is none.
TEST(Producer, PointsAndNeedlesGiveNoBadDirections) {
  const Vec3 corner{0.1, 0.1, 0.1};  // of the block where it stands at 0
  const std::vector<std::array<Vec3, 3>> triangles = {
      {corner, corner, corner},
      {Vec3{}, Vec3{}, Vec3{}},
      {corner, corner + Vec3{1e-300, 0, 0}, corner},
      {corner, corner + Vec3{0, 0, 1e-9}, corner + Vec3{0, 0, 2e-9}},
      {Vec3{0.3, 0, 0}, Vec3{0.3, 0, 0}, Vec3{0.5, 0, 0}},
      {Vec3{0.3, 5e-324, 0}, Vec3{0.3, 0, 5e-324}, Vec3{0.3, 0, 0}},
  };
  int free = 0, collisions = 0;
  for (const auto& triangle : triangles)
    for (const bool as_mesh : {true, false}) {
      SceneSource source;
      Robot robot;
      robot.name = "slider";
      robot.links.resize(2);
      robot.links[0].name = "rail";
      robot.links[1].name = "block";
      robot.links[1].collision = {{Box{{0.1, 0.1, 0.1}}, {}, "box"}};
      RobotJoint joint;
      joint.name = "slide";
      joint.type = JointType::prismatic;
      joint.parent_link = "rail";
      joint.child_link = "block";
      joint.axis = {1, 0, 0};
      robot.joints = {joint};
      TriangleMesh mesh{{triangle.begin(), triangle.end()}, {{0, 1, 2}}};
      if (as_mesh) robot.links[1].collision[0].shape = std::make_shared<const TriangleMesh>(mesh);
      source.robots = {{"slider", robot, Pose{}}};
      source.obstacles = {
          {"speck", {{std::make_shared<const TriangleMesh>(mesh), {}, "speck"}}, Pose{}}};
      const auto scene = build_scene(source);
      if (!scene.ok()) continue;  // refused as a body
      for (const double to : {-2.0, -0.25, 0.0, 0.2, 1.0}) {
        const Path path{{{-1}, {to}}, {}, {}};
        CheckOptions options = test::any_values();
        options.certificate = true;
        Scratch scratch;
        const auto result = check(scene.value(), path, options, scratch);
        ASSERT_TRUE(result.ok()) << result.error().text();
        if (result.value().verdict == Verdict::undecided) continue;
        const VerifyReport report = verify(source, path, result.value().certificate);
        EXPECT_TRUE(report.accepted) << report.reason;
        ++(report.kind == CertificateKind::free ? free : collisions);
      }
    }
  EXPECT_GT(free, 10);
  EXPECT_GT(collisions, 3);
}

// Quaternions at exactly a right angle: a turn by half a circle, of which both ways are equally
// short. Checker and verifier must mean the same one.
TEST(Producer, HalfTurnsGoTheSameWay) {
  int free = 0, collisions = 0;
  for (int i = 0; i < cases(200); ++i) {
    Random random(5000 + static_cast<std::uint64_t>(i));
    RandomSceneOptions options;
    options.floating = true;
    options.links = 3;
    options.obstacles = 2;
    const SceneSource source = random_scene(random, options);
    const Scene scene = build(source);
    Path path{random_segment(scene.tree(), random, 0.5), {}, {}};
    std::size_t first = 0;
    while (!scene.tree().coordinates()[first].quaternion) ++first;
    const double* a = path.waypoints[0].data() + first;
    const double sign = i % 2 ? 1 : -1;
    const double turned[4] = {-sign * a[1], sign * a[0], -sign * a[3], sign * a[2]};
    std::ranges::copy(turned, path.waypoints[1].data() + first);
    CheckOptions check_options = test::any_values();
    check_options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, path, check_options, scratch);
    ASSERT_TRUE(result.ok()) << result.error().text();
    if (result.value().verdict == Verdict::undecided) continue;
    const VerifyReport report = verify(source, path, result.value().certificate);
    EXPECT_TRUE(report.accepted) << i << ": " << report.reason;
    (report.kind == CertificateKind::free ? free : collisions) += 1;
  }
  EXPECT_GT(free, cases(200) / 10);
  EXPECT_GT(collisions, cases(200) / 10);
}

}  // namespace
}  // namespace proven::test
