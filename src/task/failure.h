// Inside task, bad input ends a reader or the grounder with a Failure so that nested steps stay
// short. Every public function turns it into a Result: nothing escapes the layer.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "proven/base/result.h"

namespace proven::task {

class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)), text_(error_.text()) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};

[[noreturn]] inline void fail(std::string context, std::string message,
                              ErrorCode code = ErrorCode::bad_input) {
  throw Failure(Error{code, std::move(message), std::move(context)});
}

template <class T, class Work>
Result<T> guarded(Work&& work) {
  try {
    return work();
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::exhausted, "out of memory", {}};
  }
}

}  // namespace proven::task
