// Lanes as others drive on them: cross sections from border to border, close together, over one
// lanelet after the other.
#pragma once

#include <optional>
#include <vector>

#include "proven/spacetime/road.h"

namespace proven::spacetime {

// Cells by number, both included.
struct CellRange {
  int first = 0, last = 0;
};

struct Lane {
  std::vector<Vec2> left, right;  // ends of every section
  std::vector<double> s;          // along the middle of the sections
  // Of the cells between them: their middles, the largest distance of a corner from its middle, and
  // of a middle from the next.
  std::vector<Vec2> middles;
  double radius = 0, stride = 0;

  int cells() const { return static_cast<int>(s.size()) - 1; }
  CellRange all() const { return {0, cells() - 1}; }
  // The cell between section i and the next holds this progress; the ends hold what is beyond.
  int cell_at(double progress) const;
  // The cells whose progress is within a distance of one.
  CellRange around(double progress, double within) const;
  // The progress whose section (as a line) goes through p, where these cells are nearest to p;
  // nullopt: p is before all or behind all of them.
  std::optional<double> locate(Vec2 p, CellRange cells) const;
  // An upper bound on the distance from p to the lane, 0 inside, from these cells alone.
  double distance(Vec2 p, CellRange cells) const;
};

// All lanes that go through a lanelet: `behind` metres over its predecessors and `ahead` metres
// beyond its end over its successors, one for every branch; straight on where the road ends. An
// Error says that there are too many branches.
Result<std::vector<Lane>> lanes_through(const Road& road, int lanelet, double behind, double ahead);

// The first and the last cell with a point within r of a point of cell i, or cells beyond them.
CellRange cells_near(const Lane& lane, int i, double r);

// Convex polygons that hold the cells [first, last], widened by w.
Result<std::vector<Footprint>> cover_cells(const Lane& lane, int first, int last, double w);

// The convex polygon around points, counter-clockwise.
std::vector<Vec2> hull_of(std::vector<Vec2> points);

}  // namespace proven::spacetime
