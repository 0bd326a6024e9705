// Runs independent pieces of work on several threads.
#pragma once

#include <functional>

namespace proven {

// The number of threads to use when the user says 0.
int default_threads();

// Calls work(item, thread) once for every item in [0, count), thread in [0, threads). Items are
// handed out in order; which thread takes which is not promised, so results must be stored by item
// and never depend on `thread` except as the index of scratch memory. An exception stops the
// hand-out and is rethrown.
void parallel_for(int count, int threads, const std::function<void(int item, int thread)>& work);

}  // namespace proven
