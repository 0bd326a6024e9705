// Samples that a path shorter than a given one can pass: points of the space whose distances to
// start and goal together are below its length (Gammell, Srinivasa, Barfoot: Informed RRT*).
#pragma once

#include <vector>

#include "proven/plan/joint_space.h"

namespace proven {

class InformedSamples {
 public:
  using Point = JointSpace::Point;
  // `length` is that of the path to beat; infinite: any point will do.
  InformedSamples(const JointSpace& space, Point start, std::vector<Point> goals, double length);

  void sample(Random& random, std::span<double> out) const;
  // A sample of those within these values, if that is known to be worth something: only in a space
  // without ball joints in which any point will do.
  bool sample_within(std::span<const Interval> values, Random& random, std::span<double> out) const;

 private:
  bool is_useful(std::span<const double> point) const;
  void sample_ellipsoid(const Point& goal, Random& random, std::span<double> out) const;

  const JointSpace& space_;
  Point start_;
  std::vector<Point> goals_;  // those that the length lets reach
  double length_;
};

}  // namespace proven
