// Other ways to keep the blocked arcs, for comparison.
#pragma once

#include <memory>
#include <span>

#include "proven/roadmap/blockage.h"

namespace proven::bench {

// Counts per arc how many occupied cells block it, from plain lists.
class NaiveCounters {
 public:
  explicit NaiveCounters(const roadmap::CellSets& sets)
      : sets_(sets), count_(static_cast<std::size_t>(sets.num_items)) {}
  void update(std::span<const std::uint32_t> occupied, std::span<const std::uint32_t> freed) {
    for (const std::uint32_t cell : occupied)
      for (const std::uint32_t arc : sets_.at(static_cast<int>(cell))) ++count_[arc];
    for (const std::uint32_t cell : freed)
      for (const std::uint32_t arc : sets_.at(static_cast<int>(cell))) --count_[arc];
  }
  bool is_blocked(std::uint32_t arc) const { return count_[arc] != 0; }

 private:
  const roadmap::CellSets& sets_;
  std::vector<std::uint32_t> count_;
};

#ifdef PROVEN_BENCH_WITH_ROARING
// CRoaring bitmaps, one per cell, run-optimised; the union of all occupied cells in one call.
class RoaringUnion {
 public:
  explicit RoaringUnion(const roadmap::CellSets& sets);
  ~RoaringUnion();
  void make_union(std::span<const std::uint32_t> occupied);
  bool is_blocked(std::uint32_t arc) const;
  std::size_t size_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};
#endif

}  // namespace proven::bench
