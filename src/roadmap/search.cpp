#include "roadmap/search.h"

#include <algorithm>
#include <cmath>

namespace proven::roadmap {

namespace {
constexpr double kFar = std::numeric_limits<double>::infinity();
}

Search::Search(const Graph& graph)
    : graph_(graph), adjacency_(graph), labels_(static_cast<std::size_t>(graph.num_nodes())) {
  lengths_.reserve(graph.arcs.size());
  for (const Arc& arc : graph.arcs)
    lengths_.push_back(std::sqrt(graph.metric.squared(graph.node(static_cast<int>(arc[0])),
                                                      graph.node(static_cast<int>(arc[1])))));
}

Search::Label& Search::label(std::uint32_t node, std::span<const double> goal_point) {
  Label& l = labels_[node];
  if (l.stamp != stamp_) {
    l = {kFar, kNone, kNone, stamp_, false, 0, kFar};
    l.h = std::sqrt(graph_.metric.squared(graph_.node(static_cast<int>(node)), goal_point));
  }
  return l;
}

Search::Found Search::trace(std::uint32_t last, double cost, int expanded) const {
  Found found{true, cost, {}, {}, expanded};
  for (std::uint32_t n = last; n != kNone; n = labels_[n].from) {
    found.nodes.push_back(n);
    if (labels_[n].arc != kNone) found.arcs.push_back(labels_[n].arc);
  }
  std::reverse(found.nodes.begin(), found.nodes.end());
  std::reverse(found.arcs.begin(), found.arcs.end());
  return found;
}

}  // namespace proven::roadmap
