// Reading PDDL: errors with their places, names and their case, and every real file.
#include "proven/task/pddl.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "places.h"
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
  const fs::path folder = fs::path(test::source_dir()) / "tests/task/bad_pddl";
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

// What is wrong in these files, and where: each was looked at by a person. A problem is read with
// every domain of its folder, and one that reads it is enough.
const std::map<std::string, std::string> kRefused = {
    {"crewplanning-modules/domain-modules.pddl", ":5:30: type 'crewmemeber' is not declared"},
    {"tidyup/domain_v2.pddl", ":354:24: type 'door_out_location' is not declared"},
    {"tidyup-grasp/domain.pddl", ":87:61: predicate 'post-grasped' is not declared"},
    {"tidyup-grasp/domain_modules.pddl", ":93:61: predicate 'post-grasped' is not declared"},
    {"tidyup-putdown/p00.pddl", ":18:8: 'hand-free' is derived and cannot be set"},
    {"tidyup-putdown/p01.pddl", ":18:8: 'hand-free' is derived and cannot be set"},
    {"tidyup-putdown/p02.pddl", ":62:22: object 'plate' is not declared"},
    {"tidyup-putdown/p03.pddl", ":19:8: 'hand-free' is derived and cannot be set"},
    {"tidyup-putdown/p04.pddl", ":19:8: 'hand-free' is derived and cannot be set"},
    {"tidyup-putdown/p05.pddl", ":19:8: 'hand-free' is derived and cannot be set"},
    {"tidyup-grasp/p02.pddl", ":14:13: object 'l0' is not declared"},
    {"tidyup-grasp/p02_tuck.pddl", ":15:13: object 'l0' is not declared"},
    {"tidyup/problem_assert.pddl", ":23:32: object 'table6_loc6' is not declared"},
    {"tidyup/problem.pddl", ":84:18: object 'table2_loc4_room2' is not declared"},
};

TEST(Pddl, EveryRealFileParsesOrIsRefusedForItsKnownReason) {
  PROVEN_REQUIRE_DATA("pddl");
  std::map<fs::path, std::vector<Domain>> domains;  // that are read, by folder
  std::vector<fs::path> problems;
  std::set<std::string> refused;
  int parsed = 0;
  const auto refuse = [&](const fs::path& file, const std::string& text) {
    const std::string name = file.parent_path().filename() / file.filename();
    const auto known = kRefused.find(name);
    ASSERT_NE(known, kRefused.end()) << text;
    EXPECT_NE(text.find(known->second), std::string::npos) << text;
    refused.insert(name);
  };
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "pddl")) {
    if (entry.path().extension() != ".pddl") continue;
    const std::string text = contents(entry.path());
    if (text.find("(problem") != std::string::npos) {
      problems.push_back(entry.path());
      continue;
    }
    auto domain = parse_domain(text, entry.path());
    auto& here = domains[entry.path().parent_path()];
    if (!domain.ok()) {
      refuse(entry.path(), domain.error().text());
      continue;
    }
    here.push_back(std::move(domain).value());
    ++parsed;
  }
  int without_domain = 0;
  for (const fs::path& file : problems) {
    fs::path folder = file.parent_path();
    if (!domains.contains(folder)) folder = folder.parent_path();
    ASSERT_TRUE(domains.contains(folder)) << file;
    std::string refusals;
    bool read = false;
    for (const Domain& domain : domains[folder]) {
      const auto problem = parse_problem(contents(file), file, domain);
      read |= problem.ok();
      if (!problem.ok()) refusals += problem.error().text() + "\n";
    }
    parsed += read;
    // A problem whose only domain is refused cannot be read at all.
    if (domains[folder].empty())
      ++without_domain;
    else if (!read)
      refuse(file, refusals);
  }
  EXPECT_EQ(parsed, 138);
  EXPECT_EQ(refused.size(), kRefused.size());
  EXPECT_EQ(without_domain, 6);  // crewplanning-modules
}

}  // namespace
}  // namespace proven::task
