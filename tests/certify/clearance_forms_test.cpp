// Clearances of every form (of the scene, of a class, of a pair, allowed overlaps, huge ones) among
// any number of solids: sweeps and batches, which take sixteen and thirty-two of them at once, say
// what the search says.
#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/sweep_support.h"
#include "certify/verdicts.h"
#include "proven/certify/batch.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven {
namespace {

enum class Form { none, scene, by_class, pair, overlap, overlaps, huge, huge_overlap };
constexpr Form kForms[] = {Form::none,    Form::scene,    Form::by_class, Form::pair,
                           Form::overlap, Form::overlaps, Form::huge,     Form::huge_overlap};

// A ball slides along x, and a second one beside it, past so many stones in two rows.
SceneSource balls_between_stones(int stones, Form form, Random& random) {
  SceneSource source;
  Robot robot;
  test::add_link(robot, "base", "", JointType::fixed, {});
  test::add_link(robot, "ball", "base", JointType::prismatic, {1, 0, 0},
                 {{Sphere{0.1}, Pose{}, ""}}, 10);
  test::add_link(robot, "other", "ball", JointType::prismatic, {0, 0, 1},
                 {{Box{{0.1, 0.1, 0.1}}, Pose::translation({0, 0, 0.5}), ""}}, 10);
  source.robots.push_back({"robot", robot, Pose{}});
  for (int i = 0; i < stones; ++i) {
    Shape shape = Sphere{0.1};
    if (random.index(3) == 0) shape = Box{{0.1, 0.1, 0.1}};
    if (random.index(3) == 0) shape = Cylinder{0.1, 0.1};
    const double side = i % 2 == 0 ? -1 : 1;
    source.obstacles.push_back(
        {"stone" + std::to_string(i),
         {{shape, Pose{}, ""}},
         Pose::translation({0.25 * i, side * random.uniform(0.17, 0.27), 0})});
  }
  const auto stone = [&] { return "stone" + std::to_string(random.index(stones)); };
  const auto require = [&](const std::string& link, const std::string& of, double clearance) {
    source.clearances.push_back({"robot/" + link, of, clearance});
  };
  switch (form) {
    case Form::none:
      break;
    case Form::scene:
      source.clearance = Clearances::everywhere(random.uniform(0, 0.05));
      break;
    case Form::by_class:
      source.clearance.world = random.uniform(0, 0.05);
      break;
    case Form::pair:
      require("ball", stone(), random.uniform(0, 0.1));
      break;
    case Form::overlap:
      require("ball", stone(), -random.uniform(0, 0.05));
      break;
    case Form::overlaps:
      for (int i = 0; i < stones; ++i)
        if (i % 3 != 0) require("ball", "stone" + std::to_string(i), -random.uniform(0, 0.05));
      require("other", stone(), -1e-3);
      break;
    case Form::huge:
      require("ball", stone(), random.index(2) == 0 ? 1e9 : 30);
      break;
    case Form::huge_overlap:
      require("ball", stone(), -1e9);
      break;
  }
  return source;
}

TEST(ClearanceForms, LanesThatHoldNoSolidAreNearNothing) {
  Random random(1);
  std::map<Form, std::array<int, 3>> seen;
  for (int stones = 1; stones <= 40; ++stones)
    for (const Form form : kForms) {
      const Scene scene = test::build(balls_between_stones(stones, form, random));
      CheckOptions options = test::any_values();
      options.sweep = true;
      const CheckModel model = CheckModel::build(scene, options).value();
      model.prepare_sweeps();
      const CheckModel plain = CheckModel::build(scene, test::any_values()).value();
      BatchOptions wanted;
      wanted.device = BatchDevice::emulated;
      wanted.threads = 1;
      wanted.prove = false;
      const auto batch = BatchChecker::build(model, wanted).value();
      EXPECT_EQ(batch.device(), BatchDevice::emulated);
      Scratch scratch;
      for (int i = 0; i < test::cases(10); ++i) {
        const double from = random.uniform(-1, 0.25 * stones + 1), by = random.uniform(-0.4, 0.4);
        const std::vector<double> a = {from, 0},
                                  b = {std::clamp(from + by, -10.0, 10.0), random.uniform(0, 0.2)};
        const Verdict verdict = plain.check_segment({a, b}, scratch).verdict;
        ++seen[form][static_cast<std::size_t>(verdict)];
        const auto agrees = [&](Verdict other) {
          return other == verdict || other == Verdict::undecided || verdict == Verdict::undecided;
        };
        EXPECT_TRUE(agrees(model.check_segment({a, b}, scratch).verdict))
            << stones << " stones, form " << static_cast<int>(form);
        EXPECT_TRUE(agrees(test::verdict_of(
            model.pre_check({a, b}, CheckModel::Effort::sweeps_alone, scratch).verdict)))
            << stones << " stones, form " << static_cast<int>(form) << ", sweeps alone";
        EXPECT_TRUE(agrees(test::verdict_of(batch.check({a, b, false}).value().verdicts[0])))
            << stones << " stones, form " << static_cast<int>(form) << ", in a batch";
      }
    }
  for (const auto& [form, verdicts] : seen) {
    if (test::cases(10) < 10) continue;
    EXPECT_GT(verdicts[static_cast<std::size_t>(Verdict::collision)], 10) << static_cast<int>(form);
    if (form == Form::huge) continue;  // nothing is so far away
    EXPECT_GT(verdicts[static_cast<std::size_t>(Verdict::free)], 10) << static_cast<int>(form);
  }
}

// Among seventeen stones: the seventeenth has a word of its own.
TEST(ClearanceForms, AnOverlapIsAllowedAmongSeventeenStones) {
  SceneSource source;
  Robot robot;
  test::add_link(robot, "base", "", JointType::fixed, {});
  test::add_link(robot, "ball", "base", JointType::prismatic, {1, 0, 0},
                 {{Sphere{0.1}, Pose{}, ""}}, 10);
  source.robots.push_back({"robot", robot, Pose{}});
  for (int i = 0; i < 17; ++i)
    source.obstacles.push_back({"stone" + std::to_string(i),
                                {{Sphere{0.1}, Pose{}, ""}},
                                Pose::translation({0.5 * i, 0.195, 0})});
  for (int i = 0; i < 17; ++i)
    source.clearances.push_back({"robot/ball", "stone" + std::to_string(i), -0.01});
  const Scene scene = test::build(source);
  CheckOptions options = test::any_values();
  options.sweep = true;
  const CheckModel model = CheckModel::build(scene, options).value();
  model.prepare_sweeps();
  Scratch scratch;
  const std::vector<double> a = {-1}, b = {8.5};
  EXPECT_EQ(model.check_segment({a, b}, scratch).verdict, Verdict::free);
  EXPECT_NE(model.pre_check({a, b}, CheckModel::Effort::sweeps_alone, scratch).verdict,
            PreVerdict::contact);
  BatchOptions wanted;
  wanted.device = BatchDevice::emulated;
  wanted.threads = 1;
  EXPECT_EQ(BatchChecker::build(model, wanted).value().check({a, b, false}).value().verdicts[0],
            BatchVerdict::free);
}

}  // namespace
}  // namespace proven
