// The modules of docs/algorithms/task_planning.md, built as a user would: from the page, outside
// the tree, with nothing but our headers.
#include "places.h"
#include "program.h"

namespace proven {
namespace {

using test::run_program;
using test::shell_quoted;
namespace fs = std::filesystem;

constexpr const char* kDomain = R"((define (domain fetch)
 (:requirements :typing :fluents :modules)
 (:types box)
 (:predicates (fetched ?o - box))
 (:functions (x ?o - box) (y ?o - box))
 (:modules (within-reach ?o - box conditionchecker within_reach@libreach.so))
 (:action fetch :parameters (?o - box)
  :precondition ([within-reach ?o]) :effect (fetched ?o))
 (:action pull :parameters (?o - box)
  :precondition (> (x ?o) 0) :effect (decrease (x ?o) 0.5))))";
// The first box lies at 0.5 m; the second, at 1.5 m, has to be pulled twice: at 1.0 m it is still
// out of reach.
constexpr const char* kProblem = R"((define (problem two) (:domain fetch)
 (:objects near far - box)
 (:init (= (x near) 0.3) (= (y near) 0.4) (= (x far) 1.5) (= (y far) 0.1))
 (:goal (and (fetched near) (fetched far)))))";

// The fenced block of the page that begins with `first`.
std::string block_of(const std::string& page, const std::string& first) {
  const std::size_t begin = page.find(first);
  return begin == std::string::npos ? "" : page.substr(begin, page.find("```", begin) - begin);
}

class OwnModule : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(OwnModule, OfTheDocsWorks) {
  const auto [source, compiler] = GetParam();
  const fs::path folder =
      fs::path(testing::TempDir()) / ("proven_own_module_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::stringstream page;
  page << std::ifstream(fs::path(test::source_dir()) / "docs/algorithms/task_planning.md").rdbuf();
  const std::string comment = std::string(source) == "reach.c" ? "/* " : "// ";
  const std::string code = block_of(page.str(), comment + source);
  ASSERT_GT(code.size(), 100u);
  std::ofstream(folder / source) << code;
  std::ofstream(folder / "domain.pddl") << kDomain;
  std::ofstream(folder / "problem.pddl") << kProblem;
  const std::string build =
      std::string("cd ") + shell_quoted(folder) + " && " + compiler + " -shared -fPIC -I " +
      shell_quoted(fs::path(test::source_dir()) / "include") + " " + source + " -o libreach.so -lm";
  ASSERT_EQ(std::system(build.c_str()), 0) << build;
  const auto planned = run_program({"task", folder / "domain.pddl", folder / "problem.pddl"});
  EXPECT_EQ(planned.exit_code, 0) << planned.err;
  int pulls = 0;
  for (std::size_t at = 0; (at = planned.out.find("(pull far)", at)) != std::string::npos; ++at)
    ++pulls;
  EXPECT_EQ(pulls, 2) << planned.out;
  EXPECT_EQ(planned.out.find("(pull near)"), std::string::npos) << planned.out;
  EXPECT_NE(planned.out.find("accepted by the validator"), std::string::npos) << planned.out;
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Both, OwnModule,
                         testing::Values(std::pair("reach.c", "cc"), std::pair("reach.cpp", "c++")),
                         [](const auto& instance) {
                           return std::string(instance.param.first) == "reach.c" ? "C" : "Cpp";
                         });

}  // namespace
}  // namespace proven
