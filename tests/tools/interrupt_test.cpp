// Ctrl-C at any moment of any long command: the program ends soon, with its exit code, and leaves
// no half-written file behind.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "program.h"

namespace proven {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processor time of a process that runs. A busy machine or a slow disk does not add to it.
double used_by(pid_t process) {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double used_by(const rusage& ended) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(ended.ru_utime) + seconds(ended.ru_stime);
}

std::string read(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string tail(const std::string& text) {
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 12));
}

struct Ended {
  bool interrupted = false;  // false: it was done before
  int exit_code = -1;
  double seconds = 0;  // from Ctrl-C, or from the start
  double used = 0;     // processor time since then
};

// Runs the program and interrupts it after so many seconds; negative: never. One press may arrive
// several times.
Ended run_and_interrupt(const std::vector<std::string>& arguments, double after,
                        const std::string& out_file, int times = 1) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<std::string> words = {test::program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int out = open(out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    std::signal(SIGINT, SIG_DFL);
    execv(test::program().c_str(), pointers.data());
    _exit(127);
  }
  Ended ended;
  int status = 0;
  rusage usage{};
  double used_before = 0;
  Clock::time_point start = Clock::now();
  for (;;) {
    if (wait4(child, &status, WNOHANG, &usage) == child) break;
    if (!ended.interrupted && after >= 0 && seconds_since(start) >= after) {
      for (int i = 0; i < times; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        kill(child, SIGINT);
      }
      ended.interrupted = true;
      used_before = used_by(child);
      start = Clock::now();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ended.seconds = seconds_since(start);
  ended.used = used_by(usage) - used_before;
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

class Interrupt : public test::ProgramTest {
 protected:
  // The program does not wait until all that it began is gone.
  static bool comes_true(const std::function<bool()>& condition) {
    for (int i = 0; i < 1000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
  }

  fs::path left_over() const {
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().extension() == ".new") return entry.path();
    return {};
  }

  // Interrupts the command at several moments of its life. Whatever is in `outputs` is there as a
  // whole or not at all: it ends as the whole one ends. Sizes differ by the digits of times.
  void endure(const std::vector<std::string>& call, const std::vector<std::string>& outputs = {}) {
    const std::string log = folder_ / "log";
    const Ended whole = run_and_interrupt(call, -1, log);
    std::vector<std::string> wholes;
    for (const std::string& output : outputs) {
      wholes.push_back(read(output));
      fs::remove(output);
    }
    int interrupted = 0;
    double slowest = 0;
    for (const double share : {0.05, 0.3, 0.6, 0.85, 0.97}) {
      const Ended ended = run_and_interrupt(call, share * whole.seconds, log);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (fs::exists(outputs[i])) {
          const std::string left = read(outputs[i]);
          const double size = static_cast<double>(wholes[i].size());
          EXPECT_NEAR(static_cast<double>(left.size()), size, 0.01 * size)
              << call[0] << " at " << share;
          EXPECT_EQ(tail(left), tail(wholes[i])) << call[0] << " at " << share;
        }
        fs::remove(outputs[i]);
      }
      if (!ended.interrupted) continue;
      ++interrupted;
      slowest = std::max(slowest, ended.used);
      EXPECT_TRUE(ended.exit_code == 130 || ended.exit_code == whole.exit_code)
          << call[0] << " at " << share << ": " << ended.exit_code;
      EXPECT_LT(ended.used, 2) << call[0] << " at " << share;
    }
    EXPECT_GT(interrupted, 0) << call[0];
    EXPECT_TRUE(comes_true([&] { return left_over().empty(); })) << left_over() << " is left over";
    RecordProperty(call[0] + "_ms", static_cast<int>(1000 * slowest));
    std::printf("%-8s %6.2f s, uses at most %4.0f ms after Ctrl-C\n", call[0].c_str(),
                whole.seconds, 1000 * slowest);
  }

  // A path that wiggles in free space.
  std::string long_path(int waypoints) const {
    std::string text = R"({"proven": 1, "joints": ["arm/joint_1"], "waypoints": [[0])";
    for (int i = 1; i < waypoints; ++i)
      text += ",[" + std::to_string(0.3 * std::sin(0.01 * i)) + "]";
    return file("long.json", text + "]}");
  }

  // An arm beside a sphere of that many bands of triangles.
  std::string scene_with_mesh(int bands) const {
    std::ofstream obj(folder_ / "rock.obj");
    for (int i = 0; i <= bands; ++i)
      for (int k = 0; k < bands; ++k) {
        const double a = M_PI * (i + 0.5) / (bands + 1), b = 2 * M_PI * k / bands;
        obj << "v " << std::sin(a) * std::cos(b) << ' ' << std::sin(a) * std::sin(b) << ' '
            << std::cos(a) << '\n';
      }
    for (int i = 0; i < bands; ++i)
      for (int k = 0; k < bands; ++k) {
        const int next = (k + 1) % bands, here = i * bands + 1;
        obj << "f " << here + k << ' ' << here + bands + k << ' ' << here + bands + next << '\n'
            << "f " << here + k << ' ' << here + bands + next << ' ' << here + next << '\n';
      }
    file("arm.urdf", R"(<robot name="arm"><link name="base"/><link name="tip"><collision><geometry>
        <box size="0.1 0.1 0.1"/></geometry></collision></link><joint name="j" type="continuous">
        <parent link="base"/><child link="tip"/></joint></robot>)");
    return file("scene.json", R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}],
        "obstacles": [{"name": "rock", "mesh": "rock.obj", "pose": {"xyz": [5, 0, 0]}}]})");
  }
};

TEST_F(Interrupt, LongPaths) {
  const std::string path = long_path(test::cases(30'000)), proof = folder_ / "proof",
                    page = folder_ / "page.html", out = folder_ / "out.json";
  endure({"check", "demo", path, "--certificate", proof}, {proof});
  endure({"time", "demo", path, "-o", out});
  endure({"doctor", "demo", path});
  ASSERT_EQ(run_and_interrupt({"check", "demo", path, "--certificate", proof}, -1, folder_ / "log")
                .exit_code,
            0);
  endure({"verify", "demo", path, proof});
#ifdef PROVEN_HAS_VIEWER
  endure({"view", "demo", long_path(test::cases(3000)), "--html", page}, {page});
#endif
}

TEST_F(Interrupt, BigMeshes) {
  const std::string scene = scene_with_mesh(test::cases(200)), picture = folder_ / "p.png";
  endure({"doctor", scene});
  endure({"distance", scene});
  endure({"render", scene, "-o", picture}, {picture});
}

TEST_F(Interrupt, Builds) {
  endure({"roadmap", "build", "cage-a", folder_ / "map", "--cell", "0.2", "--nodes",
          std::to_string(test::cases(500)), "--restart"},
         {folder_ / "map"});
  endure({"demo", "--report", folder_ / "demo.html"}, {folder_ / "demo.html"});
}

// The folder where modules keep motions goes with the program.
TEST_F(Interrupt, TasksKeepThePlanFoundSoFar) {
  const std::string set = folder_ / "tables", plan = folder_ / "plan.txt", log = folder_ / "log";
  ASSERT_EQ(test::run_program({"task", "make", "tables", set}).exit_code, 0);
  const std::string domain = set + "/domain.pddl", problem = set + "/III-01.pddl";
  for (const int times : {1, 3}) {
    fs::remove(plan);
    // Left alone, it looks for better plans for ever. A slow machine has found none at first.
    for (double after = 0.5; after < 100 && !fs::exists(plan); after *= 3) {
      const Ended ended =
          run_and_interrupt({"task", domain, problem, "--anytime", "-o", plan}, after, log, times);
      ASSERT_TRUE(ended.interrupted);
      EXPECT_EQ(ended.exit_code, 130);
    }
    EXPECT_NE(read(log).find("interrupted before the validator was done"), std::string::npos)
        << read(log);
    EXPECT_EQ(test::run_program({"task", "validate", domain, problem, plan}).exit_code, 0);
  }
}

TEST_F(Interrupt, TasksLeaveNoFolderBehind) {
  const std::string set = folder_ / "tables", temporary = folder_ / "tmp";
  ASSERT_EQ(test::run_program({"task", "make", "tables", set}).exit_code, 0);
  fs::create_directories(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  const std::string domain = set + "/domain.pddl", problem = set + "/I-08.pddl";
  const auto is_empty = [&] { return fs::is_empty(temporary); };
  endure({"task", domain, problem});
  EXPECT_TRUE(comes_true(is_empty));
  const std::string plan = folder_ / "plan.txt";
  ASSERT_EQ(test::run_program({"task", domain, problem, "-o", plan}).exit_code, 0);
  endure({"task", "validate", domain, problem, plan});
  EXPECT_TRUE(comes_true(is_empty));
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace proven
