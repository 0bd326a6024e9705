// Modules through both interfaces: answers, caching, laziness, and modules that misbehave.
#include <thread>

#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

std::string shelf_domain(const std::string& library, const std::string& condition = "carries") {
  return "(define (domain shelf) (:requirements :typing :durative-actions :fluents :modules)\n"
         "(:types block)\n"
         "(:modules (carries ?b - block conditionchecker " +
         condition + "@" + library + ")\n (moveTime ?b - block cost moveTime@" + library +
         ")\n (countMoves (moves) effect countMoves@" + library +
         "))\n"
         "(:predicates (on-shelf ?b - block) (on-floor ?b - block) (idle))\n"
         "(:functions (weight ?b - block) (moves))\n"
         "(:durative-action put :parameters (?b - block)\n"
         " :duration (= ?duration [moveTime ?b])\n"
         " :condition (and (at start (idle)) (at start (on-floor ?b)) (at start ([carries ?b])))\n"
         " :effect (and (at start (not (idle))) (at end (idle)) (at end (not (on-floor ?b)))\n"
         "  (at end (on-shelf ?b)) (at end ([countMoves]))))\n"
         "(:durative-action take :parameters (?b - block) :duration (= ?duration 1)\n"
         " :condition (and (at start (idle)) (at start (on-shelf ?b)))\n"
         " :effect (and (at start (not (idle))) (at end (idle)) (at start (not (on-shelf ?b)))\n"
         "  (at end (on-floor ?b)) (at end ([countMoves])))))\n";
}

// The shelf is full of c and d; a and b are to stand there.
std::string shelf_problem(const std::string& library, const std::string& options = "10") {
  return "(define (problem p) (:domain shelf) (:moduleoptions (shelfInit@" + library + " " +
         options +
         "))\n(:objects a b c d - block)\n"
         "(:init (idle) (on-floor a) (on-floor b) (on-shelf c) (on-shelf d) (= (moves) 0)\n"
         " (= (weight a) 4) (= (weight b) 3) (= (weight c) 5) (= (weight d) 5))\n"
         "(:goal (and (on-shelf a) (on-shelf b))))\n";
}

const std::string kCpp = PROVEN_TASK_CPP_MODULE, kC = PROVEN_TASK_C_MODULE;

TaskOptions quick() {
  TaskOptions options;
  options.modules.search_path = {PROVEN_TASK_MODULE_DIR};
  options.modules.grace_seconds = 0.5;
  options.modules.answer_seconds = 1;
  return options;
}

Result<TaskResult> solve(const std::string& domain_text, const std::string& problem_text,
                         const TaskOptions& options,
                         const Budget& budget = Budget::of_seconds(60)) {
  static std::vector<std::unique_ptr<Domain>> kept;  // plans do not refer to them; parsing does
  auto domain = parse_domain(domain_text, "shelf.pddl");
  if (!domain.ok()) return domain.error();
  kept.push_back(std::make_unique<Domain>(std::move(domain).value()));
  const auto problem = parse_problem(problem_text, "p.pddl", *kept.back());
  if (!problem.ok()) return problem.error();
  return plan_task(*kept.back(), problem.value(), options, budget);
}

Validation judge(const std::string& domain_text, const std::string& problem_text,
                 const TaskResult& result, const TaskOptions& options) {
  const auto domain = parse_domain(domain_text, "shelf.pddl");
  const auto problem = parse_problem(problem_text, "p.pddl", domain.value());
  auto modules = load_modules(domain.value(), problem.value(), options.modules);
  EXPECT_TRUE(modules.ok());
  ValidationOptions validation;
  validation.modules = modules.value().get();
  const auto judged = validate_plan(domain_text, problem_text, to_text(result.plan), validation);
  EXPECT_TRUE(judged.ok());
  return judged.value();
}

TEST(Modules, BothInterfacesGiveTheSamePlans) {
  for (const bool separate : {true, false}) {
    TaskOptions options = quick();
    options.modules.separate_process = separate;
    for (const std::string& library : {kCpp, kC}) {
      const std::string domain = shelf_domain(library), problem = shelf_problem(library);
      const auto result = solve(domain, problem, options);
      ASSERT_TRUE(result.ok()) << result.error().text();
      ASSERT_EQ(result.value().outcome, TaskOutcome::solved) << result.value().reason;
      // a and b weigh 7: one of the fives must go, then the other; four actions suffice.
      EXPECT_EQ(result.value().plan.size(), 4u) << to_text(result.value().plan);
      const Validation judged = judge(domain, problem, result.value(), options);
      EXPECT_TRUE(judged.valid) << judged.reason;
      for (const PlannedAction& action : result.value().plan)
        if (action.name == "put") {
          EXPECT_DOUBLE_EQ(action.duration, action.arguments[0] == "a" ? 5 : 4);
        }
    }
  }
}

TEST(Modules, AModuleThatIsNeverTrueMakesNoPlan) {
  const auto result = solve(shelf_domain(kC), shelf_problem(kC, "2"), quick());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_NE(result.value().outcome, TaskOutcome::solved);
}

TEST(Modules, TheJudgeAsksModulesItself) {
  const TaskOptions options = quick();
  const std::string domain = shelf_domain(kC), problem = shelf_problem(kC);
  TaskResult overloaded;
  overloaded.plan.push_back({0, 5, true, "put", {"a"}});
  overloaded.plan.push_back({6, 4, true, "put", {"b"}});
  const Validation judged = judge(domain, problem, overloaded, options);
  EXPECT_FALSE(judged.valid);
  EXPECT_NE(judged.reason.find("put a"), std::string::npos) << judged.reason;
}

TEST(Modules, UnknownIsAskedAgainWithMoreTimeAndNeverTakenForFalse) {
  const std::string problem = shelf_problem(kC, "10 3");  // needs three seconds of budget
  const auto result = solve(shelf_domain(kC), problem, quick());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().outcome, TaskOutcome::solved);
  EXPECT_GT(result.value().stats.module_unknown, 0);
  const auto never = solve(shelf_domain(kC), shelf_problem(kC, "10 1e9"), quick());
  ASSERT_TRUE(never.ok());
  EXPECT_EQ(never.value().outcome, TaskOutcome::undecided);
}

TEST(Modules, CacheAndLazinessSpareCalls) {
  TaskOptions lazy = quick(), uncached = quick(), eager = quick();
  uncached.modules.cache = false;
  eager.eager_modules = true;
  const auto count = [&](const TaskOptions& options) {
    const auto result = solve(shelf_domain(kC), shelf_problem(kC), options);
    EXPECT_TRUE(result.ok() && result.value().outcome == TaskOutcome::solved);
    return result.value().stats.module_calls;
  };
  EXPECT_LT(count(lazy), count(uncached));
  EXPECT_LE(count(lazy), count(eager));
}

std::string error_of(const std::string& condition, const std::string& library = kCpp) {
  const auto result = solve(shelf_domain(library, condition), shelf_problem(library), quick());
  return result.ok() ? "no error" : result.error().text();
}

TEST(Modules, MisbehaviourIsAClearError) {
  EXPECT_NE(error_of("crash").find("crashed with signal"), std::string::npos) << error_of("crash");
  EXPECT_NE(error_of("hang").find("gave no answer within"), std::string::npos);
  EXPECT_NE(error_of("throws").find("out of luck"), std::string::npos);
  EXPECT_NE(error_of("fails", kC).find("reports a failure"), std::string::npos);
  EXPECT_NE(error_of("missing").find("no function 'missing'"), std::string::npos);
  EXPECT_NE(error_of("crash").find("shelf.pddl:3:"), std::string::npos);
}

TEST(Modules, ACrashWhileLoadingIsAClearError) {
  const auto result = solve(shelf_domain(kCpp), shelf_problem(kCpp, "crash"), quick());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().text().find("crashed with signal"), std::string::npos)
      << result.error().text();
}

// Each would wait for ever without a budget.
TEST(Modules, ABudgetEndsACallThatIsUnderWay) {
  TaskOptions patient = quick();
  patient.modules.grace_seconds = 1e6;
  const auto reason = [&](const std::string& condition, const std::string& init) {
    const auto result = solve(shelf_domain(kCpp, condition), shelf_problem(kCpp, init), patient,
                              Budget::of_seconds(0.5));
    EXPECT_TRUE(result.ok()) << result.error().text();
    EXPECT_EQ(result.value().outcome, TaskOutcome::undecided);
    return result.value().reason;
  };
  EXPECT_EQ(reason("hang", "10"), "the time budget ran out while a module was asked");
  EXPECT_EQ(reason("carries", "hang"), "the time budget ran out while modules were loaded");
}

TEST(Modules, AnInterruptEndsACallOfTheJudge) {
  const std::string domain = shelf_domain(kCpp, "hang"), problem = shelf_problem(kCpp);
  const auto parsed = parse_domain(domain, "d");
  const auto parsed_problem = parse_problem(problem, "p", parsed.value());
  ModuleOptions options = quick().modules;
  options.grace_seconds = 1e6;
  auto modules = load_modules(parsed.value(), parsed_problem.value(), options);
  ASSERT_TRUE(modules.ok()) << modules.error().text();
  ValidationOptions validation;
  validation.modules = modules.value().get();
  std::atomic<bool> cancel = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancel = true;
  });
  Budget budget;
  budget.cancel = &cancel;
  const auto judged = validate_plan(domain, problem, "0: (put a) [5]", validation, budget);
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().code, ErrorCode::exhausted);
  EXPECT_EQ(judged.error().message, "interrupted while a module was asked");
}

TEST(Modules, MangledNamesAreFound) {
  const auto result = solve(shelf_domain(kCpp, "always"), shelf_problem(kCpp), quick());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().plan.size(), 2u);
}

TEST(Modules, MissingLibraryAndFailingInitAreErrors) {
  const auto missing =
      solve(shelf_domain("libnowhere.so"), shelf_problem("libnowhere.so"), quick());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().text().find("p.pddl:1:"), std::string::npos) << missing.error().text();
  const auto init = solve(shelf_domain(kC), shelf_problem(kC, "1 2 3"), quick());
  ASSERT_FALSE(init.ok());
  EXPECT_NE(init.error().text().find("reports a failure"), std::string::npos);
}

TEST(Modules, AnAnswerOutsideItsTypeIsAnError) {
  const auto result = solve(shelf_domain(kC, "strange"), shelf_problem(kC), quick());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().text().find("answered 42, which is no proven_answer"), std::string::npos)
      << result.error().text();
}

TEST(Modules, ReasonsAreKept) {
  const auto result = solve(shelf_domain(kC, "explains"), shelf_problem(kC), quick());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().outcome, TaskOutcome::undecided);
  EXPECT_EQ(result.value().unreached.size(), 2u);
  ASSERT_FALSE(result.value().replies.empty());
  EXPECT_EQ(result.value().replies[0].answer, ModuleWord::no);
  bool refused = true;
  for (const ModuleReply& reply : result.value().replies) {
    const bool refusal = reply.answer == ModuleWord::no;
    EXPECT_TRUE(refused || !refusal) << "refusals come first";
    refused = refusal;
    EXPECT_EQ(reply.call.find("[carries ") == 0, refusal) << reply.call;
    EXPECT_EQ(reply.reason, refusal ? "the shelf is being painted" : "");
    EXPECT_GT(reply.times, 0);
    EXPECT_GT(reply.seconds, 0);
  }
}

// The module's processor time is planning's: that of its process, and of an interpreter that this
// started.
void expect_processor_limit(const std::string& library, TaskOptions options) {
  options.processor_seconds = 1;  // an interpreter has started by then
  options.modules.answer_seconds = 1e6;
  const auto result =
      solve(shelf_domain(library, "burns"), shelf_problem(library), options, Budget{});
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result.value().outcome, TaskOutcome::undecided);
  EXPECT_EQ(result.value().reason, "the budget of processor time ran out while a module was asked");
  const TaskStats& stats = result.value().stats;
  EXPECT_GT(stats.processor_seconds, 1);
  EXPECT_GT(stats.module_processor_seconds, 0.1);
  EXPECT_LE(stats.module_processor_seconds, stats.processor_seconds);
}

TEST(Modules, TheirProcessorTimeCounts) {
  expect_processor_limit(kC, quick());
}

class PythonModules : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "skipped: no python3";
    options_.modules.search_path = {PROVEN_TASK_PYTHON_DIR};
  }

  std::string error_of(const std::string& condition) {
    const auto result = solve(shelf_domain(kPython, condition), shelf_problem(kPython), options_);
    return result.ok() ? "no error: " + result.value().reason : result.error().text();
  }

  const std::string kPython = "shelf.py";
  TaskOptions options_ = quick();
};

TEST_F(PythonModules, GiveTheSamePlansAsTheOthers) {
  const auto c = solve(shelf_domain(kC), shelf_problem(kC), quick());
  ASSERT_TRUE(c.ok()) << c.error().text();
  for (const bool apart : {true, false})
    for (const char* condition : {"carries", "carriesListed"}) {
      options_.modules.separate_process = apart;
      const std::string domain = shelf_domain(kPython, condition);
      const auto python = solve(domain, shelf_problem(kPython), options_);
      ASSERT_TRUE(python.ok()) << python.error().text();
      ASSERT_EQ(python.value().outcome, TaskOutcome::solved) << python.value().reason;
      EXPECT_EQ(to_text(python.value().plan), to_text(c.value().plan));
      EXPECT_TRUE(judge(domain, shelf_problem(kPython), python.value(), options_).valid);
    }
}

TEST_F(PythonModules, SayWhatIsWrong) {
  const auto says = [&](const std::string& condition, const std::string& what) {
    const std::string error = error_of(condition);
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says("strange", "a condition answers True, False or UNKNOWN, not 42");
  says("raises", "the domain has no fluent 'no-such-fluent'");
  says("raises", "(line ");
  says("leaves", "ended the Python interpreter");
  says("hang", "gave no answer within");
  says("carriesMarkedWrong", "is decorated as effect, not as condition");
  says("missing", "there is no function 'missing'");
  const auto init = solve(shelf_domain(kPython), shelf_problem(kPython, "1 2 3"), options_);
  ASSERT_FALSE(init.ok());
  EXPECT_NE(init.error().text().find("'shelfInit' reports a failure"), std::string::npos);
  options_.modules.search_path.clear();
  EXPECT_NE(error_of("carries").find("Python file 'shelf.py' not found"), std::string::npos);
}

TEST_F(PythonModules, TheirProcessorTimeCounts) {
  expect_processor_limit(kPython, options_);
}

TEST_F(PythonModules, UnknownAndReasonsArriveAndABudgetEndsThem) {
  options_.modules.answer_seconds = 10;
  const auto undecided =
      solve(shelf_domain(kPython, "undecided"), shelf_problem(kPython), options_);
  ASSERT_TRUE(undecided.ok()) << undecided.error().text();
  EXPECT_EQ(undecided.value().outcome, TaskOutcome::undecided);
  ASSERT_FALSE(undecided.value().replies.empty());
  EXPECT_EQ(undecided.value().replies[0].answer, ModuleWord::unknown);
  TaskOptions bounded = options_;
  bounded.processor_seconds = 3;  // its moves count on without an end
  const auto heavy = solve(shelf_domain(kPython), shelf_problem(kPython, "3.5"), bounded);
  ASSERT_TRUE(heavy.ok());
  ASSERT_FALSE(heavy.value().replies.empty());
  EXPECT_EQ(heavy.value().replies[0].answer, ModuleWord::no);
  EXPECT_NE(heavy.value().replies[0].reason.find("kg are more than 3.5"), std::string::npos);
  const auto hung = solve(shelf_domain(kPython, "hang"), shelf_problem(kPython), options_,
                          Budget::of_seconds(0.8));
  ASSERT_TRUE(hung.ok()) << hung.error().text();
  // A slow machine may be loading Python still.
  EXPECT_TRUE(hung.value().reason == "the time budget ran out while a module was asked" ||
              hung.value().reason == "the time budget ran out while modules were loaded")
      << hung.value().reason;
}

}  // namespace
}  // namespace proven::task
