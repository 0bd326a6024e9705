// The floating-point environment that every bound in docs/error_budget.md assumes.
#pragma once

#include "proven/base/result.h"

namespace proven {

// An Error unless rounding is to nearest and subnormal numbers are neither flushed to zero on
// output (FTZ) nor read as zero (DAZ) in the calling thread. Programs call it at start-up; some
// libraries switch these modes when they are loaded.
Result<void> check_floating_point_environment();

}  // namespace proven
