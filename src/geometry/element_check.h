// Refuses collision elements that cannot be treated, saying what is wrong and what to do.
#pragma once

#include "proven/base/result.h"
#include "proven/geometry/shapes.h"

namespace proven {

Result<void> check_element(const CollisionElement& element);

}  // namespace proven
