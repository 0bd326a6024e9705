// A proved path that shortcuts shorten: places on it are lengths from its begin.
#pragma once

#include <array>
#include <vector>

#include "proven/certify/prover.h"
#include "proven/plan/joint_space.h"

namespace proven {

class ShortcutPath {
 public:
  // The path must be free by the prover's model.
  ShortcutPath(Prover& prover, const JointSpace& space, const Budget& budget,
               const std::vector<std::vector<double>>& waypoints, double waypoint_cost = 0);

  double length() const { return places_.back(); }
  int num_segments() const { return static_cast<int>(points_.size()) - 1; }

  // Replaces the part between two places by one straight segment if that is proved and shorter by
  // more than `least_gain`, and the cost of waypoints that it adds; returns what was gained, else
  // 0.
  double try_shortcut(double from, double to, double least_gain);

  // Drops waypoints where the straight motion past them is proved, until none is left to drop. By
  // the triangle inequality the path gets no longer.
  void drop_waypoints();

  // Moves a waypoint between the ends elsewhere if that is proved and makes the path shorter;
  // returns what was gained, else 0.
  double try_move(int waypoint, const JointSpace::Point& to);
  // The points of another path, which must be free by the prover's model.
  void become(std::vector<JointSpace::Point> points);

  const std::vector<JointSpace::Point>& points() const { return points_; }
  std::vector<std::vector<double>> waypoints() const;
  std::int64_t tried() const { return tried_; }
  std::int64_t taken() const { return taken_; }

 private:
  using Point = JointSpace::Point;
  // A place: on segment `segment`, which it cuts unless it is (next to) an end of it.
  struct Place {
    int segment = 0;
    double t = 0;
    bool at_begin = false, at_end = false;
  };
  Place locate(double place) const;
  void point_at(const Place& place, Point& out) const;
  int waypoint_at(const Place& place) const;  // -1: between two
  SegmentQuery segment(const Point& from, const Point& to, bool from_is_free);
  bool proves(const Point& from, const Point& to, bool from_is_free);
  // The same where there are others to try (Prover::passes_soon).
  bool proves_soon(const Point& from, const Point& to, bool from_is_free);
  // Waypoints before and after a shortcut that stay: up to the first, and from the second on.
  std::array<int, 2> kept(const Place& from, const Place& to) const;
  void replace(const Place& from, const Place& to);
  void measure();

  Prover& prover_;
  const JointSpace& space_;
  const Budget& budget_;
  double waypoint_cost_;  // a share of the length
  std::vector<Point> points_;
  std::vector<double> places_;               // of the points
  Point from_, to_;                          // ends of the shortcut under work
  std::vector<double> full_from_, full_to_;  // scratch
  std::int64_t tried_ = 0, taken_ = 0;
};

}  // namespace proven
