// A tree of points with fast nearest-neighbour search.
#pragma once

#include <span>
#include <vector>

#include "proven/plan/joint_space.h"

namespace proven {

class SearchTree {
 public:
  explicit SearchTree(const JointSpace& space)
      : space_(space), dimension_(static_cast<std::size_t>(space.dimension())) {}

  int add(std::span<const double> point, int parent);
  int size() const { return static_cast<int>(parents_.size()); }
  int parent(int node) const { return parents_[static_cast<std::size_t>(node)]; }
  std::span<const double> point(int node) const {
    return {points_.data() + static_cast<std::size_t>(node) * dimension_, dimension_};
  }
  // The node closest to a point, and how far it is, to about a millionth.
  struct Near {
    int node;
    double distance;
  };
  Near nearest(std::span<const double> point);
  // Nodes from this one up to its root.
  std::vector<int> way_to_root(int node) const;

 private:
  const JointSpace& space_;
  std::size_t dimension_;
  std::vector<double> points_;  // flat
  std::vector<float> lanes_;    // the same for the kernel (nearest_kernel.h)
  std::vector<int> parents_;
  std::vector<float> to_;  // whose nearest is looked for
};

}  // namespace proven
