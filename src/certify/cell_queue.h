// What a directional search still has to do: cells, the most urgent first.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "proven/base/vec3.h"

namespace proven {

// Two nodes of the trees of one match that are not separated yet.
struct NodePair {
  int match, node_a, node_b;
  int proof;     // its node of the proof; -1 if none is recorded
  int patience;  // splits left after moments that decide nothing
  Vec3 n = {};   // a direction that separated them at another moment; zero if none is known
};

// An interval, and the node pairs of one match that are open on it.
struct Cell {
  double urgency;
  double t_begin, t_end;
  int match;
  bool spheres_failed;  // at the middle of the interval
  int first, count;     // in the queue's list of node pairs
};

class CellQueue {
 public:
  // Empties it. With `earliest_first` cells come in the order of time.
  void begin(bool earliest_first) {
    order_ = {earliest_first};
    clear();
  }
  void clear() {
    cells_.clear();
    entries_.clear();
    num_dead_ = 0;
  }

  bool empty() const { return cells_.empty(); }
  const Cell& front() const { return cells_.front(); }

  void push(double urgency, double t_begin, double t_end, int match, bool spheres_failed,
            std::span<const NodePair> entries) {
    cells_.push_back({urgency, t_begin, t_end, match, spheres_failed,
                      static_cast<int>(entries_.size()), static_cast<int>(entries.size())});
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    std::push_heap(cells_.begin(), cells_.end(), order_);
  }

  // Takes the first cell out, and its node pairs with it.
  Cell pop(std::vector<NodePair>& entries) {
    std::pop_heap(cells_.begin(), cells_.end(), order_);
    const Cell cell = cells_.back();
    cells_.pop_back();
    const auto first = entries_.begin() + cell.first;
    entries.assign(first, first + cell.count);
    num_dead_ += static_cast<std::size_t>(cell.count);
    drop_dead_entries();
    return cell;
  }

 private:
  // Below this many dead node pairs the memory is not worth a thought.
  static constexpr std::size_t kFewEntries = 4096;

  struct Order {
    bool earliest_first = false;
    bool operator()(const Cell& x, const Cell& y) const {
      if (!earliest_first && x.urgency != y.urgency) return x.urgency < y.urgency;
      if (x.t_begin != y.t_begin) return x.t_begin > y.t_begin;
      return x.match > y.match;
    }
  };

  // A long search takes millions of cells, of which few are open at a time.
  void drop_dead_entries() {
    if (num_dead_ < kFewEntries || 2 * num_dead_ < entries_.size()) return;
    std::vector<NodePair> alive;
    for (Cell& cell : cells_) {
      const auto first = entries_.begin() + cell.first;
      cell.first = static_cast<int>(alive.size());
      alive.insert(alive.end(), first, first + cell.count);
    }
    entries_ = std::move(alive);
    num_dead_ = 0;
  }

  Order order_;
  std::vector<Cell> cells_;  // a heap
  std::vector<NodePair> entries_;
  std::size_t num_dead_ = 0;  // entries of cells that were taken
};

}  // namespace proven
