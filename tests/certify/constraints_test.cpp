// Cones and boxes along motions. The judge is a slow forward kinematics in long double that looks
// at many moments, random ones among them, of motions that are evaluated by their definition.
#include "proven/certify/constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kinematics/slow_kinematics.h"
#include "proven/base/random.h"
#include "support.h"

namespace proven::test {
namespace {

constexpr double kPi = std::numbers::pi;

Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}
Pose any_pose(Random& random, double size) {
  return {rotation(random.unit_vector(), random.uniform(-3, 3)), random_vector(random, size)};
}

// A chain of joints that turn and slide, one of which follows another; some float or stand on a
// planar joint.
Robot chain(Random& random, int joints, JointType base) {
  Robot robot;
  robot.name = "r";
  robot.links.resize(static_cast<std::size_t>(joints) + 1);
  robot.links[0].name = "l0";
  for (int i = 1; i <= joints; ++i) {
    robot.links[static_cast<std::size_t>(i)].name = "l" + std::to_string(i);
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = i == 1 ? base : i % 4 == 3 ? JointType::prismatic : JointType::revolute;
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.X_PJ = any_pose(random, 0.4);
    joint.axis = random.unit_vector();
    joint.limits = {-4, 4, 1, 1};
    if (i == 5) joint.mimic = Mimic{"j2", -0.7, 0.3};
    robot.joints.push_back(joint);
  }
  return robot;
}

struct Case {
  Robot robot;
  KinematicTree tree;
  SlowRobot slow;
  Motion motion;
};

Case random_case(Random& random, double size) {
  Case c;
  const JointType bases[] = {JointType::revolute, JointType::floating, JointType::planar};
  const JointType base = bases[random.index(3)];
  c.robot = chain(random, 6, base);
  const Pose X_WR = any_pose(random, 1);
  EXPECT_TRUE(c.tree.add_robot(c.robot, "r", X_WR).ok());
  c.slow = slow_robot(c.robot, X_WR);
  std::vector<double> q = c.tree.zero_configuration();
  const auto move = [&](std::vector<double> from, double by) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!c.tree.coordinates()[i].quaternion || c.motion.inner.empty())
        from[i] += random.uniform(-by, by);
    double length = 0;  // of the quaternion
    for (std::size_t i = 0; i < from.size(); ++i)
      if (c.tree.coordinates()[i].quaternion) length += from[i] * from[i];
    for (std::size_t i = 0; i < from.size(); ++i)
      if (c.tree.coordinates()[i].quaternion) from[i] /= std::sqrt(length);
    return from;
  };
  c.motion.waypoints = {move(q, 1.5)};
  // The turn of a floating base is a slerp here: its quaternions are those of straight pieces.
  const int degree = base == JointType::floating ? 1 : 1 + random.index(5);
  for (int i = 0; i < 2; ++i) {
    const std::vector<double> last = c.motion.waypoints.back();
    c.motion.waypoints.push_back(move(last, size));
    std::vector<std::vector<double>> inner;
    for (int k = 1; k < degree; ++k) inner.push_back(move(last, size));
    if (degree > 1) c.motion.inner.push_back(inner);
  }
  return c;
}

// By the definitions of Bernstein's form and of the slerp.
SlowValues values_at(const Case& c, int segment, double s, Random* tube = nullptr,
                     double error = 0) {
  const MotionPiece piece = c.motion.piece(segment);
  SlowValues values;
  Real cosine = 0;
  for (std::size_t i = 0; i < piece.from.size(); ++i)
    if (c.tree.coordinates()[i].quaternion)
      cosine += static_cast<Real>(piece.from[i]) * static_cast<Real>(piece.to[i]);
  const Real sign = cosine < 0 ? -1 : 1, angle = std::acos(std::fmin(Real(1), std::fabs(cosine)));
  for (std::size_t i = 0; i < piece.from.size(); ++i) {
    const Coordinate& coordinate = c.tree.coordinates()[i];
    const std::string name = coordinate.name.substr(2);
    if (coordinate.quaternion) {
      const Real a = piece.from[i], b = sign * piece.to[i];
      values[name] = angle < 1e-9L ? a + s * (b - a)
                                   : (std::sin((1 - s) * angle) * a + std::sin(s * angle) * b) /
                                         std::sin(angle);
      continue;
    }
    const int n = piece.degree();
    Real sum = 0, binomial = 1;
    for (int k = 0; k <= n; ++k) {
      sum += binomial * std::pow(static_cast<Real>(s), k) *
             std::pow(1 - static_cast<Real>(s), n - k) * piece.control(k)[i];
      binomial = binomial * (n - k) / (k + 1);
    }
    values[name] = sum + (tube ? tube->uniform(-error, error) : 0);
  }
  return values;
}

// How far the frame is outside, as the constraint is specified: radians, or metres.
double seen_outside(const Case& c, const FrameConstraint& constraint, const SlowValues& values) {
  const Matrix X = multiply(c.slow.pose("l6", values), to_matrix(constraint.X_LF));
  if (const auto* cone = std::get_if<AxisCone>(&constraint.within)) {
    Triple u{};
    for (std::size_t i = 0; i < 3; ++i)
      u[i] = X[i][0] * cone->axis.x + X[i][1] * cone->axis.y + X[i][2] * cone->axis.z;
    const Vec3& d = cone->direction;
    const Triple across = {u[1] * d.z - u[2] * d.y, u[2] * d.x - u[0] * d.z,
                           u[0] * d.y - u[1] * d.x};
    const Real sine =
        std::sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
    return static_cast<double>(std::atan2(sine, u[0] * d.x + u[1] * d.y + u[2] * d.z) -
                               cone->angle);
  }
  const auto& box = std::get<OriginBox>(constraint.within);
  Real most = -1e9L;
  for (int k = 0; k < 3; ++k) {
    Real along = 0;
    for (std::size_t i = 0; i < 3; ++i)
      along += static_cast<Real>(box.X_WB.R.row[i][k]) *
               (X[i][3] - static_cast<Real>(box.X_WB.p[static_cast<int>(i)]));
    most = std::fmax(most, std::fabs(along) - static_cast<Real>(box.size[k]) / 2);
  }
  return static_cast<double>(most);
}

// The largest at a grid of moments and at random ones.
double most_outside(const Case& c, const FrameConstraint& constraint, Random& random,
                    double error = 0) {
  constexpr int kMoments = 200;
  double most = -1e9;
  for (int i = 0; i < c.motion.num_segments(); ++i)
    for (int k = 0; k <= 2 * kMoments; ++k) {
      const double s = k <= kMoments ? static_cast<double>(k) / kMoments : random.uniform();
      most = std::max(most, seen_outside(c, constraint,
                                         values_at(c, i, s, error > 0 ? &random : nullptr, error)));
    }
  return most;
}

// A constraint around where the frame is at the start; with zero size, so that what is seen outside
// is how large it would have to be.
FrameConstraint constraint_at_start(const Case& c, bool cone, Random& random) {
  FrameConstraint constraint;
  constraint.link = c.tree.find_link("r/l6");
  constraint.X_LF = any_pose(random, 0.2);
  const Matrix X = multiply(c.slow.pose("l6", values_at(c, 0, 0)), to_matrix(constraint.X_LF));
  const auto number = [&](std::size_t i, std::size_t k) { return static_cast<double>(X[i][k]); };
  if (cone) {
    const Vec3 axis = random.unit_vector();
    Vec3 direction;
    for (int i = 0; i < 3; ++i) {
      const auto r = static_cast<std::size_t>(i);
      direction[i] = number(r, 0) * axis.x + number(r, 1) * axis.y + number(r, 2) * axis.z;
    }
    constraint.within = AxisCone{normalized(axis), normalized(direction), 0};
  } else {
    const Pose there{any_pose(random, 0).R, {number(0, 3), number(1, 3), number(2, 3)}};
    constraint.within = OriginBox{there, {}};
  }
  return constraint;
}

FrameConstraint with_room(FrameConstraint constraint, double room) {
  if (auto* cone = std::get_if<AxisCone>(&constraint.within))
    cone->angle = room;
  else
    std::get<OriginBox>(constraint.within).size = {2 * room, 2 * room, 2 * room};
  return constraint;
}

TEST(Constraints, NothingIsSeenOutsideWhatIsProvedKept) {
  Random random(5);
  int kept = 0, broken = 0, close = 0;
  for (int n = cases(80); n > 0; --n) {
    const Case c = random_case(random, random.uniform(0.01, 0.8));
    const FrameConstraint tight = constraint_at_start(c, n % 2 == 0, random);
    const double most = most_outside(c, tight, random);
    if (!(most > 1e-4 && most < 3)) continue;
    // Right at what was seen: a bound that is too small by a little says `kept` below it.
    for (const double share : {0.9, 0.999, 1.0001, 1.01, 1.3}) {
      const FrameConstraint constraint = with_room(tight, share * most);
      ASSERT_TRUE(validate(c.tree, {&constraint, 1}).ok());
      ConstraintProver prover(c.tree, {constraint});
      const ConstraintResult result = prover.check(c.motion);
      if (result.verdict == ConstraintVerdict::kept) {
        EXPECT_GE(share, 1) << most;
      }
      if (result.verdict == ConstraintVerdict::broken) {
        EXPECT_LT(share, 1.001) << "at " << share << " of the room that is needed";
        const double seen = seen_outside(c, constraint, values_at(c, result.segment, result.t));
        EXPECT_GT(seen, 0);
        EXPECT_NEAR(seen, result.beyond, 1e-9);
      }
      if (share <= 0.9) {
        EXPECT_EQ(result.verdict, ConstraintVerdict::broken);
      }
      if (share >= 1.01) {
        EXPECT_EQ(result.verdict, ConstraintVerdict::kept) << share << " of " << most;
      }
      bool pieces = true;
      for (int i = 0; i < c.motion.num_segments(); ++i) pieces &= prover.keeps(c.motion.piece(i));
      EXPECT_EQ(pieces, result.verdict == ConstraintVerdict::kept);
      kept += result.verdict == ConstraintVerdict::kept;
      broken += result.verdict == ConstraintVerdict::broken;
      close += result.verdict == ConstraintVerdict::kept && share < 1.005;
    }
  }
  std::printf("%d kept, %d of these within 0.01 %%, %d broken\n", kept, close, broken);
  EXPECT_GT(kept, 10);
  EXPECT_GT(broken, 10);
  EXPECT_GT(close, 2);
}

// With a tracking error nothing in the tube is seen outside.
TEST(Constraints, HoldForEveryMotionOfTheTube) {
  Random random(9);
  int kept = 0, open = 0;
  for (int n = cases(40); n > 0; --n) {
    const Case c = random_case(random, 0.01);                     // the tube is what counts
    if (c.robot.joints[0].type == JointType::floating) continue;  // quaternions have no tube here
    const double error = random.uniform(0.001, 0.05);
    const FrameConstraint tight = constraint_at_start(c, n % 2 == 0, random);
    const double seen = most_outside(c, tight, random, error);
    if (!(seen > 1e-4 && seen < 1.5)) continue;
    for (const double share : {0.95, 1.2, 3.0}) {
      const FrameConstraint constraint = with_room(tight, share * seen);
      ConstraintProver prover(c.tree, {constraint}, TrackingError(error));
      const bool holds = prover.check(c.motion).verdict == ConstraintVerdict::kept;
      if (holds) {
        EXPECT_GE(share, 1);
      }
      (holds ? kept : open) += 1;
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(open, 0);
}

TEST(Constraints, BothEndsWithinIsNotEnough) {
  Random random(1);
  Robot robot = chain(random, 1, JointType::revolute);
  robot.joints[0].X_PJ = {};
  robot.joints[0].axis = {1, 0, 0};
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "r", {}).ok());
  const int link = tree.find_link("r/l1");
  Motion motion;
  motion.waypoints = {{-0.2}, {-0.2}};
  motion.inner = {{{1.2}}};  // up to 0.5 in the middle
  motion.times = {1, 3};
  const auto verdict = [&](const std::vector<FrameConstraint>& constraints, const Motion& m) {
    ConstraintProver prover(tree, constraints);
    return prover.check(m);
  };
  const FrameConstraint narrow{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.49}};
  const FrameConstraint wide{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.51}};
  // A point 1 m up leans by the sine of the angle.
  const FrameConstraint box{link, Pose::translation({0, 0, 1}), OriginBox{{}, {1, 0.97, 2.1}}};
  EXPECT_EQ(verdict({wide, box}, motion).verdict, ConstraintVerdict::kept);
  const ConstraintResult found = verdict({wide, narrow}, motion);
  EXPECT_EQ(found.verdict, ConstraintVerdict::broken);
  EXPECT_EQ(found.constraint, 1);
  EXPECT_DOUBLE_EQ(found.time, 1 + 2 * found.t);
  EXPECT_NEAR(found.t, 0.5, 0.1);
  EXPECT_NE(describe(tree, std::vector{wide, narrow}, found).find("'r/l1' is"), std::string::npos);
  // Once round: upright at both ends.
  Motion round;
  round.waypoints = {{0}, {2 * kPi}};
  EXPECT_EQ(verdict({wide}, round).verdict, ConstraintVerdict::broken);
  EXPECT_EQ(verdict({{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 4}}}, round).verdict,
            ConstraintVerdict::kept);
  // Along the border of the cone nothing is decided.
  const FrameConstraint border{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.3}};
  Motion still;
  still.waypoints = {{0.3}};
  EXPECT_EQ(verdict({border}, still).verdict, ConstraintVerdict::undecided);
}

// Motions that bend as much as the bounds say: with three quarters of what is needed to prove them,
// both ends are inside and the middle is outside.
TEST(Constraints, BoundsAreReached) {
  constexpr double kWidth = 0.5, kBulge = kWidth * kWidth / 8;
  const auto joint = [](JointType type, Vec3 axis, double x) {
    RobotJoint j;
    j.type = type;
    j.axis = axis;
    j.X_PJ = Pose::translation({x, 0, 0});
    j.limits = {-4, 4, 1, 1};
    return j;
  };
  const auto tree_of = [](std::vector<RobotJoint> joints) {
    Robot robot;
    robot.links.resize(joints.size() + 1);
    robot.links[0].name = "l0";
    for (std::size_t i = 0; i < joints.size(); ++i) {
      joints[i].name = "j" + std::to_string(i);
      joints[i].parent_link = robot.links[i].name;
      joints[i].child_link = robot.links[i + 1].name = "l" + std::to_string(i + 1);
    }
    robot.joints = joints;
    KinematicTree tree;
    EXPECT_TRUE(tree.add_robot(robot, "r", {}).ok());
    return tree;
  };
  const auto verdict = [](const KinematicTree& tree, const Motion& motion, const Pose& X_LF,
                          const std::variant<AxisCone, OriginBox>& within) {
    ConstraintProver prover(tree, {{tree.num_links() - 1, X_LF, within}});
    return prover.check(motion).verdict;
  };
  // The tip of a chain swings through its farthest place; `acceleration` is that of a unit width.
  const auto expect_box = [&](const KinematicTree& tree, const Motion& motion, double tip,
                              double farthest, double bulge) {
    const double size = 2 * (farthest - 0.25 * bulge);
    EXPECT_EQ(verdict(tree, motion, Pose::translation({tip, 0, 0}), OriginBox{{}, {size, 9, 9}}),
              ConstraintVerdict::broken);
    EXPECT_EQ(verdict(tree, motion, Pose::translation({tip, 0, 0}),
                      OriginBox{{}, {2 * farthest + 0.1 * bulge, 9, 9}}),
              ConstraintVerdict::kept);
  };
  Motion swing;
  swing.waypoints = {{-0.5 * kWidth}, {0.5 * kWidth}};
  const Vec3 z{0, 0, 1};
  const KinematicTree one = tree_of({joint(JointType::revolute, z, 0)});
  expect_box(one, swing, 1, 1, kBulge);
  // Two joints that turn alike: cos q + cos 2 q.
  const KinematicTree two =
      tree_of({joint(JointType::revolute, z, 0), joint(JointType::revolute, z, 1)});
  Motion both;
  both.waypoints = {{-0.5 * kWidth, -0.5 * kWidth}, {0.5 * kWidth, 0.5 * kWidth}};
  expect_box(two, both, 1, 2, 5 * kBulge);
  // A slide that comes back, and one that a turn swings sideways.
  const KinematicTree slide = tree_of({joint(JointType::prismatic, {1, 0, 0}, 0)});
  Motion there_and_back;
  there_and_back.waypoints = {{0}, {0}};
  there_and_back.inner = {{{1}}};
  expect_box(slide, there_and_back, 0, 0.5, 0.5);
  // A ball joint, about z.
  const KinematicTree ball = tree_of({joint(JointType::floating, z, 0)});
  const auto turned = [](double angle) {
    return std::vector<double>{0, 0, 0, 0, 0, std::sin(0.5 * angle), std::cos(0.5 * angle)};
  };
  Motion ball_swing;
  ball_swing.waypoints = {turned(-0.5 * kWidth), turned(0.5 * kWidth)};
  expect_box(ball, ball_swing, 1, 1, kBulge);
  // An axis that goes through the direction opposite to that of its cone.
  for (const auto* moving : {&one, &ball}) {
    const Motion& motion = moving == &one ? swing : ball_swing;
    const double cosine = -1 + 0.25 * kBulge;
    EXPECT_EQ(verdict(*moving, motion, {}, AxisCone{{1, 0, 0}, {-1, 0, 0}, std::acos(cosine)}),
              ConstraintVerdict::broken);
    EXPECT_EQ(verdict(*moving, motion, {}, AxisCone{{1, 0, 0}, {0, 1, 0}, 0.5 * kPi + 0.26}),
              ConstraintVerdict::kept);
  }
}

TEST(Constraints, WhatMakesNoSenseIsRefused) {
  Random random(1);
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(chain(random, 2, JointType::revolute), "r", {}).ok());
  const int link = tree.find_link("r/l2");
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto valid = [&](const FrameConstraint& c) { return validate(tree, {&c, 1}).ok(); };
  EXPECT_TRUE(valid({link, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 0.1}}));
  EXPECT_TRUE(valid({link, {}, OriginBox{{}, {1, 1, 1}}}));
  EXPECT_FALSE(valid({0, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 0.1}}));
  EXPECT_FALSE(valid({99, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 0.1}}));
  EXPECT_FALSE(valid({link, {}, AxisCone{{0, 0, 2}, {1, 0, 0}, 0.1}}));
  EXPECT_FALSE(valid({link, {}, AxisCone{{0, 0, 1}, {0, 0, kNan}, 0.1}}));
  for (const double angle : {0.0, -1.0, kNan})
    EXPECT_FALSE(valid({link, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, angle}}));
  EXPECT_FALSE(valid({link, {}, OriginBox{{}, {1, 0, 1}}}));
  EXPECT_FALSE(valid({link, {}, OriginBox{{}, {1, kNan, 1}}}));
  EXPECT_FALSE(valid({link, Pose::translation({kNan, 0, 0}), OriginBox{{}, {1, 1, 1}}}));
  EXPECT_FALSE(valid({link, {}, OriginBox{Pose::translation({0, kNan, 0}), {1, 1, 1}}}));
  // NaN in a motion is no proof.
  for (const FrameConstraint& c : {FrameConstraint{link, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 4}},
                                   FrameConstraint{link, {}, OriginBox{{}, {100, 100, 100}}}}) {
    ConstraintProver prover(tree, {c});
    Motion motion;
    motion.waypoints = {{0, 0}, {0, kNan}};
    EXPECT_EQ(prover.check(motion).verdict, ConstraintVerdict::undecided);
    EXPECT_FALSE(prover.keeps(motion.piece(0)));
  }
}

}  // namespace
}  // namespace proven::test
