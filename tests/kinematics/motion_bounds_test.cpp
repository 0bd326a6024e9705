#include "proven/kinematics/motion_bounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "kinematics/curve_sampling.h"
#include "kinematics/random_robot.h"
#include "support.h"

namespace proven {
namespace {

using test::BoundStatistics;
using test::SampledBody;

SampledBody box_body(int link, const Pose& X_LB, const Vec3& half, const Pose& X_BS) {
  SampledBody body{link, X_LB, nullptr, {}};
  body.geometry = BodyGeometry::build({CollisionElement{Box{half}, X_BS, "box"}}).value();
  for (double x : {-1, 1})
    for (double y : {-1, 1})
      for (double z : {-1, 1})
        body.points_B.push_back(X_BS * Vec3{x * half.x, y * half.y, z * half.z});
  return body;
}

SampledBody random_body(Random& random, const KinematicTree& tree) {
  const int link = 1 + random.index(tree.num_links() - 1);
  const Vec3 half{random.uniform(0.01, 0.3), random.uniform(0.01, 0.3), random.uniform(0.01, 0.3)};
  return box_body(link, test::random_pose(random, 0.3), half, test::random_pose(random, 0.2));
}

KinematicTree random_tree(Random& random, bool several_values) {
  KinematicTree tree;
  const Robot robot = test::random_robot(
      random, {}, {.links = 2 + random.index(12), .several_values = several_values});
  EXPECT_TRUE(tree.add_robot(robot, "r", test::random_pose(random, 1)).ok());
  return tree;
}

TEST(MotionBounds, NoSampledCurveIsLongerThanItsBound) {
  Random random(11);
  BoundStatistics statistics;
  constexpr int kSteps = 32, kSegmentsPerTree = 20;
  for (int n = test::cases(60000) / kSegmentsPerTree + 1; n > 0; --n) {
    const KinematicTree tree = random_tree(random, n % 2 == 0);
    for (int s = 0; s < kSegmentsPerTree; ++s) {
      const SampledBody body = random_body(random, tree);
      const auto [qa, qb] = test::random_segment(tree, random);
      test::check_segment(tree, body, qa, qb, kSteps, statistics);
    }
  }
  statistics.report("random trees");
  EXPECT_EQ(statistics.violations, 0);
  EXPECT_GT(statistics.largest_ratio, 0.99);
  EXPECT_GT(statistics.near, statistics.curves / 100);
}

// Anything in a sphere of the body's frame, such as a part of the body.
TEST(MotionBounds, NoPointOfASphereMovesFartherThanItsBound) {
  Random random(14);
  BoundStatistics statistics;
  constexpr int kSteps = 32;
  for (int n = test::cases(6000); n > 0; --n) {
    const KinematicTree tree = random_tree(random, n % 2 == 0);
    const BoundingSphere sphere{0.4 * random.uniform() * random.unit_vector(),
                                random.uniform(0.001, 0.3)};
    SampledBody body{
        1 + random.index(tree.num_links() - 1), test::random_pose(random, 0.3), nullptr, {}};
    for (int k = 0; k < 16; ++k)
      body.points_B.push_back(sphere.centre + sphere.radius * random.unit_vector());
    const auto [qa, qb] = test::random_segment(tree, random);
    const std::vector<std::vector<double>> waypoints = {qa, qb};
    const MotionFactors factors = compute_motion_factors(tree, body.link, body.X_LB, sphere,
                                                         coordinate_ranges(tree, waypoints));
    std::vector<double> displacement;
    joint_displacements(tree, qa, qb, displacement);
    const test::Motion motion = [&](double t, std::vector<double>& q) {
      interpolate(tree, qa, qb, t, q);
    };
    statistics.compare(test::sample_lengths(tree, body, motion, kSteps), tree, factors,
                       displacement, kSteps);
  }
  statistics.report("spheres");
  EXPECT_EQ(statistics.violations, 0);
  EXPECT_GT(statistics.largest_ratio, 0.98);
  EXPECT_GT(statistics.near, statistics.curves / 200);
}

TEST(MotionBounds, CurvedPathsByTheirRates) {
  Random random(12);
  BoundStatistics statistics;
  constexpr int kSteps = 64;
  for (int n = test::cases(5000); n > 0; --n) {
    const KinematicTree tree = random_tree(random, false);
    const SampledBody body = random_body(random, tree);
    const std::vector<double> start = random_configuration(tree, random);
    std::vector<double> amplitude(start.size()), frequency(start.size()), rates(start.size());
    std::vector<std::vector<double>> extremes(2, start);
    for (std::size_t i = 0; i < start.size(); ++i) {
      amplitude[i] = random.index(2) == 0 ? 0 : random.uniform(-2, 2);
      frequency[i] = random.uniform(0.1, 1);
      rates[i] = std::fabs(amplitude[i] * frequency[i]);
      extremes[0][i] -= std::fabs(amplitude[i]);
      extremes[1][i] += std::fabs(amplitude[i]);
    }
    const test::Motion motion = [&](double t, std::vector<double>& q) {
      for (std::size_t i = 0; i < q.size(); ++i)
        q[i] = start[i] + amplitude[i] * std::sin(frequency[i] * t);
    };
    const MotionFactors factors = compute_motion_factors(tree, body.link, body.X_LB, *body.geometry,
                                                         coordinate_ranges(tree, extremes));
    std::vector<double> displacement;
    displacement.assign(static_cast<std::size_t>(tree.num_links()), 0.0);
    for (std::size_t l = 1; l < displacement.size(); ++l) {
      const Joint& joint = tree.links()[l].joint;
      if (joint.kind != JointKind::fixed)
        displacement[l] = std::fabs(joint.multiplier) *
                          rates[static_cast<std::size_t>(joint.coordinate)] * (1 + 0x1p-50);
    }
    statistics.compare(test::sample_lengths(tree, body, motion, kSteps), tree, factors,
                       displacement, kSteps);
  }
  statistics.report("curved paths");
  EXPECT_EQ(statistics.violations, 0);
  EXPECT_GT(statistics.largest_ratio, 0.9);
}

TEST(MotionBounds, SweptSphereHoldsTheBody) {
  Random random(13);
  double largest = 0;
  for (int n = test::cases(5000); n > 0; --n) {
    const KinematicTree tree = random_tree(random, true);
    const SampledBody body = random_body(random, tree);
    const auto [qa, qb] = test::random_segment(tree, random);
    const std::vector<std::vector<double>> waypoints = {qa, qb};
    const std::vector<Interval> ranges = coordinate_ranges(tree, waypoints);
    const BoundingSphere sphere =
        compute_motion_factors(tree, body.link, body.X_LB, *body.geometry, ranges).swept_sphere;
    LinkPoses poses;
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<double> q = random_configuration(tree, random);
      for (std::size_t i = 0; i < q.size(); ++i) {
        if (tree.coordinates()[i].quaternion) continue;
        // Often at the ends of the range, where prismatic joints reach farthest.
        const int end = random.index(4);
        q[i] = end == 0   ? ranges[i].lower
               : end == 1 ? ranges[i].upper
                          : random.uniform(ranges[i].lower, ranges[i].upper);
      }
      compute_poses(tree, q, poses);
      const Pose X_WB = poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
      for (const Vec3& p : body.points_B) {
        const double distance = norm(X_WB * p - sphere.centre);
        ASSERT_LE(distance, sphere.radius);
        largest = std::fmax(largest, distance / sphere.radius);
      }
    }
  }
  std::printf("swept spheres: largest share of the radius reached %.6f\n", largest);
  EXPECT_GT(largest, 0.99);
}

// The linkage of paper 001, figure 6: three revolute joints and one prismatic joint of range 0 to
// D, links of length 1 and no width.
class PaperLinkage : public testing::Test {
 protected:
  static constexpr double kD = 0.5;

  PaperLinkage() {
    robot_.links.resize(5);
    for (std::size_t i = 0; i < 5; ++i) robot_.links[i].name = fmt::format("l{}", i);
    const double x[] = {0, 1, 0, 1};  // joint 3 slides link 3 out of link 2
    for (std::size_t i = 0; i < 4; ++i) {
      RobotJoint joint;
      joint.name = fmt::format("j{}", i + 1);
      joint.type = i == 2 ? JointType::prismatic : JointType::revolute;
      joint.parent_link = robot_.links[i].name;
      joint.child_link = robot_.links[i + 1].name;
      joint.X_PJ = Pose::translation({x[i], 0, 0});
      joint.axis = i == 2 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
      joint.limits.lower = 0;
      joint.limits.upper = i == 2 ? kD : 2 * std::numbers::pi;
      robot_.joints.push_back(joint);
    }
    EXPECT_TRUE(tree_.add_robot(robot_, "r", Pose{}).ok());
  }

  MotionFactors factors(int i, std::span<const std::vector<double>> waypoints = {}) const {
    const SampledBody body = box_body(tree_.find_link(fmt::format("r/l{}", i)), Pose{},
                                      {0.5, 1e-13, 1e-13}, Pose::translation({0.5, 0, 0}));
    return compute_motion_factors(tree_, body.link, body.X_LB, *body.geometry,
                                  coordinate_ranges(tree_, waypoints));
  }

  Robot robot_;
  KinematicTree tree_;
};

TEST_F(PaperLinkage, HasThePapersFactors) {
  const std::vector<std::vector<double>> expected = {
      {1}, {1, 2}, {1, 1 + kD, 2 + kD}, {1, 1, 2 + kD, 3 + kD}};  // own joint first
  for (int i = 1; i <= 4; ++i) {
    const MotionFactors found = factors(i);
    const std::vector<double>& radii = expected[static_cast<std::size_t>(i - 1)];
    ASSERT_EQ(found.factors.size(), radii.size());
    for (std::size_t k = 0; k < radii.size(); ++k) {
      EXPECT_NEAR(found.factors[k].radius, radii[k], 1e-10) << i << " " << k;
      EXPECT_GE(found.factors[k].radius, radii[k]);
    }
  }
}

TEST_F(PaperLinkage, PathsBeyondALimitWidenTheFactors) {
  std::vector<double> q = tree_.zero_configuration();
  q[2] = 4;
  const std::vector<std::vector<double>> waypoints = {q};
  const MotionFactors wide = factors(4, waypoints);
  EXPECT_NEAR(wide.factors[2].radius, 2 + 4, 1e-10);
  EXPECT_NEAR(wide.factors[3].radius, 3 + 4, 1e-10);
}

TEST_F(PaperLinkage, RelativeBoundsSumOnlyTheJointsBetween) {
  const MotionFactors f = factors(4);
  const std::vector<double> qa = {0, 0, 0, 0}, qb = {0.1, -0.2, 0.3, -0.4};
  std::vector<double> d;
  joint_displacements(tree_, qa, qb, d);
  const auto relative_to = [&](const char* link) {
    return curve_length_upper(f, d, tree_.find_link(link), tree_);
  };
  EXPECT_NEAR(relative_to("r/l4"), 0, 0);
  EXPECT_NEAR(relative_to("r/l3"), 0.4, 1e-10);
  EXPECT_NEAR(relative_to("r/l2"), 0.7, 1e-10);
  EXPECT_NEAR(relative_to("r/l1"), 0.7 + 0.2 * (2 + kD), 1e-10);
  EXPECT_NEAR(relative_to("world"), 0.7 + 0.2 * (2 + kD) + 0.1 * (3 + kD), 1e-10);
}

TEST(MotionFactors, AToolOnItsOwnAxisHasAlmostNoRadius) {
  Robot robot;
  robot.links.resize(2);
  robot.links[0].name = "a";
  robot.links[1].name = "b";
  RobotJoint joint;
  joint.name = "j";
  joint.type = JointType::revolute;
  joint.parent_link = "a";
  joint.child_link = "b";
  joint.axis = {1, 2, 3};
  robot.joints = {joint};
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "r", Pose{}).ok());
  const Vec3 a = normalized(joint.axis);
  const SampledBody body =
      box_body(tree.find_link("r/b"), Pose::translation(5 * a), {1e-15, 1e-15, 1e-15}, Pose{});
  const std::vector<Interval> ranges = {{0, 1}};
  const MotionFactors f =
      compute_motion_factors(tree, body.link, body.X_LB, *body.geometry, ranges);
  EXPECT_GT(f.factors[0].radius, 0);
  EXPECT_LT(f.factors[0].radius, 1e-10);
}

TEST(CoordinateRanges, LimitsAndWaypoints) {
  Robot robot;
  robot.links.resize(4);
  for (std::size_t i = 0; i < 4; ++i)
    robot.links[i].name = std::string(1, static_cast<char>('a' + i));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const JointLimits limits[] = {{-1, 2, 1, 1}, {}, {3, kInfinity, 1, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    RobotJoint joint;
    joint.name = fmt::format("j{}", i);
    joint.type = JointType::prismatic;
    joint.parent_link = robot.links[i].name;
    joint.child_link = robot.links[i + 1].name;
    joint.limits = limits[i];
    robot.joints.push_back(joint);
  }
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "r", Pose{}).ok());
  const auto expect = [](const std::vector<Interval>& ranges, std::vector<double> values) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_EQ(ranges[i].lower, values[2 * i]);
      EXPECT_EQ(ranges[i].upper, values[2 * i + 1]);
    }
  };
  expect(coordinate_ranges(tree, {}), {-1, 2, 0, 0, 3, 3});
  const std::vector<std::vector<double>> waypoints = {{0, 5, 4}, {7, 6, 1}};
  expect(coordinate_ranges(tree, waypoints), {-1, 7, 5, 6, 1, 4});
}

TEST(JointDisplacements, FollowMimicsAndTurnTheShortWay) {
  Random random(14);
  for (int n = 0; n < 1000; ++n) {
    const KinematicTree tree = random_tree(random, true);
    const std::vector<double> qa = random_configuration(tree, random);
    const std::vector<double> qb = random_configuration(tree, random);
    std::vector<double> d, still;
    joint_displacements(tree, qa, qb, d);
    joint_displacements(tree, qa, qa, still);
    for (std::size_t l = 0; l < d.size(); ++l) {
      EXPECT_EQ(still[l], 0);
      const Joint& joint = tree.links()[l].joint;
      const auto i = static_cast<std::size_t>(joint.coordinate);
      if (joint.kind == JointKind::fixed) {
        EXPECT_EQ(d[l], 0);
      } else if (joint.kind == JointKind::ball) {
        long double inner = 0;
        for (std::size_t k = i; k < i + 4; ++k)
          inner += static_cast<long double>(qa[k]) * static_cast<long double>(qb[k]);
        const long double angle = 2 * std::acos(std::fmin(1.0L, std::fabs(inner)));
        EXPECT_GE(d[l], static_cast<double>(angle) - 1e-9);  // acos of a rounded cosine
        EXPECT_NEAR(d[l], static_cast<double>(angle), 1e-7);
      } else {
        const long double exact =
            std::fabs(static_cast<long double>(joint.multiplier) *
                      (static_cast<long double>(qb[i]) - static_cast<long double>(qa[i])));
        EXPECT_GE(static_cast<long double>(d[l]), exact);
        EXPECT_NEAR(d[l], static_cast<double>(exact), 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace proven
