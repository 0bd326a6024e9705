// What planning may use beside the time on the clock.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <limits>

namespace proven::task {

// Both are those of the whole process: memory that is resident, processor time of all threads.
std::size_t resident_bytes();
double processor_seconds();
// That of another process and of all that it started, as far as they still run or were waited for;
// in steps of some milliseconds. 0 for a process that is gone.
double processor_seconds_of(pid_t process);

struct Limits {
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  double processor_deadline = std::numeric_limits<double>::infinity();  // of processor_seconds()
  // Processor time of other processes that counts as well, kept by who asks them; may be null.
  double* elsewhere = nullptr;

  bool processor_limited() const {
    return processor_deadline < std::numeric_limits<double>::infinity();
  }
  bool processor_ended() const {
    return processor_limited() &&
           processor_seconds() + (elsewhere ? *elsewhere : 0) > processor_deadline;
  }
};

}  // namespace proven::task
