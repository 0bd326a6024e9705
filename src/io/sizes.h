// Which sizes are refused and which are only doubted.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "proven/geometry/shapes.h"

namespace proven::io {

// Beyond 10,000 km a double resolves less than a nanometre; below a nanometre a body vanishes in
// the rounding of a scene of metres. Such sizes are slips of the unit or the scale, and are
// refused.
inline constexpr double kLargestCoordinate = 1e7;
inline constexpr double kSmallestSize = 1e-9;

inline bool is_near(const Vec3& p) {
  return std::fabs(p.x) <= kLargestCoordinate && std::fabs(p.y) <= kLargestCoordinate &&
         std::fabs(p.z) <= kLargestCoordinate;
}

// What is wrong with the size of a primitive, with a scale factor or with a position (one that is
// not near); empty if nothing is.
std::string refuse_size(double size);
std::string refuse_scale(const Vec3& scale);
std::string refuse_position(const Vec3& p);

// The longest side of the box around the elements in their body's frame.
double longest_side(std::span<const CollisionElement> elements);
// A warning if that side is beyond 100 m or below 0.1 mm, which is rarely meant.
// Links are rarely longer than `longest`, in metres, and obstacles neither.
inline constexpr double kLongLink = 10, kLongObstacle = 100;
std::optional<std::string> doubt_size(const std::string& what, double longest,
                                      std::span<const CollisionElement> elements);

}  // namespace proven::io
