// Caches of the checkers (docs/caches.md): what is kept is found again by all that it depends on.
// Each test changes one of these alone.
#include <gtest/gtest.h>

#include <numbers>
#include <set>
#include <thread>

#include "any_values.h"
#include "certify/configuration_cache.h"
#include "certify/pair_table.h"
#include "certify/scratch_state.h"
#include "certify/sweep_support.h"
#include "proven/certify/check.h"
#include "proven/certify/monitor.h"
#include "support.h"

namespace proven {
namespace {

// An arm of two joints over its own base, and what a test may change of it.
struct Arm {
  double post = 0.4;      // where the post on the base stands
  double length = 0.3;    // of the arm
  double attached = 0.3;  // where the arm's shape hangs on its link
  Vec3 axis = {0, 0, 1};  // of the first joint
  double lift = 0;        // of the second joint's frame
  double factor = 0.5;    // of what the second joint follows, if it does
  double offset = 0;
  bool follows = false;
  double lower = -2, upper = 2;
  double clearance = 0.01;
  double tube = 0;
  double base = 0;  // where the robot stands

  SceneSource source() const {
    SceneSource source;
    Robot robot;
    test::add_link(robot, "base", "", JointType::fixed, {},
                   {{Box{{0.05, 0.05, 0.3}}, Pose::translation({-post, 0, 0}), ""}});
    test::add_link(robot, "turret", "base", JointType::revolute, axis);
    test::add_link(robot, "arm", "turret", JointType::revolute, {0, 0, 1},
                   {{Capsule{0.03, 0.5 * length},
                     {rotation({0, 1, 0}, 0.5 * std::numbers::pi), {attached, 0, 0}},
                     ""}});
    for (RobotJoint& joint : robot.joints) joint.limits = {lower, upper, 1, 1};
    robot.joints[1].X_PJ = Pose::translation({0, 0, lift});
    if (follows) {
      robot.joints[1].mimic = Mimic{"to_turret", factor, offset};
      robot.joints[1].limits = {-10, 10, 1, 1};
    }
    source.robots.push_back({"robot", robot, Pose::translation({base, 0, 0})});
    source.clearances.push_back({"robot/base", "robot/arm", clearance});
    return source;
  }
  std::shared_ptr<const PairTable> table() const {
    CheckOptions options = test::any_values();
    options.tracking_error = tube;
    const Scene scene = test::build(source());
    EXPECT_EQ(scene.pairs().size(), 1u);
    return pair_table(CheckModel::build(scene, options).value().data(), 0);
  }
};

TEST(Caches, TablesAreFoundByAllThatTheyDependOn) {
  const Arm arm;
  const auto known = arm.table();
  ASSERT_TRUE(known);
  std::vector<std::shared_ptr<const PairTable>> all = {known};
  EXPECT_EQ(arm.table(), known) << "the same is made once";
  Arm elsewhere = arm;
  elsewhere.base = 3;
  EXPECT_EQ(elsewhere.table(), known) << "what stands above both bodies does not count";
  const auto differs = [&](const char* what, const auto& change) {
    Arm other = arm;
    change(other);
    const auto table = other.table();
    ASSERT_TRUE(table) << what;
    for (const auto& before : all) EXPECT_NE(table, before) << what;
    all.push_back(table);
  };
  differs("geometry of the base", [](Arm& a) { a.post = 0.41; });
  differs("geometry of the arm", [](Arm& a) { a.length = 0.31; });
  differs("where the shape hangs", [](Arm& a) { a.attached = 0.29; });
  differs("an axis", [](Arm& a) { a.axis = {0, 0, -1}; });
  differs("a joint's frame", [](Arm& a) { a.lift = 0.01; });
  differs("a coupling", [](Arm& a) { a.follows = true; });
  differs("its factor", [](Arm& a) { a.follows = true, a.factor = -0.5; });
  differs("its offset", [](Arm& a) { a.follows = true, a.offset = 0.1; });
  differs("the lower end of a range", [](Arm& a) { a.lower = -2.1; });
  differs("the upper end of a range", [](Arm& a) { a.upper = 2.1; });
  differs("the clearance, by a bit",
          [](Arm& a) { a.clearance = std::nextafter(a.clearance, INFINITY); });
  differs("a tube", [](Arm& a) { a.tube = 1e-3; });
}

// Two clearances that are the same float: a model of an edited scene makes the table anew.
TEST(Caches, EditedModelsKeepTablesOfTheSameClearanceAlone) {
  const Arm arm;
  const Scene scene = test::build(arm.source());
  const CheckModel model = CheckModel::build(scene, test::any_values()).value();
  model.prepare_sweeps();
  const auto tables_of = [](const CheckModel& m) {
    std::set<const PairTable*> tables;
    for (const SweepModel::Pair& pair : m.data().sweep().pairs()) tables.insert(pair.table.get());
    for (const SweepModel::Body& body : m.data().sweep().bodies())
      for (const SweepModel::StillLink& link : body.still_links) tables.insert(link.table.get());
    return tables;
  };
  const double close = arm.clearance * (1 + 0x1p-40);
  ASSERT_EQ(static_cast<float>(close), static_cast<float>(arm.clearance));
  const auto edited = [&](double clearance) {
    const auto other = scene.with_pair_clearance("robot/base", "robot/arm", clearance);
    EXPECT_TRUE(other.ok());
    CheckModel next = model.with_scene(other.value());
    EXPECT_TRUE(next.data().has_sweep()) << "it is taken over";
    return tables_of(next);
  };
  EXPECT_EQ(edited(arm.clearance), tables_of(model));
  EXPECT_NE(edited(close), tables_of(model));
}

// How fast a motion is serves a sweep over that motion alone, wherever motions are kept.
TEST(Caches, SpeedsAreThoseOfTheMotion) {
  // A ball on an arm of a metre passes a stone outside of its way by less than its way bends from
  // the chords of a fast motion.
  SceneSource source;
  Robot robot;
  test::add_link(robot, "base", "", JointType::fixed, {});
  test::add_link(robot, "arm", "base", JointType::revolute, {0, 0, 1},
                 {{Sphere{0.1}, Pose::translation({1, 0, 0}), ""}});
  source.robots.push_back({"robot", robot, Pose{}});
  const double angle = 2.5 / kChords;  // in the middle of a chord
  source.obstacles.push_back(
      {"stone",
       {{Sphere{0.1}, Pose{}, ""}},
       Pose::translation({1.205 * std::cos(angle), 1.205 * std::sin(angle), 0})});
  const Scene scene = test::build(source);
  const CheckModel model = CheckModel::build(scene, test::any_values()).value();
  const SweepModel& prepared = model.data().sweep();
  std::vector<double> from = {0}, to = {1e-3};
  std::vector<std::vector<double>> inner;
  const auto open_of = [&](Sweep& sweep, const SegmentMotion& motion) {
    EXPECT_TRUE(sweep.run(prepared, motion, false));
    std::vector<std::uint32_t> open;
    for (const OpenPart& part : sweep.open()) open.push_back(part.chords);
    return open;
  };
  SegmentMotion motion;
  motion.from = from, motion.to = to;
  Sweep known, fresh;
  EXPECT_EQ(known.wanted_level(prepared, motion), 0);
  to = {5};  // in the same place
  EXPECT_EQ(open_of(known, motion), open_of(fresh, motion));
  EXPECT_FALSE(fresh.open().empty()) << "the motion is too fast to be settled";
  // Ends that were known, and points between them that were not.
  to = {0.2};
  (void)known.wanted_level(prepared, motion);
  inner = {{5}, {-5}};
  motion.inner = inner;
  EXPECT_EQ(open_of(known, motion), open_of(fresh, motion));
}

TEST(Caches, ConfigurationsAreFoundByAllThatTheyDependOn) {
  Arm arm;
  const Scene scene = test::build(arm.source());
  arm.base = 1;
  const Scene moved = test::build(arm.source());
  const std::vector<double> from = {0, 0}, to = {1, 0.5}, other = {-1, 0};
  SegmentMotion motion, second;
  motion.from = from, motion.to = to;
  second.from = from, second.to = other, second.id = motion.id + 1;
  ConfigurationCache cache;
  cache.begin(scene);
  const auto at = [&](const SegmentMotion& of, double t, std::int64_t computed) {
    const Pose X = cache.poses(of, t).X_WL.back();
    EXPECT_EQ(cache.num_computed(), computed);
    return X;
  };
  const Pose first = at(motion, 0.5, 1);
  EXPECT_EQ(at(motion, 0.5, 1).p, first.p);
  EXPECT_NE(at(motion, 0.25, 2).R, first.R);
  EXPECT_NE(at(second, 0.5, 3).R, first.R);
  cache.begin(moved);
  EXPECT_NE(at(motion, 0.5, 1).p, first.p);
}

// What scratches hand on is memory: answers are those of new ones, whatever was asked before.
TEST(Caches, ScratchesHandOnNothingButMemory) {
  Random random(7);
  struct Asked {
    CheckModel model;
    std::vector<double> from, to;
    CheckResult fresh;
  };
  std::vector<Asked> all;
  for (int i = 0; i < test::cases(30); ++i) {
    const test::SweepCase c = test::random_case(random, i % 2 == 0, false);
    CheckOptions options = test::any_values();
    options.sweep = true;
    CheckModel model = CheckModel::build(c.scene, options).value();
    model.prepare_sweeps();
    all.push_back({std::move(model), c.rows.front(), c.rows.back(), {}});
  }
  // Each with a scratch of a thread of its own, on which nothing was left.
  for (Asked& asked : all)
    std::thread([&] {
      Scratch scratch;
      asked.fresh = asked.model.check_segment({asked.from, asked.to}, scratch);
    }).join();
  int collisions = 0, free = 0;
  for (int i = 0; i < 4 * static_cast<int>(all.size()); ++i) {
    const Asked& asked = all[static_cast<std::size_t>(random.index(static_cast<int>(all.size())))];
    Scratch scratch;
    const CheckResult again = asked.model.check_segment({asked.from, asked.to}, scratch);
    EXPECT_EQ(again.verdict, asked.fresh.verdict);
    EXPECT_EQ(again.collision.has_value(), asked.fresh.collision.has_value());
    if (again.collision && asked.fresh.collision) {
      EXPECT_EQ(again.collision->t, asked.fresh.collision->t);
      EXPECT_EQ(again.collision->bodies, asked.fresh.collision->bodies);
    }
    ++(again.verdict == Verdict::free ? free : collisions);
  }
  EXPECT_GT(free, 0);
  EXPECT_GT(collisions, 0);
}

// What is no number leaves nothing of a motion behind.
TEST(Caches, MonitorsGoOnByNumbersAlone) {
  SceneSource source = Arm{}.source();
  const Scene scene = test::build(source);
  Motion motion;
  motion.waypoints = {{-1.9, -1.9}, {-1, -1}, {-1.2, -1}};
  Scratch scratch;
  auto monitor = Monitor::build(scene, motion, {}, scratch);
  ASSERT_TRUE(monitor.ok()) << monitor.error().text();
  const auto first = monitor.value().segment(0).verdict;
  for (const double t : {std::nan(""), -HUGE_VAL, -1.0}) {
    (void)monitor.value().advance(0, t, scratch);
    EXPECT_EQ(monitor.value().ahead().t, 0) << t;
    EXPECT_EQ(monitor.value().segment(0).verdict, first);
  }
  (void)monitor.value().advance(0, HUGE_VAL, scratch);
  EXPECT_EQ(monitor.value().ahead().t, 1);
  (void)monitor.value().advance(1, std::nan(""), scratch);
  EXPECT_EQ(monitor.value().ahead().t, 0);
  EXPECT_EQ(monitor.value().ahead().segment, 1);
}

}  // namespace
}  // namespace proven
