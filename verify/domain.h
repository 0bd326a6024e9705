// Chapter 3, continued: where it holds that two links were proved never to meet.
#pragma once

#include "verify/model.h"

namespace proven::verifier {

// An SRDF that says of two links that they were proved never to meet says so of values within the
// limits of the joints between them. Throws if the model excludes such a pair and the motion, with
// its tracking error, or what follows the clock leaves these limits.
void require_domain(const Model& model, const Motion& motion, const TrackingError& tracking);

}  // namespace proven::verifier
