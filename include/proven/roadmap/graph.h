// The roadmap as a graph: configurations and the straight motions between them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/nearest.h"
#include "proven/scene/scene.h"

namespace proven::roadmap {

using Arc = std::array<std::uint32_t, 2>;  // two nodes, the smaller first

// Coordinates that are not planned keep the values of `rest`. Continuous joints hold values in
// [-π, π] and arcs take the short way round: the literal values of a path then run on.
struct Graph {
  std::vector<int> planned;
  std::vector<double> rest;      // a full configuration
  std::vector<Interval> ranges;  // per planned coordinate
  WrapMetric metric;             // per planned coordinate: continuous joints wrap
  std::vector<double> nodes;     // flat: planned coordinates of each
  std::vector<Arc> arcs;

  int dimension() const { return static_cast<int>(planned.size()); }
  int num_nodes() const {
    return planned.empty() ? 0 : static_cast<int>(nodes.size() / planned.size());
  }
  int num_arcs() const { return static_cast<int>(arcs.size()); }
  std::span<const double> node(int index) const {
    return {nodes.data() + static_cast<std::size_t>(index) * planned.size(), planned.size()};
  }
  // The full configuration of a point.
  std::vector<double> full(std::span<const double> point) const;
  std::vector<double> point_of(std::span<const double> full) const;
  // `to` written so that the straight way from the literal point `from` is the short one.
  std::vector<double> unrolled(std::span<const double> from, std::span<const double> to) const;
};

// An empty graph for these coordinates; none: all of the scene. Fails on ball joints, on
// coordinates that slide without limits, and on names that repeat.
Result<Graph> make_graph(const Scene& scene, std::span<const int> planned,
                         std::span<const double> rest);

// Arcs at each node, as ranges of one list.
class Adjacency {
 public:
  struct Entry {
    std::uint32_t node, arc;
  };
  explicit Adjacency(const Graph& graph);
  std::span<const Entry> at(int node) const {
    const auto n = static_cast<std::size_t>(node);
    return {entries_.data() + first_[n], first_[n + 1] - first_[n]};
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Entry> entries_;
};

}  // namespace proven::roadmap
