#include "plan/nearest.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <queue>

namespace proven {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kLeafSize = 8;

}  // namespace

double WrapMetric::difference(double a, double b, std::size_t place) const {
  const double d = b - a;
  return periodic[place] ? d - kTurn * std::round(d / kTurn) : d;
}

double WrapMetric::squared(std::span<const double> a, std::span<const double> b) const {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = difference(a[k], b[k], k);
    sum += d * d;
  }
  return sum;
}

NearestTree::NearestTree(std::span<const double> points, const WrapMetric& metric)
    : points_(points), metric_(metric), dimension_(metric.periodic.size()) {
  order_.resize(points.size() / dimension_);
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) build(0, static_cast<int>(order_.size()));
}

int NearestTree::build(int begin, int end) {
  const int id = static_cast<int>(nodes_.size());
  Node node{begin,
            end,
            -1,
            -1,
            std::vector<double>(dimension_, 1e300),
            std::vector<double>(dimension_, -1e300)};
  for (int i = begin; i < end; ++i) {
    const auto p = point(order_[static_cast<std::size_t>(i)]);
    for (std::size_t k = 0; k < dimension_; ++k) {
      node.low[k] = std::min(node.low[k], p[k]);
      node.high[k] = std::max(node.high[k], p[k]);
    }
  }
  nodes_.push_back(node);
  if (end - begin <= kLeafSize) return id;
  std::size_t widest = 0;
  for (std::size_t k = 1; k < dimension_; ++k)
    if (node.high[k] - node.low[k] > node.high[widest] - node.low[widest]) widest = k;
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int a, int b) { return point(a)[widest] < point(b)[widest]; });
  const int left = build(begin, middle);
  const int right = build(middle, end);
  nodes_[static_cast<std::size_t>(id)].left = left;
  nodes_[static_cast<std::size_t>(id)].right = right;
  return id;
}

double NearestTree::box_distance(const Node& node, std::span<const double> p) const {
  double sum = 0;
  for (std::size_t k = 0; k < dimension_; ++k) {
    double d = std::max({node.low[k] - p[k], p[k] - node.high[k], 0.0});
    // The box repeats every turn.
    if (metric_.periodic[k] && d > 0)
      d = std::min({d, std::max(node.low[k] + kTurn - p[k], 0.0),
                    std::max(p[k] - (node.high[k] - kTurn), 0.0)});
    sum += d * d;
  }
  return sum;
}

std::vector<int> NearestTree::nearest(std::span<const double> p, int k, int skip) const {
  using Found = std::pair<double, int>;  // squared distance, index: the worst on top
  using Open = std::pair<double, int>;   // box distance, node: the best on top
  std::priority_queue<Found> found;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  if (!nodes_.empty() && k > 0) open.push({box_distance(nodes_[0], p), 0});
  while (!open.empty()) {
    const auto [distance, id] = open.top();
    open.pop();
    if (static_cast<int>(found.size()) == k && distance > found.top().first) break;
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    if (node.left >= 0) {
      for (const int child : {node.left, node.right})
        open.push({box_distance(nodes_[static_cast<std::size_t>(child)], p), child});
      continue;
    }
    for (int i = node.begin; i < node.end; ++i) {
      const int index = order_[static_cast<std::size_t>(i)];
      if (index == skip) continue;
      found.push({metric_.squared(point(index), p), index});
      if (static_cast<int>(found.size()) > k) found.pop();
    }
  }
  std::vector<int> indices(found.size());
  for (std::size_t i = found.size(); i-- > 0; found.pop()) indices[i] = found.top().second;
  return indices;
}

}  // namespace proven
