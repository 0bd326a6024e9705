// Lines and arcs of tools: a slow twin in long double samples the motion densely, and finds the
// tool nowhere farther from the curve than was proved.
#include "proven/plan/tool_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kinematics/random_robot.h"
#include "plan/plan_support.h"
#include "plan/tool_deviation.h"
#include "proven/certify/check.h"
#include "proven/io/urdf.h"
#include "support.h"

namespace proven::test {
namespace {

constexpr int kSamples = 40;  // of each piece

// A chain of turning joints with offsets of up to `reach`; sometimes one of them slides.
Robot random_arm(Random& random, int joints, double velocity) {
  Robot robot;
  robot.name = "arm";
  robot.links.push_back({"l0", {}, false, nullptr});
  const int slide = random.index(4 * joints);
  for (int i = 0; i < joints; ++i) {
    robot.links.push_back({"l" + std::to_string(i + 1), {}, false, nullptr});
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent_link = robot.links[static_cast<std::size_t>(i)].name;
    joint.child_link = robot.links.back().name;
    joint.type = i == slide ? JointType::prismatic : JointType::revolute;
    joint.axis = random_axis(random);
    joint.X_PJ = random_pose(random, 0.3);
    joint.limits = {-2.8, 2.8, velocity, std::numeric_limits<double>::infinity()};
    robot.joints.push_back(joint);
  }
  return robot;
}

struct Arm {
  Robot robot;
  std::string name;
  KinematicTree tree;
  SlowRobot slow;
  ToolFrame tool;

  // On the last link of the list unless another is named.
  Arm(Robot given, const Pose& X_LT, const std::string& link = "")
      : robot(std::move(given)), name(link.empty() ? robot.links.back().name : link) {
    const auto added = tree.add_robot(robot, "arm", Pose{});
    EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.error().text());
    slow = slow_robot(robot, Pose{});
    tool = {tree.find_link("arm/" + name), X_LT};
  }

  Matrix pose(const MotionPiece& piece, Real s) const {
    SlowValues values;
    for (std::size_t c = 0; c < piece.from.size(); ++c) {
      std::vector<Real> w;
      for (int k = 0; k <= piece.degree(); ++k) w.push_back(piece.control(k)[c]);
      for (std::size_t level = w.size() - 1; level > 0; --level)
        for (std::size_t k = 0; k < level; ++k) w[k] += s * (w[k + 1] - w[k]);
      values[tree.coordinates()[c].name.substr(4)] = w[0];
    }
    return multiply(slow.pose(name, values), to_matrix(tool.X_LT));
  }
};

// The curve again, in another form: its arc by Rodrigues' turn of the first radius.
Matrix wanted_pose(const ToolCurve& curve, Real tau) {
  const Real done = 10 * tau * tau * tau - 15 * tau * tau * tau * tau + 6 * std::pow(tau, Real(5));
  Matrix m = to_matrix({curve.start.R, {}});
  if (curve.angle != 0)
    m = multiply(turn({curve.axis.x, curve.axis.y, curve.axis.z}, curve.angle * done), m);
  const Vec3 normal = cross(curve.along, curve.across);
  const Triple along = {curve.along.x, curve.along.y, curve.along.z};
  const Triple p = curve.arc == 0
                       ? scale(done, along)
                       : test::apply(turn({normal.x, normal.y, normal.z}, curve.arc * done), along);
  for (int i = 0; i < 3; ++i)
    m[static_cast<std::size_t>(i)][3] = p[static_cast<std::size_t>(i)] + curve.centre[i];
  return m;
}

ToolDeviation difference_of(const Matrix& a, const Matrix& b) {
  Real place = 0, turn = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    place += (a[i][3] - b[i][3]) * (a[i][3] - b[i][3]);
    for (std::size_t j = 0; j < 3; ++j) turn += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
  }
  return {static_cast<double>(std::sqrt(place)),
          static_cast<double>(2 * std::asin(std::fmin(Real(1), std::sqrt(turn / 8))))};
}

ToolDeviation sampled(const Arm& arm, const ToolCurve& curve, const MotionPiece& piece,
                      double begin, double end) {
  ToolDeviation worst;
  for (int i = 0; i <= kSamples; ++i) {
    const Real s = static_cast<Real>(i) / kSamples;
    const ToolDeviation d =
        difference_of(arm.pose(piece, s), wanted_pose(curve, begin + s * (end - begin)));
    worst.position = std::fmax(worst.position, d.position);
    worst.angle = std::fmax(worst.angle, d.angle);
  }
  return worst;
}

ToolDeviation sampled(const Arm& arm, const ToolCurve& curve, const ToolMotion& moved) {
  ToolDeviation worst;
  const Motion& motion = moved.motion;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const ToolDeviation d = sampled(arm, curve, motion.piece(i), motion.times[k] / moved.duration,
                                    motion.times[k + 1] / moved.duration);
    worst.position = std::fmax(worst.position, d.position);
    worst.angle = std::fmax(worst.angle, d.angle);
  }
  return worst;
}

// Joints join without a jump of velocity, rest at the ends, and keep their limits.
void expect_runnable(const Motion& motion, std::size_t coordinate, double velocity) {
  double before = 0;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const MotionPiece p = motion.piece(i);
    const double seconds = motion.times[k + 1] - motion.times[k];
    const auto c = [&](int j) { return p.control(j)[coordinate]; };
    EXPECT_NEAR(before, 3 * (c(1) - c(0)) / seconds, 1e-9);
    before = 3 * (c(3) - c(2)) / seconds;
    for (int j = 0; j < 3; ++j) EXPECT_LE(std::fabs(3 * (c(j + 1) - c(j)) / seconds), velocity);
  }
  EXPECT_NEAR(before, 0, 1e-9);
}

void expect_proved(const Arm& arm, const ToolCurve& curve, const Pose& goal,
                   const std::vector<double>& start, const ToolMotion& moved,
                   const ToolMotionOptions& options) {
  const ToolDeviation seen = sampled(arm, curve, moved), &proved = moved.deviation;
  EXPECT_LE(seen.position, proved.position);
  EXPECT_LE(seen.angle, proved.angle);
  EXPECT_LE(proved.position, options.tolerance.position);
  EXPECT_LE(proved.angle, options.tolerance.angle);
  EXPECT_LE(proved.position, seen.position + 0.25 * options.tolerance.position);
  EXPECT_LE(proved.angle, seen.angle + 0.25 * options.tolerance.angle);
  EXPECT_EQ(moved.motion.waypoints.front(), start);
  const ToolDeviation at_end = difference_of(
      arm.pose(moved.motion.piece(moved.motion.num_segments() - 1), 1), to_matrix(goal));
  EXPECT_LE(at_end.position, 2e-3 * options.tolerance.position);
  EXPECT_LE(at_end.angle, 2e-3 * options.tolerance.angle);
}

TEST(ToolMotion, LinesAndArcsOfRandomArmsStayWithinWhatIsProved) {
  Random random(11);
  int proved = 0, refused = 0, arcs = 0, slowed = 0;
  const int n = cases(120);
  for (int i = 0; i < n; ++i) {
    const double velocity = random.uniform(0.3, 3);
    const Arm arm(random_arm(random, 6 + random.index(2), velocity), random_pose(random, 0.1));
    std::vector<double> start = random_configuration(arm.tree, random);
    for (double& value : start) value *= 0.7;
    const Pose from = tool_pose(arm.tree, arm.tool, start);
    const Pose to = {rotation(random.unit_vector(), random.uniform(0, 0.6)) * from.R,
                     from.p + random.uniform(0.02, 0.3) * random.unit_vector()};
    const bool arc = random.index(3) == 0;
    const auto curve =
        arc ? tool_arc_through(from, 0.5 * (from.p + to.p) + 0.05 * random.unit_vector(), to)
            : tool_line(from, to);
    ASSERT_TRUE(curve.ok()) << curve.error().text();
    ToolMotionOptions options;
    options.tolerance.position = i % 2 == 0 ? 1e-4 : 1e-3;
    const auto moved = move_tool(arm.tree, arm.tool, curve.value(), start, options);
    if (!moved.ok()) {
      EXPECT_NE(moved.error().message.find("along the way"), std::string::npos);
      ++refused;
      continue;
    }
    ++proved;
    arcs += arc;
    slowed += moved.value().duration > moved.value().at_full_speed;
    expect_proved(arm, curve.value(), to, start, moved.value(), options);
    for (std::size_t c = 0; c < start.size(); ++c)
      expect_runnable(moved.value().motion, c, velocity);
    if (HasFailure()) return;
  }
  RecordProperty("proved", proved);
  RecordProperty("refused", refused);
  if (n < 100) return;
  EXPECT_GT(proved, 30);
  EXPECT_GT(refused, 10);
  EXPECT_GT(arcs, 5);
  EXPECT_GT(slowed, 5);
  EXPECT_LT(slowed, proved);
}

// Long parts of motions that have nothing to do with the curve: every term of the bound counts.
TEST(ToolMotion, TheBoundHoldsOfAnyPiece) {
  Random random(12);
  int bounded = 0, given_up = 0;
  for (int i = 0; i < cases(3000); ++i) {
    const Arm arm(random_arm(random, 1 + random.index(7), 1), random_pose(random, 0.2));
    const double size = std::pow(10, random.uniform(-1.5, 0.3));
    std::vector<std::vector<double>> points;
    for (int k = 0; k < 2 + random.index(3); ++k) {
      points.push_back(random_configuration(arm.tree, random));
      for (std::size_t c = 0; k > 0 && c < points[0].size(); ++c)
        points.back()[c] = points[0][c] + size * random.uniform(-1, 1);
    }
    const std::vector<std::vector<double>> inner(points.begin() + 1, points.end() - 1);
    const MotionPiece piece{points.front(), points.back(), inner};
    const Pose from = tool_pose(arm.tree, arm.tool, points.front());
    const Pose to = {rotation(random.unit_vector(), random.uniform(0, 1)) * from.R,
                     from.p + size * random.unit_vector()};
    const auto curve = random.index(2) == 0
                           ? tool_line(from, to)
                           : tool_arc_through(from, from.p + size * random.unit_vector(), to);
    ASSERT_TRUE(curve.ok());
    const double begin = random.index(4) / 8.0, end = begin + (1 + random.index(4)) / 8.0;
    const ToolDeviation tolerance = {random.uniform(0.1, 3) * size, random.uniform(0.1, 3) * size};
    DeviationProof proof(arm.tree, arm.tool, curve.value(), tolerance);
    const auto bound = proof.prove(piece, begin, end);
    const ToolDeviation seen = sampled(arm, curve.value(), piece, begin, end);
    if (!bound) {
      ++given_up;
      EXPECT_TRUE(seen.position > 0.5 * tolerance.position || seen.angle > 0.5 * tolerance.angle);
      continue;
    }
    ++bounded;
    EXPECT_LE(seen.position, bound->position) << i;
    EXPECT_LE(seen.angle, bound->angle) << i;
    EXPECT_LE(bound->position, tolerance.position);
    EXPECT_LE(bound->angle, tolerance.angle);
  }
  if (cases(3000) < 1000) return;
  EXPECT_GT(bounded, 300);
  EXPECT_GT(given_up, 300);
}

// Joints on one axis turn the tool on a circle, and the wanted arc bends the other way: nothing in
// the bound is to spare.
TEST(ToolMotion, TheBoundIsTightWhereAllTermsAdd) {
  for (const int joints : {1, 2, 6}) {
    Robot robot = planar_arm(joints, JointType::continuous);
    for (RobotJoint& joint : robot.joints) joint.X_PJ = {};
    const Arm arm(robot, Pose::translation({1, 0, 0}));
    ToolCurve curve;
    const double c = std::cos(0.5), s = std::sin(0.5);
    curve.centre = {2, 0, 0};
    curve.along = {-c, -s, 0};
    curve.across = {-s, c, 0};
    curve.arc = curve.length = 1;
    const double width = 0x1p-6, turn = 0.5 * 1.875 * width / joints;
    const std::vector<double> from(static_cast<std::size_t>(joints), -turn),
        to(static_cast<std::size_t>(joints), turn);
    const MotionPiece piece{from, to, {}};
    const double begin = 0.5 - 0.5 * width, end = 0.5 + 0.5 * width;
    const auto bound = DeviationProof(arm.tree, arm.tool, curve, {1, 10}).prove(piece, begin, end);
    const double seen = sampled(arm, curve, piece, begin, end).position;
    ASSERT_TRUE(bound);
    EXPECT_GT(seen, 1e-5);
    EXPECT_LE(seen, bound->position);
    EXPECT_LE(bound->position, 1.15 * seen);
  }
}

// A planar arm of three links; the last holds the tool's direction.
Arm planar() {
  return Arm(planar_arm(3, JointType::revolute), Pose{});
}

std::string refusal_of(const Arm& arm, const std::vector<double>& start, const Vec3& by,
                       double turn) {
  const Pose from = tool_pose(arm.tree, arm.tool, start);
  const Pose to = {rotation({0, 0, 1}, turn) * from.R, from.p + by};
  const auto moved = move_tool(arm.tree, arm.tool, tool_line(from, to).value(), start);
  return moved.ok() ? "" : moved.error().message;
}

TEST(ToolMotion, SaysWhereAndWhyJointsCannotFollow) {
  const Arm arm = planar();
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  // The tool sits where link_3 begins, at (1, 1); the arm reaches 2.
  const std::vector<double> bent = {0, std::numbers::pi / 2, 0};
  EXPECT_EQ(refusal_of(arm, bent, {0.2, 0.2, 0}, 0), "");
  EXPECT_TRUE(holds(refusal_of(arm, bent, {2, 2, 0}, 0), "along the way"));
  EXPECT_TRUE(holds(refusal_of(arm, bent, {0, 0, 0.1}, 0), "along the way"));
  // The elbow would fold beyond its limit.
  EXPECT_TRUE(holds(refusal_of(arm, bent, {-2, -2, 0}, 0), "joint_2 is at its limit"));
  // Without limits it folds; but so close by the base the arm would have to turn at once.
  const Arm turns = Arm(planar_arm(3, JointType::continuous), Pose{});
  const std::string folded = refusal_of(turns, bent, {-2, -2 + 2e-5, 0}, 0);
  EXPECT_TRUE(holds(folded, "singular")) << folded;
  EXPECT_NEAR(std::stod(folded), std::sqrt(2), 0.01);
  EXPECT_EQ(refusal_of(turns, bent, {-2, -1.8, 0}, 0), "");
  // joint_3 ends at 3.
  const std::string limited = refusal_of(arm, {0, 1, 2.8}, {0, 0, 0}, 0.5);
  EXPECT_TRUE(holds(limited, "joint_3") && holds(limited, "limit")) << limited;
  EXPECT_NEAR(std::stod(limited), 0.2, 0.05);
  EXPECT_TRUE(holds(refusal_of(arm, {3.1, 0, 0}, {0.1, 0, 0}, 0), "beyond its limits"));
}

TEST(ToolMotion, CurvesGoWhereTheyShould) {
  const Pose from = Pose::translation({1, 0, 0}), to = Pose::translation({0, 1, 0});
  const double h = std::sqrt(0.5);
  const auto quarter = tool_arc_about(from, {}, to);
  const auto through = tool_arc_through(from, {h, h, 0}, to);
  const auto far = tool_arc_through(from, {-1, 0, 0}, to);
  ASSERT_TRUE(quarter.ok() && through.ok() && far.ok());
  for (const ToolCurve& curve : {quarter.value(), through.value()}) {
    EXPECT_NEAR(curve.length, std::numbers::pi / 2, 1e-12);
    EXPECT_NEAR(norm(curve.at(0.5).p - Vec3{h, h, 0}), 0, 1e-12);
  }
  EXPECT_NEAR(far.value().length, 1.5 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(norm(far.value().at(2 / 3.0).p - Vec3{-1, 0, 0}), 0, 1e-12);
  for (const ToolCurve& curve : {quarter.value(), far.value()}) {
    EXPECT_EQ(norm(curve.at(0).p - from.p), 0);
    EXPECT_NEAR(norm(curve.at(1).p - to.p), 0, 1e-12);
  }
  EXPECT_FALSE(tool_line(from, from).ok());
  EXPECT_FALSE(tool_arc_through(from, {0.5, 0.5, 0}, to).ok());
  EXPECT_FALSE(tool_arc_about(from, {0.1, 0, 0}, to).ok());
  EXPECT_FALSE(tool_arc_about(from, {}, Pose::translation({-1, 0, 0})).ok());
  EXPECT_FALSE(tool_line(from, Pose::translation({NAN, 0, 0})).ok());
}

TEST(ToolMotion, ALineThroughAnObstacleCollides) {
  const auto verdict_with = [](const Vec3& post) {
    SceneSource source;
    source.robots = {{"arm", planar_arm(3, JointType::revolute), Pose{}}};
    source.obstacles = {{"post", box_elements({0.05, 0.05, 1}), Pose::translation(post)}};
    const PlanCase c = must_build_case(std::move(source), {});
    const std::vector<double> start = {0, std::numbers::pi / 2, -std::numbers::pi / 2};
    const ToolFrame tool{c.scene.tree().find_link("arm/link_3"), Pose::translation({1, 0, 0})};
    const Pose from = tool_pose(c.scene.tree(), tool, start);
    const auto curve = tool_line(from, {from.R, from.p + Vec3{0, -0.6, 0}});
    const auto moved = move_tool(c.scene.tree(), tool, curve.value(), start);
    EXPECT_TRUE(moved.ok()) << (moved.ok() ? "" : moved.error().text());
    Scratch scratch;
    return check(c.scene, moved.value().motion, {}, scratch).value().verdict;
  };
  EXPECT_EQ(verdict_with({1.9, 0.7, 0}), Verdict::collision);
  EXPECT_EQ(verdict_with({3, 3, 0}), Verdict::free);
}

TEST(ToolMotion, RealArms) {
  PROVEN_REQUIRE_DATA("robots");
  struct RealArm {
    const char *file, *link;
  };
  constexpr RealArm kArms[] = {
      {"franka_panda/panda.urdf", "panda_hand"},
      {"universal_ur5/ur5.urdf", "tool0"},
      {"kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf", "tool0"},
  };
  for (const RealArm& real : kArms) {
    UrdfOptions urdf;
    urdf.load_meshes = false;
    auto robot = load_urdf(data_dir() / "robots" / real.file, urdf);
    ASSERT_TRUE(robot.ok()) << robot.error().text();
    const Arm arm(robot.value(), {}, real.link);
    Random random(5);
    int proved = 0, refused = 0;
    for (int i = 0; i < cases(70); ++i) {
      std::vector<double> start = random_configuration(arm.tree, random);
      const Pose from = tool_pose(arm.tree, arm.tool, start);
      const Pose to = {rotation(random.unit_vector(), random.uniform(0, 0.5)) * from.R,
                       from.p + random.uniform(0.05, 0.3) * random.unit_vector()};
      const ToolCurve curve = tool_line(from, to).value();
      const auto moved = move_tool(arm.tree, arm.tool, curve, start);
      moved.ok() ? ++proved : ++refused;
      if (!moved.ok()) continue;
      expect_proved(arm, curve, to, start, moved.value(), {});
    }
    RecordProperty(std::string(real.file) + " proved", proved);
    RecordProperty(std::string(real.file) + " refused", refused);
    if (cases(70) < 70) continue;
    EXPECT_GT(proved, 20);
    EXPECT_GT(refused, 0);
  }
}

}  // namespace
}  // namespace proven::test
