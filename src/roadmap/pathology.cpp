#include "roadmap/pathology.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace proven::roadmap {
namespace {

// Within this share of its range a joint counts as near its limit.
constexpr double kNearLimit = 0.15;

struct Span {
  double low, high;
};

Span span_of(const JointGraph& graph, const std::vector<std::uint32_t>& members,
             std::size_t joint) {
  Span s{graph.node(members[0])[joint], 0};
  s.high = s.low;
  for (const std::uint32_t n : members) {
    const double v = graph.node(n)[joint];
    s.low = std::min(s.low, v);
    s.high = std::max(s.high, v);
  }
  return s;
}

// Whether no member of `others` has a value of the joint between those of the group. A continuous
// joint also counts the other way round, with the cut at the opposite side.
bool apart(const JointGraph& graph, const std::vector<std::uint32_t>& group,
           const std::vector<std::uint32_t>& others, std::size_t joint) {
  const auto clear = [&](double turn) {
    const auto value = [&](std::uint32_t n) {
      const double v = graph.node(n)[joint];
      return v < turn ? v + 2 * std::numbers::pi : v;
    };
    double low = value(group[0]), high = low;
    for (const std::uint32_t n : group) {
      low = std::min(low, value(n));
      high = std::max(high, value(n));
    }
    return std::none_of(others.begin(), others.end(), [&](std::uint32_t n) {
      const double v = value(n);
      return v >= low && v <= high;
    });
  };
  if (!graph.metric.periodic[joint]) return clear(-std::numeric_limits<double>::infinity());
  return clear(-10) || clear(0);
}

// Every member of the group is near the same limit of one joint.
bool near_a_limit(const JointGraph& graph, const std::vector<std::uint32_t>& group) {
  for (std::size_t joint = 0; joint < graph.ranges.size(); ++joint) {
    if (graph.metric.periodic[joint]) continue;
    const Interval& range = graph.ranges[joint];
    const double near = kNearLimit * (range.upper - range.lower);
    const Span s = span_of(graph, group, joint);
    if (s.high <= range.lower + near || s.low >= range.upper - near) return true;
  }
  return false;
}

}  // namespace

Pathology classify(const JointGraph& graph, const std::vector<std::vector<std::uint32_t>>& groups) {
  const auto& largest = groups.back();
  // One word must hold for every group that is cut off.
  const auto all = [&](auto&& holds) {
    return std::all_of(groups.begin(), groups.end() - 1, holds);
  };
  // A single node is apart in every joint, and near some limit by chance: only groups tell.
  const auto tells = [](const auto& group) { return group.size() > 1; };
  if (all([&](const auto& g) { return tells(g) && apart(graph, g, largest, 0); }))
    return Pathology::first_joint;
  if (all([&](const auto& g) { return tells(g) && near_a_limit(graph, g); }))
    return Pathology::joint_limit;
  for (std::size_t joint = 1; joint < graph.ranges.size(); ++joint)
    if (all([&](const auto& g) { return tells(g) && apart(graph, g, largest, joint); }))
      return Pathology::transition;
  return Pathology::other;
}

}  // namespace proven::roadmap
