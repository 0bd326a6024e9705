// Other ways to keep the blocked edges, for comparison.
#pragma once

#include <memory>
#include <span>

#include "papers/roadmap/cell_lists.h"

namespace proven::bench {

// Counts per edge how many occupied cells block it, from plain lists.
class NaiveCounters {
 public:
  explicit NaiveCounters(const roadmap::CellLists& lists)
      : lists_(lists), count_(static_cast<std::size_t>(lists.num_items)) {}
  void update(std::span<const std::uint32_t> occupied, std::span<const std::uint32_t> freed) {
    for (const std::uint32_t cell : occupied)
      for (const std::uint32_t edge : lists_.at(static_cast<int>(cell))) ++count_[edge];
    for (const std::uint32_t cell : freed)
      for (const std::uint32_t edge : lists_.at(static_cast<int>(cell))) --count_[edge];
  }
  bool is_blocked(std::uint32_t edge) const { return count_[edge] != 0; }

 private:
  const roadmap::CellLists& lists_;
  std::vector<std::uint32_t> count_;
};

#ifdef PROVEN_BENCH_WITH_ROARING
// CRoaring bitmaps, one per cell, run-optimised; the union of all occupied cells in one call.
class RoaringUnion {
 public:
  explicit RoaringUnion(const roadmap::CellLists& lists);
  ~RoaringUnion();
  void make_union(std::span<const std::uint32_t> occupied);
  bool is_blocked(std::uint32_t edge) const;
  std::size_t size_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};
#endif

}  // namespace proven::bench
