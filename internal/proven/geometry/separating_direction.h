// A direction along which two sets of points may be separated best.
#pragma once

#include <limits>
#include <span>

#include "proven/base/vec3.h"

namespace proven {

// The unit direction from the hull of `a` to the hull of `b`, both in one frame, between the points
// where they are closest; zero if they overlap, or are found to be no farther apart than `least`.
// The search begins along `guess`, from a to b, and ends at the first direction along which they
// are farther apart than `enough`. It is a proposal: what it is worth, support functions tell.
Vec3 separating_direction(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& guess,
                          double enough = std::numeric_limits<double>::infinity(),
                          double least = 0);

}  // namespace proven
