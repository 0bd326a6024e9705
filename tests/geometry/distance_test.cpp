#include "proven/geometry/distance.h"

#include <fcl/fcl.h>

#include <algorithm>
#include <limits>
#include <map>

#include "geometry/body_samples.h"
#include "geometry/bv_rounding.h"
#include "geometry/pieces.h"
#include "support.h"

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A ball around each piece, so that brute force over all pairs can skip the far ones.
std::vector<BoundingSphere> piece_spheres(const BodyGeometry& body) {
  std::vector<BoundingSphere> spheres;
  for (const Triangle& t : body.triangles()) {
    const Vec3 centre = (1.0 / 3) * (t.a + t.b + t.c);
    spheres.push_back(
        {centre, std::max({norm(t.a - centre), norm(t.b - centre), norm(t.c - centre)})});
  }
  for (const Convex& c : body.convexes()) {
    double reach = norm(c.half_extents);
    for (const Vec3& p : c.points) reach = std::max(reach, norm(p - c.X_BS.p));
    spheres.push_back({c.X_BS.p, reach + c.radius});
  }
  return spheres;
}

struct Sample {
  test::BodyPtr body;
  std::vector<BoundingSphere> spheres;
};
std::vector<Sample> samples(Random& random) {
  std::vector<Sample> all;
  for (const test::BodyPtr& body : test::sample_bodies(random)) {
    all.push_back({body, piece_spheres(*body)});
  }
  return all;
}

const Sample& pick(Random& random, const std::vector<Sample>& all) {
  return all[static_cast<std::size_t>(random.index(static_cast<int>(all.size())))];
}

struct Truth {
  double distance = kInfinity;
  double lower = kInfinity;  // smallest of all pieces' lower bounds
  bool overlap = false;
};

// All pairs of pieces, without any tree.
Truth brute_force(const Sample& a, const Sample& b, const Pose& X_AB) {
  std::vector<BoundingSphere> spheres_b = b.spheres;
  for (BoundingSphere& s : spheres_b) s.centre = X_AB * s.centre;
  const double slack = 1e-9 * (1 + norm(X_AB.p));
  Truth truth;
  const auto evaluate = [&](std::size_t index_a, std::size_t index_b) {
    const int i = static_cast<int>(index_a), j = static_cast<int>(index_b);
    const PieceDistance d = piece_distance(*a.body, i, *b.body, j, X_AB);
    truth.distance = std::min(truth.distance, d.distance);
    truth.lower = std::min(truth.lower, d.distance_lower);
    truth.overlap = truth.overlap || pieces_overlap(*a.body, i, *b.body, j, X_AB);
  };
  const auto squared_between = [&](std::size_t i, std::size_t j) {
    return squared_norm(spheres_b[j].centre - a.spheres[i].centre);
  };
  // A close pair first, so that most others are out of reach.
  double closest = kInfinity;
  std::array<std::size_t, 2> first = {0, 0};
  for (std::size_t i = 0; i < a.spheres.size(); ++i) {
    for (std::size_t j = 0; j < spheres_b.size(); ++j) {
      const double squared = squared_between(i, j);
      if (squared < closest) closest = squared, first = {i, j};
    }
  }
  evaluate(first[0], first[1]);
  for (std::size_t i = 0; i < a.spheres.size(); ++i) {
    for (std::size_t j = 0; j < spheres_b.size() && !truth.overlap; ++j) {
      const double reach = truth.distance + slack + (a.spheres[i].radius + spheres_b[j].radius);
      if (squared_between(i, j) <= reach * reach) evaluate(i, j);
    }
  }
  return truth;
}

Pose random_pose(Random& random, const BodyGeometry& a, const BodyGeometry& b) {
  const double reach = a.bounding_sphere().radius + b.bounding_sphere().radius;
  return {random.rotation(), random.uniform(0, 1.4) * reach * random.unit_vector()};
}

// Moves b along the line between the closest points until it is about `wanted` away.
void bring_close(const BodyGeometry& a, const BodyGeometry& b, double wanted, Pose& X_AB,
                 DistanceScratch& workspace) {
  for (int step = 0; step < 3; ++step) {
    const ExactDistance now = exact_distance(a, b, X_AB, {-1, -1}, workspace);
    if (now.distance <= wanted) return;
    const Vec3 way = now.points[0] - now.points[1];
    X_AB.p += (1 - wanted / now.distance) * way;
  }
}

struct Tally {
  int apart = 0, overlapping = 0, close = 0, positive_greedy = 0;
};

void check_pair(const Sample& sample_a, const Sample& sample_b, const Pose& X_AB, double threshold,
                double relative_error, DistanceScratch& workspace, Tally& tally) {
  const BodyGeometry &a = *sample_a.body, &b = *sample_b.body;
  const Truth truth = brute_force(sample_a, sample_b, X_AB);

  const ExactDistance exact = exact_distance(a, b, X_AB, {-1, -1}, workspace);
  ASSERT_NEAR(exact.distance, truth.distance, 1e-9);
  ASSERT_LE(exact.distance_lower, truth.distance);
  ASSERT_GE(exact.distance_lower, truth.distance - 1e-9);
  ASSERT_NEAR(norm(exact.points[1] - exact.points[0]), exact.distance, 1e-9);
  const ExactDistance cached = exact_distance(a, b, X_AB, exact.pieces, workspace);
  ASSERT_NEAR(cached.distance, exact.distance, 1e-12);

  const double greedy = greedy_distance(a, b, X_AB, 0, workspace);
  ASSERT_LE(greedy, truth.distance);
  if (truth.lower > 0) {
    ASSERT_GT(greedy, 0);
  }
  if (truth.overlap) {
    ASSERT_EQ(greedy, 0);
    ASSERT_EQ(exact.distance_lower, 0);
  }
  const double above = greedy_distance(a, b, X_AB, threshold, workspace);
  ASSERT_LE(above, truth.distance);
  ASSERT_TRUE(above == 0 || above > threshold);
  ASSERT_EQ(above > 0, truth.distance > threshold) << truth.distance - threshold;

  const double approximate = approximate_distance(a, b, X_AB, relative_error, workspace);
  ASSERT_LE(approximate, truth.distance);
  ASSERT_GE(approximate, (1 - relative_error) * truth.distance - 1e-9);

  ASSERT_EQ(bodies_overlap(a, b, X_AB, workspace), truth.overlap);

  tally.apart += truth.lower > 0;
  tally.overlapping += truth.overlap;
  tally.close += truth.lower > 0 && truth.distance < 1e-5;
  tally.positive_greedy += greedy > 0;
}

TEST(Distance, AgreesWithBruteForce) {
  Random random(8);
  const std::vector<Sample> all = samples(random);
  DistanceScratch workspace;
  Tally tally;
  const int count = test::cases(100000);
  for (int k = 0; k < count; ++k) {
    const Sample &sample_a = pick(random, all), &sample_b = pick(random, all);
    const BodyGeometry &a = *sample_a.body, &b = *sample_b.body;
    Pose X_AB = random_pose(random, a, b);
    if (random.index(4) == 0) {
      bring_close(a, b, std::pow(10, random.uniform(-9, -1)), X_AB, workspace);
    }
    const double threshold = std::pow(10, random.uniform(-4, 0));
    SCOPED_TRACE(testing::Message() << "case " << k);
    check_pair(sample_a, sample_b, X_AB, threshold, random.uniform(0.01, 0.99), workspace, tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tally.apart, count / 5);
  EXPECT_GT(tally.overlapping, count / 5);
  EXPECT_GT(tally.close, count / 50);
  EXPECT_EQ(tally.positive_greedy, tally.apart);
  RecordProperty("apart", tally.apart);
  RecordProperty("overlapping", tally.overlapping);
}

using FclModel = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<FclModel> fcl_model(const BodyGeometry& body) {
  const auto vector = [](const Vec3& p) { return fcl::Vector3d(p.x, p.y, p.z); };
  auto model = std::make_shared<FclModel>();
  model->beginModel();
  for (const Triangle& t : body.triangles()) {
    model->addTriangle(vector(t.a), vector(t.b), vector(t.c));
  }
  model->endModel();
  return model;
}

fcl::Transform3d fcl_pose(const Pose& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) T.linear()(i, j) = X.R(i, j);
    T.translation()[i] = X.p[i];
  }
  return T;
}

double fcl_distance(const FclModel& a, const FclModel& b, const Pose& X_AB) {
  fcl::DistanceRequestd request;
  request.enable_nearest_points = true;
  fcl::DistanceResultd result;
  return std::max(
      fcl::distance(&a, fcl::Transform3d::Identity(), &b, fcl_pose(X_AB), request, result), 0.0);
}

bool fcl_overlap(const FclModel& a, const FclModel& b, const Pose& X_AB) {
  fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  return fcl::collide(&a, fcl::Transform3d::Identity(), &b, fcl_pose(X_AB), request, result) > 0;
}

// FCL is a second, foreign twin for meshes. Where it disagrees, brute force decides.
TEST(Distance, AgreesWithFcl) {
  Random random(9);
  std::vector<Sample> meshes = samples(random);
  std::erase_if(meshes, [](const Sample& sample) { return !sample.body->convexes().empty(); });
  std::map<const BodyGeometry*, std::shared_ptr<FclModel>> models;
  for (const Sample& sample : meshes) models[sample.body.get()] = fcl_model(*sample.body);
  DistanceScratch workspace;
  int overlapping = 0, fcl_wrong = 0;
  const int count = test::cases(10000);
  for (int k = 0; k < count; ++k) {
    const Sample &sample_a = pick(random, meshes), &sample_b = pick(random, meshes);
    const BodyGeometry &a = *sample_a.body, &b = *sample_b.body;
    const Pose X_AB = random_pose(random, a, b);
    const double ours = exact_distance(a, b, X_AB, {-1, -1}, workspace).distance;
    const bool overlap = bodies_overlap(a, b, X_AB, workspace);
    overlapping += overlap;
    const bool agree = std::fabs(ours - fcl_distance(*models[&a], *models[&b], X_AB)) <= 1e-9 &&
                       overlap == fcl_overlap(*models[&a], *models[&b], X_AB);
    if (agree) continue;
    ++fcl_wrong;
    const Truth truth = brute_force(sample_a, sample_b, X_AB);
    ASSERT_NEAR(ours, truth.distance, 1e-9) << "case " << k;
    ASSERT_EQ(overlap, truth.overlap) << "case " << k;
  }
  EXPECT_GT(overlapping, count / 10);
  EXPECT_LT(overlapping, count - count / 10);
  EXPECT_LT(fcl_wrong, std::max(count / 10, 1));  // or FCL would be no witness
  RecordProperty("fcl_wrong", fcl_wrong);
}

TEST(Distance, SwappedBodiesGiveTheSameDistance) {
  Random random(10);
  const std::vector<Sample> all = samples(random);
  DistanceScratch workspace;
  for (int k = 0; k < test::cases(2000); ++k) {
    const BodyGeometry &a = *pick(random, all).body, &b = *pick(random, all).body;
    const Pose X_AB = random_pose(random, a, b);
    const double there = exact_distance(a, b, X_AB, {-1, -1}, workspace).distance;
    const double back = exact_distance(b, a, inverse(X_AB), {-1, -1}, workspace).distance;
    ASSERT_NEAR(there, back, 1e-12) << "case " << k;
  }
}

TEST(Distance, CountsAndCaching) {
  const auto a = test::mesh_body(test::torus(0.8, 0.2, 24, 8));
  const auto b = test::mesh_body(test::ball_mesh(0.5, 3));
  const Pose X_AB = Pose::translation({1.2, 1.1, 0.4});
  DistanceScratch plain, cached, greedy;
  const ExactDistance exact = exact_distance(*a, *b, X_AB, {-1, -1}, plain);
  exact_distance(*a, *b, X_AB, exact.pieces, cached);
  greedy_distance(*a, *b, X_AB, 0, greedy);
  EXPECT_LE(cached.counts.box_tests, plain.counts.box_tests);
  EXPECT_LE(cached.counts.triangle_tests, plain.counts.triangle_tests + 1);
  EXPECT_LT(greedy.counts.box_tests, cached.counts.box_tests);
  EXPECT_GT(greedy.counts.box_tests, 0);
  DistanceScratch coarse, fine;
  approximate_distance(*a, *b, X_AB, 0.9, coarse);
  approximate_distance(*a, *b, X_AB, 0.01, fine);
  EXPECT_LT(2 * coarse.counts.box_tests, fine.counts.box_tests);
  // Two single pieces: the triangle test alone.
  const auto one = test::mesh_body(test::soup({{Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}}));
  DistanceScratch single;
  EXPECT_NEAR(greedy_distance(*one, *one, Pose::translation({0, 0, 1}), 0, single), 1, 1e-12);
  EXPECT_EQ(single.counts.box_tests, 0);
  EXPECT_EQ(single.counts.triangle_tests, 1);
}

TEST(Distance, NotANumberProvesNothing) {
  const auto a = test::mesh_body(test::torus(0.8, 0.2, 8, 4));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Pose X_AB = Pose::translation({nan, 9, 9});
  DistanceScratch workspace;
  EXPECT_FALSE(greedy_distance(*a, *a, X_AB, 0, workspace) > 0);
  EXPECT_FALSE(exact_distance(*a, *a, X_AB, {-1, -1}, workspace).distance_lower > 0);
  EXPECT_FALSE(approximate_distance(*a, *a, X_AB, 0.5, workspace) > 0);
}

}  // namespace
}  // namespace proven
