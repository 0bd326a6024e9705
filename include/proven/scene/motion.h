// What moves: a motion is a row of polynomial pieces, a path one whose pieces are straight.
//
// Truth is the doubles as given: no wrapping, not even for continuous joints. Pieces share their
// ends, so that a motion has no jumps.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "proven/base/interval.h"
#include "proven/kinematics/motion_piece.h"

namespace proven {

struct Motion {
  std::vector<std::vector<double>> waypoints;  // full configurations, where pieces meet
  std::vector<double> times;                   // empty, or one per waypoint, increasing; seconds
  std::vector<std::string> defaulted;  // coordinates the file did not name; kept at home or zero
  // Of each piece the control points between its ends (see MotionPiece), at most kMaxDegree - 1.
  // Empty: all pieces are straight.
  std::vector<std::vector<std::vector<double>>> inner = {};

  int num_segments() const {
    return waypoints.empty() ? 0 : static_cast<int>(waypoints.size()) - 1;
  }
  // A motion of one waypoint has one piece of no length.
  MotionPiece piece(int index) const {
    const auto i = static_cast<std::size_t>(index);
    MotionPiece piece{waypoints[i], waypoints[std::min(i + 1, waypoints.size() - 1)], {}};
    if (!inner.empty()) piece.inner = inner[i];
    return piece;
  }
  // The highest of all pieces: 1 if it is a path.
  int degree() const {
    std::size_t most = 0;
    for (const auto& points : inner) most = std::max(most, points.size());
    return static_cast<int>(most) + 1;
  }
  bool straight() const { return degree() == 1; }
};

// A motion that is known to be straight, or that must be.
using Path = Motion;

// Where to go.
struct Query {
  std::vector<double> start, goal;  // full configurations
  // Coordinates that may move, all four of a ball joint together; the others must be the same in
  // start and goal. Empty: all of them. From a file: those that it named.
  std::vector<int> planned = {};
  // Per coordinate of the scene; empty: the joints' own limits.
  std::vector<Interval> limits = {};
  std::vector<std::string> defaulted = {};  // as in Motion
  // The path may end whole turns of continuous joints away from the goal, where that is shorter.
  // Else it ends at the goal as it is written.
  bool any_turn = false;
};

}  // namespace proven
