#include "proven/kinematics/joint_graph.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proven/base/parallel.h"

namespace proven {

double JointGraph::distance(std::span<const double> a, std::span<const double> b) const {
  return std::sqrt(metric.squared(a, b));
}

std::vector<double> JointGraph::sample(Random& random) const {
  std::vector<double> point;
  for (const Interval& range : ranges) point.push_back(random.uniform(range.lower, range.upper));
  return point;
}

std::vector<double> JointGraph::full(std::span<const double> point) const {
  std::vector<double> q = rest;
  for (std::size_t k = 0; k < planned.size(); ++k)
    q[static_cast<std::size_t>(planned[k])] = point[k];
  return q;
}

std::vector<double> JointGraph::point_of(std::span<const double> q) const {
  std::vector<double> point(planned.size());
  for (std::size_t k = 0; k < planned.size(); ++k)
    point[k] = q[static_cast<std::size_t>(planned[k])];
  return point;
}

std::vector<double> JointGraph::unrolled(std::span<const double> from,
                                         std::span<const double> to) const {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::vector<double> literal(to.begin(), to.end());
  for (std::size_t k = 0; k < literal.size(); ++k)
    if (metric.periodic[k]) {
      const double turns = std::round((from[k] - to[k]) / kTurn);
      if (turns != 0) literal[k] += turns * kTurn;
    }
  return literal;
}

JointGraph::Motion JointGraph::motion(const Edge& edge) const {
  const auto from = node(edge[0]);
  return {full(from), full(unrolled(from, node(edge[1])))};
}

std::vector<JointGraph::Edge> neighbour_edges(const JointGraph& graph, int neighbours, int threads,
                                              const Budget& budget) {
  const NearestTree tree(graph.nodes, graph.metric);
  std::vector<std::vector<int>> near(static_cast<std::size_t>(graph.num_nodes()));
  parallel_for(graph.num_nodes(), threads, [&](int node, int) {
    const auto n = static_cast<std::size_t>(node);
    if (!budget.stopped()) near[n] = tree.nearest(graph.node(n), neighbours, node);
  });
  std::vector<JointGraph::Edge> edges;
  for (std::uint32_t a = 0; a < near.size(); ++a)
    for (const int other : near[a]) {
      const auto b = static_cast<std::uint32_t>(other);
      const bool listed_there = std::ranges::count(near[b], static_cast<int>(a)) > 0;
      if (a < b || !listed_there) edges.push_back({std::min(a, b), std::max(a, b)});
    }
  return edges;
}

}  // namespace proven
