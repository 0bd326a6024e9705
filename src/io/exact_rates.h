// Rates of a trajectory that is read again as the same motion, to the bit.
#pragma once

#include <optional>
#include <span>

#include "proven/scene/splines.h"

namespace proven::io {

// All control points of one coordinate on a piece: four or six. None where a motion begins or ends.
struct PieceAt {
  std::span<const double> control;
  double seconds = 0;
};

// Rates at the point where two pieces of the same degree meet, from which both have exactly these
// control points (cubic_between, quintic_between); nothing if there are none. Of several those
// nearest to `guess`.
std::optional<Knot> exact_rates(const PieceAt& before, const PieceAt& after, const Knot& guess);

}  // namespace proven::io
