#include "proven/base/result.h"

#include <stdexcept>

namespace proven {

void throw_no_value(const Error& error) {
  throw std::logic_error("value() of a failed result: " + error.text());
}

void throw_no_error() {
  throw std::logic_error("error() of a result that has a value");
}

}  // namespace proven
