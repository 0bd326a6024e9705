// Which cells a robot may touch while it moves along an edge, conservatively by proof.
//
// A cell that is not marked is separated from every part of the robot over the whole edge: time is
// cut into intervals, and for each part of each link and each interval one direction is known along
// which the cell lies beyond everything that the part can reach, to second order
// (docs/algorithms/roadmap.md, "Why a cell may be left out").
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "proven/roadmap/roadmap.h"
#include "roadmap/cells_tables.h"

namespace proven::roadmap {

class Sweeper {
 public:
  // Bodies that hang on joints that can move; the scene's clearance is kept to every cell. The
  // scene must outlive it. Fails on a grid whose cells are too small for the rounding margins.
  static Result<Sweeper> build(const Scene& scene, const Grid& grid,
                               const SweepOptions& options = {});

  Sweeper(Sweeper&&) noexcept;
  Sweeper& operator=(Sweeper&&) noexcept;
  ~Sweeper();

  // Scratch of one thread.
  class Scratch {
   public:
    Scratch();
    Scratch(Scratch&&) noexcept;
    ~Scratch();
    struct State;
    State& state() { return *state_; }

   private:
    std::unique_ptr<State> state_;
  };

  const Grid& grid() const;
  // Adds the cells of the straight motion between two full configurations. Ball joints must rest.
  void mark(std::span<const double> from, std::span<const double> to, Scratch& scratch,
            CellMask& mask) const;
  // What `mark` looks at, for a GPU: the item's passages, at the end.
  void append_passages(std::span<const double> from, std::span<const double> to, int item,
                       Scratch& scratch, std::vector<Passage>& passages) const;
  const CellTables& tables() const;
  // Whether the motion surely avoids the given cells.
  bool avoids(std::span<const double> from, std::span<const double> to, const CellMask& cells,
              Scratch& scratch) const;
  // A box around all the robot can touch on the way.
  Aabb bounds(std::span<const double> from, std::span<const double> to, Scratch& scratch) const;

  struct State;  // src/roadmap/sweep.cpp

 private:
  explicit Sweeper(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven::roadmap
