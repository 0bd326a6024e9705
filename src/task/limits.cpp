#include "task/limits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace proven::task {

std::size_t resident_bytes() {
  // A counter of the kernel, opened once and read again and again.
  static const int counter = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128] = {};
  if (counter < 0 || pread(counter, text, sizeof text - 1, 0) <= 0) return 0;
  unsigned long size = 0, resident = 0;
  const int read = std::sscanf(text, "%lu %lu", &size, &resident);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

double processor_seconds() {
  std::timespec now{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

namespace {

// What the kernel says of a process; empty if it is gone.
std::string counter(const std::string& name) {
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text(4096, '\0');
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  return text;
}

// utime, stime, cutime and cstime of proc_pid_stat(5): what follows the name, which may hold
// anything, is the third field.
double own_seconds(pid_t process) {
  const std::string text = counter("/proc/" + std::to_string(process) + "/stat");
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double ticks = 0, all = 0;
  for (int i = 0; i < 4 && fields >> ticks; ++i) all += ticks;
  return all / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Children that run, of all threads.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  std::filesystem::directory_iterator threads("/proc/" + std::to_string(process) + "/task", error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    std::istringstream list(counter(threads->path() / "children"));
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

}  // namespace

double processor_seconds_of(pid_t process) {
  double seconds = own_seconds(process);
  for (const pid_t child : children_of(process)) seconds += processor_seconds_of(child);
  return seconds;
}

}  // namespace proven::task
