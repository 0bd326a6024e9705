// A path: straight lines in joint space between waypoints. Truth is the doubles as given: no
// wrapping, not even for continuous joints.
#pragma once

#include <string>
#include <vector>

#include "proven/base/interval.h"

namespace proven {

struct Path {
  std::vector<std::vector<double>> waypoints;  // full configurations of the scene, in its order
  std::vector<double> times;                   // empty, or one per waypoint, increasing
  std::vector<std::string> defaulted;  // coordinates the file did not name; kept at home or zero

  int num_segments() const {
    return waypoints.empty() ? 0 : static_cast<int>(waypoints.size()) - 1;
  }
};

// Where to go.
struct Query {
  std::vector<double> start, goal;  // full configurations
  // Coordinates that may move, all four of a ball joint together; the others must be the same in
  // start and goal. Empty: all of them. From a file: those that it named.
  std::vector<int> planned = {};
  // Per coordinate of the scene; empty: the joints' own limits.
  std::vector<Interval> limits = {};
  std::vector<std::string> defaulted = {};  // as in Path
  // The path may end whole turns of continuous joints away from the goal, where that is shorter.
  // Else it ends at the goal as it is written.
  bool any_turn = false;
};

}  // namespace proven
