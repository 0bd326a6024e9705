// Runs the program `proven` as a user would.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"
#include "support.h"

namespace proven::test {

struct ProgramResult {
  int exit_code = -1;
  std::string out, err;
};

inline std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// `environment` is put before the command ("LC_ALL=de_DE.UTF-8").
inline ProgramResult run_program(const std::vector<std::string>& arguments,
                                 const std::string& environment = "") {
  const std::filesystem::path err_file =
      std::filesystem::path(testing::TempDir()) / ("proven_err_" + std::to_string(getpid()));
  std::string command = environment + " timeout 120 " + shell_quoted(test::program());
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  command += " 2>" + shell_quoted(err_file) + " </dev/null";
  ProgramResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    result.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::stringstream err;
  err << std::ifstream(err_file).rdbuf();
  result.err = err.str();
  std::filesystem::remove(err_file);
  return result;
}

// A test with a folder of its own.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("proven_program_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

}  // namespace proven::test
