// A proved path that shortcuts shorten: places on it are lengths from its begin. What of them is
// free, others ask.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "proven/plan/joint_space.h"

namespace proven {

class ShortcutPath {
 public:
  using Point = JointSpace::Point;

  ShortcutPath(const JointSpace& space, const std::vector<std::vector<double>>& waypoints,
               double waypoint_cost = 0);

  double length() const { return places_.back(); }
  int num_segments() const { return static_cast<int>(points_.size()) - 1; }

  // A place: on segment `segment`, which it cuts unless it is (next to) an end of it.
  struct Place {
    int segment = 0;
    double t = 0;
    bool at_begin = false, at_end = false;

    int waypoint() const { return at_begin ? segment : at_end ? segment + 1 : -1; }
  };
  // One straight segment instead of the part between two places. A cut is rounded and need not lie
  // on the segment that it cuts: what is left of that must be proved as well, at both ends.
  struct Shortcut {
    Place from, to;
    Point from_point, to_point;
    double gain = 0;

    bool cuts_begin() const { return from.waypoint() < 0; }
    bool cuts_end() const { return to.waypoint() < 0; }
  };
  // If it is shorter by more than `least_gain`, and the cost of waypoints that it adds.
  std::optional<Shortcut> propose(double from, double to, double least_gain);
  // Of a shortcut that was proved; returns what was gained.
  double take(const Shortcut& shortcut);

  // By how much a waypoint between the ends shortens the path if it moves there; 0 if that is not
  // worth a test.
  double propose_move(int waypoint, const Point& to);
  // Of one that was proved.
  void move(int waypoint, const Point& to);

  // That the motion past a waypoint is asked about, and that it was proved: by the triangle
  // inequality the path gets no longer.
  void propose_drop() { ++tried_; }
  void drop(int waypoint);

  // The points of another path, which must be free.
  void become(std::vector<Point> points);

  const std::vector<Point>& points() const { return points_; }
  const Point& point(int waypoint) const { return points_[static_cast<std::size_t>(waypoint)]; }
  std::vector<std::vector<double>> waypoints() const;
  std::int64_t tried() const { return tried_; }
  std::int64_t taken() const { return taken_; }

 private:
  Place locate(double place) const;
  Point point_at(const Place& place) const;
  // Waypoints before and after a shortcut that stay: up to the first, and from the second on.
  static std::array<int, 2> kept(const Place& from, const Place& to);
  void measure();

  const JointSpace& space_;
  std::size_t size_;      // of a full configuration
  double waypoint_cost_;  // a share of the length
  std::vector<Point> points_;
  std::vector<double> places_;  // of the points
  std::int64_t tried_ = 0, taken_ = 0;
};

}  // namespace proven
