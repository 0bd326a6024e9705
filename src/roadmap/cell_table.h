// The rows of a CellTable: a bit per item in chunks of 256, each written the cheapest of five ways.
// A row is added to a bitmap without being unpacked.
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

#include "proven/roadmap/roadmap.h"

namespace proven::roadmap {

// One bit per item.
using ItemBits = std::vector<std::uint64_t>;
inline ItemBits make_bits(int num_items) {
  return ItemBits((static_cast<std::size_t>(num_items) + 255) / 256 * 4);
}

// The table from the cells of every item; a row per cell and one for the outside.
CellTable make_table(std::span<const std::vector<std::uint32_t>> cells_of_item, int num_rows,
                     int threads = 1);

void append_row(std::span<const std::uint32_t> items, std::vector<std::uint8_t>& bytes);
// bits |= row. The row must have passed check_row.
void add_row(std::span<const std::uint8_t> row, ItemBits& bits);
std::vector<std::uint32_t> decode_row(std::span<const std::uint8_t> row, int num_items);
// Whether the bytes are a row over so many items: adding it stays within bounds.
bool check_row(std::span<const std::uint8_t> row, int num_items);

}  // namespace proven::roadmap
