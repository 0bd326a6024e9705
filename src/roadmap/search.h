// A* over a graph whose arcs may be closed or dear.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "proven/roadmap/graph.h"

namespace proven::roadmap {

// A way in or out: a node and the length to it.
struct Connection {
  std::uint32_t node;
  double length;
};

class Search {
 public:
  explicit Search(const Graph& graph);

  struct Found {
    bool found = false;
    double cost = 0;
    std::vector<std::uint32_t> nodes, arcs;  // one arc fewer
    int expanded = 0;
  };
  // The cost of an arc by (arc, length); infinite if it is closed. At least its length.
  template <class Cost>
  Found run(std::span<const Connection> starts, std::span<const Connection> goals,
            std::span<const double> goal_point, Cost&& cost);

  const Adjacency& adjacency() const { return adjacency_; }
  double length(std::uint32_t arc) const { return lengths_[arc]; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Label {
    double g = 0;
    std::uint32_t from = kNone, arc = kNone;
    std::uint32_t stamp = 0;
    bool closed = false;
    double h = 0, exit = 0;  // to the goal: at least, and by its own arc (infinite if none)
  };
  struct Open {
    double f;
    std::uint32_t node;  // kNone: the goal itself
    double g;
    friend bool operator<(const Open& a, const Open& b) { return a.f > b.f; }
  };

  Label& label(std::uint32_t node, std::span<const double> goal_point);
  Found trace(std::uint32_t last, double cost, int expanded) const;

  const Graph& graph_;
  Adjacency adjacency_;
  std::vector<double> lengths_;
  std::vector<Label> labels_;
  std::uint32_t stamp_ = 0;
};

template <class Cost>
Search::Found Search::run(std::span<const Connection> starts, std::span<const Connection> goals,
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
    for (const Adjacency::Entry& e : adjacency_.at(static_cast<int>(top.node))) {
      const double g = here.g + cost(e.arc, lengths_[e.arc]);
      Label& next = label(e.node, goal_point);
      if (next.closed || !(g < next.g)) continue;
      next.g = g;
      next.from = top.node;
      next.arc = e.arc;
      open.push({g + next.h, e.node, g});
    }
  }
  return {false, 0, {}, {}, expanded};
}

}  // namespace proven::roadmap
