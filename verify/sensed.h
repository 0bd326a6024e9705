// Chapter 4, continued: what a sensor saw (format, section 12): balls around points, or boxes made
// of cells of a grid.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/geometry/shapes.h"
#include "verify/boxes.h"

namespace proven::verifier {

// Cells from `first` to before `end`, in each axis.
struct CellBox {
  std::array<int, 3> first, end;

  friend bool operator==(const CellBox&, const CellBox&) = default;
};

// The cells, each of which counts once, as boxes: runs, plates of equal runs, boxes of equal
// plates.
std::vector<CellBox> boxes_of_cells(std::span<const std::array<std::int32_t, 3>> cells);

// Along the curve that orders the pieces.
std::vector<std::uint64_t> codes_of_points(std::span<const Vec3> points);
std::vector<std::uint64_t> codes_of_boxes(std::span<const CellBox> boxes);

// The tree over pieces with such codes; `bounds` surely hold the pieces. At least one.
BoxTree build_code_tree(std::span<const std::uint64_t> codes, std::span<const Box3> bounds);

}  // namespace proven::verifier
