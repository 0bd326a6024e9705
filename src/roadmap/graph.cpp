#include "proven/roadmap/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace proven::roadmap {
namespace {
constexpr double kPi = std::numbers::pi;
constexpr double kTurn = 2 * kPi;
}  // namespace

std::vector<double> Graph::full(std::span<const double> point) const {
  std::vector<double> q = rest;
  for (std::size_t k = 0; k < planned.size(); ++k)
    q[static_cast<std::size_t>(planned[k])] = point[k];
  return q;
}

std::vector<double> Graph::point_of(std::span<const double> q) const {
  std::vector<double> point(planned.size());
  for (std::size_t k = 0; k < planned.size(); ++k)
    point[k] = q[static_cast<std::size_t>(planned[k])];
  return point;
}

std::vector<double> Graph::unrolled(std::span<const double> from,
                                    std::span<const double> to) const {
  std::vector<double> literal(to.begin(), to.end());
  for (std::size_t k = 0; k < literal.size(); ++k)
    if (metric.periodic[k]) {
      const double turns = std::round((from[k] - to[k]) / kTurn);
      if (turns != 0) literal[k] += turns * kTurn;
    }
  return literal;
}

Result<Graph> make_graph(const Scene& scene, std::span<const int> planned,
                         std::span<const double> rest) {
  Graph graph;
  const auto coordinates = scene.tree().coordinates();
  graph.rest.assign(rest.begin(), rest.end());
  graph.planned.assign(planned.begin(), planned.end());
  if (planned.empty())
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      graph.planned.push_back(static_cast<int>(k));
  if (graph.planned.empty()) return bad_input("the scene has no joint to plan for");
  std::vector<int> sorted = graph.planned;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return bad_input("a joint is named twice");
  for (const int c : graph.planned) {
    const Coordinate& coordinate = coordinates[static_cast<std::size_t>(c)];
    if (coordinate.quaternion)
      return Error{ErrorCode::unsupported, "a roadmap cannot plan for ball joints",
                   coordinate.name};
    const bool limited = std::isfinite(coordinate.lower) && std::isfinite(coordinate.upper);
    if (!limited && !coordinate.rotary)
      return bad_input("slides without limits: give the joint limits", coordinate.name);
    const bool periodic = coordinate.continuous;
    graph.metric.periodic.push_back(periodic);
    graph.ranges.push_back(periodic || !limited ? Interval{-kPi, kPi}
                                                : Interval{coordinate.lower, coordinate.upper});
  }
  // Joints that follow others have limits of their own.
  for (const KinematicTree::MimicName& mimic : scene.tree().mimic_names()) {
    const auto at = std::find(graph.planned.begin(), graph.planned.end(), mimic.coordinate);
    if (at == graph.planned.end() || mimic.multiplier == 0) continue;
    Interval& range = graph.ranges[static_cast<std::size_t>(at - graph.planned.begin())];
    const double a = (mimic.lower - mimic.offset) / mimic.multiplier;
    const double b = (mimic.upper - mimic.offset) / mimic.multiplier;
    range.lower = std::max(range.lower, std::min(a, b));
    range.upper = std::min(range.upper, std::max(a, b));
  }
  return graph;
}

Adjacency::Adjacency(const Graph& graph)
    : first_(static_cast<std::size_t>(graph.num_nodes()) + 1), entries_(2 * graph.arcs.size()) {
  for (const Arc& arc : graph.arcs)
    for (const std::uint32_t node : arc) ++first_[node + 1];
  for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t a = 0; a < graph.arcs.size(); ++a) {
    const Arc& arc = graph.arcs[a];
    entries_[next[arc[0]]++] = {arc[1], a};
    entries_[next[arc[1]]++] = {arc[0], a};
  }
}

}  // namespace proven::roadmap
