// A tree of configurations with flat points for fast nearest-neighbour search.
#pragma once

#include <span>
#include <vector>

#include "plan/prover.h"

namespace proven {

class SearchTree {
 public:
  explicit SearchTree(const Prover& prover)
      : prover_(prover), dimension_(static_cast<std::size_t>(prover.space().dimension())) {}

  int add(int configuration, int parent);
  int size() const { return static_cast<int>(configurations_.size()); }
  int configuration(int node) const { return configurations_[static_cast<std::size_t>(node)]; }
  int parent(int node) const { return parents_[static_cast<std::size_t>(node)]; }
  std::span<const double> point(int node) const {
    return {points_.data() + static_cast<std::size_t>(node) * dimension_, dimension_};
  }
  // The node closest to a point.
  int nearest(std::span<const double> point) const;
  // Configurations from the node up to its root.
  std::vector<int> way_to_root(int node) const;

 private:
  const Prover& prover_;
  std::size_t dimension_;
  std::vector<double> points_;
  std::vector<int> configurations_, parents_;
};

}  // namespace proven
