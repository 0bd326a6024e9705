// The planner's drives among recorded traffic, watched by the twin.
#include "proven/spacetime/drive.h"

#include "proven/io/traffic_file.h"
#include "spacetime/oracle.h"
#include "support.h"

namespace proven::spacetime {
namespace {

TEST(Drive, OvertakesAStandingCarWithoutContact) {
  const Footprint car = Footprint::box(4.5, 2).value();
  Obstacle parked;
  parked.name = "parked";
  parked.footprint = car;
  parked.pose = {40, 0.2, 0};
  Obstacle oncoming;
  oncoming.name = "oncoming";
  oncoming.footprint = car;
  for (int i = 0; i <= 80; ++i) {
    oncoming.motion.t.push_back(0.1 * i);
    oncoming.motion.x.push_back(80 - i), oncoming.motion.y.push_back(3.3);
    oncoming.motion.heading.push_back(M_PI);
  }
  const auto scene = TrafficScene::build({parked, oncoming}).value();
  const auto path = ReferencePath::make({{0, 0}, {200, 0}}).value();
  DriveOptions options;
  options.candidates = 600;
  const auto result = drive(scene, car, path, {0, 0, 0}, 10, 0, 8, options);
  ASSERT_TRUE(result.ok()) << result.error().text();
  ASSERT_TRUE(result.value().finished);
  const Trajectory& m = result.value().driven;
  TrafficScratch workspace;
  EXPECT_EQ(check(scene, car, m, {}, workspace).value().verdict, Verdict::free);
  EXPECT_GT(twin::closest(car, m, car, oncoming.motion, 800).distance, 0);
  Trajectory still;
  still.t = {0, 8}, still.x = {40, 40}, still.y = {0.2, 0.2}, still.heading = {0, 0};
  EXPECT_GT(twin::closest(car, m, car, still, 800).distance, 0);
  EXPECT_GT(m.x.back(), 30);
}

TEST(Drive, RecordedScenariosWithoutContact) {
  PROVEN_REQUIRE_DATA("commonroad");
  const Footprint car = Footprint::box(4.5, 2).value();
  int drives = 0;
  for (const char* name : {"USA_US101-3_3_T-1", "DEU_Guetersloh-36_1_T-1", "FRA_Anglet-1_1_T-1",
                           "ZAM_Tutorial-1_2_T-1", "USA_Lanker-1_1_T-1"}) {
    const auto file =
        load_traffic(proven::test::data_dir() / "commonroad" / (std::string(name) + ".xml"));
    ASSERT_TRUE(file.ok()) << file.error().text();
    const PlanningProblem& problem = file.value().problems.at(0);
    const auto scene = TrafficScene::build(file.value().obstacles).value();
    const Pose2& start = problem.start;
    const auto path = ReferencePath::make({{start.x, start.y},
                                           {start.x + 300 * std::cos(start.heading),
                                            start.y + 300 * std::sin(start.heading)}})
                          .value();
    DriveOptions options;
    options.candidates = 1000;
    options.time_step = options.cycle = file.value().time_step;
    options.desired_speed = problem.speed;
    const auto result = drive(scene, car, path, start, problem.speed, problem.t_start, 3, options);
    ASSERT_TRUE(result.ok());
    if (!result.value().finished) continue;
    ++drives;
    for (const Obstacle& o : scene.obstacles())
      if (o.moves()) {
        EXPECT_GT(twin::closest(car, result.value().driven, o.footprint, o.motion, 300).distance, 0)
            << name << " " << o.name;
      }
  }
  EXPECT_GE(drives, 4);
}

TEST(Drive, StopsWhenTheBudgetEnds) {
  const Footprint car = Footprint::box(4.5, 2).value();
  const auto scene = TrafficScene::build({}).value();
  const auto path = ReferencePath::make({{0, 0}, {200, 0}}).value();
  DriveOptions options;
  options.candidates = 100;
  std::atomic<bool> cancel = false;
  Budget budget = Budget::of_seconds(INFINITY, &cancel);
  budget.progress = [&](const Progress& progress) {
    if (progress.stage == "cycles" && progress.done == 5) cancel = true;
  };
  const auto result = drive(scene, car, path, {0, 0, 0}, 10, 0, 8, options, budget).value();
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.stopped, Stop::cancelled);
  EXPECT_EQ(result.driven.size(), 6);
  EXPECT_TRUE(drive(scene, car, path, {0, 0, 0}, 10, 0, 1, options).value().finished);
}

}  // namespace
}  // namespace proven::spacetime
