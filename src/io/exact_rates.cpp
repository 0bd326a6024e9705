#include "io/exact_rates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>

namespace proven::io {
namespace {

// Doubles in their order, as whole numbers.
std::int64_t rank_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? -(bits & INT64_MAX) : bits;
}
double of_rank(std::int64_t rank) {
  return rank < 0 ? -std::bit_cast<double>(-rank) : std::bit_cast<double>(rank);
}

struct Ranks {
  std::int64_t first = rank_of(-kSplineRates.upper), last = rank_of(kSplineRates.upper);

  bool empty() const { return first > last; }
  double nearest(double guess) const { return of_rank(std::clamp(rank_of(guess), first, last)); }
};

using Function = std::function<double(double)>;

// What of `among` a function, which never decreases with the rate, takes to the value: rounding
// keeps the order.
Ranks solutions(const Ranks& among, const Function& function, double value) {
  // The first rate with function(rate) >= value, or > value.
  const auto bound = [&](bool beyond) {
    std::int64_t low = among.first, high = among.last + 1;
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      const double there = function(of_rank(middle));
      if (beyond ? there > value : there >= value)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  const std::int64_t first = bound(false);
  return {first, bound(true) - 1};
}

// Control points next to where the pieces meet, as readers compute them. Those of the piece before
// fall with the velocity; they are negated.
struct Meeting {
  PieceAt before, after;
  bool cubic;

  double first_after(double v) const {
    const Knot here{after.control.front(), v}, there{after.control.back()};
    return cubic ? cubic_between(here, there, after.seconds)[0]
                 : quintic_between(here, there, after.seconds)[0];
  }
  double first_before(double v) const {
    const Knot there{before.control.front()}, here{before.control.back(), v};
    return cubic ? -cubic_between(there, here, before.seconds)[1]
                 : -quintic_between(there, here, before.seconds)[3];
  }
  double second_after(double v, double a) const {
    return quintic_between({after.control.front(), v, a}, {after.control.back()}, after.seconds)[1];
  }
  double second_before(double v, double a) const {
    return quintic_between({before.control.front()}, {before.control.back(), v, a},
                           before.seconds)[2];
  }

  Ranks velocities() const {
    Ranks ranks;
    if (!after.control.empty())
      ranks = solutions(
          ranks, [&](double v) { return first_after(v); }, after.control[1]);
    if (!before.control.empty() && !ranks.empty())
      ranks = solutions(
          ranks, [&](double v) { return first_before(v); },
          -before.control[before.control.size() - 2]);
    return ranks;
  }
  Ranks accelerations(double v) const {
    Ranks ranks;
    if (!after.control.empty())
      ranks = solutions(
          ranks, [&](double a) { return second_after(v, a); }, after.control[2]);
    if (!before.control.empty() && !ranks.empty())
      ranks = solutions(
          ranks, [&](double a) { return second_before(v, a); },
          before.control[before.control.size() - 3]);
    return ranks;
  }
  // Accelerations depend on the velocity by these sums alone.
  std::array<double, 2> sums(double v) const {
    return {after.control.empty() ? 0 : second_after(v, 0),
            before.control.empty() ? 0 : second_before(v, 0)};
  }
};

// One velocity for each value of the sums: they are steps that rise and fall with it.
std::optional<Knot> quintic_rates(const Meeting& meeting, const Ranks& velocities,
                                  const Knot& guess) {
  const double v = velocities.nearest(guess.velocity);
  if (const Ranks found = meeting.accelerations(v); !found.empty())
    return Knot{0, v, found.nearest(guess.acceleration)};
  if (meeting.sums(of_rank(velocities.first)) == meeting.sums(of_rank(velocities.last)))
    return std::nullopt;
  const std::int64_t middle = std::midpoint(velocities.first, velocities.last);
  for (const Ranks& half : {Ranks{velocities.first, middle}, Ranks{middle + 1, velocities.last}})
    if (const auto found = quintic_rates(meeting, half, guess)) return found;
  return std::nullopt;
}

}  // namespace

std::optional<Knot> exact_rates(const PieceAt& before, const PieceAt& after, const Knot& guess) {
  const std::size_t size = std::max(before.control.size(), after.control.size());
  const Meeting meeting{before, after, size == 4};
  const Ranks velocities = meeting.velocities();
  if (velocities.empty()) return std::nullopt;
  if (meeting.cubic) return Knot{0, velocities.nearest(guess.velocity)};
  return quintic_rates(meeting, velocities, guess);
}

}  // namespace proven::io
