// Result<T>: a value, or an Error that says what is wrong, where, and what to do about it.
//
// An Error means bad input or exhausted resources. A verdict such as `undecided` is a value, never
// an Error. The library never prints and never aborts on a user's input.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace proven {

enum class ErrorCode {
  bad_input,    // the contents of a file or an argument are wrong
  not_found,    // a file or a name does not exist
  unsupported,  // well-formed, but outside what the library can treat soundly
  exhausted,    // a stated budget of memory, depth or size ran out
};

struct Error {
  ErrorCode code = ErrorCode::bad_input;
  std::string message;  // one line: what is wrong and the remedy
  std::string context;  // the place: file, line or element; empty if unknown

  // "context: message", or the message alone.
  std::string text() const { return context.empty() ? message : context + ": " + message; }
};

inline Error bad_input(std::string message, std::string context = {}) {
  return Error{ErrorCode::bad_input, std::move(message), std::move(context)};
}

[[noreturn]] void throw_no_value(const Error& error);
[[noreturn]] void throw_no_error();

// value() of an error and error() of a value are mistakes of the caller: they throw
// std::logic_error, with the error's own text.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() & { return require(), *std::get_if<0>(&state_); }
  const T& value() const& { return require(), *std::get_if<0>(&state_); }
  T&& value() && { return require(), std::move(*std::get_if<0>(&state_)); }
  const Error& error() const {
    if (ok()) throw_no_error();
    return *std::get_if<1>(&state_);
  }

 private:
  void require() const {
    if (!ok()) throw_no_value(*std::get_if<1>(&state_));
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  const Error& error() const {
    if (ok_) throw_no_error();
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace proven
