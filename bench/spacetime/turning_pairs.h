// Pairs of turning boxes, random and adversarial, and an oracle that shares no code with the
// checker.
#pragma once

#include <array>

#include "proven/base/random.h"
#include "proven/spacetime/traffic_scene.h"

namespace proven::bench {

struct TurningBox {
  double length = 0, width = 0;
  spacetime::Trajectory motion;
};
struct TurningPair {
  TurningBox a, b;
};

enum class PairKind { random, spinning, swinging_tail, thin_wall, time_steps, arcs, grazing };
inline constexpr std::array<const char*, 7> kPairKinds = {
    "random", "spinning", "swinging tail", "thin wall", "time steps", "arcs", "grazing"};

TurningPair random_pair(Random& random, PairKind kind);

// The largest gap of the two boxes at t along the axes of both: if it is positive, a lower bound on
// their distance; if not, minus the depth of their overlap.
double gap_at(const TurningPair& pair, double t);

enum class Oracle {
  above,    // at every instant the boxes are farther apart than the level
  below,    // at some instant their gap is below it by more than rounding
  grazing,  // within rounding of it: no answer
};
// The boxes against a level: 0 asks for an overlap, 0.001 whether a millimetre is always left.
Oracle compare(const TurningPair& pair, double level);

// The oracle works in doubles on coordinates of some ten metres: its gaps are off by less.
inline constexpr double kOracleRounding = 1e-11;

}  // namespace proven::bench
