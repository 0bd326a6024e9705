// How a reader inside a layer ends on bad input: nested steps throw a Failure and stay short, and
// every public function turns it into a Result. Nothing escapes a layer.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "proven/base/result.h"

namespace proven {

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

}  // namespace proven
