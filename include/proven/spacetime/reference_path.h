// A smooth line to drive along, measured by its length.
#pragma once

#include <vector>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

// A place on a path: where it is, which way it points and how it bends.
struct PathPoint {
  Vec2 p;
  double heading = 0;    // without jumps of 2 pi
  double curvature = 0;  // 1/m, to the left
  double sharpness = 0;  // its change per metre
};

class ReferencePath {
 public:
  // Needs at least two different points. They are taken every metre, averaged with their neighbours
  // `smoothing` times, and become a cubic spline, so that the curvature has no jumps.
  static Result<ReferencePath> make(std::vector<Vec2> points, int smoothing = 8);

  double length() const { return spacing_ * static_cast<double>(points_.size() - 1); }
  // Beyond the ends: straight on.
  PathPoint at(double s) const;
  // The nearest s, and the signed distance to the left of it.
  Vec2 locate(Vec2 p) const;
  // The same within a distance of a place that is known.
  Vec2 locate_near(Vec2 p, double s, double within) const;

 private:
  std::vector<PathPoint> points_;  // every spacing_ metres
  double spacing_ = 0.25;
};

}  // namespace proven::spacetime
