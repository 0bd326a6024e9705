#include "proven/kinematics/nearest.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace proven {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kLeafSize = 12;

std::span<const double> row(std::span<const double> flat, int index, std::size_t size) {
  return flat.subspan(static_cast<std::size_t>(index) * size, size);
}

}  // namespace

double WrapMetric::difference(double a, double b, std::size_t place) const {
  const double d = b - a;
  return periodic[place] ? d - kTurn * std::round(d / kTurn) : d;
}

double WrapMetric::squared(std::span<const double> a, std::span<const double> b,
                           double limit) const {
  double sum = 0;
  for (std::size_t k = 0; k < a.size() && sum <= limit; ++k) {
    const double d = difference(a[k], b[k], k);
    sum += d * d;
  }
  return sum;
}

NearestTree::NearestTree(std::span<const double> points, const WrapMetric& metric)
    : metric_(metric), dimension_(metric.periodic.size()) {
  order_.resize(points.size() / dimension_);
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) build(points, 0, static_cast<int>(order_.size()));
  points_.reserve(points.size());
  for (const int index : order_) {
    const auto p = row(points, index, dimension_);
    points_.insert(points_.end(), p.begin(), p.end());
  }
}

int NearestTree::build(std::span<const double> points, int begin, int end) {
  const int id = static_cast<int>(nodes_.size());
  nodes_.push_back({begin, end, -1});
  boxes_.resize(boxes_.size() + 2 * dimension_);
  double* low = boxes_.data() + 2 * dimension_ * static_cast<std::size_t>(id);
  double* high = low + dimension_;
  std::fill(low, high, std::numeric_limits<double>::infinity());
  std::fill(high, high + dimension_, -std::numeric_limits<double>::infinity());
  for (int i = begin; i < end; ++i) {
    const auto p = row(points, order_[static_cast<std::size_t>(i)], dimension_);
    for (std::size_t k = 0; k < dimension_; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  if (end - begin <= kLeafSize) return id;
  std::size_t widest = 0;
  for (std::size_t k = 1; k < dimension_; ++k)
    if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int a, int b) {
                     return row(points, a, dimension_)[widest] < row(points, b, dimension_)[widest];
                   });
  build(points, begin, middle);
  nodes_[static_cast<std::size_t>(id)].right = build(points, middle, end);
  return id;
}

double NearestTree::box_distance(int node, std::span<const double> p) const {
  const double* low = boxes_.data() + 2 * dimension_ * static_cast<std::size_t>(node);
  const double* high = low + dimension_;
  double sum = 0;
  for (std::size_t k = 0; k < dimension_; ++k) {
    double d = std::max({low[k] - p[k], p[k] - high[k], 0.0});
    // The box repeats every turn.
    if (metric_.periodic[k] && d > 0)
      d = std::min(
          {d, std::max(low[k] + kTurn - p[k], 0.0), std::max(p[k] - (high[k] - kTurn), 0.0)});
    sum += d * d;
  }
  return sum;
}

void NearestTree::Search::offer(double distance, int index) {
  const std::pair now{distance, index};
  if (found.size() == wanted) {
    if (!(now < found[0])) return;
    std::pop_heap(found.begin(), found.end());
    found.back() = now;
  } else {
    found.push_back(now);
  }
  std::push_heap(found.begin(), found.end());
}

void NearestTree::visit(int id, double distance, Search& search) const {
  if (distance > search.limit()) return;
  const Node& node = nodes_[static_cast<std::size_t>(id)];
  if (node.right < 0) {
    for (int i = node.begin; i < node.end; ++i) {
      const int index = order_[static_cast<std::size_t>(i)];
      if (index == search.skip) continue;
      search.offer(metric_.squared(row(points_, i, dimension_), search.point, search.limit()),
                   index);
    }
    return;
  }
  int near = id + 1, far = node.right;
  double near_distance = box_distance(near, search.point);
  double far_distance = box_distance(far, search.point);
  if (far_distance < near_distance) {
    std::swap(near, far);
    std::swap(near_distance, far_distance);
  }
  visit(near, near_distance, search);
  visit(far, far_distance, search);
}

std::vector<int> NearestTree::nearest(std::span<const double> p, int k, int skip) const {
  Search search{p, static_cast<std::size_t>(std::max(k, 0)), skip, {}};
  if (!nodes_.empty() && k > 0) visit(0, 0, search);
  std::sort_heap(search.found.begin(), search.found.end());
  std::vector<int> indices;
  for (const auto& [distance, index] : search.found) indices.push_back(index);
  return indices;
}

}  // namespace proven
