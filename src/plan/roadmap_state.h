// What a roadmap holds.
#pragma once

#include <numbers>

#include "plan/roadmap_graph.h"
#include "proven/certify/check.h"
#include "proven/kinematics/nearest.h"

namespace proven {

struct Roadmap::State {
  std::vector<int> planned;
  std::vector<double> rest;
  std::vector<Interval> ranges;  // per place; of a continuous joint [-π, π]
  WrapMetric metric;             // continuous joints wrap
  std::vector<double> points;    // flat; continuous joints in [-π, π)
  RoadmapGraph graph;
  int neighbours = 10;
  CheckOptions check;
  Hash128 scene_hash;

  std::size_t dimension() const { return planned.size(); }
  std::span<const double> point(int node) const {
    return std::span(points).subspan(static_cast<std::size_t>(node) * dimension(), dimension());
  }
  // A point as a full configuration, each continuous joint so many whole turns on. No turns leave
  // the literal value: an edge is proved for literal values.
  std::vector<double> literal(std::span<const double> point, std::span<const int> turns) const;
  // Turns of `to` that bring it nearest to `from` at `from_turns`.
  std::vector<int> turns_after(std::span<const double> from, std::span<const int> from_turns,
                               std::span<const double> to) const;
  // For everything that the roadmap may ask.
  Result<CheckModel> model(const Scene& scene) const;
};

// Planned coordinates, ranges and metric for a scene; fails on ball joints.
Result<void> prepare_roadmap(const Scene& scene, std::span<const int> planned,
                             std::span<const double> rest, Roadmap::State& state);

}  // namespace proven
