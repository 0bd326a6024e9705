// proven audit, as a user runs it: rows, pages, certificates that both verifiers accept, and the
// script for a cluster.
#include <nlohmann/json.hpp>

#include "places.h"
#include "program.h"
#include "proven/base/random.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class AuditCommand : public ProgramTest {
 protected:
  // Turns of the demo's first joint: the longer ones meet a pillar.
  std::string write_paths(const std::string& name, int count) const {
    std::string text;
    Random random(3);
    for (int i = 0; i < count; ++i)
      text += R"({"proven":1,"joints":["arm/joint_1"],"waypoints":[[0],[)" +
              std::to_string(random.uniform(0.05, i % 2 == 0 ? 0.4 : 3)) + "]]}\n";
    return file(name, text);
  }
  std::string in(const std::string& name) const { return folder_ / name; }
  static std::string read(const fs::path& name) {
    std::stringstream text;
    text << std::ifstream(name, std::ios::binary).rdbuf();
    return text.str();
  }
};

TEST_F(AuditCommand, TellsWhatItCameToAndShowsIt) {
  const std::string paths = write_paths("paths.jsonl", 20);
  const ProgramResult run = run_program({"audit", paths, "--scene", "demo", "-o", in("rows.jsonl"),
                                         "--page", in("page.html"), "--json"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  const Json told = Json::parse(run.out);
  EXPECT_EQ(told["paths"], 20);
  EXPECT_GE(told["free"], 5);
  EXPECT_GE(told["collision"], 3);
  const std::string page = read(in("page.html"));
  EXPECT_NE(page.find("proved free"), std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
  EXPECT_NE(page.find("Pairs that collide most"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos) << "it loads something";
  // Again: nothing is left to do.
  const ProgramResult again =
      run_program({"audit", paths, "--scene", "demo", "-o", in("rows.jsonl"), "--json"});
  EXPECT_EQ(Json::parse(again.out)["resumed"], 20);
  const ProgramResult sample = run_program(
      {"audit", paths, "--scene", "demo", "-o", in("sample.jsonl"), "--sample", "8", "--json"});
  const Json shares = Json::parse(sample.out);
  EXPECT_EQ(shares["paths"], 8);
  EXPECT_LT(shares["confidence_95"]["free"][0], shares["free"].get<double>() / 8);
  EXPECT_GT(shares["confidence_95"]["free"][1], shares["free"].get<double>() / 8);
}

TEST_F(AuditCommand, ErrorsAreRowsAndOptionsAreHeldToTheirUse) {
  const std::string paths = file("paths.jsonl", "{}\n");
  const ProgramResult run =
      run_program({"audit", paths, "--scene", "demo", "-o", in("rows.jsonl"), "--json"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(Json::parse(run.out)["error"], 1);
  EXPECT_EQ(run_program({"audit", paths, "-o", in("other.jsonl")}).exit_code, 4);  // no scene
  EXPECT_EQ(run_program({"audit", paths, "--scene", "demo", "--shard", "3/2"}).exit_code, 2);
  EXPECT_EQ(run_program({"audit", paths, "--scene", "demo", "--shards", "3"}).exit_code, 2);
  const ProgramResult other = run_program(
      {"audit", paths, "--scene", "demo", "-o", in("rows.jsonl"), "--clearance", "0.01"});
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_NE(other.err.find("remove it or name another file"), std::string::npos) << other.err;
}

// Both verifiers accept all; a damaged certificate, another clearance and another data set are
// noticed.
TEST_F(AuditCommand, CertificatesAreVerifiedAsAStream) {
  run_program({"scene", "demo", "-o", in("cell")});
  ASSERT_TRUE(fs::exists(in("cell/scene.json")));
  const std::string paths = write_paths("paths.jsonl", 6);
  const std::string set = file(
      "set.json",
      R"({"proven":1,"groups":[{"name":"a","scene":"cell/scene.json","paths":"paths.jsonl"}]})");
  const ProgramResult run =
      run_program({"audit", set, "-o", in("rows.jsonl"), "--certificates", in("proofs"), "--json"});
  ASSERT_EQ(run.exit_code, 1) << run.err;
  const Json told = Json::parse(run.out);
  for (const std::vector<std::string>& which : {std::vector<std::string>{set, in("proofs")},
                                                {in("cell/scene.json"), paths, in("proofs")}}) {
    std::vector<std::string> words = {"verify"};
    words.insert(words.end(), which.begin(), which.end());
    words.insert(words.end(), {"--json", "--threads", "2"});
    const ProgramResult verified = run_program(words);
    // Of lines alone the group has another name: it is another data set.
    if (which.size() == 3) {
      EXPECT_EQ(verified.exit_code, 4) << verified.out;
      EXPECT_NE(verified.err.find("data set"), std::string::npos) << verified.err;
      continue;
    }
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    const Json counted = Json::parse(verified.out);
    EXPECT_EQ(counted["free"], told["free"]);
    EXPECT_EQ(counted["collision"], told["collision"]);
    EXPECT_EQ(counted["complete"], true);
  }
  EXPECT_EQ(run_program({"verify", set, in("proofs"), "--clearance", "5"}).exit_code, 5);
  const std::string script = test::source_dir() + "/verify/verify.py";
  const auto python = [&](const std::string& proofs) {
    return std::system(("/usr/bin/python3 -B " + shell_quoted(script) + " " + shell_quoted(set) +
                        " " + shell_quoted(proofs) + " >" + shell_quoted(in("said")) + " 2>&1")
                           .c_str());
  };
  EXPECT_EQ(python(in("proofs")), 0) << read(in("said"));
  EXPECT_NE(read(in("said")).find("accepted: " + told["free"].dump() + " paths are free"),
            std::string::npos)
      << read(in("said"));
  std::string bytes = read(in("proofs"));
  bytes[bytes.size() / 2] ^= 1;
  file("damaged", bytes);
  EXPECT_EQ(run_program({"verify", set, in("damaged")}).exit_code, 4);
  EXPECT_NE(python(in("damaged")), 0);
}

// A stand-in for sbatch runs each job by bash at once; the real one is not needed to see that the
// script's shards and merge make the rows of one run.
TEST_F(AuditCommand, TheScriptForSlurmMakesTheRowsOfOneRun) {
  const std::string paths = write_paths("paths.jsonl", 23);
  const std::string stand_in = file("sbatch", R"(#!/bin/bash
array=
while [ "${1#--}" != "$1" ]; do
  case "$1" in --array=1-*) array=${1#--array=1-} ;; esac
  shift
done
if [ -n "$array" ]; then
  for i in $(seq "$array" -1 1); do SLURM_ARRAY_TASK_ID=$i bash "$@" >&2 || exit 1; done
else
  bash "$@" >&2 || exit 1
fi
echo "4711;cluster"
)");
  fs::permissions(stand_in, fs::perms::owner_all);
  ASSERT_EQ(
      run_program({"audit", paths, "--scene", "demo", "-o", in("rows.jsonl"), "--certificates",
                   in("proofs"), "--slurm", in("audit.sh"), "--shards=5", "--threads", "2"})
          .exit_code,
      0);
  const std::string environment =
      "PATH=" + shell_quoted(folder_) + ":\"$PATH\" PROVEN=" + shell_quoted(test::program()) + " ";
  const int code = std::system((environment + "bash " + shell_quoted(in("audit.sh")) + " >" +
                                shell_quoted(in("said")) + " 2>&1")
                                   .c_str());
  const std::string said = read(in("said"));
  run_program(
      {"audit", paths, "--scene", "demo", "-o", in("whole.jsonl"), "--certificates", in("whole")});
  EXPECT_EQ(read(in("rows.jsonl")), read(in("whole.jsonl"))) << said << code;
  EXPECT_EQ(read(in("proofs")), read(in("whole")));
  EXPECT_TRUE(fs::exists(in("rows.jsonl.shards/5.jsonl")));
}

}  // namespace
}  // namespace proven::test
