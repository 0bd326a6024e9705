// What moves, as flat arrays that a GPU can hold, and how it moves.
//
// Plain data of plain types: this header is read by CUDA's compiler, too.
#pragma once

#include <cstdint>

#include "roadmap/raster.h"

namespace proven::roadmap {

inline constexpr int kMostPoints = 16;  // of a part

// A convex part of a body: the hull of its points, widened by a radius.
struct FlatPart {
  int first_point, num_points;
  int first_normal, num_normals;  // of its faces
  double radius;
};

struct CellTables {
  RasterGrid grid;
  int num_points, num_normals, num_parts;
  // In the frames of links.
  const V3* points;
  const V3* normals;
  const FlatPart* parts;
};

// A body over an interval of time: where it is in the middle, and how it moves there.
struct Passage {
  double R[9], p[3];  // of its link; the rotation row by row
  V3 angular, linear;
  double half;   // of the interval
  double widen;  // what the parts may lie beside that, and what is kept clear of them
  int item;      // an edge or a node, by its number in a question
  int first_part, num_parts;
};

// One of its parts.
struct CellTask {
  int passage, part;
};

}  // namespace proven::roadmap
