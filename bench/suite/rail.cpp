#include "bench/suite/rail.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proven::bench {
namespace {

// Edges of barriers are computed to about 1e-15 from doubles that stand for poses in the scene; a
// glancing contact magnifies that by at most the square root of 1e7.
constexpr double kEdgeTolerance = 1e-9;

double random_place(const Rail& rail, Random& random) {
  return random.uniform(rail.low, rail.high);
}

// Just before or just after contact, by 1e-3 down to 1e-8.
double place_at_an_edge(const Rail& rail, Random& random, bool& at_low_edge) {
  const Barrier& b =
      rail.barriers[static_cast<std::size_t>(random.index(static_cast<int>(rail.barriers.size())))];
  at_low_edge = random.uniform() < 0.5;
  const double offset = std::pow(10.0, random.uniform(-8, -3)) * (random.uniform() < 0.5 ? -1 : 1);
  return std::clamp((at_low_edge ? b.low : b.high) + offset, rail.low, rail.high);
}

std::vector<double> random_places(const Rail& rail, Random& random) {
  const double from = random_place(rail, random);
  const double reach = rail.longest > 0 ? rail.longest : rail.high - rail.low;
  const auto near = [&](double x) {
    return std::clamp(x + random.uniform(-reach, reach), rail.low, rail.high);
  };
  const double style = random.uniform();
  if (style < 0.45) return {from, near(from)};
  if (style < 0.65 && !rail.barriers.empty()) {
    bool at_low_edge = false;
    const double end = place_at_an_edge(rail, random, at_low_edge);
    const double run = random.uniform(0, 0.1 * reach);
    const double start = std::clamp(at_low_edge ? end - run : end + run, rail.low, rail.high);
    if (random.uniform() < 0.5) return {start, end};
    return {end, start};
  }
  if (style < 0.85)
    return {from, std::clamp(from + 0.05 * (near(from) - from), rail.low, rail.high)};
  if (style < 0.88) return {from};
  if (style < 0.91) return {from, from};
  const double to = near(from);
  if (style < 0.95) return {from, from, to, to};
  return {from, to, from, near(from)};
}

}  // namespace

Truth truth_on_rail(const Rail& rail, const std::vector<double>& places) {
  bool sure = true;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, places.size() - 1); ++i) {
    const double next = places[std::min(i + 1, places.size() - 1)];
    const double low = std::min(places[i], next), high = std::max(places[i], next);
    for (const Barrier& b : rail.barriers) {
      if (high > b.low + kEdgeTolerance && low < b.high - kEdgeTolerance &&
          b.high - b.low > 4 * kEdgeTolerance)
        return Truth::collision;
      if (high > b.low - kEdgeTolerance && low < b.high + kEdgeTolerance) sure = false;
    }
  }
  return sure ? Truth::free : Truth::unknown;
}

namespace {

double distance_to_barriers(const Rail& rail, const std::vector<double>& places) {
  const auto [low, high] = std::ranges::minmax(places);
  double distance = std::numeric_limits<double>::infinity();
  for (const Barrier& b : rail.barriers)
    distance = std::min(distance, std::max(b.low - high, low - b.high));
  return distance;
}

}  // namespace

SuiteCase rail_case(const Rail& rail, Random& random) {
  const std::vector<double> places = random_places(rail, random);
  SuiteCase motion;
  for (double place : places) motion.waypoints.push_back(rail.configuration(place));
  motion.truth = truth_on_rail(rail, places);
  if (motion.truth == Truth::free && rail.gap_per_distance > 0)
    motion.known_gap = rail.gap_per_distance * distance_to_barriers(rail, places);
  return motion;
}

}  // namespace proven::bench
