#include "manipulation/together.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "eyewitness.h"
#include "manipulation/library.h"
#include "manipulation/parts.h"
#include "manipulation/steps.h"
#include "proven/base/random.h"
#include "proven/io/file.h"
#include "proven/task/planner.h"
#include "support.h"

namespace proven::manipulation {
namespace {

namespace fs = std::filesystem;
using Kind = MotionRequest::Kind;
using test::Deed;
using test::Eyewitness;

std::vector<double> rest_of(const World& world, const Situation& situation) {
  return robots_alone(world, situation).rest;
}

Deed deed_of(const World& world, const MotionRequest& request, const Motion& motion, double start) {
  Deed deed;
  deed.kind = request.kind == Kind::transit    ? Deed::Kind::transit
              : request.kind == Kind::transfer ? Deed::Kind::transfer
                                               : Deed::Kind::handover;
  deed.arm = request.arm;
  deed.object = request.object;
  deed.keeps = request.kind == Kind::transfer && world.find_place(request.place)->meeting;
  deed.start = start;
  deed.motion = motion;
  return deed;
}

// Both arms fetch a bar, show it in the middle and put it back, each as if the other did nothing.
class Together : public testing::Test {
 protected:
  void SetUp() override {
    first_.q = {waiting_posture(), waiting_posture()};
    first_.poses["bar_1"] = world_.find_place("left_2")->release[0];
    first_.poses["bar_2"] = world_.find_place("right_1")->release[0];
    left_ = chain("left", "bar_1", "left_4");
    right_ = chain("right", "bar_2", "right_3");
  }

  std::vector<ClockStep> chain(const std::string& arm, const std::string& bar,
                               const std::string& place) {
    std::vector<ClockStep> steps;
    Situation now = first_;
    for (const MotionRequest& request : {MotionRequest{Kind::transit, bar, "high", "", arm},
                                         MotionRequest{Kind::transfer, bar, "high", "middle", arm},
                                         MotionRequest{Kind::transfer, bar, "high", place, arm}}) {
      const auto found = find_motion(world_, now, request, 60, {});
      EXPECT_TRUE(found.ok()) << found.error().text();
      EXPECT_EQ(found.value().answer, Answer::yes) << found.value().reason;
      const auto timed = timed_motion(world_, now, request, found.value(), {});
      EXPECT_TRUE(timed.ok()) << timed.error().text();
      const auto refuted = refute_motion(world_, now, request, timed.value().path);
      EXPECT_TRUE(refuted.ok());
      EXPECT_EQ(refuted.value(), "");
      steps.push_back({request, now, timed.value().after, timed.value().path, 0});
      now = timed.value().after;
    }
    return steps;
  }

  // Each chain without a break, the right one later or sooner by so much.
  std::vector<ClockStep> clock(double offset) const {
    std::vector<ClockStep> steps;
    for (const auto* chain : {&left_, &right_}) {
      double start = chain == &left_ ? std::fmax(0, -offset) : std::fmax(0, offset);
      for (ClockStep step : *chain) {
        step.start = start;
        start = step.end() + 0.001;
        steps.push_back(std::move(step));
      }
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    return steps;
  }

  Eyewitness witness(const std::vector<ClockStep>& steps) const {
    std::vector<Deed> deeds;
    for (const ClockStep& step : steps)
      deeds.push_back(deed_of(world_, step.request, step.motion, step.start));
    return {world_, rest_of(world_, first_), first_.poses, std::move(deeds)};
  }

  const World world_ = make_handover().world;
  Situation first_;
  std::vector<ClockStep> left_, right_;
};

// What is proved free together is seen free by FCL at times 4 ms apart; what is refuted with a
// contact is seen in contact. Both occur.
TEST_F(Together, IsFreeWhereNoContactIsSeen) {
  double length = 0;
  for (const ClockStep& step : left_) length += duration_of(step.motion);
  int proved = 0, refuted = 0, seen = 0;
  for (int i = -8; i <= 8; ++i) {
    const std::vector<ClockStep> steps = clock(i * length / 9);
    const auto why = refute_together(world_, steps);
    ASSERT_TRUE(why.ok()) << why.error().text();
    const std::string contact = witness(steps).first_contact(0.004);
    if (why.value().empty()) {
      ++proved;
      EXPECT_EQ(contact, "") << "offset " << i;
    } else {
      ++refuted;
      seen += !contact.empty();
    }
  }
  EXPECT_GT(proved, 0);
  EXPECT_GT(refuted, 0);
  EXPECT_GT(seen, 0);
}

// The motion of both arms is that of each at the same time.
TEST_F(Together, IsTheMotionOfEachAtItsTime) {
  const std::vector<ClockStep> steps = clock(0.7);
  const auto stretches = stretches_of(world_, steps);
  ASSERT_TRUE(stretches.ok()) << stretches.error().text();
  const auto value_at = [](const Motion& motion, double time, std::size_t c) {
    int piece = 0;
    while (piece + 1 < motion.num_segments() &&
           motion.times[static_cast<std::size_t>(piece) + 1] <= time)
      ++piece;
    const auto n = static_cast<std::size_t>(piece);
    const double s = (time - motion.times[n]) / (motion.times[n + 1] - motion.times[n]);
    const MotionPiece p = motion.piece(piece);
    double sum = 0, binomial = 1;
    for (int k = 0; k <= p.degree(); ++k) {
      sum += binomial * std::pow(s, k) * std::pow(1 - s, p.degree() - k) * p.control(k)[c];
      binomial = binomial * (p.degree() - k) / (k + 1);
    }
    return sum;
  };
  Random random(3);
  int both = 0;
  double covered = 0;
  for (const Stretch& stretch : stretches.value()) {
    both += stretch.steps.size() == 2;
    covered += stretch.end - stretch.begin;
    const auto scene = build_scene(stretch.scene);
    ASSERT_TRUE(scene.ok()) << scene.error().text();
    for (int k = 0; k < 50; ++k) {
      const double t = random.uniform(stretch.begin, stretch.end);
      for (std::size_t c = 0; c < scene.value().home().size(); ++c) {
        double expected = rest_of(world_, stretch.situation)[c];
        // Eight coordinates of the left arm come first.
        for (const int i : stretch.steps) {
          const ClockStep& step = steps[static_cast<std::size_t>(i)];
          if ((step.request.arm == "left") == (c < 8))
            expected = value_at(step.motion, t - step.start + step.motion.times.front(), c);
        }
        ASSERT_NEAR(value_at(stretch.motion, t, c), expected, 1e-12) << c << " at " << t;
      }
    }
  }
  EXPECT_GE(both, 2);
  EXPECT_GT(covered, 2);
}

TEST_F(Together, OrdersThatCannotBeAreRefused) {
  std::vector<ClockStep> steps = clock(0.7);
  EXPECT_EQ(refute_order(world_, steps), "");
  // The same arm twice at a time.
  steps = clock(100);
  steps[1].start = steps[0].end() - 0.01;
  EXPECT_NE(refute_order(world_, steps).find("both move arm 'left'"), std::string::npos);
  std::swap(steps[0], steps[1]);
  EXPECT_NE(refute_order(world_, steps), "");
  steps = clock(0.7);
  steps[0].start = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refute_order(world_, steps), "");
  // Another arm, but the same object.
  steps = clock(0);
  for (ClockStep& step : steps) step.request.object = "bar_1";
  EXPECT_NE(refute_order(world_, steps).find("both are about 'bar_1'"), std::string::npos);
}

// Whoever would be in the way waits until it is proved that he is not.
TEST_F(Together, WaitsUntilItIsProved) {
  const std::vector<ClockStep> steps = clock(0);
  std::vector<ClockAction> actions;
  for (std::size_t i = 0; i < steps.size(); ++i)
    actions.push_back({steps[i].start, duration_of(steps[i].motion), static_cast<int>(i)});
  const auto table = tighten(world_, actions, steps, 0.001);
  ASSERT_TRUE(table.ok()) << table.error().text();
  std::vector<ClockStep> timed = steps;
  double waits = 0, makespan = 0, in_turn = 0;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Timetable::Entry& entry = table.value().entries[i];
    timed[i].start = entry.start;
    waits += entry.waits;
    makespan = std::fmax(makespan, timed[i].end());
    in_turn += duration_of(timed[i].motion);
    EXPECT_EQ(entry.waits > 0, !entry.reason.empty());
  }
  // Both show their bars at the same spot, so one must wait; but not for all that the other does.
  EXPECT_GT(waits, 0);
  EXPECT_LT(makespan, in_turn);
  EXPECT_EQ(refute_together(world_, timed).value(), "");
  EXPECT_EQ(witness(timed).first_contact(0.004), "");
}

// From the problem to files that are judged again.
TEST(Handover, IsPlannedProvedAndJudged) {
  const TaskSet set = make_handover();
  const fs::path folder = fs::path(testing::TempDir()) / "proven_handover";
  fs::remove_all(folder);
  ASSERT_TRUE(save_task_set(set, folder).ok());
  fs::create_directories(folder / "store");
  const TaskProblem& chosen = set.problems[1];
  ASSERT_EQ(chosen.name, "two");
  const auto domain = task::parse_domain(set.domain, "domain.pddl");
  ASSERT_TRUE(domain.ok()) << domain.error().text();
  task::TaskOptions options;
  options.modules.answer_seconds = 60;
  options.modules.search_path = {PROVEN_MANIPULATION_DIR};
  const auto problem = [&] {
    auto parsed = task::parse_problem(chosen.text, "two.pddl", domain.value());
    EXPECT_TRUE(parsed.ok()) << parsed.error().text();
    add_settings({folder, folder / "store", 1, false}, parsed.value());
    return std::move(parsed).value();
  };
  const auto planned = task::plan_task(domain.value(), problem(), options);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  ASSERT_EQ(planned.value().outcome, task::TaskOutcome::solved) << planned.value().reason;
  std::vector<PlanStep> steps;
  const auto judge = [&](const std::vector<task::PlannedAction>& plan) {
    auto modules = task::load_modules(domain.value(), problem(), options.modules);
    EXPECT_TRUE(modules.ok()) << modules.error().text();
    StepRecorder recorder(std::move(modules).value(), domain.value(), set.world);
    task::ValidationOptions validation;
    validation.modules = &recorder;
    const auto judged =
        task::validate_plan(set.domain, chosen.text, task::to_text(plan), validation);
    EXPECT_TRUE(judged.ok()) << judged.error().text();
    steps = recorder.steps();
    return judged.value();
  };
  // As facts allow, then as is proved.
  EXPECT_TRUE(judge(planned.value().plan).valid);
  const auto clock =
      on_one_clock(set.world, planned.value().plan, steps, folder / "store", options.separation);
  ASSERT_TRUE(clock.ok()) << clock.error().text();
  const task::Validation judged = judge(clock.value().plan);
  EXPECT_TRUE(judged.valid) << judged.reason;
  EXPECT_LT(judged.makespan, clock.value().in_turn - 0.5);
  EXPECT_EQ(refute_clock(set.world, steps, folder / "store").value(), "");

  const fs::path out = folder / "out";
  const auto written = write_steps(set.world, steps, folder / "store", out, {});
  ASSERT_TRUE(written.ok()) << written.error().text();
  int both = 0;
  for (const TogetherFiles& files : written.value().together) {
    EXPECT_TRUE(files.verified) << files.reason;
    both += files.stretch.steps.size() == 2;
  }
  EXPECT_GT(both, 0);
  const auto refute = [&] {
    const auto refuted = refute_steps(set.world, steps, out);
    return refuted.ok() ? refuted.value() : refuted.error().text();
  };
  EXPECT_EQ(refute(), "");

  // By eye, from the motions of each step alone.
  std::vector<Deed> deeds;
  int handovers = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_TRUE(written.value().steps[i].verified);
    deeds.push_back(
        deed_of(set.world, steps[i].request, written.value().steps[i].path, steps[i].start));
    handovers += steps[i].request.kind == Kind::handover;
  }
  EXPECT_GE(handovers, 2);
  const Situation& first = steps.front().before;
  Eyewitness eyes(set.world, rest_of(set.world, first), first.poses, deeds);
  EXPECT_EQ(eyes.first_contact(0.004), "");
  for (const auto& [object, X_WO] : steps.back().after.poses)
    EXPECT_LT(norm(eyes.pose_of(object).p - X_WO.p), 1e-9) << object;

  // Broken files are seen.
  const fs::path file = out / written.value().together[0].folder / "path.json";
  const std::string text = read_file(file).value();
  fs::copy_file(out / written.value().together[1].folder / "path.json", file,
                fs::copy_options::overwrite_existing);
  EXPECT_NE(refute().find("together 1"), std::string::npos) << refute();
  ASSERT_TRUE(write_file(file, text).ok());
  EXPECT_EQ(refute(), "");
  // Other times are other motions together.
  std::vector<PlanStep> shifted = steps;
  for (PlanStep& step : shifted)
    if (step.request.arm == "right") step.start += 0.0005;
  std::swap(steps, shifted);
  EXPECT_NE(refute(), "");
  std::swap(steps, shifted);
  fs::remove(out / written.value().together[0].folder / "path.proof");
  EXPECT_NE(refute(), "");
  fs::remove_all(folder);
}

// A hand takes over only what is in another, and only where it is around it.
TEST(Handover, NeedsTwoHandsAroundTheObject) {
  const World world = make_handover().world;
  Situation now;
  now.q = {waiting_posture(), waiting_posture()};
  now.poses["bar_1"] = world.find_place("left_2")->release[0];
  const MotionRequest take{Kind::handover, "bar_1", "", "", "right"};
  EXPECT_FALSE(find_motion(world, now, take, 1, {}).ok());
  now.held["bar_1"] = 0;
  const auto far = find_motion(world, now, take, 1, {});
  ASSERT_TRUE(far.ok()) << far.error().text();
  EXPECT_EQ(far.value().answer, Answer::no);
  // A full hand goes for nothing else.
  EXPECT_FALSE(find_motion(world, now, {Kind::transit, "bar_1", "high", "", "left"}, 1, {}).ok());
  EXPECT_FALSE(
      find_motion(world, now, {Kind::transfer, "bar_1", "", "left_1", "right"}, 1, {}).ok());
  EXPECT_FALSE(find_motion(world, now, {Kind::transit, "bar_1", "high", "", "middle"}, 1, {}).ok());
}

// Whoever will not prove what overlaps gets no answers.
TEST(WorldsOfSeveralArms, NeedTheClock) {
  const fs::path folder = fs::path(testing::TempDir()) / "proven_arms_clock";
  fs::remove_all(folder);
  ASSERT_TRUE(save_task_set(make_handover(), folder).ok());
  ModuleLibrary library;
  const std::string where = "folder=" + folder.string();
  const std::string without[] = {where}, with[] = {where, "clock=1"}, world[] = {"world.json"};
  ASSERT_TRUE(library.start(without).ok());
  const auto refused = library.open(world);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("several arms"), std::string::npos);
  ASSERT_TRUE(library.start(with).ok());
  EXPECT_TRUE(library.open(world).ok());
  ASSERT_TRUE(library.start(without).ok());
  EXPECT_FALSE(library.open(world).ok());
  fs::remove_all(folder);
}

TEST(WorldsOfSeveralArms, MistakesAreNamed) {
  const fs::path folder = fs::path(testing::TempDir()) / "proven_arms_world";
  fs::remove_all(folder);
  ASSERT_TRUE(save_task_set(make_handover(), folder).ok());
  const auto good = nlohmann::json::parse(read_file(folder / "world.json").value());
  const auto refused = [&](const nlohmann::json& world) {
    EXPECT_TRUE(write_file(folder / "world.json", world.dump(1)).ok());
    const auto loaded = load_world(folder / "world.json");
    return loaded.ok() ? "" : loaded.error().text();
  };
  EXPECT_EQ(refused(good), "");
  const auto says = [](const std::string& text, const std::string& what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  auto world = good;
  world["arm"] = good["arms"][0];
  says(refused(world), "not both");
  world = good;
  world["arms"][1]["joints"][0] = good["arms"][0]["joints"][0];
  says(refused(world), "belongs to two arms");
  world = good;
  world["arms"][1]["name"] = "left";
  says(refused(world), "used twice");
  world = good;
  world["arms"] = nlohmann::json::array();
  says(refused(world), "at least one arm");
  world = good;
  world["places"][0]["meeting"] = true;
  world["places"][0]["rest"] = good["places"][0]["poses"];
  says(refused(world), "stands on nothing");
  // Motions are found for no certain time.
  auto scene = nlohmann::json::parse(read_file(folder / "scene.json").value());
  scene["obstacles"][0]["grows"] = 0.1;
  ASSERT_TRUE(write_file(folder / "scene.json", scene.dump()).ok());
  says(refused(good), "moves by the clock");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace proven::manipulation
