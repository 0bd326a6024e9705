// The first instance of every competition domain is solved, and the judge accepts the plan.
#include <fstream>
#include <set>
#include <sstream>

#include "proven/task/planner.h"
#include "support.h"

namespace proven::task {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Competition, FirstInstancesAreSolvedAndValid) {
  PROVEN_REQUIRE_DATA("pddl/ipc");
  int solved = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "pddl/ipc")) {
    if (entry.path().filename() != "domain.pddl") continue;
    const std::string domain_text = contents(entry.path());
    const auto domain = parse_domain(domain_text, entry.path());
    ASSERT_TRUE(domain.ok()) << domain.error().text();
    const fs::path file = entry.path().parent_path() / "instances/instance-1.pddl";
    const std::string problem_text = contents(file);
    const auto problem = parse_problem(problem_text, file, domain.value());
    ASSERT_TRUE(problem.ok()) << problem.error().text();
    if (domain.value().name == "domain-tms-2-3-light") continue;  // large: left to the benchmark
    const auto result = plan_task(domain.value(), problem.value(), {}, Budget::of_seconds(120));
    ASSERT_TRUE(result.ok()) << result.error().text();
    ASSERT_EQ(result.value().outcome, TaskOutcome::solved) << file << result.value().reason;
    const auto judged = validate_plan(domain_text, problem_text, to_text(result.value().plan), {});
    ASSERT_TRUE(judged.ok() && judged.value().valid) << file << judged.value().reason;
    if (judged.value().metric) {
      EXPECT_NEAR(*judged.value().metric, result.value().metric, 1e-3) << file;
    }
    // Leaving out any one action must be noticed or harmless, never a crash.
    for (std::size_t i = 0; i < result.value().plan.size(); ++i) {
      auto shorter = result.value().plan;
      shorter.erase(shorter.begin() + static_cast<long>(i));
      EXPECT_TRUE(validate_plan(domain_text, problem_text, to_text(shorter), {}).ok());
    }
    ++solved;
  }
  EXPECT_GE(solved, 10);
}

}  // namespace
}  // namespace proven::task
