// The module library through the planner: plans with geometry, their judges, and files.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "manipulation/problems.h"
#include "manipulation/steps.h"
#include "proven/task/planner.h"
#include "support.h"

namespace proven::manipulation {
namespace {

namespace fs = std::filesystem;

class Modules : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("proven_modules_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    use("tables");
    options_.modules.answer_seconds = 2;
    options_.modules.search_path = {PROVEN_MANIPULATION_DIR};
  }
  void use(std::string_view name) {
    auto set = make_task_set(name);
    ASSERT_TRUE(set.ok());
    set_ = std::move(set).value();
    ASSERT_TRUE(save_task_set(set_, folder_).ok());
    fs::create_directories(folder_ / "store");
    auto domain = task::parse_domain(set_.domain, "domain.pddl");
    ASSERT_TRUE(domain.ok()) << domain.error().text();
    domain_ = std::move(domain).value();
  }
  void TearDown() override { fs::remove_all(folder_); }

  const std::string& text_of(const std::string& name) const {
    for (const TaskProblem& problem : set_.problems)
      if (problem.name == name) return problem.text;
    throw std::logic_error(name);
  }
  task::Problem problem(const std::string& text, const fs::path& store) const {
    auto parsed = task::parse_problem(text, "problem.pddl", domain_);
    EXPECT_TRUE(parsed.ok()) << parsed.error().text();
    add_settings({folder_, store, 1, !options_.modules.cache}, parsed.value());
    return std::move(parsed).value();
  }
  task::TaskResult plan(const std::string& text) const {
    const auto result = task::plan_task(domain_, problem(text, folder_ / "store"), options_,
                                        Budget::of_seconds(120));
    EXPECT_TRUE(result.ok()) << result.error().text();
    EXPECT_EQ(result.value().outcome, task::TaskOutcome::solved) << result.value().reason;
    return result.value();
  }
  // The judgement, with the geometric steps.
  task::Validation judge(const std::string& text, const std::string& plan_text,
                         const fs::path& store, std::vector<PlanStep>& steps) const {
    auto modules = task::load_modules(domain_, problem(text, store), options_.modules);
    EXPECT_TRUE(modules.ok()) << modules.error().text();
    StepRecorder recorder(std::move(modules).value(), domain_, set_.world);
    task::ValidationOptions options;
    options.modules = &recorder;
    const auto judged = task::validate_plan(set_.domain, text, plan_text, options);
    EXPECT_TRUE(judged.ok()) << judged.error().text();
    steps = recorder.steps();
    return judged.value();
  }

  fs::path folder_;
  TaskSet set_;
  task::Domain domain_;
  task::TaskOptions options_;
};

// The blue box stands where the red one shall go: only geometry knows.
TEST_F(Modules, MovesWhatStandsInTheWay) {
  const std::string& text = text_of("II-01");
  const task::TaskResult result = plan(text);
  ASSERT_EQ(result.plan.size(), 4u);
  EXPECT_EQ(result.plan[0].arguments[0], "blue_box");
  EXPECT_EQ(result.plan[2].arguments[0], "red_box");
  std::vector<PlanStep> steps;
  const task::Validation judged = judge(text, to_text(result.plan), folder_ / "store", steps);
  EXPECT_TRUE(judged.valid) << judged.reason;
  ASSERT_EQ(steps.size(), 4u);
  for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_EQ(steps[i].before, steps[i - 1].after);
  // Without the steps that make room the place is taken.
  const std::vector<task::PlannedAction> short_plan(result.plan.begin() + 2, result.plan.end());
  EXPECT_FALSE(judge(text, to_text(short_plan), folder_ / "store", steps).valid);
}

// What a module read before it refused a helpful step is what search changes next: without that it
// expands fifty times as many states here.
TEST_F(Modules, SearchMakesRoomWhereModulesRefused) {
  const task::TaskResult result = plan(text_of("II-02"));
  EXPECT_EQ(result.plan.size(), 4u);
  EXPECT_LT(result.stats.expanded, 100);
}

TEST_F(Modules, StepsAreProvedVerifiedAndJudgedFromTheirFiles) {
  const std::string& text = text_of("I-01");
  const std::string plan_text = to_text(plan(text).plan);
  std::vector<PlanStep> steps;
  ASSERT_TRUE(judge(text, plan_text, folder_ / "store", steps).valid);
  const fs::path out = folder_ / "out";
  const auto written = write_steps(set_.world, steps, folder_ / "store", out, {});
  ASSERT_TRUE(written.ok()) << written.error().text();
  ASSERT_EQ(written.value().steps.size(), 2u);
  for (const StepFiles& files : written.value().steps) {
    EXPECT_EQ(files.check.verdict, Verdict::free);
    EXPECT_TRUE(files.verified) << files.reason;
  }
  // Judged again from the files alone: the modules find the shortened motions.
  ASSERT_TRUE(judge(text, plan_text, out / "motions", steps).valid);
  const auto refute = [&] {
    const auto refuted = refute_steps(set_.world, steps, out);
    return refuted.ok() ? refuted.value() : refuted.error().text();
  };
  EXPECT_EQ(refute(), "");

  // Broken files are seen.
  const fs::path path_file = out / "steps/02/path.json";
  std::ifstream in(path_file);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(in);
  const nlohmann::ordered_json good = json;
  json["waypoints"].insert(json["waypoints"].begin() + 1, json["waypoints"][1]);
  std::ofstream(path_file) << json.dump();
  EXPECT_NE(refute().find("certificate"), std::string::npos) << refute();
  json = good;
  json["waypoints"][0][0] = json["waypoints"][0][0].get<double>() + 1e-6;
  std::ofstream(path_file) << json.dump();
  EXPECT_NE(refute().find("does not start where the arm is"), std::string::npos) << refute();
  std::ofstream(path_file) << good.dump();
  EXPECT_EQ(refute(), "");
  fs::copy_file(out / "steps/01/path.proof", out / "steps/02/path.proof",
                fs::copy_options::overwrite_existing);
  EXPECT_NE(refute(), "");
}

TEST_F(Modules, AShorterPlanLeavesNoStepsOfALongerOne) {
  const fs::path out = folder_ / "out";
  std::vector<PlanStep> steps;
  for (const char* name : {"I-08", "I-01"}) {  // four steps, then two
    const std::string& text = text_of(name);
    const std::string plan_text = to_text(plan(text).plan);
    ASSERT_TRUE(judge(text, plan_text, folder_ / "store", steps).valid);
    fs::create_directories(out / "together/01");  // a plan of several arms was here, too
    const auto written = write_steps(set_.world, steps, folder_ / "store", out, {});
    ASSERT_TRUE(written.ok()) << written.error().text();
    EXPECT_EQ(refute_steps(set_.world, steps, out).value(), "") << name;
  }
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_TRUE(fs::exists(out / "steps/02"));
  EXPECT_FALSE(fs::exists(out / "steps/03"));
  EXPECT_FALSE(fs::exists(out / "steps/04"));
  EXPECT_FALSE(fs::exists(out / "together/01"));
}

// An action takes as long as its motion does, and the files say the same.
TEST_F(Modules, SecondsOfThePlanAreThoseOfItsMotions) {
  use("tower");
  const std::string& text = text_of("two");
  const task::TaskResult result = plan(text);
  ASSERT_EQ(result.plan.size(), 2u);
  std::vector<PlanStep> steps;
  const std::string plan_text = to_text(result.plan);
  const task::Validation judged = judge(text, plan_text, folder_ / "store", steps);
  ASSERT_TRUE(judged.valid) << judged.reason;
  ASSERT_EQ(steps.size(), 2u);
  const fs::path out = folder_ / "out";
  const auto written = write_steps(set_.world, steps, folder_ / "store", out, {});
  ASSERT_TRUE(written.ok()) << written.error().text();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_TRUE(written.value().steps[i].verified) << written.value().steps[i].reason;
    ASSERT_TRUE(steps[i].seconds.has_value());
    EXPECT_NEAR(written.value().steps[i].path.times.back(), *steps[i].seconds, 1e-9);
    EXPECT_NEAR(result.plan[i].duration, *steps[i].seconds, 1e-6);
    EXPECT_NE(*steps[i].seconds, 1);
  }
  EXPECT_GE(judged.makespan, *steps[0].seconds + *steps[1].seconds);
  // Judged again from the files alone.
  ASSERT_TRUE(judge(text, plan_text, out / "motions", steps).valid);
  EXPECT_EQ(refute_steps(set_.world, steps, out).value(), "");
  steps[1].seconds = *steps[1].seconds - 0.1;
  EXPECT_NE(refute_steps(set_.world, steps, out).value().find("the plan says"), std::string::npos);
  // A plan that is in more of a hurry than its arm.
  std::vector<task::PlannedAction> hasty = result.plan;
  hasty[0].duration *= 0.9;
  EXPECT_FALSE(judge(text, to_text(hasty), folder_ / "store", steps).valid);
}

// The drawer is opened, the block taken out, the drawer closed; from PDDL to files and back.
TEST_F(Modules, ADrawerIsOpenedAndClosed) {
  use("drawer");
  const std::string& text = text_of("take");
  const task::TaskResult result = plan(text);
  std::vector<PlanStep> steps;
  const std::string plan_text = to_text(result.plan);
  const task::Validation judged = judge(text, plan_text, folder_ / "store", steps);
  ASSERT_TRUE(judged.valid) << judged.reason << "\n" << plan_text;
  std::vector<std::string> kinds;
  for (const PlanStep& step : steps) kinds.push_back(to_text(step.request));
  ASSERT_EQ(steps.size(), 6u) << plan_text;
  EXPECT_EQ(kinds[1], "operation drawer open");
  EXPECT_EQ(kinds[2], "transit block_1 top");
  EXPECT_EQ(steps[2].before.joints.at("drawer"), 0.25);
  EXPECT_EQ(steps.back().after.joints.at("drawer"), 0);
  const fs::path out = folder_ / "out";
  const auto written = write_steps(set_.world, steps, folder_ / "store", out, {});
  ASSERT_TRUE(written.ok()) << written.error().text();
  for (const StepFiles& files : written.value().steps) EXPECT_TRUE(files.verified) << files.reason;
  ASSERT_TRUE(judge(text, plan_text, out / "motions", steps).valid);
  EXPECT_EQ(refute_steps(set_.world, steps, out).value(), "");
  // A block that did not move along with its drawer is noticed.
  steps[2].before.poses.at("block_1").p.y += 1e-3;
  EXPECT_NE(refute_steps(set_.world, steps, out).value().find("does not start where"),
            std::string::npos);
}

// Mugs to one table, upright, boxes to another, anywhere on them.
TEST_F(Modules, ThingsAreSorted) {
  use("sorting");
  const std::string& text = text_of("four");
  const task::TaskResult result = plan(text);
  std::vector<PlanStep> steps;
  const std::string plan_text = to_text(result.plan);
  const task::Validation judged = judge(text, plan_text, folder_ / "store", steps);
  ASSERT_TRUE(judged.valid) << judged.reason << "\n" << plan_text;
  ASSERT_EQ(steps.size(), 8u) << plan_text;
  const fs::path out = folder_ / "out";
  const auto written = write_steps(set_.world, steps, folder_ / "store", out, {});
  ASSERT_TRUE(written.ok()) << written.error().text();
  for (const StepFiles& files : written.value().steps) EXPECT_TRUE(files.verified) << files.reason;
  ASSERT_TRUE(judge(text, plan_text, out / "motions", steps).valid);
  EXPECT_EQ(refute_steps(set_.world, steps, out).value(), "");
}

// A file in the store is only a proposal.
TEST_F(Modules, WrongMotionsInTheStoreAreNotBelieved) {
  const std::string& text = text_of("I-01");
  const std::string plan_text = to_text(plan(text).plan);
  std::vector<PlanStep> steps;
  ASSERT_TRUE(judge(text, plan_text, folder_ / "store", steps).valid);
  MotionStore store;
  store.start(folder_ / "store");
  const auto good = store.find(set_.world, steps[0].before, steps[0].request);
  ASSERT_TRUE(good.has_value());
  FoundMotion bad = *good;
  bad.path.waypoints.back()[0] += 0.3;
  fs::create_directories(folder_ / "bad");
  MotionStore writer, reader;
  writer.start(folder_ / "bad");
  writer.keep(steps[0].before, steps[0].request, bad);
  reader.start(folder_ / "bad");
  EXPECT_FALSE(reader.find(set_.world, steps[0].before, steps[0].request).has_value());
  writer.keep(steps[0].before, steps[0].request, *good);
  EXPECT_TRUE(reader.find(set_.world, steps[0].before, steps[0].request).has_value());
}

TEST_F(Modules, TheCacheSavesCalls) {
  const std::string& text = text_of("I-08");
  const task::TaskResult cached = plan(text);
  options_.modules.cache = false;
  const task::TaskResult plain = plan(text);
  options_.modules.cache = true;
  options_.eager_modules = true;
  const task::TaskResult eager = plan(text);
  EXPECT_LT(cached.stats.module_calls, cached.stats.module_questions);
  EXPECT_LT(cached.stats.module_calls, plain.stats.module_calls);
  EXPECT_LT(cached.stats.module_calls, eager.stats.module_calls);
}

// A domain written for the published planner: the same modules through its C++ signatures.
TEST_F(Modules, ThePublishedInterfaceWorksToo) {
  const auto published = [](std::string text) {
    for (std::size_t at = 0; (at = text.find("manipulation.so", at)) != std::string::npos; at += 20)
      text.replace(at, 15, "manipulation_cpp.so");
    return text;
  };
  set_.domain = published(set_.domain);
  auto domain = task::parse_domain(set_.domain, "domain.pddl");
  ASSERT_TRUE(domain.ok());
  domain_ = std::move(domain).value();
  const std::string text = published(text_of("II-02"));
  const task::TaskResult result = plan(text);
  EXPECT_EQ(result.plan.size(), 4u);
  std::vector<PlanStep> steps;
  const task::Validation judged = judge(text, to_text(result.plan), folder_ / "store", steps);
  EXPECT_TRUE(judged.valid) << judged.reason;
  EXPECT_EQ(steps.size(), 4u);
}

TEST_F(Modules, AMissingWorldIsAClearError) {
  fs::remove(folder_ / "world.json");
  const auto result =
      task::plan_task(domain_, problem(text_of("I-01"), folder_ / "store"), options_);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().text().find("manipulationInit"), std::string::npos)
      << result.error().text();
}

}  // namespace
}  // namespace proven::manipulation
