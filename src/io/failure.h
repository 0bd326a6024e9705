// Inside io, a bad file ends its reader with a Failure; the parsers underneath throw too.
#pragma once

#include <filesystem>
#include <new>
#include <type_traits>
#include <utility>

#include "proven/base/failure.h"

namespace proven::io {

using proven::fail;
using proven::Failure;

// The value of a Result, or its error as a Failure.
template <class T>
T unwrap(Result<T> result) {
  if (!result.ok()) throw Failure(result.error());
  return std::move(result).value();
}
inline void unwrap(const Result<void>& result) {
  if (!result.ok()) throw Failure(result.error());
}

// Runs `read`; a Failure without a place gets the one that `place()` returns.
template <class Place, class Read>
auto at_place(Place&& place, Read&& read) {
  try {
    return read();
  } catch (const Failure& failure) {
    if (!failure.error().context.empty()) throw;
    throw Failure(Error{failure.error().code, failure.error().message, place()});
  }
}

// Runs `read` and returns what it returns, or the Error that stopped it.
template <class T, class Read>
Result<T> guarded(const std::filesystem::path& file, Read&& read) {
  try {
    if constexpr (std::is_void_v<T>) {
      read();
      return {};
    } else {
      return read();
    }
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::exhausted, "out of memory while reading it", file.string()};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::bad_input, exception.what(), file.string()};
  }
}

}  // namespace proven::io
