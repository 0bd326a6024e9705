// build: nodes, arcs and φ for a scene.
//
// The same scene and options give the same model, byte for byte, on any number of threads and
// however often the work was interrupted: it goes in blocks that depend on nothing but their
// number, and a journal keeps those that are done.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/options.h"
#include "proven/roadmap/model.h"
#include "proven/roadmap/sweep.h"
#include "proven/scene/scene.h"

namespace proven::roadmap {

enum class BuildStage : std::uint8_t { samples, proofs, joins, bounds, node_cells, arc_cells };

// Blocks of work that are done. Calls come from one thread at a time.
class BuildJournal {
 public:
  virtual ~BuildJournal() = default;
  virtual std::optional<std::vector<std::uint8_t>> find(BuildStage stage, int block) = 0;
  virtual void store(BuildStage stage, int block, std::span<const std::uint8_t> bytes) = 0;
};

struct BuildOptions {
  int nodes = 2000;
  int neighbours = 8;
  std::uint64_t seed = 1;
  // Size of a cell in metres; a planar grid has one layer over the robot's height.
  double cell = 0.05;
  bool planar = false;
  // The workspace; without it, all that the arcs can reach.
  std::optional<Aabb> bounds;
  SweepOptions sweep;
  CheckOptions check;  // how self-collision is ruled out
  // Give up on a scene where fewer than one in so many samples is free.
  int tries_per_node = 2000;
  int threads = 0;
  BuildJournal* journal = nullptr;
};

// Coordinates that are not planned keep the values of `rest`; no planned ones: all. Progress counts
// blocks of each stage, from any thread, one at a time.
Result<Model> build(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                    const BuildOptions& options, const Budget& budget = {});

// What the journal of a build must belong to.
Hash128 hash_of(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                const BuildOptions& options);

// The cells of every arc, for a graph and a grid (what the last stages of build do).
std::vector<std::vector<std::uint32_t>> cells_of_arcs(const Graph& graph, const Sweeper& sweeper,
                                                      int threads);
std::vector<std::vector<std::uint32_t>> cells_of_nodes(const Graph& graph, const Sweeper& sweeper,
                                                       int threads);

}  // namespace proven::roadmap
