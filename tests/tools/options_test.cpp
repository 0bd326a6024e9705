// The options that mean the same everywhere: every command honours them or refuses them.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Options : public test::ProgramTest {
 protected:
  // A path of the demo arm with so many waypoints.
  std::string wiggle(int waypoints) const {
    Json path = {{"proven", 1}, {"joints", {"arm/joint_1"}}, {"waypoints", Json::array()}};
    for (int i = 0; i < waypoints; ++i)
      path["waypoints"].push_back({0.3 * ((i % 7) / 6.0 + i % 2)});
    return file("wiggle.json", path.dump());
  }
  static Json json_of(Words call) {
    call.push_back("--json");
    const auto result = run_program(call);
    Json json = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << call[0] << ": " << result.out << result.err;
    return json;
  }
};

// What every command honours besides --json and --quiet, which are in all.
const std::map<std::string, std::set<std::string>> kHonours = {
    {"audit", {"--budget", "--no-cache", "--seed", "--threads"}},
    {"bench", {"--seed", "--threads"}},
    {"check", {"--budget", "--no-cache", "--threads"}},
    {"cloud", {"--no-cache"}},
    {"completion", {}},
    {"convert", {}},
    {"demo", {"--budget", "--seed"}},
    {"distance", {"--no-cache"}},
    {"doctor", {"--budget", "--no-cache", "--seed", "--threads"}},
    {"man", {}},
    {"move", {"--budget", "--no-cache"}},
    {"plan", {"--budget", "--no-cache", "--seed", "--threads"}},
    {"render", {"--no-cache"}},
    {"roadmap", {"--budget", "--seed", "--threads"}},
    {"scene", {}},
    {"serve", {"--no-cache"}},
    {"smooth", {"--budget", "--no-cache", "--seed", "--threads"}},
    {"task", {"--budget", "--seed"}},
    {"time", {"--budget", "--no-cache"}},
    {"traffic", {"--budget", "--threads"}},
    {"verify", {"--threads"}},
    {"view", {"--budget"}}};

TEST_F(Options, EveryCommandIsInTheTable) {
  const std::string help = run_program({"--help"}).out;
  std::istringstream list(help.substr(help.find("Subcommands:")));
  std::set<std::string> found;
  std::string line;
  std::getline(list, line);
  while (std::getline(list, line) && line.starts_with("  "))
    if (line[2] != ' ') found.insert(line.substr(2, line.find(' ', 2) - 2));
  std::set<std::string> expected;
  for (const auto& [name, honoured] : kHonours) expected.insert(name);
  EXPECT_EQ(found, expected);
}

TEST_F(Options, WhatIsNotHonouredIsRefusedWithTheCommandsThatDo) {
  const std::string completion = run_program({"completion", "bash"}).out;
  for (const auto& [name, honoured] : kHonours) {
    const std::string help = run_program({name, "--help"}).out;
    const std::string manual = run_program({"man", name}).out;
    const std::size_t branch = completion.find("    " + name + ")\n");
    ASSERT_NE(branch, std::string::npos) << name;
    const std::string words = completion.substr(branch, completion.find(";;", branch) - branch);
    for (const std::string option : {"--budget", "--no-cache", "--seed", "--threads"}) {
      const bool honours = honoured.contains(option);
      EXPECT_EQ(help.find(option + " ") != std::string::npos, honours) << name << option;
      const std::string in_roff = option == "--no-cache" ? "no\\-cache" : option.substr(2);
      EXPECT_EQ(manual.find("\\-\\-" + in_roff + "\\fR") != std::string::npos, honours)
          << name << option;
      EXPECT_EQ(words.find(option + " ") != std::string::npos, honours) << name << option;
      if (honours) continue;
      const auto result = run_program({name, option});
      EXPECT_EQ(result.exit_code, 2) << name << option;
      EXPECT_TRUE(result.err.starts_with(
          fmt::format("proven: '{}' has no option {}; it is an option of ", name, option)))
          << result.err;
      for (const auto& [other, has] : kHonours)
        EXPECT_EQ(result.err.find(" " + other + ",") != std::string::npos ||
                      result.err.find(" " + other + "\n") != std::string::npos,
                  has.contains(option))
            << other << option << result.err;
    }
    for (const char* option : {"--json", "--quiet"})
      EXPECT_NE(help.find(option), std::string::npos) << name << option;
  }
}

TEST_F(Options, ActionsRefuseTheOptionsOfOthers) {
  const auto says = [](const Words& call, const std::string& words) {
    const auto result = run_program(call);
    EXPECT_EQ(result.exit_code, 2) << call[0];
    EXPECT_EQ(result.err, "proven: " + words + " (`proven " + call[0] + " --help`)\n");
  };
  says({"roadmap", "info", "x", "--seed", "1"}, "--seed is for build, not for info");
  says({"roadmap", "query", "x", "y", "--budget", "1"},
       "--budget is for build and robustness, not for query");
  says({"roadmap", "watch", "x", "y", "--threads", "1"},
       "--threads is for build and robustness, not for watch");
  says({"roadmap", "build", "x", "y", "--epsilon", "1"},
       "--epsilon is for robustness, not for build");
  says({"task", "make", "tables", "x", "--budget", "1"},
       "--budget is for planning and validate, not for make");
  says({"task", "validate", "a", "b", "c", "--anytime"},
       "--anytime is for planning, not for validate");
  says({"traffic", "plan", "x", "--threads", "1"},
       "--threads is for check and render, not for plan");
  says({"traffic", "check", "x", "--candidates", "20"}, "--candidates is for plan, not for check");
  says({"traffic", "plan", "x", "--leave-out", "3"},
       "--leave-out is for check and verify, not for plan");
  says({"plan", "demo", "x.jsonl", "--report", "y"}, "--report is for one query, not for *.jsonl");
  says({"plan", "demo", "x.json", "--device", "threads"},
       "--device is for *.jsonl, not for one query");
  says({"smooth", "demo", "x.json", "--threads", "1"},
       "--threads is for *.jsonl, not for one path");
  says({"smooth", "demo", "x.jsonl", "--budget", "1"}, "--budget is for one path, not for *.jsonl");
  says({"check", "demo", "x.json", "--threads", "0"}, "--threads is for *.jsonl, not for one path");
  says({"check", "demo", "x.jsonl", "--report", "y"}, "--report is for one path, not for *.jsonl");
  says({"doctor", "--kernels", "--seed", "1"},
       "--seed is for a model and --write-srdf, not for --kernels");
  says({"scene", "-o", "x"}, "--output is for one scene, not for the list");
  says({"view", "demo", "--html", "x", "--port", "1"}, "--port is for serving, not for --html");
  says({"plan", "demo", "--budget", "0"}, "--budget: 0 is too small; at least 1e-09");
  says({"serve", "demo", "--port", "99999"}, "--port: 99999 is too large; at most 65535");
  const auto help = run_program({"help", "check"});
  EXPECT_EQ(help.exit_code, 2);
  EXPECT_NE(help.err.find("`proven COMMAND --help` explains one"), std::string::npos) << help.err;
}

// A slip of the hand must not cost the scene.
TEST_F(Options, WhatIsReadIsNotReplaced) {
  const std::string cell = folder_ / "cell.urdf", path = folder_ / "path.json";
  const std::string link = R"(<collision><geometry><sphere radius="0.1"/></geometry></collision>)";
  const std::string urdf = "<robot name=\"r\"><link name=\"a\">" + link + "</link></robot>";
  std::ofstream(cell) << urdf;
  std::ofstream(path) << R"({"proven": 1, "joints": [], "waypoints": [[]]})";
  const std::string linked = folder_ / "linked.urdf";
  std::filesystem::create_symlink(cell, linked);
  for (const Words& words :
       {Words{"check", cell, path, "--certificate", cell},
        Words{"check", cell, path, "--certificate", linked}, Words{"plan", cell, path, "-o", cell},
        Words{"convert", cell, "-o", cell}, Words{"render", cell, "-o", cell}}) {
    const auto run = run_program(words);
    EXPECT_EQ(run.exit_code, 2) << words[0];
    EXPECT_NE(run.err.find("which is read; name another file"), std::string::npos) << run.err;
    std::ifstream in(cell);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), urdf) << words[0];
  }
}

// `proven roadmap build --help` shows what build honours, and nothing else; completion offers that.
TEST_F(Options, ActionsHaveHelpOfTheirOwn) {
  const std::map<std::string, std::vector<Words>> own = {
      // Command, action; then what it has, and what it has not.
      {"roadmap",
       {{"build", "--nodes --seed --budget --threads --empty --json",
         "--epsilon --any-turn --output"},
        {"info", "--json --quiet", "--nodes --seed --empty --package"},
        {"query", "--any-turn --output --clearance", "--nodes --seed --epsilon"}}},
      {"traffic",
       {{"plan", "--candidates --fail-safe --output --budget", "--leave-out --threads"},
        {"check", "--leave-out --threads --certificate", "--candidates --output"}}},
      {"task",
       {{"validate", "--out --modules --seed", "--anytime --memory --report"},
        {"make", "--json", "--anytime --modules --seed"}}},
      {"audit", {{"merge", "--output", "--sample --shard --seed"}}}};
  const std::string completion = run_program({"completion", "bash"}).out;
  const auto has = [](const std::string& text, const std::string& option) {
    for (std::size_t at = 0; (at = text.find(option, at)) != std::string::npos; ++at) {
      const char next = at + option.size() < text.size() ? text[at + option.size()] : ' ';
      if (next != '-' && !std::isalpha(static_cast<unsigned char>(next))) return true;
    }
    return false;
  };
  for (const auto& [command, actions] : own)
    for (const Words& action : actions) {
      const auto help = run_program({command, action[0], "--help"});
      EXPECT_EQ(help.exit_code, 0);
      EXPECT_NE(help.out.find("Usage: proven " + command + " " + action[0]), std::string::npos)
          << help.out;
      const std::size_t branch = completion.find("    " + command + ")\n");
      const std::size_t line = completion.find("        " + action[0] + ") options='", branch);
      ASSERT_NE(line, std::string::npos) << command << action[0];
      const std::string offered = completion.substr(line, completion.find('\n', line) - line);
      const std::string listed = help.out.substr(0, help.out.find("Examples:"));
      std::istringstream with(action[1]), without(action[2]);
      for (std::string option; with >> option;) {
        EXPECT_TRUE(has(listed, option)) << command << action[0] << option << help.out;
        EXPECT_TRUE(has(offered, option)) << command << action[0] << option << offered;
      }
      for (std::string option; without >> option;) {
        EXPECT_FALSE(has(listed, option)) << command << action[0] << option << help.out;
        EXPECT_FALSE(has(offered, option)) << command << action[0] << option << offered;
      }
      const std::size_t examples = help.out.find("Examples:");
      if (examples == std::string::npos) continue;
      std::istringstream lines(help.out.substr(examples + 10));
      for (std::string example; std::getline(lines, example);)
        EXPECT_TRUE(example.starts_with("  proven " + command + " " + action[0] + " ")) << example;
    }
  const std::string whole = run_program({"roadmap", "--help"}).out;
  EXPECT_NE(whole.find("`proven roadmap ACTION --help`"), std::string::npos) << whole;
  EXPECT_EQ(run_program({"check", "--help"}).out.find("ACTION"), std::string::npos);
}

TEST_F(Options, SeedsMakeAnotherAnswerAndTheSameTwice) {
  // A way around something: a straight one would have no needless waypoint, whatever the seed.
  const std::string path = folder_ / "around.json";
  json_of({"plan", "demo", "-o", path});
  const auto differs = [&](const Words& call, auto part) {
    const auto with = [&](const char* seed) {
      Words seeded = call;
      seeded.insert(seeded.end(), {"--seed", seed});
      return part(json_of(seeded));
    };
    EXPECT_EQ(with("1"), with("1")) << call[0];
    EXPECT_NE(with("1"), with("2")) << call[0];
    EXPECT_EQ(with("1"), part(json_of(call))) << call[0] << ": the default is 1";
  };
  differs({"plan", "demo"}, [](const Json& json) { return json["waypoints"]; });
  differs({"smooth", "demo", path, "--method", "midpoint"},
          [](const Json& json) { return json["waypoints"]; });
  differs({"demo", "--report", folder_ / "demo.html"}, [](const Json& json) {
    return json["detour"]["segments"].dump() + json["detour"]["stats"]["box_tests"].dump();
  });
  // A bar that hits the wall in nineteen of twenty configurations.
  file("bar.urdf", R"(<robot name="bar"><link name="base"/><link name="bar"><collision>
    <origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision></link>
    <joint name="turn" type="revolute"><limit lower="0" upper="1" effort="1" velocity="1"/>
    <parent link="base"/><child link="bar"/><axis xyz="0 0 1"/></joint></robot>)");
  const std::string walled = file("walled.json", R"({"proven": 1,
    "robots": [{"name": "bar", "urdf": "bar.urdf"}],
    "obstacles": [{"name": "wall", "box": [2, 2, 1], "pose": {"xyz": [1, 1.06, 0]}}]})");
  differs({"doctor", walled}, [](const Json& json) { return json["proposed_exclusions"]; });
  const std::string map = folder_ / "map";
  differs({"roadmap", "build", "planar-2", map, "--planar", "--cell", "0.3", "--nodes", "50"},
          [](const Json& json) { return json["seed"]; });
}

TEST_F(Options, BudgetsEndTheWork) {
  const std::string path = wiggle(3000);
  EXPECT_EQ(json_of({"check", "demo", path, "--budget", "1e-6"})["verdict"], "undecided");
  const auto code = [](const Words& call) { return run_program(call).exit_code; };
  EXPECT_EQ(code({"check", "demo", path, "--budget", "1e-6"}), 3);
  EXPECT_EQ(code({"check", "demo", path, "--budget", "4000"}), 0);
  EXPECT_EQ(code({"plan", "cage-b", "--budget", "1e-6"}), 3);
  EXPECT_EQ(code({"demo", "--budget", "1e-6", "--report", folder_ / "demo.html"}), 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "demo.html"));
  EXPECT_EQ(code({"smooth", "demo", path, "--budget", "1e-6"}), 3);
  const Json cut = json_of(
      {"smooth", "demo", wiggle(20), "--budget", "0.3", "--steps", "900000000", "--patience", "0"});
  EXPECT_EQ(cut["converged"], false);
  EXPECT_LT(cut["steps"], 900000000);
#ifdef PROVEN_HAS_VIEWER
  const std::string page = folder_ / "page.html";
  EXPECT_EQ(code({"view", "demo", path, "--html", page, "--budget", "1e-6"}), 0);
  std::stringstream html;
  html << std::ifstream(page).rdbuf();
  EXPECT_NE(html.str().find("undecided"), std::string::npos);
#endif
}

TEST_F(Options, ABudgetedRoadmapGoesOnWhereItStopped) {
  const std::string map = folder_ / "map";
  const Words build = {"roadmap", "build",   "cage-a", map,     "--cell",
                       "0.2",     "--nodes", "800",    "--json"};
  Words cut = build;
  cut.insert(cut.end(), {"--budget", "0.1"});
  const auto stopped = run_program(cut);
  EXPECT_EQ(stopped.exit_code, 3) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(map));
  EXPECT_TRUE(std::filesystem::exists(map + ".part"));
  const auto whole = run_program(build);
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  const std::string other = folder_ / "other";
  Words anew = build;
  anew[3] = other;
  ASSERT_EQ(run_program(anew).exit_code, 0);
  std::stringstream a, b;
  a << std::ifstream(map).rdbuf();
  b << std::ifstream(other).rdbuf();
  EXPECT_EQ(a.str(), b.str());
}

TEST_F(Options, TasksHonourBudgetAndSeed) {
  const std::string set = folder_ / "tables";
  ASSERT_EQ(run_program({"task", "make", "tables", set}).exit_code, 0);
  const std::string domain = set + "/domain.pddl", problem = set + "/I-08.pddl";
  const auto stopped = run_program({"task", domain, problem, "--budget", "1e-6"});
  EXPECT_EQ(stopped.exit_code, 3) << stopped.err;
  EXPECT_NE(stopped.out.find("the time budget ran out while grounding"), std::string::npos);
  std::map<std::string, std::string> paths;
  for (const std::string seed : {"1", "2"}) {
    const std::string out = folder_ / ("plan" + seed);
    const Json json = json_of({"task", domain, problem, "--out", out, "--seed", seed});
    std::stringstream text;
    text << std::ifstream(json["steps"][0]["path"].get<std::string>()).rdbuf();
    paths[seed] = text.str();
  }
  EXPECT_FALSE(paths["1"].empty());
  EXPECT_NE(paths["1"], paths["2"]);
  const auto unjudged = run_program({"task", "validate", domain, problem,
                                     (folder_ / "plan1/plan.txt").string(), "--budget", "1e-6"});
  EXPECT_EQ(unjudged.exit_code, 3) << unjudged.out << unjudged.err;
}

// Of two values for one name neither counts: it is an error of usage.
TEST_F(Options, NamesAreGivenOnce) {
  const std::string path = wiggle(5);
  const std::string xacro = folder_ / "a.xacro";
  std::ofstream(xacro) << "<robot name=\"a\" xmlns:xacro=\"http://x\"><xacro:arg name=\"p\" "
                          "default=\"1\"/><link name=\"$(arg p)\"/></robot>";
  for (const Words& call : std::vector<Words>{
           {"check", "demo", path, "--clearance", "self=0.1,self=0"},
           {"check", "demo", path, "--clearance", "0.01,self=0.1,world=0,self=0.1"},
           {"check", "demo", path, "--clearance", "=0.1"},
           {"check", "demo", path, "--clearance", "0.1", "--clearance", "0"},
           {"check", "demo", path, "--tracking-error", "0.1,arm/joint_1=0.2,arm/joint_1=0"},
           {"check", "demo", path, "--tracking-error", "=0.2"},
           {"check", "demo", path, "--package", "a=/tmp", "--package", "a=/"},
           {"convert", xacro, "--arg", "p=1", "--arg", "p=2"},
           {"convert", xacro, "--package", "a=/tmp", "--package", "a=/tmp"}}) {
    const auto result = run_program(call);
    EXPECT_EQ(result.exit_code, 2) << call[0] << " " << call.back() << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

// A quiet program says nothing on stderr but errors.
TEST_F(Options, QuietLeavesStderrToErrors) {
  const std::string path = wiggle(5), map = folder_ / "map", proof = folder_ / "proof";
  for (Words call : std::vector<Words>{
           {"check", "demo", path, "--certificate", proof},
           {"verify", "demo", path, proof},
           {"plan", "demo"},
           {"smooth", "demo", path},
           {"time", "demo", path},
           {"move", "demo", "--tool", "arm/link_6", "--lin-by", "0 0 0.02"},
           {"doctor", "demo"},
           {"distance", "demo"},
           {"render", "demo", "-o", folder_ / "demo.png", "--width", "64", "--height", "48"},
           {"scene", "demo", "-o", folder_ / "demo"},
           {"demo", "--report", folder_ / "demo.html"},
           {"roadmap", "build", "planar-2", map, "--planar", "--cell", "0.3", "--nodes", "50"},
           {"task", "make", "tables", folder_ / "tables"},
           {"bench"},
           {"completion", "bash"},
           {"man"}}) {
    call.push_back("--quiet");
    const auto result = run_program(call);
    EXPECT_EQ(result.exit_code, 0) << call[0] << result.err;
    EXPECT_EQ(result.err, "") << call[0];
  }
}

}  // namespace
}  // namespace proven
