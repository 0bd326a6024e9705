// Links of one robot that are near each other by design: where in the space of the one or two
// coordinates between them they are surely apart.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "model_data.h"
#include "sweep_kernel.h"

namespace proven {

struct PairTable {
  static constexpr int kCells = 32, kStripes = 128;  // of the first coordinate, of the second
  // Cells are proved with so much more on each side, relative to 1 + |limits|: values within
  // 2^13 cells of them round by less, and so do that many turns.
  static constexpr double kPad = 0x1p-36;

  struct Axis {
    int coordinate = -1;  // -1: there is no second one
    double lower = 0, width = 1;
    bool whole = false;  // all cells together are a whole turn
  };
  std::array<Axis, 2> axis;
  // By cells of the second coordinate: a bit per cell of the first where the pair keeps what is
  // required, whatever the other coordinates are.
  std::array<std::uint32_t, kStripes> free = {};

  // Chords of a part of a straight segment that leave the free cells.
  std::uint32_t open_chords(std::span<const double> from, std::span<const double> to, double begin,
                            double width) const;

 private:
  bool free_between(std::pair<int, int> x, std::pair<int, int> y) const;
};

// Null where there are more coordinates between the two. Takes milliseconds; tables are kept for
// the whole process, by all that they depend on.
std::shared_ptr<const PairTable> pair_table(const ModelData& model, int pair);

}  // namespace proven
