// Motions of one degree of freedom with known answers: a mechanism on a rail (an angle or a length)
// and the open intervals of it in which something collides.
#pragma once

#include <functional>
#include <vector>

#include "bench/suite/suite.h"

namespace proven::bench {

struct Barrier {
  double low, high;
};

struct Rail {
  std::vector<Barrier> barriers;
  double low = 0, high = 0;  // where motions start and end
  double longest = 0;        // of one segment; 0: no bound
  // A place that is this distance from all barriers is at least this many times it, in metres, from
  // all bodies; 0: not known.
  double gap_per_distance = 0;
  // The scene's configuration at a place on the rail.
  std::function<std::vector<double>(double)> configuration = [](double x) {
    return std::vector<double>{x};
  };
};

// What happens on the way through these places; unknown where the end of a barrier is too close to
// an end of the motion for doubles to tell.
Truth truth_on_rail(const Rail& rail, const std::vector<double>& places);

// A random motion: across barriers, up to their edges, of no length, with repeated waypoints, there
// and back.
SuiteCase rail_case(const Rail& rail, Random& random);

}  // namespace proven::bench
