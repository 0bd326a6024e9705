// What becomes of an obstacle after its last sample or occupancy. Nobody knows; so it is chosen,
// and said in verdicts and proofs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

enum class Afterwards {
  rest,   // it stands where it was last
  go_on,  // it goes straight on as in its last step, as uncertain as at its end
  gone,   // it is there no more
};
// What drives seldom stops dead where a recording ends, and does not vanish either.
inline constexpr Afterwards kUsualAfterwards = Afterwards::go_on;

// "rest", "continue" or "gone", as options and files of results have it.
std::string_view word_of(Afterwards after);
std::optional<Afterwards> afterwards_of(std::string_view word);

// The obstacle, there until `until` at least unless it is gone by then. A set has no velocity: its
// last regions stay taken. Before its first sample or occupancy it is not there.
Obstacle lasting(Obstacle obstacle, Afterwards after, double until);
std::vector<Obstacle> lasting(std::vector<Obstacle> obstacles, Afterwards after, double until);

// Obstacles of which something is known from `begin` to `end`: what stands is there for ever.
struct Span {
  bool for_ever = false;
  double begin = 0, end = 0;
  std::vector<std::string> names;
};
// One for all that have the same, in the order of their first.
std::vector<Span> spans_of(std::span<const Obstacle> obstacles);
// "van, truck: known from 0 to 4 s; after that straight on as in the last step"
std::string describe(const Span& span, Afterwards after);

}  // namespace proven::spacetime
