// Sines and poses in float err by no more than the budget of sweeps allows for
// (docs/algorithms/sweep.md): against long double.
#include "certify/sweep_kernel.h"

#include <gtest/gtest.h>

#include "certify/exact_motion.h"
#include "certify/random_scenes.h"
#include "certify/sweep.h"
#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"
#include "support.h"

namespace proven {
namespace {

TEST(SweepKernel, SinesErrByThreeUnits) {
  Random random(3);
  double worst = 0;
  for (int i = 0; i < test::cases(20'000); ++i) {
    alignas(64) double angles[kMoments];
    alignas(64) float s[kMoments], c[kMoments];
    const double size = std::pow(2.0, random.uniform(-40, 19));
    for (double& a : angles) a = random.uniform(-size, size);
    // Near the ends of quarters reduction loses most.
    if (i % 3 == 0) angles[0] = static_cast<double>(std::floor(angles[0]) * M_PI_2l);
    sweep_kernel->sincos(angles, s, c);
    for (int k = 0; k < kMoments; ++k) {
      const long double sine = std::sin(static_cast<long double>(angles[k]));
      const long double cosine = std::cos(static_cast<long double>(angles[k]));
      worst = std::max({worst, static_cast<double>(std::fabs(s[k] - sine)),
                        static_cast<double>(std::fabs(c[k] - cosine))});
    }
  }
  EXPECT_LT(worst, 3 * 0x1p-24);
  EXPECT_GT(worst, 0x1p-25);
}

Vec3 random_axis(Random& random) {
  if (random.index(2) == 0) return random.unit_vector();
  Vec3 axis;
  axis[random.index(3)] = random.index(2) == 0 ? 1 : -1;
  return axis;
}

// Joints one after the other, with axes along those of their frames or not, and a ball at the end.
Scene random_chain(Random& random, int joints) {
  const double size = std::pow(10, random.uniform(-2, 2));
  Robot robot;
  for (int i = 0; i <= joints; ++i) {
    robot.links.emplace_back();
    robot.links.back().name = "l" + std::to_string(i);
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    const int kind = random.index(8);
    joint.type = kind == 0   ? JointType::fixed
                 : kind == 1 ? JointType::prismatic
                             : JointType::revolute;
    joint.parent_link = robot.links[static_cast<std::size_t>(i) - 1].name;
    joint.child_link = robot.links.back().name;
    joint.axis = random_axis(random);
    joint.X_PJ.p = random.uniform(0, size) * random_axis(random);
    if (random.index(2) == 0)
      joint.X_PJ.R = random.rotation();
    else  // as far as the digits of a file tell, a quarter turn
      joint.X_PJ.R = rotation(random_axis(random), 1.5707963 * random.index(4));
    const double most = joint.type == JointType::prismatic ? size : 7;
    joint.limits = {-most, most, 1, 1};
    robot.joints.push_back(joint);
  }
  robot.links.back().collision.push_back(
      {Sphere{0.1 * size}, Pose::translation(random.uniform(0, size) * random.unit_vector()), ""});
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  return test::build(source);
}

TEST(SweepKernel, PosesErrByHalfOfTheBudget) {
  Random random(4);
  double largest = 0;
  int units = 0, others = 0;
  for (int i = 0; i < test::cases(300); ++i) {
    const Scene scene = random_chain(random, 1 + random.index(i % 10 == 0 ? 60 : 10));
    const CheckModel checked = CheckModel::build(scene).value();
    const SweepModel& model = checked.data().sweep();
    if (model.bodies().empty()) continue;  // all of its joints are fixed
    const std::vector<double> from = random_configuration(scene.tree(), random),
                              to = random_configuration(scene.tree(), random);
    alignas(64) double t[kMoments], values[kMoments];
    for (int k = 0; k < kMoments; ++k) t[k] = SegmentPart{}.moment(k);
    std::vector<FrameLanes> frames(model.joints().size());
    for (std::size_t j = 0; j < frames.size(); ++j) {
      const SweepModel::Joint& joint = model.joints()[j];
      const auto c = static_cast<std::size_t>(joint.coordinate);
      for (const std::int8_t unit : joint.unit) ++(unit != 0 ? units : others);
      sweep_kernel->line({from[c], to[c] - from[c], joint.multiplier, joint.offset}, t, values);
      const FrameLanes* parent =
          joint.parent < 0 ? nullptr : &frames[static_cast<std::size_t>(joint.parent)];
      (joint.kind == SweepJoint::Kind::turn ? sweep_kernel->turn : sweep_kernel->slide)(
          parent, joint, values, frames[j]);
    }
    const SweepModel::Body& body = model.bodies()[0];
    const FrameLanes& frame = frames[static_cast<std::size_t>(body.joint)];
    const Vec3 p = scene.body(body.body).geometry->bounding_sphere().centre;
    const exact::ExactMotion motion(scene, from, to);
    for (int k = 0; k < kMoments; k += 5) {
      const exact::RVec x(body.X_FB * p);
      exact::RVec own;
      for (int row = 0; row < 3; ++row)
        (row == 0   ? own.x
         : row == 1 ? own.y
                    : own.z) = frame.R[3 * row][k] * x.x + frame.R[3 * row + 1][k] * x.y +
                               frame.R[3 * row + 2][k] * x.z + frame.p[row][k];
      const exact::RVec truth = motion.body(motion.links(t[k]), body.body) * exact::RVec(p);
      largest = std::max(largest, static_cast<double>(norm(own - truth)) / body.pose_error);
    }
  }
  std::printf("largest share of the budget: %.3g\n", largest);
  EXPECT_LT(largest, 0.5);
  EXPECT_GT(largest, 0.004);
  EXPECT_GT(units, test::cases(300));
  EXPECT_GT(others, test::cases(300));
}

}  // namespace
}  // namespace proven
