// Inside task, bad input ends a reader or the grounder with a Failure, a budget with Stopped.
#pragma once

#include <new>

#include "proven/base/failure.h"
#include "task/watch.h"

namespace proven::task {

template <class T, class Work>
Result<T> guarded(Work&& work) {
  try {
    return work();
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const Stopped& stopped) {
    return stopped.error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::exhausted, "out of memory", {}};
  }
}

}  // namespace proven::task
