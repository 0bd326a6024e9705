// Rows as updates read them: words of 64 items that are not zero, then for each of them the gap to
// the one before it, a byte each. Larger in memory than the rows of a file, and several times
// faster to add.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "roadmap/cell_table.h"

namespace proven::roadmap {

class WideTable {
 public:
  // Every row by a function that sets its bits in a cleared bitmap; called from many threads.
  WideTable(int num_rows, int num_items, int threads,
            const std::function<void(int row, ItemBits& bits)>& fill);

  // bits |= row.
  void add(int row, ItemBits& bits) const;
  // Asks for the memory of a row that is added soon.
  void prefetch(int row) const;
  // Whether the row holds every item.
  bool is_full(int row) const { return full_[static_cast<std::size_t>(row)] != 0; }
  std::size_t size_bytes() const;

 private:
  std::size_t begin(int row) const { return first_[static_cast<std::size_t>(row)]; }

  std::vector<std::size_t> first_;   // of each row in `data_`; one more than there are rows
  std::vector<std::uint64_t> data_;  // a row of n words: these, then n bytes, filled up with zeros
  std::vector<std::uint8_t> full_;
};

}  // namespace proven::roadmap
