// φ as it is stored: one row of bits per cell, in chunks of 256 items, each written the cheapest of
// five ways. A row is added to a bitmap without being unpacked.
//
// A row is a sequence of chunks: a byte that says how many chunks to pass over, a byte that says
// which kind, and the payload:
//   0 … 63      an array of 1 … 64 places, a byte each
//   64 … 127    1 … 64 runs, two bytes each: first place, length - 1
//   128         bitmaps of 1 … 256 chunks in a row: a byte with their number - 1, 32 bytes each
//   129         all 256
//   130         nothing: only passes over
//   131 … 158   1 … 28 runs that are missing from all 256
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/roadmap/cell_sets.h"

namespace proven::roadmap {

// One bit per item.
using ItemBits = std::vector<std::uint64_t>;
inline ItemBits make_bits(int num_items) {
  return ItemBits((static_cast<std::size_t>(num_items) + 255) / 256 * 4);
}
inline bool test_bit(const ItemBits& bits, std::uint32_t item) {
  return bits[item >> 6] >> (item & 63) & 1;
}

// Rows over some sets; either owns its bytes or looks at a mapped file.
struct RowTable {
  std::span<const std::uint64_t> first;  // one more than there are rows
  std::span<const std::uint8_t> bytes;
  std::vector<std::uint64_t> own_first;
  std::vector<std::uint8_t> own_bytes;

  RowTable() = default;
  RowTable(RowTable&&) = default;
  RowTable& operator=(RowTable&&) = default;

  int num_rows() const { return static_cast<int>(first.size()) - 1; }
  std::size_t size_bytes() const { return first.size_bytes() + bytes.size(); }
  std::span<const std::uint8_t> row(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return bytes.subspan(static_cast<std::size_t>(first[i]),
                         static_cast<std::size_t>(first[i + 1] - first[i]));
  }
  void keep(std::vector<std::uint64_t> f, std::vector<std::uint8_t> b) {
    own_first = std::move(f);
    own_bytes = std::move(b);
    first = own_first;
    bytes = own_bytes;
  }
};

struct Rows {
  int num_items = 0;
  RowTable cells;  // and the outside

  std::size_t size_bytes() const { return cells.size_bytes(); }
};

Rows encode_rows(const CellSets& sets, int threads = 1);

void append_row(std::span<const std::uint32_t> items, std::vector<std::uint8_t>& bytes);
// bits |= row. The row must have passed check_row.
void add_row(std::span<const std::uint8_t> row, ItemBits& bits);
std::vector<std::uint32_t> decode_row(std::span<const std::uint8_t> row, int num_items);
// Whether the bytes are a row over so many items: adding it stays within bounds.
bool check_row(std::span<const std::uint8_t> row, int num_items);

}  // namespace proven::roadmap
