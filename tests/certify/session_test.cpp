// Sessions: resumption, shared configurations, first contacts, ways to cover, curves; and
// check_all.
#include "proven/certify/session.h"

#include <malloc.h>

#include <cstdio>
#include <numbers>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "check_support.h"
#include "scenes/scenes.h"

namespace proven {
namespace {

using test::FclScene;
using test::slider;
using test::VerdictCounts;
using Waypoints = std::vector<std::vector<double>>;

void add_wall(SceneBuilder& builder, const std::string& name, const Vec3& size, const Vec3& place) {
  ASSERT_TRUE(builder.add_obstacle(name, test::box_elements(size), Pose::translation(place)).ok());
}

int add_straight(CheckSession& session, const Waypoints& segment) {
  const int from = session.add_configuration(segment[0]);
  return session.add_segment(from, session.add_configuration(segment[1]));
}

CheckResult run_one(CheckSession& session, int segment) {
  Scratch scratch;
  return session.run(std::span(&segment, 1), scratch);
}

void expect_same(const CheckResult& x, const CheckResult& y) {
  ASSERT_EQ(x.verdict, y.verdict);
  if (x.collision) {
    EXPECT_EQ(x.collision->segment, y.collision->segment);
    EXPECT_EQ(x.collision->t, y.collision->t);
    EXPECT_EQ(x.collision->t_lower, y.collision->t_lower);
    EXPECT_EQ(x.collision->bodies, y.collision->bodies);
    EXPECT_EQ(x.collision->pieces, y.collision->pieces);
    EXPECT_EQ(x.collision->points, y.collision->points);
    EXPECT_EQ(x.collision->configuration, y.collision->configuration);
  }
  if (x.undecided) {
    EXPECT_EQ(x.undecided->segment, y.undecided->segment);
    EXPECT_EQ(x.undecided->t, y.undecided->t);
    EXPECT_EQ(x.undecided->bodies, y.undecided->bodies);
  }
}

class EverySessionChecker : public testing::TestWithParam<Checker> {
 protected:
  CheckOptions options() const {
    CheckOptions o = test::any_values();
    o.checker = GetParam();
    o.resolution = 1e-4;
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Session, EverySessionChecker,
                         testing::Values(Checker::directional, Checker::classic, Checker::refined),
                         [](const auto& i) { return std::string(to_string(i.param)); });

TEST_P(EverySessionChecker, ResumedWorkEndsAsInOneGo) {
  Random random(1);
  VerdictCounts counts;
  for (int n = test::cases(30); n > 0; --n) {
    const Scene scene = test::build(test::random_scene(random, {.obstacles = 10}));
    for (int s = 0; s < 6; ++s) {
      Waypoints path = test::random_segment(scene.tree(), random, 0.5);
      path.push_back(test::random_segment(scene.tree(), random, 0.5)[1]);
      CheckOptions few = options();
      few.max_cells = 3;
      CheckSession session = test::make_session(scene, few);
      Scratch scratch;
      const CheckResult whole =
          session.model().with_options(options()).value().check({path, {}, {}}, scratch).value();
      std::vector<int> ends, segments;
      for (const auto& q : path) ends.push_back(session.add_configuration(q));
      for (std::size_t i = 1; i < path.size(); ++i)
        segments.push_back(session.add_segment(ends[i - 1], ends[i]));
      CheckResult resumed;
      do {
        Scratch fresh;  // holds no results
        resumed = session.run(segments, fresh);
        ASSERT_LE(resumed.stats.cells, 3);
      } while (resumed.undecided && resumed.undecided->reason == UndecidedReason::cells);
      // A place that was given up may hide that the budget ran out as well.
      while (resumed.verdict == Verdict::undecided && !session.known(segments[1])) {
        Scratch fresh;
        resumed = session.run(segments, fresh);
      }
      expect_same(whole, resumed);
      counts.add(whole.verdict);
    }
  }
  counts.expect_both(test::cases(30));
}

TEST_P(EverySessionChecker, SegmentsThatMeetShareTheirEnds) {
  Random random(2);
  const Scene scene = test::build(test::random_scene(random, {}));
  const Waypoints first = test::random_segment(scene.tree(), random, 0.3);
  const Waypoints second = test::random_segment(scene.tree(), random, 0.3);
  CheckSession session = test::make_session(scene, options());
  const int a = session.add_configuration(first[0]), b = session.add_configuration(first[1]),
            c = session.add_configuration(second[1]);
  const int ab = session.add_segment(a, b), bc = session.add_segment(b, c),
            cb = session.add_segment(c, b);
  for (const int segment : {ab, bc, cb}) run_one(session, segment);
  EXPECT_EQ(session.known(bc), session.known(cb));
  for (const auto& [id, path] : {std::pair{ab, Waypoints{first[0], first[1]}},
                                 {bc, {first[1], second[1]}},
                                 {cb, {second[1], first[1]}}})
    EXPECT_EQ(session.known(id), test::must_check(scene, path, options()).verdict);
}

TEST_P(EverySessionChecker, TheSameSegmentMayBeGivenTwice) {
  SceneBuilder builder = slider();
  add_wall(builder, "wall", {0.2, 0.1, 1}, {1, 0.2, 0});
  const Scene scene = test::must_build(std::move(builder));
  CheckSession session = test::make_session(scene, options());
  const int segment = add_straight(session, {{0}, {2}});
  const std::vector<int> twice = {segment, segment};
  Scratch scratch;
  EXPECT_EQ(session.run(twice, scratch).verdict, Verdict::free);
}

TEST_P(EverySessionChecker, ReleaseKeepsTheVerdict) {
  SceneBuilder builder = slider();
  add_wall(builder, "wall", {0.2, 0.1, 1}, {3, 0.1, 0});
  const Scene scene = test::must_build(std::move(builder));
  CheckSession session = test::make_session(scene, options());
  const int free = add_straight(session, {{0}, {2}}), hit = add_straight(session, {{2}, {4}});
  EXPECT_FALSE(session.known(free).has_value());
  session.release(free);  // nothing to forget yet
  EXPECT_EQ(run_one(session, free).verdict, Verdict::free);
  const CheckResult before = run_one(session, hit);
  session.release(free);
  session.release(hit);
  EXPECT_EQ(session.known(free), Verdict::free);
  EXPECT_EQ(session.known(hit), Verdict::collision);
  const CheckResult after = run_one(session, hit);
  expect_same(before, after);
  EXPECT_EQ(after.stats.cells, 0);
}

// A session keeps to the ranges of its model; a model with wider ones proves what lies there.
TEST_P(EverySessionChecker, BeyondTheRangesIsAMistakeAndAWiderModelHolds) {
  Robot robot;
  robot.links = {{"base", {}, false, nullptr},
                 {"arm", {}, false, nullptr},
                 {"tip", test::box_elements({0.1, 0.1, 0.1}), false, nullptr}};
  RobotJoint turn, slide;
  turn.name = "turn", turn.type = JointType::continuous, turn.axis = {0, 0, 1};
  turn.parent_link = "base", turn.child_link = "arm";
  slide.name = "slide", slide.type = JointType::prismatic, slide.axis = {1, 0, 0};
  slide.parent_link = "arm", slide.child_link = "tip", slide.limits = {0, 1, 1, 1};
  robot.joints = {turn, slide};
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(robot, "arm", Pose{}).ok());
  add_wall(builder, "near", {0.01, 0.01, 5}, {0, 1, 0});
  add_wall(builder, "far", {0.01, 0.01, 5}, {0, 50, 0});  // out of reach within the limits
  const Scene scene = test::must_build(std::move(builder));
  const CheckModel model = CheckModel::build(scene, options()).value();
  CheckSession narrow(model);
  EXPECT_THROW(narrow.add_configuration(std::vector<double>{0, 3}), std::invalid_argument);
  EXPECT_THROW(narrow.add_configuration(std::vector<double>{0}), std::invalid_argument);
  const int near = add_straight(narrow, {{0, 0.5}, {std::numbers::pi, 0.5}});
  EXPECT_EQ(run_one(narrow, near).verdict, Verdict::free);
  const std::vector<double> far_corner = {std::numbers::pi, 50};
  EXPECT_FALSE(model.covers(far_corner));
  const CheckModel wide = model.covering(far_corner, far_corner);
  EXPECT_TRUE(wide.covers(far_corner));
  EXPECT_EQ(wide.covering(far_corner, far_corner).ranges().data(), wide.ranges().data());
  CheckSession session(wide);
  const int far = add_straight(session, {{0, 50}, {std::numbers::pi, 50}});
  const int between = add_straight(session, {{0, 48}, {std::numbers::pi, 48}});
  EXPECT_EQ(run_one(session, far).verdict, Verdict::collision);
  EXPECT_EQ(run_one(session, between).verdict, Verdict::free);
  // Single questions widen the model by themselves.
  Scratch scratch;
  const std::vector<double> from = {0, 50};
  EXPECT_EQ(model.check_segment({from, far_corner}, scratch).verdict, Verdict::collision);
}

// Walks that move one joint per step: what does not move is not proved again, wherever the walk
// began. Against each segment checked on its own.
TEST_P(EverySessionChecker, WhatDoesNotMoveKeepsItsVerdict) {
  VerdictCounts counts, starts;
  std::int64_t tests_in_walks = 0, tests_alone = 0;
  for (int seed = 0; seed < test::cases(60); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 77);
    test::RandomSceneOptions scene_options;
    scene_options.obstacles = 8;
    const Scene scene = test::build(test::random_scene(random, scene_options));
    CheckOptions options = test::any_values();
    options.checker = GetParam();
    CheckSession session = test::make_session(scene, options, 4);
    std::vector<double> q = test::random_segment(scene.tree(), random, 1)[0];
    int here = session.add_configuration(q);
    Scratch scratch;
    starts.add(session.check_configuration(here, scratch).verdict);
    for (int step = 0; step < 12; ++step) {
      const auto joint = static_cast<std::size_t>(random.index(static_cast<int>(q.size())));
      std::vector<double> next = q;
      next[joint] = test::random_segment(scene.tree(), random, 1)[1][joint];
      const int there = session.add_configuration(next);
      const CheckResult walked = run_one(session, session.add_segment(here, there));
      const auto alone = session.model().check({{q, next}, {}, {}}, scratch);
      ASSERT_TRUE(alone.ok());
      EXPECT_EQ(walked.verdict, alone.value().verdict) << "seed " << seed << " step " << step;
      counts.add(walked.verdict);
      tests_in_walks += walked.stats.box_tests;
      tests_alone += alone.value().stats.box_tests;
      if (walked.verdict != Verdict::free && random.index(4) > 0) continue;
      here = there;
      q = next;
    }
  }
  counts.expect_both(test::cases(60));
  starts.expect_both(test::cases(60) / 30);
  EXPECT_LT(tests_in_walks, tests_alone);
}

TEST_P(EverySessionChecker, TouchingIsCloserThanAnyClearance) {
  // The block slides along a wall that it touches exactly.
  SceneBuilder builder = slider();
  add_wall(builder, "wall", {4, 0.2, 1}, {0, 0.2, 0});
  const Scene scene = test::must_build(std::move(builder));
  EXPECT_EQ(test::must_check(scene, {{0}, {1}}, options()).verdict, Verdict::undecided);
  CheckOptions clear = options();
  clear.clearance = 0.01;
  const CheckResult result = test::must_check(scene, {{0}, {1}}, clear);
  ASSERT_EQ(result.verdict, Verdict::collision);
  EXPECT_EQ(result.collision->kind, ContactKind::too_close);
  EXPECT_EQ(result.collision->distance, 0);
}

// A gap below the rounding of poses proves nothing, whatever the resolution.
TEST_P(EverySessionChecker, RoundingIsNoProof) {
  CheckOptions o = options();
  o.resolution = 0;
  for (const auto& [gap, verdict] :
       {std::pair{1e-12, Verdict::undecided}, std::pair{1e-9, Verdict::free}}) {
    SceneBuilder builder = slider();
    add_wall(builder, "wall", {4, 0.2, 1}, {0, 0.2 + gap, 0});
    const Scene scene = test::must_build(std::move(builder));
    EXPECT_EQ(test::must_check(scene, {{0.25}}, o).verdict, verdict) << gap;
  }
}

// Two fingers 0.1 mm apart that turn together: only the joints between them count.
TEST_P(EverySessionChecker, ACommonMotionCostsNothing) {
  Robot robot;
  robot.links = {{"base", {}, false, nullptr},
                 {"wrist", {}, false, nullptr},
                 {"left", test::box_elements({0.5, 0.1, 0.1}), false, nullptr},
                 {"right", test::box_elements({0.5, 0.1, 0.1}), false, nullptr}};
  RobotJoint turn, left, right;
  turn.name = "turn", turn.type = JointType::continuous, turn.axis = {0, 0, 1};
  turn.parent_link = "base", turn.child_link = "wrist";
  left.name = "left", right.name = "right";
  left.type = right.type = JointType::prismatic;
  left.axis = right.axis = {0, 1, 0};
  left.limits = right.limits = {0, 0.5, 1, 1};
  left.parent_link = right.parent_link = "wrist";
  left.child_link = "left", right.child_link = "right";
  left.X_PJ = Pose::translation({1, 0, 0}), right.X_PJ = Pose::translation({1, -0.1002, 0});
  robot.joints = {turn, left, right};
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(robot, "r", Pose{}).ok());
  const Scene scene = test::must_build(std::move(builder));
  const CheckResult together = test::must_check(scene, {{0, 0, 0}, {6, 0, 0}}, options());
  EXPECT_EQ(together.verdict, Verdict::free);
  EXPECT_LE(together.stats.cells, 1);
  EXPECT_EQ(test::must_check(scene, {{0, 0, 0}, {6, 0, 0.01}}, options()).verdict,
            Verdict::collision);
}

TEST_P(EverySessionChecker, ClearanceOfOnePair) {
  SceneBuilder builder = slider();
  add_wall(builder, "left", {4, 0.1, 1}, {0, 0.2, 0});    // 0.05 m from the block
  add_wall(builder, "right", {4, 0.1, 1}, {0, -0.2, 0});  // 0.05 m from the block
  ASSERT_TRUE(builder.set_pair_clearance("slider/block", "right", 0.06).ok());
  const Scene scene = test::must_build(std::move(builder));
  const CheckResult result = test::must_check(scene, {{-1}, {1}}, options());
  ASSERT_EQ(result.verdict, Verdict::collision);
  EXPECT_EQ(result.collision->kind, ContactKind::too_close);
  EXPECT_EQ(scene.body(result.collision->bodies[1]).name, "right");
}

TEST_P(EverySessionChecker, ClearancesAgainstDenseSampling) {
  Random random(7);
  VerdictCounts counts;
  for (int n = test::cases(15); n > 0; --n) {
    const Scene scene = test::build(test::random_scene(random, {}));
    for (int s = 0; s < 4; ++s) {
      const Waypoints segment = test::random_segment(scene.tree(), random, 0.3);
      const double distance = test::sampled_distance(scene, segment, 32);
      CheckOptions o = options();
      o.clearance = Clearances::everywhere(distance * random.uniform(0.8, 1.2));
      const Verdict verdict = test::must_check(scene, segment, o).verdict;
      counts.add(verdict);
      if (distance < o.clearance.world) {
        EXPECT_NE(verdict, Verdict::free) << distance << " " << o.clearance.world;
      }
    }
  }
  counts.expect_both(test::cases(15) / 2);
}

TEST_P(EverySessionChecker, AttachedObjectsCollideButNotWithWhatTheyTouch) {
  const auto scene_with = [](const std::vector<std::string>& touch) {
    SceneBuilder builder = slider();
    add_wall(builder, "wall", {0.2, 0.1, 0.1}, {1, 0, 0.4});  // above the block's way
    EXPECT_TRUE(builder
                    .attach("mast", "slider/block", test::box_elements({0.05, 0.05, 0.5}),
                            Pose::translation({0, 0, 0.25}), touch)
                    .ok());
    return test::must_build(std::move(builder));
  };
  const CheckResult hit = test::must_check(scene_with({}), {{0}, {2}}, options());
  ASSERT_EQ(hit.verdict, Verdict::collision);
  EXPECT_NEAR(hit.collision->configuration[0], 1, 0.1251);
  EXPECT_EQ(test::must_check(scene_with({"wall"}), {{0}, {2}}, options()).verdict, Verdict::free);
}

TEST_P(EverySessionChecker, AnyNumberOfThreadsGivesTheSameAnswers) {
  Random random(3);
  const Scene scene = test::build(test::random_scene(random, {}));
  std::vector<Path> paths;
  for (int n = test::cases(60); n > 0; --n) {
    Waypoints path = test::random_segment(scene.tree(), random, 0.5);
    for (int more = random.index(3); more > 0; --more)
      path.push_back(test::random_segment(scene.tree(), random, 0.5)[1]);
    paths.push_back({path, {}, {}});
  }
  paths.push_back({{}, {}, {}});  // an error stays in its place
  VerdictCounts counts;
  for (const int threads : {1, 2, 5}) {
    const auto all = check_all(scene, paths, options(), threads);
    ASSERT_EQ(all.size(), paths.size());
    EXPECT_FALSE(all.back().ok());
    for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
      ASSERT_TRUE(all[i].ok());
      const CheckResult one = test::must_check(scene, paths[i].waypoints, options());
      expect_same(one, all[i].value());
      EXPECT_EQ(one.stats.cells, all[i].value().stats.cells);
      EXPECT_EQ(one.stats.box_tests, all[i].value().stats.box_tests);
      counts.add(one.verdict);
    }
  }
  counts.expect_both(test::cases(60) / 6);
}

// Every curve against dense samples of it, judged by FCL.
TEST_P(EverySessionChecker, CurvesAgainstDenseSampling) {
  Random random(4);
  VerdictCounts counts;
  for (const char* name : {"rod", "lattice-1", "gantry"}) {
    const Scene scene = test::build(make_scene(name).value());
    FclScene fcl(scene);
    const auto size = static_cast<std::size_t>(scene.tree().num_coordinates());
    Scratch scratch;
    for (int n = test::cases(15); n > 0; --n) {
      const std::vector<double> p = test::random_segment(scene.tree(), random, 1)[0];
      const auto near = [&](double reach) {
        std::vector<double> q = p;
        for (double& x : q) x += random.uniform(-reach, reach);
        return q;
      };
      Motion motion{{p, near(0.2)}, {}, {}, {{}}};
      for (int k = 1 + random.index(4); k > 0; --k) motion.inner[0].push_back(near(0.2));
      const CheckResult result = check(scene, motion, options(), scratch).value();
      counts.add(result.verdict);
      std::vector<double> q(size);
      constexpr int kSamples = 300;
      for (int i = 0; result.verdict == Verdict::free && i <= kSamples; ++i) {
        interpolate(scene.tree(), motion.piece(0), static_cast<double>(i) / kSamples, q);
        ASSERT_LT(fcl.first_collision(q), 0) << name << " at " << i;
      }
      if (result.verdict != Verdict::collision) continue;
      interpolate(scene.tree(), motion.piece(0), result.collision->t, q);
      EXPECT_EQ(q, result.collision->configuration);
      if (result.collision->kind == ContactKind::overlap) {
        EXPECT_GE(fcl.first_collision(q), 0) << name;
      }
    }
  }
  counts.expect_both(test::cases(15) / 3);
}

TEST_P(EverySessionChecker, ACurveThatStartsAtRest) {
  SceneBuilder builder = slider();
  add_wall(builder, "wall", {0.2, 1, 1}, {2.3, 0, 0});
  const Scene scene = test::must_build(std::move(builder));
  Scratch scratch;
  const auto verdict = [&](double reach) {  // comes as far as 4/9 of it
    const Motion motion{{{0.0}, {0.0}}, {}, {}, {{{0.0}, {reach}}}};
    return check(scene, motion, options(), scratch).value().verdict;
  };
  EXPECT_EQ(verdict(4.6), Verdict::free);
  EXPECT_EQ(verdict(4.9), Verdict::collision);
}

// In the middle the block stands still, without velocity or acceleration; on either side it comes
// as far as 0.93 of the reach.
TEST_P(EverySessionChecker, ACurveThatRestsInTheMiddle) {
  SceneBuilder builder = slider();
  add_wall(builder, "wall", {0.2, 1, 1}, {2.3, 0, 0});
  const Scene scene = test::must_build(std::move(builder));
  Scratch scratch;
  const auto verdict = [&](double reach) {  // 5 reach (y³ - y⁵), y from -1 to 1
    const Motion motion{
        {{0.0}, {0.0}}, {}, {}, {{{-4 * reach}, {6 * reach}, {-6 * reach}, {4 * reach}}}};
    return check(scene, motion, options(), scratch).value().verdict;
  };
  EXPECT_EQ(verdict(2.2), Verdict::free);
  EXPECT_EQ(verdict(2.3), Verdict::collision);
}

// 180 joints and 16,659 pairs: the memory of what planners ask for must not grow with its number.
class SessionMemory : public testing::Test {
 protected:
  void SetUp() override {
    const auto source = make_scene("lattice-9");
    ASSERT_TRUE(source.ok());
    auto scene = build_scene(source.value());
    ASSERT_TRUE(scene.ok());
    scene_ = std::make_unique<Scene>(std::move(scene).value());
    home_.assign(scene_->home().begin(), scene_->home().end());
  }
  // One joint turns far.
  std::vector<double> turned(std::vector<double> q, Random& random) const {
    q[static_cast<std::size_t>(random.index(static_cast<int>(q.size())))] += 0.3;
    return q;
  }
  std::unique_ptr<Scene> scene_;
  std::vector<double> home_;
};

TEST_F(SessionMemory, OfWhatIsDecidedLittleIsKept) {
  CheckSession session = test::make_session(*scene_, test::any_values());
  Random random(1);
  VerdictCounts counts;
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) {
      std::vector<double> from = home_;
      for (double& q : from) q += random.uniform(-0.01, 0.01);
      counts.add(run_one(session, add_straight(session, {from, turned(from, random)})).verdict);
    }
  };
  run(5);
  const std::size_t before = mallinfo2().uordblks;
  run(40);
  counts.expect_both(5);
  // A few copies of the two configurations.
  EXPECT_LT(mallinfo2().uordblks, before + 40 * (8 * home_.size() * sizeof(double) + 1000));
}

TEST_F(SessionMemory, SegmentsThatWaitAreSearchedToo) {
  Random random(2);
  Path path;
  path.waypoints = {home_};
  for (int i = 0; i < 100; ++i) {
    std::vector<double> next = path.waypoints.back();
    for (double& q : next) q += random.uniform(-0.001, 0.001);
    path.waypoints.push_back(std::move(next));
  }
  Scratch scratch;
  const auto free = check(*scene_, path, test::any_values(), scratch);
  ASSERT_TRUE(free.ok());
  EXPECT_EQ(free.value().verdict, Verdict::free);
  VerdictCounts counts;
  for (int i = 0; i < 8; ++i) {
    Path longer = path;
    longer.waypoints.push_back(turned(path.waypoints.back(), random));
    Path last;
    last.waypoints = {longer.waypoints[100], longer.waypoints[101]};
    const auto alone = check(*scene_, last, test::any_values(), scratch);
    const auto whole = check(*scene_, longer, test::any_values(), scratch);
    ASSERT_TRUE(alone.ok() && whole.ok());
    EXPECT_EQ(alone.value().verdict, whole.value().verdict);
    if (whole.value().collision) {
      EXPECT_EQ(whole.value().collision->segment, 100);
    }
    counts.add(whole.value().verdict);
  }
  counts.expect_both(1);
}

TEST(SessionFixed, FollowsAClosedCurve) {
  // Both ends are at 0; the block reaches the wall in between.
  SceneBuilder builder = slider();
  add_wall(builder, "wall", {0.2, 1, 1}, {2.3, 0, 0});
  const Scene scene = test::must_build(std::move(builder));
  CheckOptions o = test::any_values();
  o.checker = Checker::fixed;
  Scratch scratch;
  const Motion motion{{{0.0}, {0.0}}, {}, {}, {{{3.0}, {3.0}}}};
  EXPECT_EQ(check(scene, motion, o, scratch).value().verdict, Verdict::collision);
}

// The first contact of every pair is bounded, however slowly another pair moves.
TEST(SessionFirst, ASlowPairDoesNotHideAFastOne) {
  Robot robot;
  robot.links = {{"base", {}, false, nullptr},
                 {"slow", test::box_elements({0.2, 0.2, 0.2}), false, nullptr},
                 {"fast", test::box_elements({0.2, 0.2, 0.2}), false, nullptr}};
  RobotJoint slow, fast;
  slow.name = "slow", fast.name = "fast";
  slow.type = fast.type = JointType::prismatic;
  slow.parent_link = fast.parent_link = "base";
  slow.child_link = "slow", fast.child_link = "fast";
  slow.limits = fast.limits = {-10, 10, 1, 1};
  fast.X_PJ = Pose::translation({0, 5, 0});
  robot.joints = {slow, fast};
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(robot, "r", Pose{}).ok());
  add_wall(builder, "beside_slow", {4, 0.1, 1}, {0, 0.15 + 1e-7, 0});  // 1e-7 from the slow one
  add_wall(builder, "wall_1", {0.2, 1, 1}, {2, 5, 0});                 // met at x = 1.8
  add_wall(builder, "wall_2", {0.2, 1, 1}, {4, 5, 0});  // under the fast one at the end
  const Scene scene = test::must_build(std::move(builder));
  CheckOptions o = test::any_values();
  o.first = true;
  o.resolution = 1e-4;
  const CheckResult result = test::must_check(scene, {{0, 0}, {1e-6, 4}}, o);
  ASSERT_EQ(result.verdict, Verdict::collision);
  EXPECT_NEAR(result.collision->t, 1.8 / 4, 1e-4);
}

TEST(SessionFirst, ABudgetLeavesAContactWithAWeakerBound) {
  SceneBuilder builder = slider();
  for (const double x : {2.0, 4.0, 6.0})
    add_wall(builder, "wall" + std::to_string(x), {0.2, 1, 1}, {x, 0, 0});
  const Scene scene = test::must_build(std::move(builder));
  CheckOptions o = test::any_values();
  o.first = true;
  const double truth = 1.8 / 6;
  for (const Checker checker : {Checker::directional, Checker::classic}) {
    o.checker = checker;
    double last_t = 1, last_lower = 0;
    int contacts = 0;
    for (const int cells : {0, 2, 5, 10, 20, 1000}) {
      o.max_cells = cells;
      const CheckResult result = test::must_check(scene, {{0}, {6}}, o);
      if (result.verdict != Verdict::collision) {
        EXPECT_EQ(contacts, 0) << "a larger budget finds no less";
        continue;
      }
      ++contacts;
      EXPECT_LE(result.collision->t, last_t);
      EXPECT_GE(result.collision->t_lower, last_lower);
      EXPECT_LE(result.collision->t_lower, truth + 1e-9);
      EXPECT_GE(result.collision->t, truth - 1e-9);
      last_t = result.collision->t, last_lower = result.collision->t_lower;
    }
    EXPECT_GE(contacts, 3);
    EXPECT_NEAR(last_t, truth, 1e-6);
    EXPECT_NEAR(last_lower, truth, 1e-6);
  }
}

TEST(SessionFirst, BoundsHoldOnRandomScenes) {
  Random random(5);
  VerdictCounts counts;
  int tight = 0;
  for (int n = test::cases(120); n > 0; --n) {
    test::RandomSceneOptions scene_options;
    scene_options.meshes_only = true;
    scene_options.obstacles = 10;
    const Scene scene = test::build(test::random_scene(random, scene_options));
    FclScene fcl(scene);
    for (int s = 0; s < 5; ++s) {
      const Waypoints segment = test::random_segment(scene.tree(), random, 1);
      if (fcl.first_collision(segment[0]) >= 0) continue;
      CheckOptions any, first;
      any.resolution = first.resolution = 1e-5;
      first.first = true;
      const auto ways = test::ways_to_find_first();
      std::tie(first.checker, first.cover) =
          ways[static_cast<std::size_t>(random.index(static_cast<int>(ways.size())))];
      const CheckResult result = test::must_check(scene, segment, first);
      counts.add(result.verdict);
      ASSERT_EQ(result.verdict, test::must_check(scene, segment, any).verdict);
      if (result.verdict != Verdict::collision) continue;
      const Witness& w = *result.collision;
      ASSERT_LE(w.t_lower, w.t);
      tight += w.t - w.t_lower < 1e-3;
      EXPECT_GE(fcl.first_collision(w.configuration), 0);
      std::vector<double> q(segment[0].size());
      constexpr int kSamples = 400;
      for (int i = 0; i < kSamples; ++i) {
        interpolate(scene.tree(), segment[0], segment[1], w.t_lower * i / kSamples, q);
        ASSERT_LT(fcl.first_collision(q), 0) << "before t_lower";
      }
    }
  }
  std::printf("first contacts: %d, bounds closer than 1e-3: %d\n", counts.collision, tight);
  counts.expect_both(test::cases(120) / 4);
  EXPECT_GE(tight, counts.collision / 2);
}

TEST(SessionCover, AllWaysToCoverAgree) {
  Random random(6);
  VerdictCounts counts;
  for (int n = test::cases(80); n > 0; --n) {
    const Scene scene = test::build(test::random_scene(random, {.obstacles = 10}));
    for (int s = 0; s < 5; ++s) {
      const Waypoints segment = test::random_segment(scene.tree(), random, 0.6);
      std::vector<Verdict> verdicts;
      for (const Cover cover : {Cover::midpoint, Cover::uncovered, Cover::forward}) {
        CheckOptions o = test::any_values();
        o.checker = Checker::classic;
        o.cover = cover;
        o.resolution = 1e-5;
        verdicts.push_back(test::must_check(scene, segment, o).verdict);
      }
      EXPECT_EQ(verdicts[0], verdicts[1]);
      EXPECT_EQ(verdicts[0], verdicts[2]);
      counts.add(verdicts[0]);
    }
  }
  counts.expect_both(test::cases(80) / 2);
}

}  // namespace
}  // namespace proven
