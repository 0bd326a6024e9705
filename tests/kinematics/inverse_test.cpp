#include "proven/kinematics/inverse.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kinematics/random_robot.h"
#include "proven/io/urdf.h"
#include "support.h"

namespace proven {
namespace {

// Files below data/robots; the link that carries the tool; how many joints move it.
struct RealArm {
  const char* file;
  const char* tool;
  int joints;
};
constexpr RealArm kArms[] = {
    {"abb_irb2400/irb2400.urdf", "tool0", 6},
    {"fanuc_lrmate200ic/lrmate200ic.urdf", "tool0", 6},
    {"franka_panda/panda.urdf", "panda_hand", 7},
    {"kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf", "tool0", 7},
    {"universal_ur5/ur5.urdf", "tool0", 6},
    {"pr2/pr2.urdf", "r_gripper_palm_link", 8},  // with the sliding torso
};

KinematicTree load_tree(const std::filesystem::path& file) {
  UrdfOptions options;
  options.load_meshes = false;
  auto robot = load_urdf(file, options);
  EXPECT_TRUE(robot.ok()) << (robot.ok() ? "" : robot.error().text());
  KinematicTree tree;
  EXPECT_TRUE(tree.add_robot(robot.value(), "robot", {}).ok());
  return tree;
}

// The coordinates above a link that are single numbers.
std::vector<int> chain_of(const KinematicTree& tree, int link) {
  std::vector<int> chain;
  for (; link > 0; link = tree.link(link).parent) {
    const Joint& joint = tree.link(link).joint;
    if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic)
      chain.push_back(joint.coordinate);
  }
  std::sort(chain.begin(), chain.end());
  chain.erase(std::unique(chain.begin(), chain.end()), chain.end());
  return chain;
}

std::vector<double> random_in_limits(const KinematicTree& tree, const std::vector<int>& chain,
                                     Random& random) {
  std::vector<double> q = tree.zero_configuration();
  for (const int c : chain) {
    const Coordinate& coordinate = tree.coordinates()[static_cast<std::size_t>(c)];
    const double low = std::isfinite(coordinate.lower) ? coordinate.lower : -3;
    const double high = std::isfinite(coordinate.upper) ? coordinate.upper : 3;
    q[static_cast<std::size_t>(c)] = random.uniform(low, high);
  }
  return q;
}

Pose tool_pose(const KinematicTree& tree, const InverseTarget& target,
               const std::vector<double>& q) {
  LinkPoses poses;
  compute_poses(tree, q, poses);
  return poses.X_WL[static_cast<std::size_t>(target.link)] * target.X_LT;
}

double largest_difference(const Pose& a, const Pose& b) {
  double largest = norm(a.p - b.p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::fabs(a.R(i, j) - b.R(i, j)));
  return largest;
}

TEST(Inverse, FindsPosesThatRealArmsCanReach) {
  PROVEN_REQUIRE_DATA("robots");
  for (const RealArm& arm : kArms) {
    const KinematicTree tree = load_tree(test::data_dir() / "robots" / arm.file);
    InverseTarget target;
    target.link = tree.find_link(std::string("robot/") + arm.tool);
    ASSERT_GE(target.link, 0) << arm.file;
    const std::vector<int> chain = chain_of(tree, target.link);
    EXPECT_EQ(static_cast<int>(chain.size()), arm.joints) << arm.file;
    Random random(7);
    const int trials = test::cases(100);
    int found = 0;
    for (int trial = 0; trial < trials; ++trial) {
      target.X_LT = {random.rotation(), 0.1 * random.unit_vector()};
      target.X_WT = tool_pose(tree, target, random_in_limits(tree, chain, random));
      ASSERT_FALSE(beyond_reach(tree, target, tree.zero_configuration())) << arm.file;
      InverseOptions options;
      options.seed = static_cast<std::uint64_t>(trial) + 1;
      const auto guess = random_in_limits(tree, chain, random);
      const auto q = solve_inverse(tree, target, guess, options);
      if (!q) continue;
      ++found;
      ASSERT_LT(largest_difference(tool_pose(tree, target, *q), target.X_WT), 3e-6) << arm.file;
      for (std::size_t c = 0; c < q->size(); ++c) {
        const Coordinate& coordinate = tree.coordinates()[c];
        const bool moves = std::binary_search(chain.begin(), chain.end(), static_cast<int>(c));
        if (!moves) {
          ASSERT_EQ((*q)[c], guess[c]) << coordinate.name;
        } else {
          ASSERT_GE((*q)[c], coordinate.lower) << coordinate.name;
          ASSERT_LE((*q)[c], coordinate.upper) << coordinate.name;
        }
      }
    }
    EXPECT_GE(found, trials * 98 / 100) << arm.file;
    std::printf("%s: %d of %d\n", arm.file, found, trials);
  }
}

// Any tree with sliding and mimicking joints, planar and floating ones too.
TEST(Inverse, WorksOnRandomChains) {
  Random random(8);
  int found = 0, several = 0;
  const int trials = test::cases(300);
  for (int trial = 0; trial < trials; ++trial) {
    KinematicTree tree;
    const Robot robot = test::random_robot(random, {}, {.links = 3 + random.index(10)});
    ASSERT_TRUE(tree.add_robot(robot, "robot", test::random_pose(random, 1)).ok());
    InverseTarget target;
    target.link = 1 + random.index(tree.num_links() - 1);
    const std::vector<int> chain = chain_of(tree, target.link);
    target.X_LT = test::random_pose(random, 0.3);
    target.X_WT = tool_pose(tree, target, random_in_limits(tree, chain, random));
    ASSERT_FALSE(beyond_reach(tree, target, tree.zero_configuration()));
    const auto q = solve_inverse(tree, target, tree.zero_configuration());
    several += chain.size() >= 3;
    if (!q) continue;
    ++found;
    ASSERT_LT(largest_difference(tool_pose(tree, target, *q), target.X_WT), 3e-6);
  }
  std::printf("%d of %d solved\n", found, trials);
  if (trials < 100) return;
  EXPECT_GT(several, trials / 3);
  EXPECT_GT(found, trials * 8 / 10);
}

TEST(Inverse, MovesOnlyTheCoordinatesGiven) {
  PROVEN_REQUIRE_DATA("robots");
  const KinematicTree tree = load_tree(test::data_dir() / "robots" / "pr2/pr2.urdf");
  InverseTarget target;
  target.link = tree.find_link("robot/r_gripper_palm_link");
  const std::vector<int> chain = chain_of(tree, target.link);
  const int torso = tree.find_coordinate("robot/torso_lift_joint");
  ASSERT_TRUE(std::binary_search(chain.begin(), chain.end(), torso));
  InverseOptions options;
  for (const int c : chain)
    if (c != torso) options.coordinates.push_back(c);
  Random random(9);
  std::vector<double> reachable = random_in_limits(tree, options.coordinates, random);
  reachable[static_cast<std::size_t>(torso)] = 0.2;
  target.X_WT = tool_pose(tree, target, reachable);
  std::vector<double> guess = random_in_limits(tree, options.coordinates, random);
  guess[static_cast<std::size_t>(torso)] = 0.2;
  const auto q = solve_inverse(tree, target, guess, options);
  ASSERT_TRUE(q.has_value());
  EXPECT_EQ((*q)[static_cast<std::size_t>(torso)], 0.2);
}

// A stretched chain of three unit links along x: what lies farther than 3 m is out of reach.
TEST(Inverse, ReachIsTheLengthOfTheChain) {
  Robot robot;
  robot.name = "chain";
  robot.links.resize(4);
  robot.links[0].name = "l0";
  for (int i = 1; i <= 3; ++i) {
    robot.links[static_cast<std::size_t>(i)].name = "l" + std::to_string(i);
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::continuous;
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.X_PJ = Pose::translation({i == 1 ? 0.5 : 1.0, 0, 0});
    joint.axis = {0, 0, 1};
    robot.joints.push_back(joint);
  }
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "arm", Pose::translation({0, 0, 2})).ok());
  InverseTarget target;
  target.link = tree.find_link("arm/l3");
  target.X_LT = Pose::translation({1, 0, 0});
  const std::vector<double> rest = tree.zero_configuration();
  for (const double distance : {2.999, 2.99999, 3.0001, 3.01}) {
    target.X_WT = Pose::translation({0.5, -distance, 2});
    EXPECT_EQ(beyond_reach(tree, target, rest), distance > 3) << distance;
  }
  // With the first joint held at zero the others reach 2 m from (1.5, 0).
  const std::vector<int> last_two = {1, 2};
  target.X_WT = Pose::translation({0.5, -2.5, 2});
  EXPECT_FALSE(beyond_reach(tree, target, rest));
  EXPECT_TRUE(beyond_reach(tree, target, rest, last_two));
}

// Rates against a difference of poses, and joints at a limit do not cross it.
TEST(InverseSolver, RatesMoveTheFrameAsAsked) {
  Random random(21);
  int moved = 0, held = 0;
  for (int i = 0; i < 100; ++i) {
    Robot robot;
    robot.links.resize(8);
    robot.links[0].name = "l0";
    for (int k = 1; k < 8; ++k) {
      robot.links[static_cast<std::size_t>(k)].name = "l" + std::to_string(k);
      RobotJoint joint;
      joint.name = "j" + std::to_string(k);
      joint.type = JointType::revolute;
      joint.parent_link = "l" + std::to_string(k - 1);
      joint.child_link = "l" + std::to_string(k);
      joint.X_PJ = test::random_pose(random, 0.4);
      joint.axis = random.unit_vector();
      joint.limits.lower = -2;
      joint.limits.upper = 2;
      robot.joints.push_back(joint);
    }
    KinematicTree tree;
    ASSERT_TRUE(tree.add_robot(robot, "arm", {}).ok());
    std::vector<double> q = random_configuration(tree, random);
    if (i % 2 == 1) q[3] = 2;
    const int link = tree.find_link("arm/l7");
    InverseSolver solver(tree, {link, {}, {}}, {});
    const Vec3 linear = random.unit_vector(), angular = random.unit_vector();
    const std::vector<double> rates = solver.rates(q, linear, angular);
    if (i % 2 == 1) {
      EXPECT_LE(rates[3], 0);
    }
    held += i % 2 == 1 && rates[3] == 0;
    constexpr double kStep = 1e-6;
    double fastest = 0;
    for (const double rate : rates) fastest = std::max(fastest, std::fabs(rate));
    if (fastest > 50) continue;  // differences say little there
    std::vector<double> before = q, after = q;
    for (std::size_t c = 0; c < q.size(); ++c) {
      before[c] -= kStep * rates[c];
      after[c] += kStep * rates[c];
    }
    LinkPoses a, b;
    compute_poses(tree, before, a);
    compute_poses(tree, after, b);
    const Pose &X = a.X_WL[static_cast<std::size_t>(link)],
               &Y = b.X_WL[static_cast<std::size_t>(link)];
    EXPECT_NEAR(norm(1 / (2 * kStep) * (Y.p - X.p) - linear), 0, 1e-4);
    EXPECT_NEAR(norm(1 / (2 * kStep) * rotation_vector(Y.R * transpose(X.R)) - angular), 0, 1e-4);
    ++moved;
  }
  EXPECT_GT(moved, 70);
  EXPECT_GT(held, 10);
}

}  // namespace
}  // namespace proven
