// The cheapest way through a joint graph whose edges may be closed or dear: A*.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "proven/kinematics/joint_graph.h"

namespace proven {

// A way into the graph or out of it: a node and the length to it.
struct Connection {
  std::uint32_t node;
  double length;
};

struct GraphWay {
  bool found = false;
  double cost = 0;
  std::vector<std::uint32_t> nodes, edges;  // one edge fewer
  int expanded = 0;                         // nodes, found or not
};

// The graph must outlive it and keep its nodes and edges.
class WayFinder {
 public:
  explicit WayFinder(const JointGraph& graph);

  // From any of the starts to any of the goals. `cost(edge, length)` is infinite for an edge that
  // is closed. The rest from a node is estimated by the distance to `goal_point`, which the cost
  // must not undercut; an empty one: no estimate. Ties are broken by node, so that the answer is
  // the same everywhere.
  template <class Cost>
  GraphWay find(std::span<const Connection> starts, std::span<const Connection> goals,
                std::span<const double> goal_point, Cost&& cost);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Label {
    double g = 0;
    std::uint32_t from = kNone, edge = kNone;
    std::uint32_t stamp = 0;
    bool closed = false;
    double h = 0, exit = 0;  // to the goal: at least, and by its own connection (infinite if none)
  };
  struct Open {
    double f;
    std::uint32_t node;  // kNone: the goal itself
    double g;
    friend bool operator<(const Open& a, const Open& b) {
      return a.f != b.f ? a.f > b.f : a.node > b.node;
    }
  };
  struct Neighbour {
    std::uint32_t node, edge;
  };

  Label& label(std::uint32_t node, std::span<const double> goal_point);
  GraphWay trace(std::uint32_t last, double cost, int expanded) const;

  const JointGraph& graph_;
  std::vector<std::size_t> first_;  // of each node's neighbours; one more than there are nodes
  std::vector<Neighbour> neighbours_;
  std::vector<double> lengths_;  // of edges
  std::vector<Label> labels_;
  std::uint32_t stamp_ = 0;
};

template <class Cost>
GraphWay WayFinder::find(std::span<const Connection> starts, std::span<const Connection> goals,
                         std::span<const double> goal_point, Cost&& cost) {
  ++stamp_;
  std::priority_queue<Open> open;
  for (const Connection& c : goals) label(c.node, goal_point).exit = c.length;
  for (const Connection& c : starts) {
    Label& l = label(c.node, goal_point);
    if (l.g <= c.length) continue;
    l.g = c.length;
    open.push({l.g + l.h, c.node, l.g});
  }
  std::uint32_t last = kNone;
  double best = std::numeric_limits<double>::infinity();
  int expanded = 0;
  while (!open.empty()) {
    const Open top = open.top();
    open.pop();
    if (top.node == kNone) return trace(last, top.g, expanded);
    Label& here = labels_[top.node];
    if (here.closed || top.g > here.g) continue;
    here.closed = true;
    ++expanded;
    const double out = here.g + here.exit;
    if (out < best) {
      best = out;
      last = top.node;
      open.push({out, kNone, out});
    }
    for (std::size_t k = first_[top.node]; k < first_[top.node + 1]; ++k) {
      const auto [node, edge] = neighbours_[k];
      const double g = here.g + cost(edge, lengths_[edge]);
      Label& next = label(node, goal_point);
      if (next.closed || !(g < next.g)) continue;
      next.g = g;
      next.from = top.node;
      next.edge = edge;
      open.push({g + next.h, node, g});
    }
  }
  return {false, 0, {}, {}, expanded};
}

}  // namespace proven
