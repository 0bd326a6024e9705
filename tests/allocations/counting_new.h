// Counts what operator new is asked for by this thread.
//
// PROVEN_SHOW_ALLOCATIONS=1 writes the callers of each to the standard error output.
#pragma once

#include <cstdint>

namespace proven::test {

void start_counting();
// How often it was asked since.
std::int64_t stop_counting();

}  // namespace proven::test
