#include "plan/tree.h"

#include <limits>

namespace proven {

int SearchTree::add(std::span<const double> point, int parent) {
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
  // A scan: with the few thousand nodes of a solve it costs less than one test of a segment.
  const double* p = points_.data();
  for (int node = 0; node < size(); ++node, p += dimension_) {
    double sum = 0;
    for (std::size_t k = 0; k < dimension_; ++k) sum += (p[k] - point[k]) * (p[k] - point[k]);
    if (sum < best_distance) best_distance = sum, best = node;
  }
  return best;
}

std::vector<int> SearchTree::way_to_root(int node) const {
  std::vector<int> way;
  for (; node >= 0; node = parent(node)) way.push_back(node);
  return way;
}

}  // namespace proven
