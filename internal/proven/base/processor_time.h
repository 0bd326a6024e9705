// Time of the processor: what other programs on the machine take does not count.
#pragma once

#include <time.h>

namespace proven {

// That this thread has used so far, in seconds.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// That this thread needs for some work, in seconds.
template <class Work>
double processor_seconds(Work&& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

}  // namespace proven
