// An order in which neighbours in space are neighbours in number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proven::roadmap {

// Points are rows of `features`; halved at the median of the widest coordinate, again and again.
// The order is a permutation: order[new] = old.
std::vector<std::uint32_t> locality_order(std::span<const double> features, std::size_t dimension);

}  // namespace proven::roadmap
