// Scenes that were edited, and models that followed the edits, against ones built anew from the
// description: the same pairs, hashes, verdicts, counts and certificate bytes.
#include <algorithm>

#include "any_values.h"
#include "kinematics/random_robot.h"
#include "proven/certify/check.h"
#include "random_scenes.h"
#include "support.h"

namespace proven {
namespace {

// Nothing prepared: everything is built anew.
SceneSource plain(SceneSource source) {
  for (RobotSource& robot : source.robots)
    for (RobotLink& link : robot.robot.links) link.geometry = nullptr;
  for (ObstacleSource& obstacle : source.obstacles) obstacle.geometry = nullptr;
  for (AttachedSource& object : source.attached) object.geometry = nullptr;
  return source;
}

void expect_same(const Scene& edited, const Scene& anew) {
  ASSERT_EQ(edited.bodies().size(), anew.bodies().size());
  for (std::size_t i = 0; i < anew.bodies().size(); ++i) {
    EXPECT_EQ(edited.bodies()[i].name, anew.bodies()[i].name);
    EXPECT_EQ(edited.bodies()[i].link, anew.bodies()[i].link);
    EXPECT_EQ(edited.bodies()[i].X_LB, anew.bodies()[i].X_LB);
  }
  ASSERT_EQ(edited.pairs().size(), anew.pairs().size());
  for (std::size_t i = 0; i < anew.pairs().size(); ++i) {
    EXPECT_EQ(edited.pairs()[i].a, anew.pairs()[i].a);
    EXPECT_EQ(edited.pairs()[i].b, anew.pairs()[i].b);
    EXPECT_EQ(edited.pairs()[i].clearance, anew.pairs()[i].clearance);
  }
  ASSERT_EQ(edited.excluded_pairs().size(), anew.excluded_pairs().size());
  for (std::size_t i = 0; i < anew.excluded_pairs().size(); ++i) {
    EXPECT_EQ(edited.excluded_pairs()[i].a, anew.excluded_pairs()[i].a);
    EXPECT_EQ(edited.excluded_pairs()[i].b, anew.excluded_pairs()[i].b);
    EXPECT_EQ(edited.excluded_pairs()[i].reason, anew.excluded_pairs()[i].reason);
  }
  EXPECT_TRUE(std::ranges::equal(edited.home(), anew.home()));
  EXPECT_EQ(edited.hash(), anew.hash());
}

void expect_same(const CheckResult& edited, const CheckResult& anew) {
  ASSERT_EQ(edited.verdict, anew.verdict);
  EXPECT_EQ(edited.stats.box_tests, anew.stats.box_tests);
  EXPECT_EQ(edited.stats.triangle_tests, anew.stats.triangle_tests);
  EXPECT_EQ(edited.stats.cells, anew.stats.cells);
  EXPECT_EQ(edited.certificate, anew.certificate);
  if (!anew.collision) return;
  EXPECT_EQ(edited.collision->t, anew.collision->t);
  EXPECT_EQ(edited.collision->bodies, anew.collision->bodies);
}

class Editor {
 public:
  explicit Editor(Random& random) : random_(random) {}

  // One random edit; some fail for a reason that a person would expect, and change nothing.
  Result<Scene> edit(const Scene& scene) {
    const SceneSource source = scene.description();
    const std::vector<double> q = test::random_segment(scene.tree(), random_, 1)[0];
    switch (random_.index(6)) {
      case 0:
        return scene.with_pose(any(source), test::random_pose(random_, 0.6));
      case 1:
        return scene.with_obstacle(
            {"new" + std::to_string(next_++),
             {{test::random_shape(random_, {0.05, 0.08, 0.1}, false), Pose{}, "new"}},
             test::random_pose(random_, 0.8)});
      case 2:
        return scene.without(any(source));
      case 3:
        if (source.obstacles.empty()) return bad_input("no obstacle");
        return scene.with_attached(one_of(source.obstacles).name, "arm/l3", q, {"arm/l2"});
      case 4:
        if (source.attached.empty()) return bad_input("nothing is held");
        return scene.detached(one_of(source.attached).name, q);
      default:
        return scene.with_home(scene.tree().coordinates()[0].name, random_.uniform(-1, 1));
    }
  }

 private:
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(random_.index(static_cast<int>(all.size())))];
  }
  std::string any(const SceneSource& source) {
    const int count = static_cast<int>(source.obstacles.size() + source.attached.size());
    if (count == 0) return "nobody";
    const auto i = static_cast<std::size_t>(random_.index(count));
    return i < source.obstacles.size() ? source.obstacles[i].name
                                       : source.attached[i - source.obstacles.size()].name;
  }

  Random& random_;
  int next_ = 0;
};

class EditedScenes : public testing::TestWithParam<Checker> {};
INSTANTIATE_TEST_SUITE_P(Edits, EditedScenes,
                         testing::Values(Checker::directional, Checker::classic),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST_P(EditedScenes, AnswerLikeScenesBuiltAnew) {
  test::VerdictCounts counts;
  int edits = 0, refused = 0;
  for (int seed = 0; seed < test::cases(60); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 4100);
    SceneSource source = test::random_scene(random, {});
    source.exclusions.push_back({"arm/l4", "o1", "on purpose"});
    source.clearances.push_back({"arm/l3", "o2", 0.02});
    CheckOptions options = test::any_values();
    options.checker = GetParam();
    options.certificate = options.checker == Checker::directional;
    options.clearance = seed % 3 == 0 ? 0.01 : 0;
    options.tracking_error = seed % 4 == 0 ? 0.002 : 0;
    Scene scene = test::build(source);
    CheckModel model = CheckModel::build(scene, options).value();
    Editor editor(random);
    Scratch scratch;
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
      const Result<Scene> edited = editor.edit(scene);
      if (!edited.ok()) {
        ++refused;
        continue;
      }
      ++edits;
      scene = edited.value();
      model = model.with_scene(scene);
      const Scene anew = test::build(plain(scene.description()));
      expect_same(scene, anew);
      const CheckModel fresh = CheckModel::build(anew, options).value();
      const Path path{test::random_segment(scene.tree(), random, 1.5), {}, {}};
      const CheckResult result = model.check(path, scratch).value();
      expect_same(result, fresh.check(path, scratch).value());
      counts.add(result.verdict);
      if (HasFailure()) return;
    }
  }
  counts.expect_both(test::cases(60) * 2);
  EXPECT_GT(edits, 5 * refused);
}

TEST(Edit, SharesWhatDidNotChange) {
  Random random(7);
  const Scene scene = test::build(test::random_scene(random, {}));
  const Scene moved = scene.with_pose("o0", Pose::translation({3, 0, 0})).value();
  EXPECT_EQ(&scene.tree(), &moved.tree());
  for (std::size_t i = 0; i < scene.bodies().size(); ++i)
    EXPECT_EQ(scene.bodies()[i].geometry, moved.bodies()[i].geometry);
  const Scene again = build_scene(moved.description()).value();
  for (std::size_t i = 0; i < scene.bodies().size(); ++i)
    EXPECT_EQ(again.bodies()[i].geometry, moved.bodies()[i].geometry);
  // The base of a robot moves too.
  const Scene elsewhere = scene.with_pose("arm", Pose::translation({0, 0, 5})).value();
  EXPECT_EQ(elsewhere.body_pose(0, elsewhere.home()).p.z,
            5.0 + (scene.body_pose(0, scene.home()).p.z - 0.3));
}

TEST(Edit, WhatIsHeldStaysWhereItIs) {
  Random random(8);
  const Scene scene = test::build(test::random_scene(random, {}));
  const std::vector<double> q = test::random_segment(scene.tree(), random, 1)[0];
  const Pose before = scene.body_pose(scene.find_body("o1"), q);
  const Scene held = scene.with_attached("o1", "arm/l2", q).value();
  const Pose in_hand = held.body_pose(held.find_body("o1"), q);
  const Scene put_down = held.detached("o1", q).value();
  const Pose after = put_down.body_pose(put_down.find_body("o1"), put_down.home());
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(in_hand.p[i], before.p[i], 1e-12);
    EXPECT_NEAR(after.p[i], before.p[i], 1e-12);
  }
}

TEST(Edit, MistakesAreNamed) {
  Random random(9);
  const Scene scene = test::build(test::random_scene(random, {}));
  const auto q = scene.home();
  const auto expect = [](const Result<Scene>& result, std::string_view words) {
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
  };
  Pose skewed;
  skewed.R.row[0].y = 0.1;
  expect(scene.with_pose("nobody", {}), "no obstacle or attached object named 'nobody'");
  expect(scene.with_pose("arm/l1", {}), "link of a robot");
  expect(scene.with_pose("o0", skewed), "not a rotation");
  expect(scene.with_obstacle({"o0", {{Sphere{1}, {}, ""}}, {}}), "used twice");
  expect(scene.with_obstacle({"arm/l1", {{Sphere{1}, {}, ""}}, {}}), "used twice");
  expect(scene.with_obstacle({"ball", {{Sphere{-1}, {}, ""}}, {}}), "ball");
  expect(scene.without("arm/l1"), "link of a robot");
  expect(scene.with_attached("o0", "arm/nothing", q), "no such link");
  expect(scene.with_attached("o0", "arm/l1", q, {"nobody"}), "no body named 'nobody'");
  expect(scene.with_attached("o0", "arm/l1", q.first(1)), "");
  expect(scene.detached("o0", q), "nothing holds it");
  expect(scene.with_home("arm/nothing", 0), "no joint 'arm/nothing'");
  expect(scene.with_home(scene.tree().coordinates()[0].name, NAN), "not a finite number");
}

TEST(Edit, PlacementTestsWhatPathsDoNot) {
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_obstacle("table", {{Box{{1, 1, 0.1}}, {}, ""}}, {}).ok());
  ASSERT_TRUE(
      builder.add_obstacle("cup", {{Sphere{0.1}, {}, ""}}, Pose::translation({0, 0, 0.5})).ok());
  Scene scene = std::move(builder).build().value();
  Scratch scratch;
  EXPECT_TRUE(scene.pairs().empty());
  EXPECT_EQ(check_placement(scene, 1, scratch).verdict, Verdict::free);
  scene = scene.with_pose("cup", Pose::translation({0, 0, 0.15})).value();
  const CheckResult result = check_placement(scene, 1, scratch);
  ASSERT_EQ(result.verdict, Verdict::collision);
  EXPECT_EQ(result.collision->bodies, (std::array<int, 2>{1, 0}));
}

}  // namespace
}  // namespace proven
