#include "plan/tree.h"

#include <limits>

namespace proven {

int SearchTree::add(std::span<const double> point, int parent) {
  const std::size_t lane = parents_.size() % kLanes;
  if (lane == 0)
    lanes_.resize(lanes_.size() + dimension_ * kLanes, std::numeric_limits<double>::infinity());
  double* block = lanes_.data() + lanes_.size() - dimension_ * kLanes;
  for (std::size_t k = 0; k < dimension_; ++k) block[k * kLanes + lane] = point[k];
  points_.insert(points_.end(), point.begin(), point.end());
  parents_.push_back(parent);
  return size() - 1;
}

int SearchTree::nearest(std::span<const double> point) const {
  int best = 0;
  double best_distance = std::numeric_limits<double>::infinity();
  if (!space_.euclidean()) {
    for (int node = 0; node < size(); ++node) {
      const double d = space_.distance(this->point(node), point);
      if (d < best_distance) best_distance = d, best = node;
    }
    return best;
  }
  // A scan: with the few thousand nodes of a solve it costs less than one test of a segment. Lanes
  // are summed side by side, each as it would be alone; what is not there yet is infinitely far.
  const double* block = lanes_.data();
  for (int first = 0; first < size(); first += static_cast<int>(kLanes)) {
    double sums[kLanes] = {};
    for (std::size_t k = 0; k < dimension_; ++k, block += kLanes)
      for (std::size_t i = 0; i < kLanes; ++i)
        sums[i] += (block[i] - point[k]) * (block[i] - point[k]);
    for (std::size_t i = 0; i < kLanes; ++i)
      if (sums[i] < best_distance) best_distance = sums[i], best = first + static_cast<int>(i);
  }
  return best;
}

std::vector<int> SearchTree::way_to_root(int node) const {
  std::vector<int> way;
  for (; node >= 0; node = parent(node)) way.push_back(node);
  return way;
}

}  // namespace proven
