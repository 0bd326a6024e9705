#include "proven/base/floating_point.h"

#include <cfenv>

namespace proven {

Result<void> check_floating_point_environment() {
  if (std::fegetround() != FE_TONEAREST)
    return Error{
        ErrorCode::unsupported,
        "the rounding mode is not to-nearest; no bound holds. Call fesetround(FE_TONEAREST)",
        "floating point"};
  volatile double smallest_normal = 0x1p-1022;
  volatile double half = smallest_normal * 0.5;  // flushed to zero under FTZ
  volatile double back = half * 2.0;             // zero if the operand is read as zero (DAZ)
  if (half == 0.0 || back != smallest_normal)
    return Error{ErrorCode::unsupported,
                 "subnormal numbers are flushed to zero (FTZ or DAZ is set); no bound holds. Build "
                 "without -ffast-math and load no library that sets these modes",
                 "floating point"};
  return {};
}

}  // namespace proven
