// What numbers of a scene or a path may be, here and in the verifier.
#pragma once

namespace proven {

// Joint values, mimic factors, clearances and axes beyond this are refused, so that no product
// overflows and a turn keeps its digits.
inline constexpr double kLargestNumber = 1e9;
// The largest component of a joint's axis must exceed this.
inline constexpr double kShortestAxis = 1e-9;

}  // namespace proven
