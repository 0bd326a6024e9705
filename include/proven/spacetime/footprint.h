// The outline of an object in the plane, in its own frame B (x forward, y to the left).
//
// A footprint is a union of convex pieces. A piece is a convex core and all points within `radius`
// of it: a circle is a point with a radius, a box is its own core. Polygons need not be convex;
// they are cut into convex pieces that cover them exactly.
#pragma once

#include <span>
#include <vector>

#include "proven/base/result.h"

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

struct Piece {
  Vec2 centre;                // of a box core
  Vec2 half;                  // half extents of a box core along B's axes; zero: a circle
  std::vector<Vec2> corners;  // of a polygon core, counter-clockwise; empty: a box core
  std::vector<Vec2> normals;  // outward units of its edges, edge i from corner i to i + 1
  double radius = 0;
  double reach = 0;  // upper bound on the distance of a core point from B's origin

  bool is_box() const { return corners.empty(); }
};

class Footprint {
 public:
  Footprint() = default;  // no pieces: touches nothing

  // Full extents, as in files.
  static Result<Footprint> box(double length, double width, Vec2 centre = {},
                               double orientation = 0);
  static Result<Footprint> circle(double radius, Vec2 centre = {});
  // A simple polygon in either sense of rotation; a repeated last corner is dropped.
  static Result<Footprint> polygon(std::vector<Vec2> outline);
  static Footprint compound(std::span<const Footprint> parts);

  std::span<const Piece> pieces() const { return pieces_; }
  // The box around all pieces along B's axes, radii included.
  Vec2 box_centre() const { return box_centre_; }
  Vec2 box_half() const { return box_half_; }
  // Upper bounds over all pieces: of core points, and of all points, from B's origin.
  double core_reach() const { return core_reach_; }
  double reach() const { return reach_; }

 private:
  explicit Footprint(std::vector<Piece> pieces);

  std::vector<Piece> pieces_;
  Vec2 box_centre_, box_half_;
  double core_reach_ = 0, reach_ = 0;
};

}  // namespace proven::spacetime
