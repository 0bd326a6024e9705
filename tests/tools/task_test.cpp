// `proven task` as a user meets it: a plan with proved motions, and its judge.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class TaskCli : public test::ProgramTest {};

TEST_F(TaskCli, MakesPlansProvesAndJudges) {
  const std::string set = folder_ / "tables", out = folder_ / "out";
  const auto made = run_program({"task", "make", "tables", set});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string domain = set + "/domain.pddl", problem = set + "/I-08.pddl";
  const auto planned = run_program({"task", domain, problem, "--out", out, "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err << planned.out;
  const Json json = Json::parse(planned.out);
  EXPECT_EQ(json["outcome"], "solved");
  EXPECT_EQ(json["valid"], true);
  ASSERT_EQ(json["plan"].size(), 4u);
  ASSERT_EQ(json["steps"].size(), 4u);
  for (const Json& step : json["steps"]) {
    EXPECT_EQ(step["verdict"], "free");
    EXPECT_EQ(step["verified"], true);
    EXPECT_EQ(run_program({"verify", step["scene"], step["path"], step["certificate"]}).exit_code,
              0);
  }
#ifdef PROVEN_HAS_VIEWER
  EXPECT_GT(fs::file_size(out + "/plan.html"), 100000u);
#endif

  const std::vector<std::string> judge = {"task",  "validate", domain, problem, out + "/plan.txt",
                                          "--out", out};
  const auto judged = run_program(judge);
  EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
  EXPECT_NE(judged.out.find("4 motions proved and verified"), std::string::npos) << judged.out;
  // The certificate of another motion is not accepted.
  fs::copy_file(json["steps"][0]["certificate"].get<std::string>(),
                json["steps"][2]["certificate"].get<std::string>(),
                fs::copy_options::overwrite_existing);
  const auto rejected = run_program(judge);
  EXPECT_EQ(rejected.exit_code, 5);
  EXPECT_NE(rejected.out.find("step 3"), std::string::npos) << rejected.out;
}

TEST_F(TaskCli, BuildsATowerOfSixAndPacksACrate) {
  for (const char* name : {"tower", "packing"}) {
    const std::string set = folder_ / name, out = set + "/out";
    ASSERT_EQ(run_program({"task", "make", name, set}).exit_code, 0);
    const std::string domain = set + "/domain.pddl", problem = set + "/six.pddl";
    const auto planned = run_program({"task", domain, problem, "--out", out, "--json"});
    ASSERT_EQ(planned.exit_code, 0) << planned.err << planned.out;
    const Json json = Json::parse(planned.out);
    EXPECT_EQ(json["valid"], true);
    ASSERT_EQ(json["steps"].size(), 12u);
    for (const Json& step : json["steps"]) EXPECT_EQ(step["verified"], true);
    const auto judged =
        run_program({"task", "validate", domain, problem, out + "/plan.txt", "--out", out});
    EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
    EXPECT_NE(judged.out.find("12 motions proved and verified"), std::string::npos) << judged.out;
  }
}

TEST_F(TaskCli, HandsOverFromOneArmToTheOther) {
  const std::string set = folder_ / "handover", out = set + "/out";
  ASSERT_EQ(run_program({"task", "make", "handover", set}).exit_code, 0);
  const std::string domain = set + "/domain.pddl", problem = set + "/one.pddl";
  const auto planned = run_program({"task", domain, problem, "--out", out, "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err << planned.out;
  const Json json = Json::parse(planned.out);
  EXPECT_EQ(json["valid"], true);
  bool handed = false;
  for (const Json& step : json["steps"]) {
    EXPECT_EQ(step["verified"], true);
    handed |= step["motion"] == "right: handover bar_1";
  }
  EXPECT_TRUE(handed);
  EXPECT_TRUE(json["together"].is_array());
  EXPECT_LE(json["makespan"].get<double>(), json["in_turn"].get<double>() + 1e-4);
  const auto judged =
      run_program({"task", "validate", domain, problem, out + "/plan.txt", "--out", out});
  EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
}

// Seconds of motions depend on the seed: the plan says which it was made with.
TEST_F(TaskCli, PlansAreJudgedWithTheirOwnSeed) {
  const std::string set = folder_ / "tower", file = set + "/plan.txt";
  ASSERT_EQ(run_program({"task", "make", "tower", set}).exit_code, 0);
  const std::string domain = set + "/domain.pddl", problem = set + "/two.pddl";
  ASSERT_EQ(
      run_program({"task", domain, problem, "--seed", "3", "--module-seconds", "60", "-o", file})
          .exit_code,
      0);
  const auto judge = [&] {
    return run_program(
        {"task", "validate", domain, problem, file, "--seed", "5", "--module-seconds", "60"});
  };
  const auto accepted = judge();
  EXPECT_EQ(accepted.exit_code, 0) << accepted.out << accepted.err;
  std::ifstream in(file);
  std::string plan(std::istreambuf_iterator<char>(in), {});
  ASSERT_EQ(plan.rfind("; seed 3\n", 0), 0u) << plan;
  std::ofstream(file) << plan.substr(plan.find('\n') + 1);
  const auto rejected = judge();
  EXPECT_EQ(rejected.exit_code, 5);
  EXPECT_NE(rejected.out.find("duration"), std::string::npos) << rejected.out;
}

// The modules have a process of their own, which the signal reaches as well.
TEST_F(TaskCli, SaysWhatIsWrong) {
  EXPECT_EQ(run_program({"task", "make", "nothing", folder_ / "x"}).exit_code, 4);
  EXPECT_EQ(run_program({"task", "make", "tables"}).exit_code, 2);
  const std::string set = folder_ / "dexterity";
  ASSERT_EQ(run_program({"task", "make", "dexterity", set}).exit_code, 0);
  std::ofstream(fs::path(set) / "world.json") << "{\"proven\": 1, \"scene\": \"scene.json\"}";
  const auto broken = run_program({"task", set + "/domain.pddl", set + "/01.pddl"});
  EXPECT_EQ(broken.exit_code, 4);
  EXPECT_NE(broken.err.find("world.json"), std::string::npos) << broken.err;
  EXPECT_NE(broken.err.find("arm"), std::string::npos) << broken.err;
}

// Every way in which a world can be of no use has its message.
class TaskReasons : public test::ProgramTest {
 protected:
  void SetUp() override {
    test::ProgramTest::SetUp();
    set_ = folder_ / "tables";
    ASSERT_EQ(run_program({"task", "make", "tables", set_}).exit_code, 0);
    std::ifstream file(set_ + "/I-01.pddl");
    problem_.assign(std::istreambuf_iterator<char>(file), {});
    std::ifstream world(set_ + "/world.json");
    world_ = Json::parse(world);
  }

  // The number becomes another; it must be there.
  void set(const std::string& fluent, const std::string& value) {
    const std::string start = "(= (" + fluent + ") ";
    const auto begin = problem_.find(start);
    ASSERT_NE(begin, std::string::npos) << fluent;
    const auto end = problem_.find(')', begin + start.size());
    problem_.replace(begin, end - begin, start + value);
  }

  test::ProgramResult plan(const std::string& budget = "3") {
    std::ofstream(set_ + "/changed.pddl") << problem_;
    std::ofstream(set_ + "/world.json") << world_.dump();
    return run_program(
        {"task", set_ + "/domain.pddl", set_ + "/changed.pddl", "--first", "--budget", budget});
  }

  static void says(const std::string& text, const std::string& what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }

  // The object and the place that the goal names.
  std::string goal_object() const { return goal_word(0); }
  std::string goal_place() const { return goal_word(1); }

  std::string set_, problem_;
  Json world_;

 private:
  std::string goal_word(int index) const {
    std::istringstream words(problem_.substr(problem_.find("(on ", problem_.find("(:goal")) + 4));
    std::string first, second;
    words >> first >> second;
    second = second.substr(0, second.find(')'));
    return index == 0 ? first : second;
  }
};

TEST_F(TaskReasons, AMatrixThatIsNoRotation) {
  set("p0 " + goal_object(), "0.5");
  const auto result = plan();
  EXPECT_EQ(result.exit_code, 4);
  says(result.err, "the pose of '" + goal_object() + "' is no rotation");
}

TEST_F(TaskReasons, AMirrorIsNoRotationEither) {
  set("p0 " + goal_object(), "-1");
  says(plan().err, "is no rotation");
}

TEST_F(TaskReasons, AJointBeyondItsLimits) {
  set("q1", "17");
  const auto result = plan();
  EXPECT_EQ(result.exit_code, 4);
  says(result.err, "(q1) is 17: joint 'arm/joint_2' goes from");
}

TEST_F(TaskReasons, AnObjectOutOfReach) {
  set("p3 " + goal_object(), "5");
  const auto result = plan();
  EXPECT_EQ(result.exit_code, 3);
  says(result.out, "never reached: (on " + goal_object() + " " + goal_place() + ")");
  says(result.out, "[checktransit " + goal_object());
  says(result.out, "answered no");
  says(result.out, "out of reach: the hand's place is farther from the first joint");
}

TEST_F(TaskReasons, APlaceInsideAWall) {
  for (Json& place : world_["places"])
    if (place["name"] == goal_place())
      for (Json& pose : place["poses"]) pose["xyz"] = {0.6, 0.0, 0.3};
  Json scene;
  std::ifstream(set_ + "/scene.json") >> scene;
  const Json box = {{"box", {0.4, 0.4, 0.4}}};
  scene["obstacles"].push_back(
      {{"name", "wall"}, {"pose", {{"xyz", {0.6, 0.0, 0.3}}}}, {"parts", Json::array({box})}});
  std::ofstream(set_ + "/scene.json") << scene.dump();
  const auto result = plan();
  EXPECT_EQ(result.exit_code, 3) << result.err;
  says(result.err, "no object can stand at place '" + goal_place() + "'");
  says(result.out, "place '" + goal_place() + "' is taken by '");
}

TEST_F(TaskReasons, AnObjectThatStartsInContact) {
  set("p11 " + goal_object(), "0.55");
  const auto result = plan();
  EXPECT_EQ(result.exit_code, 3) << result.err;
  says(result.err, "'" + goal_object() + "' starts in contact with '");
}

}  // namespace
}  // namespace proven
