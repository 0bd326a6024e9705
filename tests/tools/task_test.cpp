// `proven task` as a user meets it: a plan with proved motions, and its judge.
#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace proven
