// What planning may use beside the time on the clock.
#pragma once

#include <cstddef>
#include <limits>

namespace proven::task {

// Both are those of the whole process: memory that is resident, processor time of all threads.
std::size_t resident_bytes();
double processor_seconds();

struct Limits {
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  double processor_deadline = std::numeric_limits<double>::infinity();  // of processor_seconds()
};

}  // namespace proven::task
