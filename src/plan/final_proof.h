// Options of planners.
#pragma once

#include "proven/plan/plan.h"

namespace proven {

CheckOptions without_certificate(CheckOptions options);
// What planners work with meanwhile: many questions, none of which needs a certificate.
CheckOptions for_planning(CheckOptions options);

}  // namespace proven
