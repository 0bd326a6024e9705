// Pairs that never meet: what is called proved stands up to those who look for the closest
// approach.
#include "proven/certify/never_meet.h"

#include <gtest/gtest.h>

#include "certify/check_support.h"
#include "certify/random_scenes.h"
#include "proven/io/scene_file.h"
#include "proven/plan/joint_space.h"

namespace proven {
namespace {

constexpr std::int64_t kBoxes = 20'000;

// An evaluator of its own: distances at configurations, nothing of boxes and bounds.
class Adversary {
 public:
  Adversary(const Scene& scene, const BodyPair& pair) : scene_(scene), pair_(pair) {}

  double distance(const std::vector<double>& q) {
    compute_poses(scene_.tree(), q, poses_);
    const BodyGeometry &a = *scene_.body(pair_.a).geometry, &b = *scene_.body(pair_.b).geometry;
    const Pose X_AB =
        relative_pose(scene_.body_pose(pair_.a, poses_), scene_.body_pose(pair_.b, poses_));
    return exact_distance(a, b, X_AB, {-1, -1}, scratch_).distance;
  }

  // The smallest of random configurations, each improved by random steps that become shorter.
  double closest(Random& random, int starts, int steps) {
    double smallest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < starts; ++i) {
      std::vector<double> q = random_configuration(scene_.tree(), random);
      double here = distance(q), reach = 1;
      for (int k = 0; k < steps && here > 0; ++k) {
        std::vector<double> next = q;
        for (std::size_t c = 0; c < q.size(); ++c) {
          const Coordinate& limits = scene_.tree().coordinates()[c];
          next[c] += reach * random.uniform(-1, 1);
          if (!limits.continuous) next[c] = std::clamp(next[c], limits.lower, limits.upper);
        }
        const double there = distance(next);
        if (there < here) q = next, here = there;
        reach *= there < here ? 1.5 : 0.9;
      }
      smallest = std::fmin(smallest, here);
    }
    return smallest;
  }

 private:
  const Scene& scene_;
  BodyPair pair_;
  LinkPoses poses_;
  DistanceScratch scratch_;
};

// No clearance that the adversary undercuts is proved, and those that nobody comes near are.
TEST(NeverMeet, ProvesNoClearanceThatSomebodyUndercuts) {
  int refused = 0, proved = 0, asked = 0;
  for (int i = 0; i < test::cases(20); ++i) {
    Random random(static_cast<std::uint64_t>(1000 + i));
    SceneSource source = test::random_scene(random, {.links = 4, .obstacles = 0});
    for (RobotJoint& joint : source.robots[0].robot.joints)
      if (random.index(3) == 0 && joint.type == JointType::revolute && !joint.mimic)
        joint.type = JointType::continuous;
      else if (random.index(2) == 0 && joint.type == JointType::revolute)
        joint.limits = {-random.uniform(0, 1), random.uniform(0, 1), 1, 1};
    const Scene scene = test::build(source);
    for (BodyPair pair : scene.pairs()) {
      const double closest = Adversary(scene, pair).closest(random, 8, 60);
      if (!(closest > 1e-3)) continue;
      ++asked;
      pair.clearance = closest * (1 + 1e-6);
      const PairFinding high = prove_never_meet(scene, pair, kBoxes);
      EXPECT_NE(high.fate, PairFate::never) << i << " " << scene.body(pair.a).name << " "
                                            << scene.body(pair.b).name << " " << closest;
      refused += high.fate != PairFate::never;
      pair.clearance = 0.5 * closest;
      proved += prove_never_meet(scene, pair, kBoxes).fate == PairFate::never;
    }
  }
  EXPECT_GT(asked, 0);
  EXPECT_EQ(refused, asked);
  EXPECT_GT(2 * proved, asked) << asked;
}

// Each rule by itself: the largest clearance that one box proves, found by bisection, is one that
// the adversary does not undercut, and for a good part it comes near.
TEST(NeverMeet, OneBoxProvesNoMoreThanIsTrue) {
  int asked = 0, near = 0;
  for (int i = 0; i < test::cases(80); ++i) {
    Random random(static_cast<std::uint64_t>(7000 + i));
    SceneSource source = test::random_scene(random, {.links = 5, .obstacles = 0});
    for (RobotJoint& joint : source.robots[0].robot.joints) {
      const bool turns = joint.type == JointType::revolute;
      const double centre = random.uniform(turns ? -3 : -0.2, turns ? 3 : 0.2);
      const double half = std::exp(random.uniform(-4, 0)) * (turns ? 1 : 0.2);
      joint.limits = {centre - half, centre + half, 1, 1};
    }
    const Scene scene = test::build(source);
    for (BodyPair pair : scene.pairs()) {
      double low = 0, high = 1;
      for (int k = 0; k < 30; ++k) {
        pair.clearance = 0.5 * (low + high);
        const bool proved = prove_never_meet(scene, pair, 1).fate == PairFate::never;
        (proved ? low : high) = pair.clearance;
      }
      if (low == 0) continue;
      ++asked;
      const double closest = Adversary(scene, pair).closest(random, 2, 40);
      EXPECT_GE(closest * (1 + 1e-9), low)
          << i << " " << scene.body(pair.a).name << " " << scene.body(pair.b).name;
      near += closest < 1.2 * low;
    }
  }
  EXPECT_GT(asked, 0);
  EXPECT_GT(5 * near, asked) << asked;
}

// With FCL as the judge: meshes alone, and many more configurations than any test above looks at.
TEST(NeverMeet, FclFindsNoContactOfProvedPairs) {
  int proved = 0, meeting = 0;
  for (int i = 0; i < test::cases(12); ++i) {
    Random random(static_cast<std::uint64_t>(50 + i));
    SceneSource source =
        test::random_scene(random, {.links = 4, .obstacles = 0, .meshes_only = true});
    const Scene scene = test::build(source);
    std::vector<std::pair<std::string, std::string>> never;
    for (const BodyPair& pair : scene.pairs()) {
      const PairFinding found = prove_never_meet(scene, pair, kBoxes);
      meeting += found.fate == PairFate::meets;
      if (found.fate == PairFate::meets) {
        EXPECT_EQ(Adversary(scene, pair).distance(found.configuration), 0);
      }
      if (found.fate != PairFate::never)
        source.exclusions.push_back(
            {scene.body(pair.a).name, scene.body(pair.b).name, "not proved"});
    }
    const Scene rest = test::build(source);  // the proved pairs alone
    proved += static_cast<int>(rest.pairs().size());
    test::FclScene fcl(rest);
    for (int k = 0; k < 2000 && !rest.pairs().empty(); ++k)
      ASSERT_EQ(fcl.first_collision(random_configuration(rest.tree(), random)), -1) << i;
  }
  EXPECT_GT(proved, 0);
  EXPECT_GT(meeting, 0);
}

// A flat arm whose bodies pass above each other at a gap of 1 mm at every angle: along z nothing
// moves, and one direction settles large boxes. By distances alone it would take millions.
TEST(NeverMeet, GlidesCostLittle) {
  SceneSource source;
  Robot robot;
  robot.name = "arm";
  const double gap = 0.001;
  for (int i = 0; i < 5; ++i) {
    const Pose X{Mat3{}, {0.2, 0, i * (0.05 + gap)}};
    robot.links.push_back(
        {"l" + std::to_string(i), {{Box{{0.2, 0.04, 0.025}}, X, "slab"}}, false, nullptr});
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::continuous;
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.axis = {0, 0, 1};
    robot.joints.push_back(joint);
  }
  source.robots.push_back({"arm", robot, Pose{}});
  const Scene scene = test::build(source);
  ASSERT_EQ(scene.pairs().size(), 6u);
  for (BodyPair pair : scene.pairs()) {
    const int between = pair.b - pair.a;
    const double distance = between * (0.05 + gap) - 0.05;
    const PairFinding found = prove_never_meet(scene, pair, kBoxes);
    EXPECT_EQ(found.fate, PairFate::never);
    EXPECT_LT(found.boxes, 200);
    pair.clearance = distance * (1 - 1e-6);
    EXPECT_EQ(prove_never_meet(scene, pair, kBoxes).fate, PairFate::never);
    pair.clearance = distance * (1 + 1e-6);
    EXPECT_EQ(prove_never_meet(scene, pair, kBoxes).fate, PairFate::open);
  }
}

// Two arms from one base, each with a block: which joints are between them decides what can be
// said.
class TwoArms : public testing::Test {
 protected:
  PairFinding prove(const RobotJoint& left, const RobotJoint& right) {
    Robot robot;
    robot.name = "r";
    robot.links.push_back({"base", {}, false, nullptr});
    const auto add = [&](RobotJoint joint, const std::string& name, const Vec3& block) {
      robot.links.push_back(
          {name, {{Box{{0.1, 0.1, 0.1}}, Pose::translation(block), "block"}}, false, nullptr});
      joint.name = "to_" + name;
      joint.parent_link = "base";
      joint.child_link = name;
      robot.joints.push_back(joint);
    };
    add(left, "left", {1, 0, 0});
    add(right, "right", {0, 0, 1});
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    const Scene scene = test::build(source);
    EXPECT_EQ(scene.pairs().size(), 1u);
    return prove_never_meet(scene, scene.pairs()[0], kBoxes);
  }

  static RobotJoint joint(JointType type, const Vec3& axis, double lower = -1, double upper = 1) {
    RobotJoint joint;
    joint.type = type;
    joint.axis = axis;
    joint.limits = {lower, upper, 1, 1};
    return joint;
  }
};

TEST_F(TwoArms, JointsWithoutLimits) {
  const RobotJoint still = joint(JointType::revolute, {0, 0, 1}, 0, 0);
  EXPECT_EQ(prove(joint(JointType::continuous, {0, 0, 1}), still).fate, PairFate::never);
  EXPECT_EQ(prove(joint(JointType::continuous, {0, 1, 0}), still).fate, PairFate::meets);
  const PairFinding planar = prove(joint(JointType::planar, {0, 0, 1}), still);
  EXPECT_EQ(planar.fate, PairFate::unbounded);
  EXPECT_TRUE(planar.joint.starts_with("r/to_left")) << planar.joint;
  EXPECT_EQ(prove(joint(JointType::floating, {0, 0, 1}), still).fate, PairFate::unbounded);
}

// Wherever in the box they meet: near either end of a range, or behind half a turn.
TEST_F(TwoArms, EveryPartOfTheBoxIsLookedAt) {
  const RobotJoint still = joint(JointType::revolute, {0, 1, 0}, 0, 0);
  const RobotJoint behind = joint(JointType::revolute, {0, 1, 0}, -1.5708, -1.5708);
  EXPECT_EQ(prove(joint(JointType::revolute, {0, -1, 0}, -3, 1.3), still).fate, PairFate::never);
  EXPECT_EQ(prove(joint(JointType::revolute, {0, -1, 0}, -3, 2.5), still).fate, PairFate::meets);
  EXPECT_EQ(prove(joint(JointType::revolute, {0, 1, 0}, -1.3, 3), still).fate, PairFate::never);
  EXPECT_EQ(prove(joint(JointType::revolute, {0, 1, 0}, -2.5, 3), still).fate, PairFate::meets);
  EXPECT_EQ(prove(joint(JointType::continuous, {0, 0, 1}), behind).fate, PairFate::meets);
}

// A follower that turns 2.5 times as far does not come back when its driver does.
TEST_F(TwoArms, FollowersOfJointsWithoutLimits) {
  RobotJoint follower = joint(JointType::continuous, {0, 0, 1});
  follower.mimic = Mimic{"to_left", 2.5, 0.1};
  EXPECT_EQ(prove(joint(JointType::continuous, {0, 0, 1}), follower).fate, PairFate::unbounded);
  follower.mimic->multiplier = -3;
  EXPECT_EQ(prove(joint(JointType::continuous, {0, 0, 1}), follower).fate, PairFate::never);
  follower.axis = {0, 1, 0};  // its block sweeps a circle through the other's plane
  follower.mimic->offset = 1.57;
  EXPECT_EQ(prove(joint(JointType::continuous, {0, 0, 1}), follower).fate, PairFate::meets);
}

// Slides: the blocks are 0.8 apart in z, and 0.8 in x.
TEST_F(TwoArms, Slides) {
  const RobotJoint still = joint(JointType::revolute, {0, 0, 1}, 0, 0);
  const auto fate = [&](const Vec3& axis, double upper) {
    return prove(joint(JointType::prismatic, axis, 0, upper), still).fate;
  };
  EXPECT_EQ(fate({0, 0, 1}, 5), PairFate::never);  // passes beside it
  EXPECT_EQ(fate({-1, 0, 1}, 1.13), PairFate::never);
  EXPECT_EQ(fate({-1, 0, 1}, 1.14), PairFate::meets);  // 0.8 √2 = 1.1314
}

// One inside the other from the first: surfaces that stay apart are no proof.
TEST(NeverMeet, InsideIsMeeting) {
  Robot robot;
  robot.name = "r";
  robot.links.push_back({"base", test::box_mesh({2, 2, 2}), false, nullptr});
  robot.links.push_back({"mid", {}, false, nullptr});
  robot.links.push_back({"core", test::box_mesh({0.1, 0.1, 0.1}), false, nullptr});
  for (int i = 0; i < 2; ++i) {
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::prismatic;
    joint.axis = {1, 0, 0};
    joint.limits = {-0.1, 0.1, 1, 1};
    joint.parent_link = robot.links[static_cast<std::size_t>(i)].name;
    joint.child_link = robot.links[static_cast<std::size_t>(i) + 1].name;
    robot.joints.push_back(joint);
  }
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  const Scene scene = test::build(source);
  ASSERT_EQ(scene.pairs().size(), 1u);
  EXPECT_EQ(prove_never_meet(scene, scene.pairs()[0], kBoxes).fate, PairFate::meets);
}

// Paths may be beyond their limits by the tolerance of those who read them: the box holds that.
TEST(NeverMeet, TheBoxHoldsTheToleranceOfLimits) {
  EXPECT_GT(kBeyondLimits, kLimitTolerance);
}

TEST(NeverMeet, IsTheSameEachTimeAndEndsWithItsBudget) {
  Random random(3);
  const Scene scene = test::build(test::random_scene(random, {.links = 4, .obstacles = 0}));
  for (const BodyPair& pair : scene.pairs()) {
    const PairFinding a = prove_never_meet(scene, pair, 500),
                      b = prove_never_meet(scene, pair, 500);
    EXPECT_EQ(a.fate, b.fate);
    EXPECT_EQ(a.boxes, b.boxes);
    EXPECT_LE(a.boxes, 500);
    EXPECT_EQ(prove_never_meet(scene, pair, 500, Budget::of_seconds(0)).fate, PairFate::open);
  }
}

}  // namespace
}  // namespace proven
