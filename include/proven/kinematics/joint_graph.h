// A graph in joint space, which every roadmap is made of: configurations as nodes, and as edges the
// straight motions between them. Continuous joints take the short way round.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/interval.h"
#include "proven/base/random.h"
#include "proven/kinematics/nearest.h"

namespace proven {

// Points are the planned coordinates alone; the others keep the values of `rest`. Nodes hold a
// continuous joint in [-π, π]; the literal values of a way along edges run on beyond.
struct JointGraph {
  using Edge = std::array<std::uint32_t, 2>;  // two nodes, the smaller first

  std::vector<int> planned;
  std::vector<double> rest;      // a full configuration
  std::vector<Interval> ranges;  // per planned coordinate
  WrapMetric metric;             // per planned coordinate: continuous joints wrap
  std::vector<double> nodes;     // flat: the point of each
  std::vector<Edge> edges;

  int dimension() const { return static_cast<int>(planned.size()); }
  int num_nodes() const {
    return planned.empty() ? 0 : static_cast<int>(nodes.size() / planned.size());
  }
  int num_edges() const { return static_cast<int>(edges.size()); }
  std::span<const double> node(std::size_t index) const {
    return {nodes.data() + index * planned.size(), planned.size()};
  }
  void add_node(std::span<const double> point) {
    nodes.insert(nodes.end(), point.begin(), point.end());
  }

  double distance(std::span<const double> a, std::span<const double> b) const;
  // A point with every coordinate uniform in its range.
  std::vector<double> sample(Random& random) const;

  // The full configuration of a point, and back.
  std::vector<double> full(std::span<const double> point) const;
  std::vector<double> point_of(std::span<const double> full) const;
  // `to` in whole turns so that the straight way from the literal point `from` is the short one.
  // Without a turn its values stay as they are: motions are proved for literal values.
  std::vector<double> unrolled(std::span<const double> from, std::span<const double> to) const;

  // The literal motion that an edge stands for, as full configurations.
  struct Motion {
    std::vector<double> from, to;
  };
  Motion motion(const Edge& edge) const;
};

// Every node with its nearest neighbours, each pair once: node by node, the nearest first. The same
// on any number of threads. Not complete if the budget stopped it.
std::vector<JointGraph::Edge> neighbour_edges(const JointGraph& graph, int neighbours, int threads,
                                              const Budget& budget = {});

}  // namespace proven
