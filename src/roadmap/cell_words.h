// The cells that the words of a mask hold.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace proven::roadmap {

// In increasing order, at the end.
inline void append_cells(std::span<const std::uint64_t> words, std::vector<std::uint32_t>& cells) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      cells.push_back(static_cast<std::uint32_t>(w * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace proven::roadmap
