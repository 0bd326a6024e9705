// Timed motions among obstacles: proved as they are written, or not timed at all.
#include "plan/timing_support.h"
#include "proven/certify/check.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/verify/verify.h"

namespace proven::test {
namespace {

// A block that slides along x and y.
SceneBuilder gantry() {
  Robot robot = chain({{JointType::prismatic, 1, 4}, {JointType::prismatic, 1, 4}});
  robot.joints[0].axis = {1, 0, 0};
  robot.joints[1].axis = {0, 1, 0};
  robot.links.back().collision = box_mesh({0.1, 0.1, 0.1});
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "gantry", Pose{}).ok());
  return builder;
}

int collisions(const Scene& scene, const Motion& motion) {
  FclScene fcl(scene);
  const Evaluator evaluator(scene.tree(), motion);
  int count = 0;
  for (int i = 0; i <= 2000; ++i)
    count += fcl.first_collision(evaluator.at(motion.times.back() * i / 2000)) >= 0;
  return count;
}

// A post inside the corner of an L: the nearer it stands, the less is cut.
TEST(Timing, CornersAreTightenedUntilTheyAreFree) {
  Path path;
  path.waypoints = {{0, 0}, {2, 0}, {2, 2}};
  int tightened = 0, stopped = 0, unchanged = 0;
  double before = 0;
  for (const double gap : {0.5, 0.1, 0.03, 0.012, 0.004, 0.0005, 0.00002}) {
    SceneBuilder builder = gantry();
    // Its corner is `gap` from both segments that the block sweeps.
    const double near = 0.05 + gap;
    EXPECT_TRUE(builder
                    .add_obstacle("post", box_mesh({0.2, 0.2, 1}),
                                  Pose::translation({2 - near - 0.1, near + 0.1, 0}))
                    .ok());
    const Scene scene = must_build(std::move(builder));
    for (const double jerk : {kInfinity, 40.0}) {
      TimingOptions o;
      o.jerk = jerk;
      const auto timed = time_path(scene, path, o, {});
      ASSERT_TRUE(timed.ok()) << timed.error().text();
      const TimingResult& result = timed.value();
      EXPECT_EQ(result.input.verdict, Verdict::free);
      EXPECT_EQ(result.proof.verdict, Verdict::free) << gap;
      EXPECT_EQ(collisions(scene, result.motion), 0);
      EXPECT_LE(result.duration, result.with_stops + kClock);
      const TimingResult unproved = must_time(scene.tree(), path, o);
      EXPECT_EQ(unproved.tightened, 0);
      // What was tightened had to be.
      EXPECT_EQ(collisions(scene, unproved.motion) > 0, result.tightened > 0) << gap;
      tightened += result.tightened > 0 && result.stops == 0;
      stopped += result.stops;
      unchanged += result.tightened == 0;
      if (std::isfinite(jerk)) continue;
      EXPECT_GE(result.duration, before);
      before = result.duration;
    }
  }
  EXPECT_GT(tightened, 2);
  EXPECT_GT(stopped, 0);
  EXPECT_GT(unchanged, 0);
}

// What drivers are told is what was proved: times are whole nanoseconds, and the curve between the
// points of the file has the same bits.
TEST(Timing, AFileSaysExactlyWhatWasProved) {
  SceneBuilder builder = gantry();
  EXPECT_TRUE(
      builder.add_obstacle("post", box_mesh({0.2, 0.2, 1}), Pose::translation({4, 4, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  const TemporaryFolder folder;
  Random random(12);
  int cubic = 0, quintic = 0;
  for (int n = 0; n < cases(40); ++n) {
    const Path path = random_path(random, 2, 2 + n % 5, n % 3 ? 2.5 : 1e-3);
    TimingOptions o;
    o.jerk = n % 2 ? random.uniform(5, 500) : kInfinity;
    o.interval = n % 5 ? 0.1 : random.uniform(0.001, 0.02);
    CheckOptions check;
    check.certificate = true;
    const auto timed = time_path(scene, path, o, check);
    ASSERT_TRUE(timed.ok()) << timed.error().text();
    const Motion& motion = timed.value().motion;
    for (const char* name : {"timed.yaml", "timed.csv"}) {
      const auto file = folder.path() / name;
      ASSERT_TRUE(save_path(file, motion, scene).ok());
      const auto back = load_path(file, scene);
      ASSERT_TRUE(back.ok()) << back.error().text();
      ASSERT_EQ(back.value().times, motion.times) << n;
      ASSERT_EQ(back.value().waypoints, motion.waypoints) << n;
      ASSERT_EQ(back.value().inner, motion.inner) << n;
      const VerifyReport report =
          verify(scene.description(), back.value(), timed.value().certificate);
      EXPECT_TRUE(report.accepted) << report.reason;
    }
    ++(motion.degree() == 3 ? cubic : quintic);
    const auto text = read_file(folder.path() / "timed.yaml");
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text.value().find("nanosec"), std::string::npos);
  }
  EXPECT_GT(cubic, 0);
  EXPECT_GT(quintic, 0);
}

TEST(Timing, APathThatIsNotFreeIsNotTimed) {
  SceneBuilder builder = gantry();
  EXPECT_TRUE(
      builder.add_obstacle("post", box_mesh({0.2, 0.2, 1}), Pose::translation({1, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  Path path;
  path.waypoints = {{0, 0}, {2, 0}, {2, 2}};
  const auto timed = time_path(scene, path, TimingOptions{}, {});
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(timed.value().input.verdict, Verdict::collision);
  EXPECT_TRUE(timed.value().motion.waypoints.empty());
  // Another way is free, but there is no time to see it.
  path.waypoints = {{0, 0}, {0, 1}, {2, 2}};
  std::atomic<bool> cancel = true;
  const auto stopped = time_path(scene, path, TimingOptions{}, {}, {.cancel = &cancel});
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped.value().input.verdict, Verdict::undecided);
  TimingOptions known;
  known.input_is_proved = true;
  const auto unproved = time_path(scene, path, known, {}, {.cancel = &cancel});
  ASSERT_TRUE(unproved.ok());
  EXPECT_EQ(unproved.value().proof.verdict, Verdict::undecided);
  CheckOptions with_certificate;
  with_certificate.certificate = true;
  const auto proved = time_path(scene, path, known, with_certificate);
  ASSERT_TRUE(proved.ok());
  EXPECT_EQ(proved.value().proof.verdict, Verdict::free);
  EXPECT_FALSE(proved.value().certificate.empty());
}

// Joint limits next to corners, and of a joint that follows another.
TEST(Timing, PositionsStayWithinLimits) {
  const KinematicTree tree = tree_of(chain({{JointType::revolute, 2},
                                            {JointType::revolute, 2, 9, Mimic{"j0", 2, 1}},
                                            {JointType::revolute, 1}}));
  Random random(3);
  for (int n = 0; n < cases(30); ++n) {
    // j1 = 2 j0 + 1 is within 3: j0 is within [-2, 1].
    Path path;
    for (int i = 0; i < 6; ++i)
      path.waypoints.push_back(
          {i % 2 ? 1.0 : random.uniform(-2, 1), i % 3 ? 3.0 : random.uniform(-3, 3)});
    const TimingResult timed = must_time(tree, path, options());
    EXPECT_LT(timed.stops, timed.corners);
    const Evaluator evaluator(tree, timed.motion);
    for (int i = 0; i <= 2000; ++i) {
      const std::vector<double> q = evaluator.at(timed.duration * i / 2000);
      EXPECT_LE(q[0], 1 + 1e-8);
      EXPECT_GE(q[0], -2 - 1e-8);
      EXPECT_LE(q[1], 3 + 1e-8);
    }
  }
}

TEST(Timing, BadOptionsAreRefused) {
  const KinematicTree tree = three_joints();
  Path path;
  path.waypoints = {{0, 0, 0}, {1, 1, 1}};
  for (double TimingOptions::*member :
       {&TimingOptions::velocity, &TimingOptions::acceleration, &TimingOptions::scale,
        &TimingOptions::interval, &TimingOptions::jerk})
    for (const double value : {0.0, -1.0, std::nan("")}) {
      TimingOptions bad = options();
      bad.*member = value;
      EXPECT_FALSE(time_path(tree, path, bad).ok());
    }
  TimingOptions fast = options(), wide = options(), fine = options();
  fast.scale = 1.5;
  wide.blend = -0.1;
  fine.interval = 1e-7;
  EXPECT_FALSE(time_path(tree, path, fast).ok());
  EXPECT_FALSE(time_path(tree, path, wide).ok());
  EXPECT_FALSE(time_path(tree, path, fine).ok());
  EXPECT_FALSE(time_path(tree, Path{}, options()).ok());
  Motion curved = path;
  curved.inner = {{{0.5, 0, 0}}};
  EXPECT_FALSE(time_path(tree, curved, options()).ok());
}

}  // namespace
}  // namespace proven::test
