// proven verify, as a user runs it.
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

class VerifyCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_verify_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write_path("path.json", 0.3);
    write_path("other.json", 1.5);
    ASSERT_EQ(
        run_program({"check", "demo", file("path.json"), "--certificate", file("proof")}).exit_code,
        0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write_path(const std::string& name, double angle) const {
    std::ofstream(folder_ / name)
        << R"({"proven": 1, "joints": ["arm/joint_1"], "waypoints": [[0.0], [)" << angle << "]]}";
  }

  fs::path folder_;
};

TEST_F(VerifyCommand, AcceptsAndPrintsTheTheorem) {
  const ProgramResult result = run_program({"verify", "demo", file("path.json"), file("proof")});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.out.rfind("accepted", 0), 0u);
  EXPECT_NE(result.out.find("every tested pair is farther apart"), std::string::npos);
  const ProgramResult json =
      run_program({"verify", "demo", file("path.json"), file("proof"), "--json"});
  EXPECT_EQ(json.exit_code, 0);
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["accepted"], true);
  EXPECT_EQ(object["kind"], "free");
  EXPECT_GT(object["leaves"], 0);
}

// What a sensor did not see is part of what was proved: it is said again.
TEST_F(VerifyCommand, RepeatsWhatIsUnknown) {
  std::ofstream(folder_ / "arm.urdf")
      << R"(<robot name="arm"><link name="base"/><link name="rod"><collision><geometry>)"
      << R"(<box size="0.4 0.1 0.1"/></geometry></collision></link><joint name="joint_1")"
      << R"( type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>)"
      << R"(<limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>)";
  std::ofstream(folder_ / "scan.pcd")
      << "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA "
         "ascii\n3 0 0\nnan nan nan\n";
  std::ofstream(folder_ / "scene.json")
      << R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}], "obstacles": [)"
      << R"({"name": "seen", "cloud": {"points": "scan.pcd", "radius": 0.1, "unknown": "free"}}]})";
  const std::string note = "1 points that were not seen count as free";
  const auto checked = run_program(
      {"check", file("scene.json"), file("path.json"), "--certificate", file("seen.proof")});
  ASSERT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  ASSERT_NE(checked.out.find(note), std::string::npos) << checked.out;
  const auto result =
      run_program({"verify", file("scene.json"), file("path.json"), file("seen.proof")});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find(note), std::string::npos) << result.out;
  const auto json =
      run_program({"verify", file("scene.json"), file("path.json"), file("seen.proof"), "--json"});
  EXPECT_NE(nlohmann::json::parse(json.out)["sensed"]["seen"].get<std::string>().find(note),
            std::string::npos);
  std::ofstream(folder_ / "messages")
      << R"({"do": "check", "path": {"proven": 1, "joints": ["arm/joint_1"], "waypoints": [[0], [0.3]]}})"
      << "\n";
  const std::string command = "timeout 60 " + shell_quoted(test::program()) + " serve " +
                              shell_quoted(file("scene.json")) + " <" +
                              shell_quoted(file("messages")) + " >" + shell_quoted(file("answers"));
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto answer = nlohmann::json::parse(std::ifstream(folder_ / "answers"));
  EXPECT_EQ(answer["verdict"], "free");
  EXPECT_NE(answer["sensed"]["seen"].get<std::string>().find(note), std::string::npos);
}

// Line by line as one by one: accepted, damaged, of another path, unreadable, without a
// certificate.
// What was left out of a robot's file is said by everybody who says that a motion is free.
TEST_F(VerifyCommand, SaysWhatWasLeftOut) {
  std::ofstream(folder_ / "arm.urdf")
      << R"(<robot name="arm"><link name="base"/><link name="rod"><collision><geometry>)"
      << R"(<box size="0.4 0.1 0.1"/></geometry></collision></link><joint name="joint_1")"
      << R"( type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>)"
      << R"(<limit lower="-2" upper="2" velocity="1" effort="1"/></joint><loop_joint/>)"
      << R"(<loop_joint/><ignored element="plane" count="3"/></robot>)";
  const auto write_scene = [&](const char* more) {
    std::ofstream(folder_ / "scene.json")
        << R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf")" << more
        << R"(}], "obstacles": [{"name": "ball", "sphere": 0.1, "pose": {"xyz": [2, 0, 0]}}]})";
  };
  const std::string loops = "arm: <loop_joint> in <robot> (2)", planes = "arm: plane (3)";
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  write_scene("");
  const std::string scene = file("scene.json"), path = file("path.json"), proof = file("proof_2");
  const ProgramResult refused = run_program({"check", scene, path});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_TRUE(has(refused.err, "--ignore-elements loop_joint passes it over")) << refused.err;
  // By an option, or by the scene.
  for (const bool in_scene : {false, true}) {
    write_scene(in_scene ? R"(, "ignore_elements": ["loop_joint"])" : "");
    const auto run = [&](std::vector<std::string> arguments) {
      if (!in_scene) arguments.insert(arguments.end(), {"--ignore-elements", "some,loop_joint"});
      return run_program(arguments);
    };
    const ProgramResult checked = run({"check", scene, path, "--certificate", proof});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_TRUE(has(checked.out, "ignored, as asked: " + loops)) << checked.out;
    EXPECT_TRUE(has(checked.out, "ignored, as asked: " + planes)) << checked.out;
    const nlohmann::json both = {loops, planes};
    EXPECT_EQ(nlohmann::json::parse(run({"check", scene, path, "--json"}).out)["claims"]["ignored"],
              both);
    EXPECT_EQ(nlohmann::json::parse(run({"doctor", scene, "--json"}).out)["ignored"], both);
    const ProgramResult verified = run({"verify", scene, path, proof});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    EXPECT_TRUE(has(verified.out, "no part of this theorem: " + loops + ", " + planes))
        << verified.out;
    EXPECT_EQ(nlohmann::json::parse(run({"verify", scene, path, proof, "--json"}).out)["ignored"],
              both);
    const auto python = [&](const std::string& option) {
      const std::string said = file("said");
      const int status =
          std::system(("/usr/bin/python3 -B " + test::source_dir() + "/verify/verify.py " + scene +
                       " " + path + " " + proof + option + " >" + said + " 2>&1")
                          .c_str());
      std::ostringstream text;
      text << std::ifstream(said).rdbuf();
      return std::pair(status, text.str());
    };
    const auto [status, text] = python(in_scene ? "" : " --ignore-elements loop_joint");
    EXPECT_EQ(status, 0) << text;
    EXPECT_TRUE(has(text, "as asked: " + loops + ", " + planes)) << text;
    if (!in_scene) {
      EXPECT_NE(python("").first, 0);
    }
  }
  EXPECT_EQ(run_program({"check", scene, path, "--ignore-elements", "a,,b"}).exit_code, 4);
}

TEST_F(VerifyCommand, JudgesManyPathsInOneRun) {
  std::ofstream lines(folder_ / "many.jsonl");
  for (const double angle : {0.3, 0.6, 0.32})
    lines << R"({"proven": 1, "joints": ["arm/joint_1"], "waypoints": [[0.0], [)" << angle
          << "]]}\n\n";
  lines.close();
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"verify", "demo", file("many.jsonl"), file("proofs")});
    return run_program(more);
  };
  ASSERT_EQ(
      run_program({"check", "demo", file("many.jsonl"), "--certificate", file("proofs")}).exit_code,
      0);
  const ProgramResult good = run({});
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  EXPECT_EQ(good.out,
            "accepted: the path is free\naccepted: the path is free\naccepted: the path is free\n");
  fs::copy_file(file("proof"), file("proofs/2.proof"), fs::copy_options::overwrite_existing);
  std::ofstream(file("proofs/3.proof")) << "PROVEN";
  for (const char* threads : {"1", "3"}) {
    const ProgramResult bad = run({"--threads", threads});
    EXPECT_EQ(bad.exit_code, 5) << bad.out;
    EXPECT_EQ(bad.out.rfind("accepted: the path is free\n", 0), 0u) << bad.out;
    EXPECT_NE(bad.out.find("another motion"), std::string::npos) << bad.out;
    EXPECT_NE(bad.out.find("rejected: this is not a certificate"), std::string::npos) << bad.out;
    EXPECT_EQ(std::count(bad.out.begin(), bad.out.end(), '\n'), 3);
  }
  fs::remove(file("proofs/1.proof"));
  const ProgramResult missing = run({"--json"});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_EQ(missing.out.rfind("{\"error\":", 0), 0u) << missing.out;
}

TEST_F(VerifyCommand, RejectsInOneLine) {
  const auto rejects = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), "verify");
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
    EXPECT_NE(result.out.find(why), std::string::npos) << result.out;
  };
  rejects({"demo", file("path.json"), file("proof"), "--clearance", "0.5"}, "the rule");
  rejects({"demo", file("other.json"), file("proof")}, "another motion");
  rejects({"demo", file("path.json"), file("path.json")}, "not a certificate");
  std::string bytes;
  std::getline(std::ifstream(file("proof"), std::ios::binary), bytes, '\0');
  std::ofstream(file("cut"), std::ios::binary) << bytes;
  rejects({"demo", file("path.json"), file("cut")}, "certificate");
}

TEST_F(VerifyCommand, RefusesTheSameRequirementsAsCheck) {
  for (const char* option : {"--clearance", "--tracking-error"})
    for (const char* value : {"2e9", "nan", "inf", "-1", "0,self=2e9"}) {
      const ProgramResult check = run_program({"check", "demo", file("path.json"), option, value});
      const ProgramResult verify =
          run_program({"verify", "demo", file("path.json"), file("proof"), option, value});
      EXPECT_EQ(check.exit_code, 2) << option << " " << value << check.err;
      EXPECT_EQ(verify.exit_code, 2) << option << " " << value << verify.err;
      EXPECT_NE(check.err.find("expected a number from 0 to 1e9"), std::string::npos) << check.err;
      EXPECT_NE(verify.err.find("expected a number from 0 to 1e9"), std::string::npos);
    }
}

TEST_F(VerifyCommand, UnreadableInputIsNamed) {
  const ProgramResult result = run_program({"verify", "demo", file("path.json"), file("nothing")});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("nothing"), std::string::npos) << result.err;
  EXPECT_EQ(run_program({"verify", "demo", file("nothing"), file("proof")}).exit_code, 4);
  EXPECT_EQ(run_program({"verify", "demo", file("path.json")}).exit_code, 2);
}

}  // namespace
}  // namespace proven::test
