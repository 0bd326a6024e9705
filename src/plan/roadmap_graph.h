// The graph of a roadmap and searches in it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "proven/plan/roadmap.h"

namespace proven {

struct RoadmapGraph {
  struct Arc {
    int to = 0, edge = 0;
  };
  std::vector<std::vector<Arc>> arcs;  // per node
  std::vector<Roadmap::Edge> edges;

  int add_node() {
    arcs.emplace_back();
    return static_cast<int>(arcs.size()) - 1;
  }
  int add_edge(int a, int b, EdgeState state);
};

// Nodes from `from` to `to` over edges that are not blocked; ties are broken by node, so that the
// answer is the same everywhere. `length` of an edge, `estimate` of the rest from a node.
struct GraphWay {
  std::vector<int> nodes, edges;
};
std::optional<GraphWay> search_graph(const RoadmapGraph& graph, int from, int to,
                                     GraphSearch search,
                                     const std::function<double(int a, int b)>& length);

}  // namespace proven
