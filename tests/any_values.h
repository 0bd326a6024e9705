// Options of tests and benchmarks whose random values go where they like: limits of joints are for
// others to keep.
#pragma once

#include "proven/certify/options.h"

namespace proven::test {

inline CheckOptions any_values() {
  CheckOptions options;
  options.limits = Limits::ignore;
  return options;
}

}  // namespace proven::test
