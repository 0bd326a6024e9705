// Lines of straight pieces, by their length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

// From the first point to every one.
inline std::vector<double> lengths_along(const std::vector<Vec2>& line) {
  std::vector<double> s = {0};
  for (std::size_t i = 1; i < line.size(); ++i) s.push_back(s.back() + norm(line[i] - line[i - 1]));
  return s;
}

// The point at a share of the length.
inline Vec2 point_at(const std::vector<Vec2>& line, const std::vector<double>& s, double share) {
  const double at = share * s.back();
  const auto i = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(std::upper_bound(s.begin(), s.end(), at) - s.begin() - 1, 0,
                                 static_cast<std::ptrdiff_t>(s.size()) - 2));
  const double step = s[i + 1] - s[i];
  return line[i] + (step > 0 ? (at - s[i]) / step : 0.0) * (line[i + 1] - line[i]);
}

}  // namespace proven::spacetime
