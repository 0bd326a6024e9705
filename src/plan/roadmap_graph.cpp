#include "plan/roadmap_graph.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace proven {

int RoadmapGraph::add_edge(int a, int b, EdgeState state) {
  const int edge = static_cast<int>(edges.size());
  edges.push_back({std::min(a, b), std::max(a, b), state});
  arcs[static_cast<std::size_t>(a)].push_back({b, edge});
  arcs[static_cast<std::size_t>(b)].push_back({a, edge});
  return edge;
}

std::optional<GraphWay> search_graph(const RoadmapGraph& graph, int from, int to,
                                     GraphSearch search,
                                     const std::function<double(int a, int b)>& length) {
  struct Open {
    double estimate;
    int node;
    bool operator>(const Open& other) const {
      return estimate != other.estimate ? estimate > other.estimate : node > other.node;
    }
  };
  // Breadth first is the same search with edges of length 1 and no estimate.
  const bool by_length = search == GraphSearch::a_star;
  const auto estimate = [&](int node) { return by_length ? length(node, to) : 0; };
  const std::size_t size = graph.arcs.size();
  std::vector<double> cost(size, std::numeric_limits<double>::infinity());
  std::vector<RoadmapGraph::Arc> back(size, {-1, -1});
  std::vector<bool> closed(size, false);
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  cost[static_cast<std::size_t>(from)] = 0;
  open.push({estimate(from), from});
  while (!open.empty() && open.top().node != to) {
    const int node = open.top().node;
    open.pop();
    const auto n = static_cast<std::size_t>(node);
    if (closed[n]) continue;
    closed[n] = true;
    for (const RoadmapGraph::Arc& arc : graph.arcs[n]) {
      if (graph.edges[static_cast<std::size_t>(arc.edge)].state == EdgeState::blocked) continue;
      const auto next = static_cast<std::size_t>(arc.to);
      const double candidate = cost[n] + (by_length ? length(node, arc.to) : 1);
      if (closed[next] || candidate >= cost[next]) continue;
      cost[next] = candidate;
      back[next] = {node, arc.edge};
      open.push({candidate + estimate(arc.to), arc.to});
    }
  }
  if (open.empty()) return std::nullopt;
  GraphWay way;
  for (int node = to; node != from; node = back[static_cast<std::size_t>(node)].to) {
    way.nodes.push_back(node);
    way.edges.push_back(back[static_cast<std::size_t>(node)].edge);
  }
  way.nodes.push_back(from);
  std::reverse(way.nodes.begin(), way.nodes.end());
  std::reverse(way.edges.begin(), way.edges.end());
  return way;
}

}  // namespace proven
