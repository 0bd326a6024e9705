// A Monitor that follows edits, against one made anew and against CheckModel.
#include "proven/certify/monitor.h"

#include <algorithm>
#include <atomic>
#include <numbers>

#include "any_values.h"
#include "kinematics/random_robot.h"
#include "proven/certify/check.h"
#include "proven/geometry/body_geometry.h"
#include "random_scenes.h"
#include "support.h"

namespace proven {
namespace {

Scratch& scratch() {
  static Scratch memory;
  return memory;
}

template <class T>
const T& one_of(const std::vector<T>& all, Random& random) {
  return all[static_cast<std::size_t>(random.index(static_cast<int>(all.size())))];
}

// A box, a ball and so on, or what a sensor saw: twenty balls, twenty cells.
Shape any_shape(Random& random) {
  const auto near = [&] { return random.uniform(-0.1, 0.1); };
  if (random.index(3) > 0) return test::random_shape(random, {0.05, 0.08, 0.1}, false);
  if (random.index(2) == 0) {
    PointCloud cloud{{}, 0.02};
    for (int i = 0; i < 20; ++i) cloud.points.push_back({near(), near(), near()});
    return std::make_shared<const PointCloud>(std::move(cloud));
  }
  VoxelSet voxels{0.03, {}};
  for (int i = 0; i < 20; ++i)
    voxels.cells.push_back({random.index(6) - 3, random.index(6) - 3, random.index(6) - 3});
  return std::make_shared<const VoxelSet>(std::move(voxels));
}

// One random edit; some fail for a reason that a person would expect, and change nothing.
Result<Scene> edit(const Scene& scene, const Motion& motion, Random& random, int number) {
  const SceneSource source = scene.description();
  const auto& q = one_of(motion.waypoints, random);
  std::vector<std::string> movable;
  for (const auto& o : source.obstacles) movable.push_back(o.name);
  for (const auto& o : source.attached) movable.push_back(o.name);
  if (movable.empty()) movable.push_back("nobody");
  switch (random.index(9)) {
    case 0:
      return scene.with_obstacle({"new" + std::to_string(number),
                                  {{any_shape(random), {}, ""}},
                                  test::random_pose(random, 0.9)});
    case 1:
      return scene.without(one_of(movable, random));
    case 2:
      if (source.obstacles.empty()) return bad_input("no obstacle");
      return scene.with_attached(one_of(source.obstacles, random).name, "arm/l3", q, {"arm/l2"});
    case 3:
      if (source.attached.empty()) return bad_input("nothing is held");
      return scene.detached(one_of(source.attached, random).name, q);
    case 4:
      return scene.with_clearance(Clearances(random.index(2) * 0.01));
    case 5:
      return scene.with_pair_clearance("arm/l4", one_of(movable, random), random.uniform(0, 0.05));
    case 6:
      return random.index(6) == 0
                 ? scene.with_home(scene.tree().coordinates()[0].name, random.uniform(-1, 1))
                 : scene.with_pose(one_of(movable, random), test::random_pose(random, 3));
    default:
      return scene.with_pose(one_of(movable, random), test::random_pose(random, 0.9));
  }
}

// Where `curved`, of degree 3; a ball joint turns by a rotation vector there.
Motion random_motion(const Scene& scene, Random& random, bool curved) {
  const auto coordinates = scene.tree().coordinates();
  Motion motion;
  motion.waypoints = test::random_segment(scene.tree(), random, 0.6);
  for (int i = 0; i < 3; ++i) {
    std::vector<double> next = motion.waypoints.back();
    for (std::size_t k = 0; k < next.size(); ++k)
      if (!coordinates[k].quaternion) next[k] += random.uniform(-0.15, 0.15);
    motion.waypoints.push_back(next);
  }
  for (std::size_t i = 0; curved && i + 1 < motion.waypoints.size(); ++i) {
    std::vector<double> bulge = motion.waypoints[i], late = motion.waypoints[i + 1];
    for (std::size_t k = 0; k < bulge.size(); ++k) {
      if (!coordinates[k].quaternion) {
        bulge[k] += random.uniform(-0.1, 0.1);
        continue;
      }
      for (int axis = 0; axis < 3; ++axis, ++k)
        bulge[k] = random.uniform(-0.2, 0.2), late[k] = random.uniform(-0.2, 0.2);
      bulge[k] = late[k] = 0;
    }
    motion.inner.push_back({bulge, late});
  }
  return motion;
}

void expect_same(const Monitor& followed, const Monitor& anew) {
  ASSERT_EQ(followed.num_segments(), anew.num_segments());
  EXPECT_EQ(followed.verdict(), anew.verdict());
  for (int i = 0; i < anew.num_segments(); ++i) {
    const Monitor::Segment x = followed.segment(i), y = anew.segment(i);
    ASSERT_EQ(x.verdict, y.verdict) << "segment " << i;
    ASSERT_EQ(x.collision != nullptr, y.collision != nullptr);
    if (x.collision) {
      EXPECT_EQ(x.collision->t, y.collision->t);
      EXPECT_EQ(x.collision->bodies, y.collision->bodies);
      EXPECT_EQ(x.collision->pieces, y.collision->pieces);
      EXPECT_EQ(x.collision->segment, i);
    }
    if (x.undecided) {
      EXPECT_EQ(x.undecided->t, y.undecided->t);
      EXPECT_EQ(x.undecided->reason, y.undecided->reason);
      EXPECT_EQ(x.undecided->bodies, y.undecided->bodies);
    }
  }
  EXPECT_EQ(followed.collisions().size(), anew.collisions().size());
}

// Verdicts as CheckModel gives them, segment by segment.
void expect_as_checked(const Monitor& monitor, int& differ) {
  const CheckModel model = CheckModel::build(monitor.scene(), monitor.options()).value();
  for (int i = monitor.ahead().segment + 1; i < monitor.num_segments(); ++i) {
    const MotionPiece piece = monitor.motion().piece(i);
    const Verdict checked =
        model.check_segment({piece.from, piece.to, false, piece.inner}, scratch()).verdict;
    const Verdict said = monitor.segment(i).verdict;
    if (said == checked) continue;
    ++differ;
    EXPECT_TRUE(said == Verdict::undecided || checked == Verdict::undecided) << "segment " << i;
  }
}

TEST(Monitor, AnswersLikeOneMadeAnew) {
  test::VerdictCounts counts;
  int edits = 0, refused = 0, differ = 0, fewer = 0;
  for (int seed = 0; seed < test::cases(60); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 9200);
    SceneSource source = test::random_scene(random, {.floating = seed % 5 == 4});
    source.clearances.push_back({"arm/l3", "o2", 0.02});
    source.exclusions.push_back({"arm/l4", "o1", "on purpose"});
    Scene scene = test::build(source);
    CheckOptions options = test::any_values();
    options.clearance = seed % 3 == 0 ? 0.005 : 0;
    options.tracking_error = seed % 4 == 0 ? 0.002 : 0;
    const Motion motion = random_motion(scene, random, seed % 5 == 1);
    Monitor monitor = Monitor::build(scene, motion, options, scratch()).value();
    int segment = 0;
    double t = 0;
    for (int step = 0; step < 15; ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
      if (step % 6 == 5) {
        t += 0.4;
        if (t >= 1) ++segment, t -= 1;
        monitor.advance(segment, t, scratch());
      }
      const Result<Scene> edited = edit(scene, motion, random, step);
      if (!edited.ok()) {
        ++refused;
        continue;
      }
      ++edits;
      scene = edited.value();
      const MonitorCounts done = monitor.update(scene, scratch()).value();
      fewer += done.pairs_changed < static_cast<int>(scene.pairs().size());
      Monitor anew = Monitor::build(scene, motion, options, scratch()).value();
      anew.advance(segment, t, scratch());
      expect_same(monitor, anew);
      expect_as_checked(monitor, differ);
      for (int i = segment; i < monitor.num_segments(); ++i) counts.add(monitor.segment(i).verdict);
      if (HasFailure()) return;
    }
  }
  counts.expect_both(test::cases(60) * 5);
  EXPECT_GT(edits, 5 * refused);
  EXPECT_GT(fewer, edits / 2) << "an edit should leave most proofs alone";
  EXPECT_LE(differ, edits / 100) << "only within the resolution, which is rare";
}

// A slider of 0.1 m beside a wall: all is known by hand.
SceneSource slider() {
  Robot robot;
  robot.name = "slider";
  robot.links.push_back({"base", {}, false, nullptr});
  robot.links.push_back({"block", {{Box{{0.05, 0.05, 0.05}}, {}, "block"}}, false, nullptr});
  RobotJoint joint;
  joint.name = "x";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "block";
  joint.axis = {1, 0, 0};
  joint.limits = {-10, 10, 1, 1};
  robot.joints.push_back(joint);
  SceneSource source;
  source.robots.push_back({"r", robot, {}});
  source.obstacles.push_back(
      {"wall", {{Box{{0.1, 0.1, 0.1}}, {}, ""}}, Pose::translation({1.5, 1, 0})});
  return source;
}

Motion slide() {
  return {{{0.0}, {1.0}, {2.0}, {3.0}}, {}, {}};
}

TEST(Monitor, SaysWhichSegmentsFellAndWhy) {
  const Scene scene = test::build(slider());
  Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  EXPECT_EQ(monitor.verdict(), Verdict::free);
  const Scene blocked = scene.with_pose("wall", Pose::translation({1.5, 0, 0})).value();
  MonitorCounts done = monitor.update(blocked, scratch()).value();
  EXPECT_EQ(done.changed, std::vector<int>{1});
  EXPECT_EQ(done.pairs_changed, 1);
  ASSERT_EQ(monitor.segment(1).verdict, Verdict::collision);
  EXPECT_EQ(blocked.body(monitor.segment(1).collision->bodies[1]).name, "wall");
  const double x = monitor.segment(1).collision->configuration[0];
  EXPECT_TRUE(x > 1.35 && x < 1.65) << x;
  EXPECT_EQ(monitor.segment(0).verdict, Verdict::free);
  // Far away as well, all three segments are proved by the search.
  done =
      monitor.update(blocked.with_pose("wall", Pose::translation({1.5, 9, 0})).value(), scratch())
          .value();
  EXPECT_EQ(done.parts_proved, 3);
  EXPECT_EQ(done.changed, std::vector<int>{1});
  EXPECT_EQ(monitor.verdict(), Verdict::free);
}

TEST(Monitor, TouchingIsUndecided) {
  const Scene scene =
      test::build(slider()).with_pose("wall", Pose::translation({1.5, 0.15, 0})).value();
  const Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  ASSERT_EQ(monitor.verdict(), Verdict::undecided);
  EXPECT_EQ(monitor.segment(1).verdict, Verdict::undecided);
  EXPECT_NE(monitor.segment(1).undecided, nullptr);
}

TEST(Monitor, WhatLiesBehindDoesNotCount) {
  const Scene scene =
      test::build(slider()).with_pose("wall", Pose::translation({1.2, 0, 0})).value();
  Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  ASSERT_EQ(monitor.segment(1).verdict, Verdict::collision);  // for x from 1.05 to 1.35
  monitor.advance(1, 0.2, scratch());
  EXPECT_EQ(monitor.segment(1).verdict, Verdict::collision);
  EXPECT_EQ(monitor.ahead().segment, 1);
  EXPECT_LE(monitor.ahead().t, 0.2);
  monitor.advance(1, 0.1, scratch());  // no way back
  EXPECT_GT(monitor.ahead().t, 0.1);
  monitor.advance(1, 0.5, scratch());
  EXPECT_EQ(monitor.segment(1).verdict, Verdict::free);
  EXPECT_EQ(monitor.verdict(), Verdict::free);
  // What comes to stand behind is not seen, what comes to stand ahead is.
  const Scene behind = scene.with_pose("wall", Pose::translation({0.5, 0, 0})).value();
  ASSERT_TRUE(monitor.update(behind, scratch()).ok());
  EXPECT_EQ(monitor.verdict(), Verdict::free);
  ASSERT_TRUE(
      monitor.update(scene.with_pose("wall", Pose::translation({1.9, 0, 0})).value(), scratch())
          .ok());
  EXPECT_EQ(monitor.segment(1).verdict, Verdict::collision);
  monitor.advance(7, 0, scratch());
  EXPECT_EQ(monitor.ahead().segment, 2);
}

TEST(Monitor, WhatABudgetLeavesOpenGoesOn) {
  const Scene scene = test::build(slider());
  Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  // Apart, but not by boxes along the axes.
  const Pose askew{rotation_from_rpy({std::numbers::pi / 4, 0, 0}), {1.5, 0.17, 0.1}};
  const Scene near = scene.with_pose("wall", askew).value();
  const std::atomic<bool> cancel = true;
  Budget none;
  none.cancel = &cancel;
  ASSERT_TRUE(monitor.update(near, scratch(), none).ok());
  ASSERT_EQ(monitor.verdict(), Verdict::undecided);
  EXPECT_EQ(monitor.segment(1).undecided->reason, UndecidedReason::cancelled);
  ASSERT_TRUE(monitor.update(near, scratch()).ok());
  EXPECT_EQ(monitor.verdict(), Verdict::free);
}

TEST(Monitor, RefusesWhatItCannotKeep) {
  const Scene scene = test::build(slider());
  const auto expect = [](const auto& result, std::string_view words) {
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
  };
  CheckOptions options = test::any_values();
  options.first = true;
  expect(Monitor::build(scene, slide(), options, scratch()), "a monitor says what stands");
  options = {};
  options.checker = Checker::classic;
  expect(Monitor::build(scene, slide(), options, scratch()), "directional");
  expect(Monitor::build(scene, Motion{}, {}, scratch()), "waypoint");
  expect(Monitor::build(scene, Motion{{{NAN}}, {}, {}}, {}, scratch()), "");
  SceneSource growing = slider();
  growing.obstacles[0].grows = 0.1;
  const Scene clock = test::build(growing);
  expect(Monitor::build(clock, slide(), {}, scratch()), "clock");
  // A scene that does not fit leaves everything as it was.
  Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  expect(monitor.update(clock, scratch()), "");
  EXPECT_EQ(monitor.scene().hash(), scene.hash());
  EXPECT_EQ(monitor.verdict(), Verdict::free);
}

TEST(Monitor, ClearancesByEdit) {
  const Scene scene =
      test::build(slider()).with_pose("wall", Pose::translation({1.5, 0.2, 0})).value();
  Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  EXPECT_EQ(monitor.verdict(), Verdict::free);  // 0.05 m apart
  const Scene strict = scene.with_pair_clearance("r/block", "wall", 0.06).value();
  EXPECT_EQ(monitor.update(strict, scratch()).value().changed, std::vector<int>{1});
  EXPECT_EQ(monitor.segment(1).collision->kind, ContactKind::too_close);
  const Scene lax = strict.with_pair_clearance("r/block", "wall", 0.04).value();
  EXPECT_EQ(monitor.update(lax, scratch()).value().changed, std::vector<int>{1});
  EXPECT_EQ(monitor.verdict(), Verdict::free);
  const Scene all = lax.with_clearance(Clearances(0.07)).value();
  EXPECT_EQ(monitor.update(all, scratch()).value().changed, std::vector<int>{1});
  EXPECT_FALSE(scene.with_clearance(Clearances(-1.0)).ok());
  EXPECT_FALSE(scene.with_pair_clearance("r/block", "nobody", 0.1).ok());
  EXPECT_FALSE(scene.with_pair_clearance("r/block", "wall", NAN).ok());
  EXPECT_FALSE(scene.with_pair_clearance("wall", "wall", 0.1).ok());
}

}  // namespace
}  // namespace proven
