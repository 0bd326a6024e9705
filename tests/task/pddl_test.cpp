// Reading PDDL: errors with their places, names and their case, and every real file.
#include "proven/task/pddl.h"

#include <fstream>
#include <sstream>

#include "support.h"

namespace proven::task {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Pddl, EveryBadFileIsRefusedAtItsPlace) {
  const fs::path folder = fs::path(PROVEN_SOURCE_DIR) / "tests/task/bad_pddl";
  std::ifstream expected(folder / "expected.tsv");
  std::string line;
  int files = 0;
  while (std::getline(expected, line)) {
    const std::size_t tab = line.find('\t');
    const std::string name = line.substr(0, tab), error = line.substr(tab + 1);
    const auto domain = parse_domain(contents(folder / name), name);
    ASSERT_FALSE(domain.ok()) << name;
    EXPECT_EQ(domain.error().text().rfind(name + ":" + error, 0), 0u)
        << domain.error().text() << "\nexpected " << name << ":" << error;
    ++files;
  }
  EXPECT_GT(files, 15);
}

const char* const kDomain =
    "(define (domain D) (:requirements :typing :modules) (:types box Shelf - thing)"
    "(:modules (Check ?b - BOX conditionchecker checkIt@libMod.so))"
    "(:predicates (On ?b - box ?s - shelf)) (:functions (weight ?b - box)))";

TEST(Pddl, NamesLoseTheirCaseButTokensWithAtKeepIt) {
  const auto domain = parse_domain(kDomain, "d");
  ASSERT_TRUE(domain.ok()) << domain.error().text();
  EXPECT_EQ(domain.value().name, "d");
  ASSERT_EQ(domain.value().modules.size(), 1u);
  EXPECT_EQ(domain.value().modules[0].name, "check");
  EXPECT_EQ(domain.value().modules[0].function, "checkIt");
  EXPECT_EQ(domain.value().modules[0].library, "libMod.so");
  const auto problem = parse_problem(
      "(define (problem P) (:domain D) (:moduleoptions (Init@libMod.so -s Scene.JSON))"
      "(:objects B1 - Box S1 - shelf) (:init (on b1 s1) (= (weight B1) 2)) (:goal (On B1 S1)))",
      "p", domain.value());
  ASSERT_TRUE(problem.ok()) << problem.error().text();
  EXPECT_EQ(problem.value().module_options[0].function, "Init");
  EXPECT_EQ(problem.value().module_options[0].arguments[1], "Scene.JSON");
  EXPECT_EQ(problem.value().objects[0].name, "b1");
}

TEST(Pddl, ProblemErrorsNameTheProblemFile) {
  const auto domain = parse_domain(kDomain, "d");
  ASSERT_TRUE(domain.ok());
  const auto error = [&](const std::string& rest) {
    const auto problem =
        parse_problem("(define (problem p) (:domain d)\n" + rest + ")", "p.pddl", domain.value());
    return problem.ok() ? "no error" : problem.error().text();
  };
  EXPECT_EQ(error("(:goal (on a s))").rfind("p.pddl:2:12: object 'a' is not declared", 0), 0u);
  EXPECT_EQ(error("(:init)").rfind("p.pddl:1:1: the problem has no (:goal", 0), 0u);
  EXPECT_EQ(error("(:objects a - bx) (:goal ())").rfind("p.pddl:2:15: type 'bx'", 0), 0u);
  EXPECT_EQ(error("(:objects a - box) (:init (= (weight a) heavy)) (:goal ())")
                .rfind("p.pddl:2:41: expected a number, found 'heavy'", 0),
            0u);
  EXPECT_EQ(error("(:goal ()) (:metric best 1)").rfind("p.pddl:2:21: expected minimize", 0), 0u);
}

TEST(Pddl, DeepNestingIsRefusedAndNotACrash) {
  const std::string deep(100000, '(');
  EXPECT_FALSE(parse_domain(deep, "d").ok());
}

// Every file parses, or is refused because it names what is not declared or sets a derived fact.
TEST(Pddl, RealFilesParseOrAreRefusedForAReason) {
  PROVEN_REQUIRE_DATA("pddl");
  int parsed = 0, refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "pddl")) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".pddl" || name.rfind("domain", 0) != 0) continue;
    const auto check = [&](const Error& error) {
      const std::string text = error.text();
      EXPECT_TRUE(text.find("is not declared") != std::string::npos ||
                  text.find("is derived and cannot be set") != std::string::npos)
          << text;
      ++refused;
    };
    const auto domain = parse_domain(contents(entry.path()), entry.path());
    if (!domain.ok()) {
      check(domain.error());
      continue;
    }
    ++parsed;
    for (const auto& other : fs::recursive_directory_iterator(entry.path().parent_path())) {
      const std::string file = other.path().filename();
      if (other.path().extension() != ".pddl" || file.rfind("domain", 0) == 0) continue;
      const auto problem = parse_problem(contents(other.path()), other.path(), domain.value());
      if (problem.ok())
        ++parsed;
      else
        check(problem.error());
    }
  }
  EXPECT_GT(parsed, 150);
  EXPECT_LT(refused, 60);
}

}  // namespace
}  // namespace proven::task
