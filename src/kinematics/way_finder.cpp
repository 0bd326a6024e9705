#include "proven/kinematics/way_finder.h"

#include <algorithm>

namespace proven {

WayFinder::WayFinder(const JointGraph& graph)
    : graph_(graph),
      first_(static_cast<std::size_t>(graph.num_nodes()) + 1),
      neighbours_(2 * graph.edges.size()),
      labels_(static_cast<std::size_t>(graph.num_nodes())) {
  for (const JointGraph::Edge& edge : graph.edges) {
    lengths_.push_back(graph.distance(graph.node(edge[0]), graph.node(edge[1])));
    for (const std::uint32_t node : edge) ++first_[node + 1];
  }
  for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    const auto& [a, b] = graph.edges[e];
    neighbours_[next[a]++] = {b, e};
    neighbours_[next[b]++] = {a, e};
  }
}

WayFinder::Label& WayFinder::label(std::uint32_t node, std::span<const double> goal_point) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Label& l = labels_[node];
  if (l.stamp != stamp_) {
    l = {kFar, kNone, kNone, stamp_, false, 0, kFar};
    if (!goal_point.empty()) l.h = graph_.distance(graph_.node(node), goal_point);
  }
  return l;
}

GraphWay WayFinder::trace(std::uint32_t last, double cost, int expanded) const {
  GraphWay way{true, cost, {}, {}, expanded};
  for (std::uint32_t n = last; n != kNone; n = labels_[n].from) {
    way.nodes.push_back(n);
    if (labels_[n].edge != kNone) way.edges.push_back(labels_[n].edge);
  }
  std::reverse(way.nodes.begin(), way.nodes.end());
  std::reverse(way.edges.begin(), way.edges.end());
  return way;
}

}  // namespace proven
