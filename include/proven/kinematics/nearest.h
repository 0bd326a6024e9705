// The k nearest of many points under the metric of a joint space whose continuous joints wrap.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace proven {

// How two points differ: the straight difference, a turn counted the short way round where the
// place is periodic.
struct WrapMetric {
  std::vector<std::uint8_t> periodic;  // per place: 1 if its period is 2π

  // Beyond `limit` any value that is beyond it.
  double squared(std::span<const double> a, std::span<const double> b,
                 double limit = std::numeric_limits<double>::infinity()) const;
  // The difference b - a that counts at one place.
  double difference(double a, double b, std::size_t place) const;
};

// A k-d tree over flat points. Periodic places must hold values in [-π, π]. Where there are many
// places and nothing can be left out, a query costs little more than a scan.
class NearestTree {
 public:
  NearestTree(std::span<const double> points, const WrapMetric& metric);

  // Indices of the (at most) k nearest, nearest first; ties by index. `skip` is left out.
  std::vector<int> nearest(std::span<const double> point, int k, int skip = -1) const;

 private:
  struct Node {
    int begin = 0, end = 0;  // into order_
    int right = -1;          // child; the left one is next; -1: a leaf
  };
  struct Search {
    std::span<const double> point;
    std::size_t wanted;
    int skip;
    std::vector<std::pair<double, int>> found;  // squared distance, index: a heap, worst on top

    double limit() const {
      return found.size() < wanted ? std::numeric_limits<double>::infinity() : found[0].first;
    }
    void offer(double distance, int index);
  };
  int build(std::span<const double> points, int begin, int end);
  double box_distance(int node, std::span<const double> point) const;
  void visit(int node, double distance, Search& search) const;

  WrapMetric metric_;
  std::size_t dimension_;
  std::vector<int> order_;
  std::vector<double> points_;  // in that order
  std::vector<Node> nodes_;
  std::vector<double> boxes_;  // per node: the lower corner of its points' box, then the upper one
};

}  // namespace proven
