// Roads made of lanelets, as CommonRoad describes them: where a vehicle may drive, in which
// direction, how fast, and where it has to stop.
//
// The border of a road is made of obstacles: a vehicle that starts on the road and is proved free
// of them stays on it (docs/algorithms/spacetime.md, "The road").
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

struct Neighbour {
  std::string id;
  bool same_direction = true;
  bool may_change = true;  // false: a solid line is between

  bool is_open() const { return same_direction && may_change; }
};

struct StopLine {
  Vec2 left, right;
  bool must_stop = false;           // a sign says so, whatever comes
  std::vector<std::string> lights;  // ids; the line is not passed unless all of them allow it
};

struct Lanelet {
  std::string id;
  std::vector<Vec2> left, right;  // in the direction of travel
  std::vector<std::string> successors, predecessors;
  std::optional<Neighbour> left_neighbour, right_neighbour;
  std::optional<double> speed_limit;  // m/s
  std::optional<StopLine> stop_line;
  bool for_vehicles = true;  // false: a pavement, a cycle path, ...
};

// Colours in turn, over and over, from `offset` on.
struct TrafficLight {
  struct Phase {
    bool may_pass = false;  // green, or out of order
    double duration = 0;    // seconds
  };
  std::string id;
  std::vector<Phase> phases;
  double offset = 0;

  bool may_pass(double t) const;
};

// The road of some lanelets is what is within kSeam of one of them, so that hair-wide gaps between
// lanelets that were drawn one by one are no gaps of the road.
inline constexpr double kSeam = 0.05;

class Road {
 public:
  Road() = default;
  // An Error names a lanelet that is there twice, or that has a border of no length.
  static Result<Road> build(std::vector<Lanelet> lanelets, std::vector<TrafficLight> lights = {});

  const std::vector<Lanelet>& lanelets() const { return lanelets_; }
  bool empty() const { return lanelets_.empty(); }
  // The index of a lanelet; -1 if there is none.
  int find(const std::string& id) const;
  const TrafficLight* find_light(const std::string& id) const;

  bool holds(int lanelet, Vec2 p) const;
  // The line in the middle of a lanelet.
  const std::vector<Vec2>& centre_line(int lanelet) const;
  double length(int lanelet) const;
  // The direction of travel where p is, on or beside the lanelet.
  double direction(int lanelet, Vec2 p) const;
  // The lanelets for vehicles that hold p and go within a right angle of the heading.
  std::vector<int> at(const Pose2& pose) const;
  // All lanelets for vehicles.
  std::vector<int> all() const;

  // The border of the road that these lanelets make, as standing obstacles. Whoever stays more than
  // kSeam away from it, and starts with a point on one of the lanelets, stays on the lanelets or
  // the seams between them.
  std::vector<Obstacle> border(std::span<const int> lanelets) const;

 private:
  std::vector<Lanelet> lanelets_;
  std::vector<TrafficLight> lights_;
  std::map<std::string, int> index_;
  std::vector<std::vector<Vec2>> outlines_, centres_;
  std::vector<Vec2> low_, high_;
};

// A way along lanelets: runs of successors, with changes to a neighbour in between.
struct Route {
  std::vector<int> lanelets;  // in the order in which they are driven on
  std::vector<bool> change;   // entry i: lanelet i is reached by a change of lanes
  std::vector<int> corridor;  // these, their neighbours in the same direction, and what precedes
  bool reaches_goal = false;  // false: as far as the road goes
  std::vector<Vec2> line;     // the middle of the lanes, with the changes
};

struct RouteOptions {
  double length = 200;      // metres to look ahead where no goal ends it
  double change_cost = 30;  // metres of detour that a change of lanes is worth
};

// The shortest way from the start to one of the `goals` (lanelets; none: straight on).
// `goal_points` say where on them, in the same order. An Error says that the start is on no
// lanelet in its direction.
Result<Route> find_route(const Road& road, const Pose2& start, std::span<const int> goals,
                         std::span<const Vec2> goal_points, const RouteOptions& options = {});

}  // namespace proven::spacetime
