// Once a thread's scratch has grown, asking about configurations and segments takes no memory from
// the heap. A program of its own, since it replaces operator new.
#include <gtest/gtest.h>

#include <cmath>

#include "allocations/counting_new.h"
#include "any_values.h"
#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven {
namespace {

// Seven joints whose axes alternate, links of meshes and capsules, among boxes and cylinders.
Scene arm_among_obstacles() {
  Robot robot;
  robot.links.push_back({"l0", {{Cylinder{0.08, 0.1}, Pose{}, ""}}, false, nullptr});
  for (int i = 1; i <= 7; ++i) {
    const double length = i < 5 ? 0.2 : 0.1;
    const Shape shape = i % 2 == 0 ? test::block_mesh({0.05, 0.05, 0.4 * length})
                                   : Shape{Capsule{0.045, 0.3 * length}};
    robot.links.push_back({"l" + std::to_string(i),
                           {{shape, Pose::translation({0, 0, 0.5 * length}), ""}},
                           false,
                           nullptr});
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.axis = i % 2 == 1 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    joint.X_PJ = Pose::translation({0, 0, i == 1 ? 0.15 : i < 6 ? 0.2 : 0.1});
    joint.limits = {-2.5, 2.5, 1, 1};
    robot.joints.push_back(joint);
  }
  SceneSource source;
  source.robots.push_back({"arm", robot, Pose{}});
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    const double angle = 0.6 * i;
    const Shape shape = i % 2 == 0 ? Shape{Box{{0.1, 0.05, 0.1}}} : Shape{Cylinder{0.05, 0.2}};
    source.obstacles.push_back(
        {"o" + std::to_string(i),
         {{shape, Pose{}, ""}},
         {random.rotation(), {0.6 * std::cos(angle), 0.6 * std::sin(angle), 0.1 * i}}});
  }
  return test::build(source);
}

// How many allocations a question of each verdict takes, at most, and how often it was asked.
struct Count {
  std::int64_t asked = 0, most = 0;
  void add(std::int64_t taken) { ++asked, most = std::max(most, taken); }
};
struct Counts {
  Count free, colliding;
  Count& of(Verdict verdict) { return verdict == Verdict::free ? free : colliding; }
};

template <class Ask>
void count_allocations(const Ask& ask, Counts& counts) {
  // What the scratch keeps has grown after the same question.
  (void)ask();
  test::start_counting();
  const CheckResult result = ask();
  const std::int64_t taken = test::stop_counting();
  if (result.verdict != Verdict::undecided) counts.of(result.verdict).add(taken);
}

struct Measured {
  Counts segments, configurations;
};

Measured measure(bool sweep) {
  static const Scene scene = arm_among_obstacles();
  CheckOptions options = test::any_values();
  options.sweep = sweep;
  const CheckModel model = CheckModel::build(scene, options).value();
  Scratch scratch;
  Random random(6);
  if (sweep) model.prepare_sweeps();
  EXPECT_EQ(model.sweeps(), sweep);
  Measured measured;
  std::vector<double> from(7), to(7);
  for (int i = 0; i < test::cases(600); ++i) {
    for (std::size_t k = 0; k < 7; ++k) {
      from[k] = random.uniform(-2, 2);
      to[k] = from[k] + random.uniform(-0.4, 0.4);
    }
    const bool starts_free = model.check_configuration(from, scratch).verdict == Verdict::free;
    count_allocations(
        [&] {
          return model.check_segment({from, to, starts_free}, scratch);
        },
        measured.segments);
    count_allocations([&] { return model.check_configuration(to, scratch); },
                      measured.configurations);
  }
  return measured;
}

void expect_asked(const Counts& counts) {
  EXPECT_GE(counts.free.asked, test::cases(600) / 10);
  EXPECT_GE(counts.colliding.asked, test::cases(600) / 10);
}

// At most. A witness tells its configuration, which the answer owns.
struct Allowed {
  bool sweep;
  std::int64_t free_segment, colliding_segment, free_configuration, colliding_configuration;
};
constexpr Allowed kAllowed[] = {{true, 0, 1, 0, 1}, {false, 0, 1, 0, 1}};

class Allocations : public testing::TestWithParam<Allowed> {};

TEST_P(Allocations, OfSegmentsAndConfigurations) {
  const Allowed& allowed = GetParam();
  const Measured measured = measure(allowed.sweep);
  expect_asked(measured.segments);
  expect_asked(measured.configurations);
  EXPECT_LE(measured.segments.free.most, allowed.free_segment);
  EXPECT_LE(measured.segments.colliding.most, allowed.colliding_segment);
  EXPECT_LE(measured.configurations.free.most, allowed.free_configuration);
  EXPECT_LE(measured.configurations.colliding.most, allowed.colliding_configuration);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutSweeps, Allocations, testing::ValuesIn(kAllowed),
                         [](const auto& test) {
                           return test.param.sweep ? "Sweeps" : "SearchAlone";
                         });

// Without that the tests above would show nothing.
TEST(CountingAllocations, SeesThem) {
  test::start_counting();
  const auto value = std::make_unique<int>(1);
  const std::vector<double> values(3);
  EXPECT_EQ(test::stop_counting(), 2);
}

}  // namespace
}  // namespace proven
