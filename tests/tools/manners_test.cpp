// Manners: completion, manual pages, help, Ctrl-C, pipes, colours.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using test::shell_quoted;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class Manners : public test::ProgramTest {
 protected:
  // What a shell prints; PROVEN stands for the program.
  std::string shell(const std::string& command, const std::string& interpreter = "bash") const {
    const std::string script = file("script." + interpreter, command);
    FILE* pipe =
        popen(("cd " + shell_quoted(folder_) + " && PROVEN=" + shell_quoted(test::program()) +
               " timeout 60 " + interpreter + " " + shell_quoted(script) + " 2>&1 </dev/null")
                  .c_str(),
              "r");
    std::string out;
    std::array<char, 4096> buffer;
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
      out.append(buffer.data(), n);
    pclose(pipe);
    return out;
  }
  static bool has_shell(const std::string& name) {
    return std::system(("command -v " + name + " >/dev/null").c_str()) == 0;
  }
};

std::vector<std::string> command_names() {
  const std::string help = run_program({"--help"}).out;
  const std::size_t begin = help.find("Subcommands:"), end = help.find("\n\n", begin);
  std::vector<std::string> names;
  const std::string list = help.substr(begin, end - begin);
  const std::regex line("\n  ([a-z]+) ");
  for (std::sregex_iterator it(list.begin(), list.end(), line), none; it != none; ++it)
    names.push_back((*it)[1]);
  return names;
}

TEST_F(Manners, EveryCommandExplainsItselfWithExamples) {
  const auto names = command_names();
  ASSERT_GE(names.size(), 17u);
  for (const std::string& name : names) {
    const auto help = run_program({name, "--help"});
    EXPECT_EQ(help.exit_code, 0) << name;
    EXPECT_NE(help.out.find("Examples:\n  proven "), std::string::npos) << name;
    for (const char* option : {"--json", "--quiet"})
      EXPECT_NE(help.out.find(option), std::string::npos) << name << " " << option;
    // Bounds of numbers are for errors, not for help.
    EXPECT_EQ(help.out.find(" in ["), std::string::npos) << name << help.out;
    EXPECT_EQ(help.out.find("e+"), std::string::npos) << name << help.out;
  }
}

TEST_F(Manners, AMistypedWordIsNamedWithTheOneThatWasMeant) {
  const auto says = [](const std::vector<std::string>& call, const std::string& words) {
    const auto result = run_program(call);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "proven: " + words + "\n");
  };
  says({}, "a command is missing; `proven --help` lists them");
  says({"chekc"}, "there is no command 'chekc'; did you mean 'check'?");
  says({"somersault"}, "there is no command 'somersault'");
  says({"check", "demo", "p.json", "--clearence", "1"},
       "'check' has no option --clearence; did you mean '--clearance'?");
  says({"check", "demo", "p.json", "--clearence=1"},
       "'check' has no option --clearence; did you mean '--clearance'?");
  says({"check", "demo"}, "path is required (`proven check --help`)");
  says({"check", "demo", "p.json", "--threads", "-3"},
       "--threads: -3 is too small; at least 0 (`proven check --help`)");
}

TEST_F(Manners, EveryCommandAndOptionHasItsPlaceInTheManual) {
  const auto names = command_names();
  const std::string folder = folder_ / "man1";
  ASSERT_EQ(run_program({"man", "-o", folder}).exit_code, 0);
  std::stringstream whole;
  whole << std::ifstream(folder + "/proven.1").rdbuf();
  for (const std::string& name : names) {
    EXPECT_NE(whole.str().find("proven\\-" + name), std::string::npos) << name;
    std::stringstream page;
    page << std::ifstream(folder + "/proven-" + name + ".1").rdbuf();
    const std::string help = run_program({name, "--help"}).out;
    const std::regex option("\n  (?:-[a-z],)?--([a-z-]+)");
    int options = 0;
    for (std::sregex_iterator it(help.begin(), help.end(), option), none; it != none; ++it) {
      const std::string found = (*it)[1];
      if (found == "help") continue;
      const std::string in_roff = std::regex_replace(found, std::regex("-"), "\\-");
      EXPECT_NE(page.str().find("\\-\\-" + in_roff + "\\fR"), std::string::npos)
          << name << " --" << found;
      ++options;
    }
    EXPECT_GE(options, 2) << name;
  }
  PROVEN_REQUIRE_TOOL(has_shell("groff"), "groff");
  EXPECT_EQ(shell("groff -man -Tutf8 -ww -z man1/*.1"), "");
  EXPECT_NE(shell("groff -man -Tutf8 -P-cbou man1/proven-check.1").find("--certificate TEXT"),
            std::string::npos);
}

// Completions of a line, as bash would offer them.
std::string bash_line(const std::string& words) {
  return "eval \"$(\"$PROVEN\" completion bash)\"\n"
         "COMP_WORDS=(" +
         words +
         ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_proven 2>/dev/null\n"
         "printf '%s\\n' \"${COMPREPLY[@]}\" | sort\n";
}

TEST_F(Manners, BashCompletesCommandsOptionsValuesScenesAndFiles) {
  file("cell.json", "{}");
  file("my path.json", "{}");
  EXPECT_EQ(shell(bash_line("proven ver")), "verify\n");
  EXPECT_EQ(shell(bash_line("proven check --cert")), "--certificate\n");
  EXPECT_EQ(shell(bash_line("proven check --checker ''")),
            "classic\ndirectional\nfixed\nrefined\n");
  const std::string scenes = shell(bash_line("proven check c"));
  for (const char* word : {"cage-a\n", "cell.json\n"})
    EXPECT_NE(scenes.find(word), std::string::npos) << scenes;
  EXPECT_EQ(scenes.find("demo"), std::string::npos) << scenes;
  // The second argument is a file, also after an option with a value.
  EXPECT_EQ(shell(bash_line("proven check cage-a --clearance 0.1 c")), "cell.json\n");
  EXPECT_EQ(shell(bash_line("proven check cage-a my")), "my path.json\n");
  EXPECT_EQ(shell(bash_line("proven roadmap b")), "build\n");
  EXPECT_EQ(shell(bash_line("proven completion ''")), "bash\nfish\nzsh\n");
  EXPECT_NE(shell(bash_line("proven bench table")).find("table8\n"), std::string::npos);
}

TEST_F(Manners, FishCompletes) {
  PROVEN_REQUIRE_TOOL(has_shell("fish"), "fish");
  file("cell.json", "{}");
  const std::string head = "$PROVEN completion fish | source\n";
  EXPECT_NE(shell(head + "complete -C 'proven ver'", "fish").find("verify\t"), std::string::npos);
  EXPECT_NE(shell(head + "complete -C 'proven check --cert'", "fish").find("--certificate\t"),
            std::string::npos);
  EXPECT_EQ(shell(head + "complete -C 'proven check --checker cl'", "fish").substr(0, 7),
            "classic");
  const std::string scenes = shell(head + "complete -C 'proven check c'", "fish");
  EXPECT_NE(scenes.find("cage-a"), std::string::npos);
  EXPECT_NE(scenes.find("cell.json"), std::string::npos);
}

TEST_F(Manners, ZshTakesTheScript) {
  PROVEN_REQUIRE_TOOL(has_shell("zsh"), "zsh");
  EXPECT_EQ(shell("$PROVEN completion zsh > _proven; zsh -n _proven && echo fine", "zsh"),
            "fine\n");
  // The specifications are those that _arguments understands: it complains of others.
  EXPECT_EQ(shell("autoload -Uz compinit; compinit -u -d dump\n"
                  "$PROVEN completion zsh > _proven; fpath=(. $fpath); autoload -Uz _proven\n"
                  "compdef _proven proven && whence -w _proven",
                  "zsh"),
            "_proven: function\n");
}

// A bar between two posts, on the other side of which is the goal.
void trapped_cell(const fs::path& folder) {
  std::ofstream(folder / "bar.urdf") << R"(<robot name="bar"><link name="base"/><link name="bar">
    <collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision>
    </link><joint name="turn" type="continuous"><parent link="base"/><child link="bar"/>
    <axis xyz="0 0 1"/></joint></robot>)";
  std::ofstream(folder / "cell.json") << R"({"proven": 1,
    "robots": [{"name": "bar", "urdf": "bar.urdf"}],
    "obstacles": [{"name": "left", "sphere": 0.05, "pose": {"xyz": [0, 0.7, 0]}},
                  {"name": "right", "sphere": 0.05, "pose": {"xyz": [0, -0.7, 0]}}]})";
  std::ofstream(folder / "query.json") << R"({"proven": 1, "joints": ["bar/turn"],
    "start": [0], "goal": [3]})";
}

TEST_F(Manners, CtrlCStopsPlanningWithItsExitCode) {
  trapped_cell(folder_);
  const std::string out = shell(
      "\"$PROVEN\" plan cell.json query.json --max-iterations 9000000000 --json & job=$!\n"
      "sleep 0.7; kill -INT $job; begin=$(date +%s%N); wait $job; echo \"code $?\"\n"
      "echo \"after $((($(date +%s%N) - begin) / 1000000))\"");
  EXPECT_NE(out.find("code 130"), std::string::npos) << out;
  const Json json = Json::parse(out.substr(0, out.find('\n')));
  EXPECT_EQ(json["status"], "cancelled");
  EXPECT_GT(json["stats"]["iterations"], 0);
}

TEST_F(Manners, CtrlCKeepsTheShortenedPath) {
  const std::string out = shell(
      "\"$PROVEN\" scene demo -o cell >/dev/null\n"
      "\"$PROVEN\" plan cell/scene.json cell/query.json -o path.json >/dev/null\n"
      "\"$PROVEN\" smooth cell/scene.json path.json --steps 900000000 --patience 0 -o short.json "
      "&\n"
      "job=$!; sleep 1.5; kill -INT $job; wait $job; echo \"code $?\"\n"
      "\"$PROVEN\" check cell/scene.json short.json");
  EXPECT_NE(out.find("interrupted"), std::string::npos) << out;
  EXPECT_NE(out.find("code 130"), std::string::npos) << out;
  EXPECT_NE(out.find("free: all"), std::string::npos) << out;
}

TEST_F(Manners, AReaderThatLeavesEarlyIsNoError) {
  const std::string out =
      shell("set -o pipefail; \"$PROVEN\" doctor lattice-9 | head -n 1; echo \"code $?\"");
  EXPECT_NE(out.find("bodies"), std::string::npos) << out;
  EXPECT_EQ(out.find("internal error"), std::string::npos) << out;
}

TEST_F(Manners, ColoursAndProgressOnlyOnTerminals) {
  trapped_cell(folder_);
  file("path.json", R"({"proven": 1, "joints": ["bar/turn"], "waypoints": [[0], [1]]})");
  const std::string check = "\"$PROVEN\" check cell.json path.json";
  EXPECT_EQ(shell(check).find('\033'), std::string::npos);
  PROVEN_REQUIRE_TOOL(has_shell("script"), "script");
  const auto on_terminal = [&](const std::string& command, const std::string& environment) {
    return shell("export P=\"$PROVEN\"; script -qec '" + environment + " \"$P\" " + command +
                 "' /dev/null");
  };
  EXPECT_NE(on_terminal("check cell.json path.json", "env -u NO_COLOR").find("\033[32mfree"),
            std::string::npos);
  EXPECT_EQ(on_terminal("check cell.json path.json", "env NO_COLOR=1").find("\033[32m"),
            std::string::npos);
  const std::string plan = "plan cell.json query.json --max-iterations 9000000000 --budget 1.5";
  const std::string shown = on_terminal(plan, "env");
  EXPECT_NE(shown.find("s left"), std::string::npos) << shown;
  EXPECT_EQ(on_terminal(plan + " --quiet", "env").find("s left"), std::string::npos);
}

TEST_F(Manners, JsonEverywhere) {
  trapped_cell(folder_);
  const std::string cell = folder_ / "cell.json", query = folder_ / "query.json",
                    path =
                        file("path.json",
                             R"({"proven": 1, "joints": ["bar/turn"], "waypoints": [[0], [1]]})"),
                    proof = folder_ / "path.proof", picture = folder_ / "scene.png";
  const std::vector<std::vector<std::string>> calls = {
      {"check", cell, path, "--certificate", proof},
      {"verify", cell, path, proof},
      {"plan", cell, query, "--budget", "0.1"},
      {"plan", cell, "--list"},
      {"smooth", cell, path},
      {"time", cell, path},
      {"move", "demo", "--tool", "arm/link_6", "--lin-by", "0 0 0.02"},
      {"doctor", cell},
      {"distance", cell, query},
      {"render", cell, "-o", picture, "--width", "64", "--height", "48"},
      {"scene"},
      {"scene", "demo", "-o", folder_ / "demo"},
      {"bench"},
      {"completion", "zsh"},
      {"man", "check"},
      {"man", "-o", folder_ / "man"},
  };
  for (std::vector<std::string> call : calls) {
    call.push_back("--json");
    const auto result = run_program(call);
    EXPECT_LT(result.exit_code, 4) << call[0] << " " << result.err;
    const Json json = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << call[0] << ": " << result.out;
    EXPECT_EQ(std::ranges::count(result.out, '\n'), 1) << call[0];
  }
}

}  // namespace
}  // namespace proven
