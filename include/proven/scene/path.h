// A path: straight lines in joint space between waypoints. Truth is the doubles as given: no
// wrapping, not even for continuous joints.
#pragma once

#include <string>
#include <vector>

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
  std::vector<double> start, goal;     // full configurations
  std::vector<int> planned;            // coordinates to plan for: those that the file named
  std::vector<std::string> defaulted;  // as in Path
};

}  // namespace proven
