// Work that may take long: its budget, its progress line, and what Ctrl-C does to it.
#pragma once

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "proven/base/budget.h"
#include "tools/command.h"
#include "tools/terminal.h"

namespace proven::tools {

// Called once, from main: Ctrl-C then ends the program with kInterrupted, but for work that keeps
// what it has.
void end_on_interrupt();

// Whether Ctrl-C was pressed during such work.
bool interrupted();

// kInterrupted after Ctrl-C, else `code`.
int unless_interrupted(int code);

// What Ctrl-C does to work. Ending is the faster, and right where nothing is lost: a path that is
// half checked is worth nothing, and the journal of a roadmap is on the disk already.
enum class OnInterrupt {
  end,
  stop  // the first only asks the work to stop, so that what it has can be kept; the second ends
};

// While one lives, a command reads and prepares what it works on. Nothing of that is of use by
// itself: if the budget ends meanwhile, the program ends soon after, says so and exits with
// kUndecided. Work ends it. One at a time, in the main thread.
class Preparation {
 public:
  // `what`: "the scene and the path".
  Preparation(std::string what, const CommonOptions& common);
  ~Preparation();
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  void end();

 private:
  void wait(Budget::Clock::time_point deadline, const std::string& what, bool json);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

class Work {
 public:
  // The time of the command's --budget runs since CommonOptions::begun. Work that has nothing to
  // keep before a certain stage names it: until that is reported, Ctrl-C ends the program.
  Work(std::string label, const CommonOptions& common, OnInterrupt on_interrupt,
       std::string_view first_kept_stage = {});
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  const Budget& budget() const { return budget_; }

 private:
  void stop_on_interrupt();

  bool stops_ = false;
  Budget budget_;
  ProgressLine line_;
};

// While one lives, Ctrl-C waits: for what must not be ended halfway. Of a program with one thread.
class InterruptsWait {
 public:
  InterruptsWait();
  ~InterruptsWait();
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;

 private:
  sigset_t before_;
};

// While one lives, a program that Ctrl-C ends cleans up first: it removes a folder that is not
// meant to stay, or what write_file has put beside a file and not yet renamed.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  std::string clean_up_;  // for a shell
};

}  // namespace proven::tools
