// Chapter 15: traffic. Outlines in the plane that move in time, as the files give them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verify/interval.h"

namespace proven::verifier {

struct Point2 {
  Interval x, y;
};

// The corners of a polygon, or one point, and all points within the radius of its hull or, taken by
// its edges, of its inside.
struct Shape2 {
  std::vector<Point2> corners;
  Interval radius = 0;
};

// A sample of a motion. The truth is within `deviation` metres and `turn_deviation` radians of it.
struct Sample2 {
  double t = 0;
  Interval x, y, heading;
  Interval deviation = 0, turn_deviation = 0;
};

// What is somewhere for a time: it moves through samples, or stands (one sample) from `begin` to
// `end`.
struct Part2 {
  std::vector<Shape2> shapes;
  std::vector<Sample2> samples;
  double begin = 0, end = 0;

  bool stands() const { return samples.size() == 1; }
};

// What is taken to follow the last that a file says of a mover; the numbers of the format.
enum class Ending { rest = 0, straight_on = 1, gone = 2 };

struct Mover2 {
  std::string name;
  std::vector<Part2> parts;  // one, or the occupancies of a set
};

// For ever, as far as a double can tell.
inline constexpr double kAlways = 1e12;

// Readers of their own; both end with Unreadable.
std::vector<Mover2> read_traffic_scene(const std::filesystem::path& file);
struct BoxSize {
  double length = 0, width = 0;
};
std::vector<Mover2> read_traffic_motions(const std::filesystem::path& file, BoxSize usual);

// The movers, there until `until` at least unless they are gone by then.
void prolong(std::vector<Mover2>& movers, Ending ending, double until);

Interval cosine(const Interval& angle);
Interval sine(const Interval& angle);

}  // namespace proven::verifier
