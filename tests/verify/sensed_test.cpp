// Certificates about clouds and voxel sets: the verifier's trees are those of the checker, it
// accepts what is true and rejects the same certificate once a ball or a cell stands in the way.
#include "verify/sensed.h"

#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/sensed_scenes.h"
#include "plain_certificate.h"
#include "proven/certify/check.h"
#include "proven/geometry/grains.h"
#include "proven/verify/verify.h"
#include "sampled_twin.h"
#include "support.h"
#include "verify/solids.h"

namespace proven::test {
namespace {

TEST(Sensed, CellsAreMergedAsTheCheckerDoes) {
  for (int i = 0; i < cases(300); ++i) {
    Random random(10 + static_cast<std::uint64_t>(i));
    std::vector<std::array<std::int32_t, 3>> cells;
    const int extent = 1 + random.index(9);
    for (int k = random.index(150); k >= 0; --k)
      cells.push_back({random.index(extent), random.index(extent) - 4, random.index(extent)});
    const std::vector<CellBox> ours = merge_cells(cells);
    const std::vector<verifier::CellBox> theirs = verifier::boxes_of_cells(cells);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t k = 0; k < ours.size(); ++k) {
      EXPECT_EQ(ours[k].first, theirs[k].first);
      EXPECT_EQ(ours[k].end, theirs[k].end);
    }
  }
}

// Whether a + b >= low holds for the real numbers: the rounding error of a sum is itself a double,
// which these operations give exactly.
bool sum_is_at_least(double a, double b, double low) {
  const double sum = a + b, part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  return sum > low || (sum == low && error >= 0);
}

// Of clouds in the frame of their body: no rounding leaves a part of a ball outside of its box.
TEST(Sensed, BoxesHoldTheirBallsExactly) {
  int rounded = 0;
  for (int i = 0; i < cases(40); ++i) {
    Random random(70 + static_cast<std::uint64_t>(i));
    auto cloud = std::make_shared<PointCloud>();
    cloud->radius = random.uniform(1e-4, 0.1);
    for (int k = 0; k < 50; ++k)
      cloud->points.push_back(random.uniform(0, 100) * random.unit_vector());
    cloud->points.push_back(cloud->points[7]);  // twice the same
    SceneSource source;
    source.obstacles.push_back({"seen", {{std::shared_ptr<const PointCloud>(cloud), {}, ""}}, {}});
    const verifier::Model model = verifier::build_model(source, {});
    const verifier::Body& body = model.bodies[0];
    std::vector<bool> known(cloud->points.size());
    for (const verifier::BoxNode& node : body.tree) {
      if (node.item < 0) continue;
      const auto at = static_cast<std::size_t>(node.item);
      known[at] = true;
      const Vec3& p = cloud->points[at];
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_TRUE(sum_is_at_least(p[axis], -cloud->radius, node.box.lo[axis]));
        EXPECT_TRUE(sum_is_at_least(-p[axis], -cloud->radius, -node.box.hi[axis]));
        rounded += !sum_is_at_least(p[axis], -cloud->radius, p[axis] - cloud->radius);
      }
      EXPECT_EQ(body.component_points[at], p);
    }
    EXPECT_EQ(std::ranges::count(known, true), static_cast<long>(known.size()));
  }
  EXPECT_GT(rounded, 0);
}

void expect_same_tree(const BoxTree& ours, int a, const verifier::BoxTree& theirs, int b) {
  const BoxNode& x = ours.nodes[static_cast<std::size_t>(a)];
  const verifier::BoxNode& y = theirs[static_cast<std::size_t>(b)];
  ASSERT_EQ(x.num_items(), y.count);
  ASSERT_EQ(x.item, y.item);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(x.centre[i] - x.half[i], y.box.lo[i], 1e-12);
    EXPECT_NEAR(x.centre[i] + x.half[i], y.box.hi[i], 1e-12);
  }
  if (x.is_leaf()) return;
  for (int k = 0; k < 2; ++k) expect_same_tree(ours, x.first_child + k, theirs, y.children[k]);
}

TEST(Sensed, TreesAreThoseOfTheChecker) {
  for (int i = 0; i < cases(100); ++i) {
    Random random(20 + static_cast<std::uint64_t>(i));
    SceneSource source;
    source.obstacles.push_back({"seen", {random_sensed(random, 400)}, {}});
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    EXPECT_TRUE(model.sensed);
    ASSERT_EQ(scene.body(0).geometry->num_pieces(),
              static_cast<int>(model.bodies[0].pieces.size()));
    expect_same_tree(scene.body(0).geometry->box_tree(), 0, model.bodies[0].tree, 0);
    const Aabb& key = scene.body(0).geometry->box_tree().bounds;
    EXPECT_EQ(key.lo, model.bodies[0].key.lo);
    EXPECT_EQ(key.hi, model.bodies[0].key.hi);
  }
}

struct Specimen {
  SensedScene source;
  Path path;
  CheckResult result;
};

Specimen make_specimen(Random& random, bool held) {
  Specimen s{random_sensed_scene(random, 80, held), {}, {}};
  const Scene scene = build(s.source.sensed);
  s.path.waypoints = random_segment(scene.tree(), random, random.uniform(0.1, 0.6));
  CheckOptions options = test::any_values();
  options.certificate = true;
  Scratch scratch;
  s.result = check(scene, s.path, options, scratch).value();
  return s;
}

TEST(Sensed, CertificatesAreAccepted) {
  VerdictCounts counts;
  for (int i = 0; i < cases(150); ++i) {
    Random random(100 + static_cast<std::uint64_t>(i));
    const Specimen s = make_specimen(random, i % 5 == 0);
    counts.add(s.result.verdict);
    if (s.result.verdict == Verdict::undecided) continue;
    const VerifyReport report = verify(s.source.sensed, s.path, s.result.certificate);
    EXPECT_TRUE(report.accepted) << i << ": " << report.reason;
    EXPECT_EQ(s.result.certificate[8], 4);
    // Not of the same solids as single shapes: other trees.
    EXPECT_FALSE(verify(s.source.plain, s.path, s.result.certificate).accepted);
  }
  counts.expect_both(cases(150) / 20);
}

// Something is put where a link passes: the old certificate must not be accepted.
TEST(Sensed, WhatStandsInTheWayIsSeen) {
  int added = 0, grown = 0, kept = 0;
  for (int i = 0; i < cases(200); ++i) {
    Random random(1000 + static_cast<std::uint64_t>(i));
    const Specimen s = make_specimen(random, false);
    if (s.result.verdict != Verdict::free) continue;
    const Scene scene = build(s.source.sensed);
    SensedScene altered = s.source;
    auto& element = altered.sensed.obstacles[0].elements[0];
    const Pose X_WE = altered.sensed.obstacles[0].X_WB * element.X_BS;
    // A point of a link at some time.
    std::vector<double> q(s.path.waypoints[0].size());
    interpolate(scene.tree(), s.path.waypoints[0], s.path.waypoints[1], random.uniform(), q);
    LinkPoses poses;
    compute_poses(scene.tree(), q, poses);
    const Body& link = scene.body(random.index(4));
    const Vec3 target =
        transpose_times(X_WE.R, poses.X_WL[static_cast<std::size_t>(link.link)] * link.X_LB *
                                        link.geometry->bounding_sphere().centre -
                                    X_WE.p);
    const bool far_only = i % 3 == 0;
    if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&element.shape)) {
      PointCloud other = **cloud;
      if (i % 2 == 0)
        other
            .points[static_cast<std::size_t>(random.index(static_cast<int>(other.points.size())))] =
            target;
      else
        other.radius += far_only ? 1e-9 : random.uniform(0, 0.2);
      element.shape = std::make_shared<const PointCloud>(other);
    } else {
      VoxelSet other = *std::get<std::shared_ptr<const VoxelSet>>(element.shape);
      std::array<std::int32_t, 3> cell;
      for (std::size_t k = 0; k < 3; ++k)
        cell[k] = static_cast<std::int32_t>(std::floor(target[static_cast<int>(k)] / other.size));
      other.cells.push_back(cell);
      element.shape = std::make_shared<const VoxelSet>(other);
    }
    altered.plain.obstacles[0].elements = single_pieces(element);
    const bool collides = sampled_distance(build(altered.plain), s.path.waypoints, 200) == 0;
    const bool accepted = verify(altered.sensed, s.path, s.result.certificate).accepted;
    EXPECT_FALSE(collides && accepted) << i;
    ++(collides ? added : grown);
    kept += accepted;
  }
  EXPECT_GT(added, 0);
  EXPECT_GT(grown + kept, 0);
}

// A ball or cell within a closed mesh at the start: found among many that are far, as single shapes
// are, though it touches nothing.
TEST(Sensed, WhatStartsInsideAMeshIsFound) {
  int inside = 0, outside = 0;
  for (int i = 0; i < cases(150); ++i) {
    Random random(2000 + static_cast<std::uint64_t>(i));
    SensedScene scene = random_sensed_scene(random, 300);
    for (SceneSource* source : {&scene.sensed, &scene.plain})
      for (RobotLink& link : source->robots[0].robot.links)
        for (CollisionElement& element : link.collision)
          element.shape = block_mesh({0.15, 0.05, 0.08});
    const Scene built = build(scene.plain);
    Path path{random_segment(built.tree(), random, 0.1), {}, {}};
    const auto nested = [&](const SceneSource& source) {
      const verifier::Model model = verifier::build_model(source, {});
      try {
        verifier::check_solids(model, path);
      } catch (const verifier::Rejected&) {
        return true;
      }
      return false;
    };
    const bool found = nested(scene.sensed);
    EXPECT_EQ(found, nested(scene.plain)) << i;
    ++(found ? inside : outside);
  }
  EXPECT_GT(inside, 0);
  EXPECT_GT(outside, 0);
}

TEST(Sensed, OtherVersionsAreRejected) {
  int tried = 0;
  for (int i = 0; tried < 3; ++i) {
    Random random(3000 + static_cast<std::uint64_t>(i));
    const Specimen s = make_specimen(random, false);
    if (s.result.verdict != Verdict::free) continue;
    ++tried;
    const PlainCertificate given = read(s.result.certificate);
    EXPECT_TRUE(verify(s.source.sensed, s.path, write(given)).accepted);
    for (const int version : {0, 1, 2, 3, 5}) {
      PlainCertificate other = given;
      other.version = static_cast<std::uint16_t>(version);
      other.degree = version == 2 || version == 3;
      other.slots = version == 3;
      EXPECT_FALSE(verify(s.source.sensed, s.path, write(other)).accepted) << version;
    }
    PlainCertificate late = given;
    late.slots = 2;
    EXPECT_FALSE(verify(s.source.sensed, s.path, write(late)).accepted);
    // And this version, of a scene that no sensor saw.
    SceneSource unseen = s.source.plain;
    EXPECT_FALSE(verify(unseen, s.path, write(given)).accepted);
  }
}

// Bytes that change: each leaf of what is still accepted holds at many times.
TEST(Sensed, AlteredBytesDoNoHarm) {
  int accepted = 0, rejected = 0;
  for (int i = 0; i < cases(40); ++i) {
    Random random(3500 + static_cast<std::uint64_t>(i));
    const Specimen s = make_specimen(random, false);
    if (s.result.verdict != Verdict::free) continue;
    const Scene scene = build(s.source.sensed);
    const verifier::Model model = verifier::build_model(s.source.sensed, {});
    for (int k = 0; k < 20; ++k) {
      PlainCertificate other = read(s.result.certificate);
      if (other.body.empty()) break;
      std::uint8_t& byte =
          other.body[static_cast<std::size_t>(random.index(static_cast<int>(other.body.size())))];
      byte ^= static_cast<std::uint8_t>(1 << random.index(8));
      const bool holds = verify(s.source.sensed, s.path, write(other)).accepted;
      ++(holds ? accepted : rejected);
      if (!holds) continue;
      const Proofs proofs = ProofParser(model, other.body).parse(1);
      EXPECT_TRUE(SampledTwin(scene, model, s.path).holds(proofs)) << i;
    }
  }
  EXPECT_GT(rejected, 0);
  EXPECT_GT(accepted, 0);
}

TEST(Sensed, WhatIsNoSolidIsRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto reason = [](Shape shape, bool twice = false) {
    SceneSource source;
    source.obstacles.push_back({"seen", {{std::move(shape), Pose{}, ""}}, {}});
    if (twice) source.obstacles[0].elements.push_back({Sphere{1}, Pose{}, ""});
    try {
      (void)verifier::build_model(source, {});
    } catch (const verifier::Rejected& rejected) {
      return rejected.reason;
    }
    return std::string();
  };
  const auto cloud = [](std::vector<Vec3> points, double radius) {
    return std::make_shared<const PointCloud>(PointCloud{std::move(points), radius});
  };
  const auto voxels = [](double size, std::int32_t index) {
    return std::make_shared<const VoxelSet>(VoxelSet{size, {{0, index, 0}}});
  };
  EXPECT_EQ(reason(cloud({{1, 2, 3}}, 0.1)), "");
  EXPECT_NE(reason(cloud({}, 0.1)), "");
  EXPECT_NE(reason(cloud({{1, 2, 3}}, 0)), "");
  EXPECT_NE(reason(cloud({{1, 2, 3}}, nan)), "");
  EXPECT_NE(reason(cloud({{1, nan, 3}}, 0.1)), "");
  EXPECT_NE(reason(cloud({{1, 2, 3}}, 0.1), true), "");
  EXPECT_EQ(reason(voxels(0.1, -(1 << 20))), "");
  EXPECT_NE(reason(voxels(0.1, 1 << 20)), "");
  EXPECT_NE(reason(voxels(10, 900000)), "");
  EXPECT_NE(reason(voxels(nan, 0)), "");
  EXPECT_NE(reason(std::shared_ptr<const VoxelSet>()), "");
}

}  // namespace
}  // namespace proven::test
