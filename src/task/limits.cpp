#include "task/limits.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

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

}  // namespace proven::task
