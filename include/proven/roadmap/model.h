// A dynamic roadmap: a graph for the workspace without moving obstacles, and φ, which tells for
// every cell of the workspace which nodes and arcs may touch it (Leven and Hutchinson; paper 004).
//
// Promised: an arc that is not in φ of a cell does not touch that cell, by proof (sweep.h). Arcs
// are proved free of self-collision and of the fixed parts of the scene.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "proven/base/hash.h"
#include "proven/roadmap/cell_sets.h"
#include "proven/roadmap/graph.h"
#include "proven/roadmap/grid.h"
#include "proven/roadmap/rows.h"

namespace proven::roadmap {

struct Model {
  Hash128 scene_hash;  // of the scene that it was built for
  std::uint64_t seed = 0;
  double remainder = 0;  // of SweepOptions
  Graph graph;
  Grid grid;
  Rows arcs, nodes;                    // φa and φn
  std::shared_ptr<const void> memory;  // a mapped file that the rows look at; may be null
};

// φ as lists.
CellSets decode_sets(const Rows& rows);

// One versioned file: a table of sections, each with its checksum, all aligned for mapping.
std::vector<std::uint8_t> to_bytes(const Model& model);
// Every checksum and every row is checked: a damaged byte is an Error. The rows look at `bytes`,
// which `memory` keeps.
Result<Model> from_bytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> memory);

}  // namespace proven::roadmap
