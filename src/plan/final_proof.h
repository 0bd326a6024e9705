// Options of planners.
#pragma once

#include "proven/plan/plan.h"

namespace proven {

// What planners work with meanwhile.
CheckOptions without_certificate(CheckOptions options);

}  // namespace proven
