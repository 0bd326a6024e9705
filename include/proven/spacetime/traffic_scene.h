// What is on the road: outlines in the plane, motions in time, and obstacles that have both, ready
// to be asked about many trajectories (check.h).
//
// A scene cuts time into bins; every obstacle has one box per bin that holds all it does in that
// time, and one per 16 bins above it. The order of time is the order of the tree: nothing is
// sorted, no pointer is kept. The boxes only choose what is looked at closely; verdicts come from
// exact shapes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/words.h"

namespace proven::spacetime {

struct Vec2 {
  double x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};

inline Vec2 operator+(Vec2 a, Vec2 b) {
  return {a.x + b.x, a.y + b.y};
}
inline Vec2 operator-(Vec2 a, Vec2 b) {
  return {a.x - b.x, a.y - b.y};
}
inline Vec2 operator*(double s, Vec2 a) {
  return {s * a.x, s * a.y};
}
inline double dot(Vec2 a, Vec2 b) {
  return a.x * b.x + a.y * b.y;
}
inline double cross(Vec2 a, Vec2 b) {
  return a.x * b.y - a.y * b.x;
}
double norm(Vec2 a);

// Convex pieces have at most this many corners; larger ones are cut, so that scratch is fixed.
inline constexpr int kMaxCorners = 32;
// Sizes and coordinates beyond these are refused as slips of the unit (metres).
inline constexpr double kSmallestSize = 1e-6;
inline constexpr double kLargestCoordinate = 1e7;

// A convex core in the frame B of its object (x forward, y to the left), and all points within
// `radius` of it: a circle is a point with a radius, a box is its own core.
struct Piece {
  Vec2 centre;  // the centre of a box core
  Vec2 half;    // its half extents along B's axes; zero for a circle
  std::vector<Vec2>
      corners;  // a polygon core's, counter-clockwise (two: a line); empty for a box core
  std::vector<Vec2> normals;  // outward units of its edges, edge i from corner i to i + 1
  double radius = 0;
  double reach = 0;  // upper bound on the distance of a core point from B's origin

  bool is_box() const { return corners.empty(); }
};

// The outline of an object in its frame B: a union of convex pieces. Polygons need not be convex;
// they are cut into pieces that cover them exactly.
class Footprint {
 public:
  Footprint() = default;  // without pieces it touches nothing

  // Full extents, as in files.
  static Result<Footprint> box(double length, double width, Vec2 centre = {},
                               double orientation = 0);
  static Result<Footprint> circle(double radius, Vec2 centre = {});
  // A simple polygon in either sense of rotation; a repeated last corner is dropped.
  static Result<Footprint> polygon(std::vector<Vec2> outline);
  // The line through these points, which has no inside: at least two, neighbours differ.
  static Result<Footprint> polyline(const std::vector<Vec2>& points);
  static Footprint compound(std::span<const Footprint> parts);
  // All points within a distance of it.
  Footprint grown(double distance) const;

  std::span<const Piece> pieces() const { return pieces_; }
  // Polygons that were cut, as they were given: `count` pieces from `first` on make up each.
  struct Cut {
    int first = 0, count = 0;
    std::vector<Vec2> outline;
  };
  std::span<const Cut> cuts() const { return cuts_; }
  // The box around all pieces along B's axes, radii included.
  Vec2 box_centre() const { return box_centre_; }
  Vec2 box_half() const { return box_half_; }
  // Upper bounds on the distance from B's origin: of core points, and of all points.
  double core_reach() const { return core_reach_; }
  double reach() const { return reach_; }

 private:
  explicit Footprint(std::vector<Piece> pieces);

  std::vector<Piece> pieces_;
  std::vector<Cut> cuts_;
  Vec2 box_centre_, box_half_;
  double core_reach_ = 0, reach_ = 0;
};

// What is promised between two samples. Headings are literal: from 3.1 to -3.1 is a turn of 6.2 rad
// (readers shorten it on request), so
// that an object may spin.
enum class Interpolation {
  linear,  // position and heading change at constant rates
  arc,     // the object turns about one fixed point (constant twist); turns up to pi per step
  // Position and heading are known at the samples only; between them their second derivatives are
  // bounded, so they stay near the linear motion: within a/2 (t - t0)(t1 - t).
  bounded_acceleration,
};
using proven::to_string;

// The motion of an object in the plane as samples in time, in metres, radians and seconds in the
// frame W. Every array has one entry per sample.
struct Trajectory {
  std::vector<double> t, x, y, heading;
  Interpolation between = Interpolation::linear;
  double max_acceleration = 0, max_angular_acceleration = 0;  // bounded_acceleration only
  // The true position and heading at a sample are within these; empty: exact. Between samples the
  // bound goes over linearly.
  std::vector<double> position_deviation, heading_deviation;

  int size() const { return static_cast<int>(x.size()); }
  int num_segments() const { return size() - 1; }
};

inline constexpr double kLargestHeading = 1e5;
inline constexpr double kLargestTime = 1e9;

// Demands at least two samples, finite values, strictly increasing times, and turns that the
// interpolation allows.
Result<void> validate(const Trajectory& trajectory);

struct Pose2 {
  double x = 0, y = 0, heading = 0;
};
// The nominal pose at a time within the samples.
Pose2 pose_at(const Trajectory& trajectory, double t);

// Adds multiples of 2 pi so that every turn between samples is at most pi.
void take_shortest_turns(std::vector<double>& heading);

// A region of the world that is taken for a time; set-based predictions are lists of them.
struct Occupancy {
  double t_begin = 0, t_end = 0;
  Footprint region;  // in W
};

// An obstacle either moves along a trajectory of at least two samples, and exists only from its
// first to its last; or it stands at `pose` for ever; or it is a list of occupancies.
struct Obstacle {
  std::string name;
  Footprint footprint;
  Trajectory motion;  // empty: it stands still
  Pose2 pose;
  std::vector<Occupancy> occupancies;  // not empty: footprint, motion and pose are not used

  bool is_set() const { return !occupancies.empty(); }
  bool moves() const { return !is_set() && motion.size() > 0; }
};

class TrafficScene {
 public:
  // An Error names the obstacle.
  static Result<TrafficScene> build(std::vector<Obstacle> obstacles);

  const std::vector<Obstacle>& obstacles() const;
  // The first and the last time at which something other than a standing obstacle exists;
  // begin > end if there is none.
  double t_begin() const;
  double t_end() const;
  int num_bins() const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  explicit TrafficScene(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace proven::spacetime
