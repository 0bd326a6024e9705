#include "papers/geometry/piece_hash.h"

#include <algorithm>
#include <bit>

namespace proven {

void PieceHash::fill(std::span<const Aabb> boxes, const Aabb& region, double cell) {
  region_ = region;
  inverse_cell_ = 1 / cell;
  mask_ = std::bit_ceil(static_cast<std::uint32_t>(2 * boxes.size() + 16)) - 1;
  first_.assign(std::size_t{mask_} + 2, 0);
  for (const Aabb& box : boxes) for_cells(box, [&](std::uint32_t bucket) { ++first_[bucket + 1]; });
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  items_.resize(first_.back());
  next_.assign(first_.begin(), first_.end() - 1);
  for (std::uint32_t item = 0; item < boxes.size(); ++item)
    for_cells(boxes[item], [&](std::uint32_t bucket) { items_[next_[bucket]++] = item; });
  seen_.assign(boxes.size(), 0);
  stamp_ = 0;
}

}  // namespace proven
