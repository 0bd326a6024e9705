// The k nearest of many points under the metric of a joint space whose continuous joints wrap.
#pragma once

#include <span>
#include <vector>

namespace proven {

// How two points differ: the straight difference, a turn counted the short way round where the
// place is periodic.
struct WrapMetric {
  std::vector<bool> periodic;  // per place: period 2π

  double squared(std::span<const double> a, std::span<const double> b) const;
  // The difference b - a that counts at one place.
  double difference(double a, double b, std::size_t place) const;
};

// A k-d tree over flat points. Periodic places must hold values in [-π, π).
class NearestTree {
 public:
  NearestTree(std::span<const double> points, const WrapMetric& metric);

  // Indices of the (at most) k nearest, nearest first; ties by index. `skip` is left out.
  std::vector<int> nearest(std::span<const double> point, int k, int skip = -1) const;

 private:
  struct Node {
    int begin = 0, end = 0;         // into order_
    int left = -1, right = -1;      // children; -1: a leaf
    std::vector<double> low, high;  // box of its points
  };
  int build(int begin, int end);
  double box_distance(const Node& node, std::span<const double> point) const;
  std::span<const double> point(int index) const {
    return points_.subspan(static_cast<std::size_t>(index) * dimension_, dimension_);
  }

  std::span<const double> points_;
  const WrapMetric& metric_;
  std::size_t dimension_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace proven
