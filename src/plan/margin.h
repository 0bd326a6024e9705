// Margins: a distance that is wanted, not required.
#pragma once

#include <vector>

#include "proven/base/result.h"
#include "proven/certify/options.h"

namespace proven {

Result<void> validate_margin(double margin);

// The largest first: as asked for, halved a few times, and what is required anyway.
std::vector<double> margins_to_try(double asked, const Clearances& required);

}  // namespace proven
