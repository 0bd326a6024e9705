#include "plan/tree.h"

#include <cmath>
#include <limits>

#include "plan/nearest_kernel.h"

namespace proven {

PROVEN_DEFINE_KERNEL(NearestKernel, nearest_kernel);

int SearchTree::add(std::span<const double> point, int parent) {
  const std::size_t lane = parents_.size() % kNearestLanes;
  if (lane == 0)
    lanes_.resize(lanes_.size() + dimension_ * kNearestLanes,
                  std::numeric_limits<float>::infinity());
  float* block = lanes_.data() + lanes_.size() - dimension_ * kNearestLanes;
  for (std::size_t k = 0; k < dimension_; ++k)
    block[k * kNearestLanes + lane] = static_cast<float>(point[k]);
  points_.insert(points_.end(), point.begin(), point.end());
  parents_.push_back(parent);
  return size() - 1;
}

SearchTree::Near SearchTree::nearest(std::span<const double> point) {
  if (space_.euclidean()) {
    // A scan: with the few thousand nodes of a solve it costs less than one test of a segment.
    to_.assign(point.begin(), point.end());
    const NearestPoint found =
        nearest_kernel->nearest(lanes_.data(), size(), static_cast<int>(dimension_), to_.data());
    return {found.place, std::sqrt(static_cast<double>(found.square))};
  }
  Near best{0, std::numeric_limits<double>::infinity()};
  for (int node = 0; node < size(); ++node) {
    const double d = space_.distance(this->point(node), point);
    if (d < best.distance) best = {node, d};
  }
  return best;
}

std::vector<int> SearchTree::way_to_root(int node) const {
  std::vector<int> way;
  for (; node >= 0; node = parent(node)) way.push_back(node);
  return way;
}

}  // namespace proven
