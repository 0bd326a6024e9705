// Options of planners, and the proof of what they return (prove_finally, proven/plan/plan.h).
#pragma once

#include "proven/plan/plan.h"

namespace proven {

CheckOptions without_certificate(CheckOptions options);
// For the pre-check of what planners try.
CheckOptions for_planning(CheckOptions options);

}  // namespace proven
