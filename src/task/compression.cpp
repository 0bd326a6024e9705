#include "task/compression.h"

#include <algorithm>
#include <set>

namespace proven::task {
namespace {

struct Usage {
  std::vector<char> negated;  // some condition uses the fact's negation
  std::vector<char> added;    // some action adds the fact
};

Usage find_usage(const GroundTask& task) {
  Usage usage;
  usage.negated.resize(static_cast<std::size_t>(task.fact_count));
  usage.added.resize(static_cast<std::size_t>(task.fact_count));
  for (NodeId id = 0; id < static_cast<NodeId>(task.pool.size()); ++id)
    if (task.pool.node(id).kind == FormulaNode::Kind::not_fact)
      usage.negated[static_cast<std::size_t>(task.pool.node(id).index)] = 1;
  for (const GroundAction& action : task.actions)
    for (const auto* effects : {&action.start.effects, &action.end.effects})
      for (const GroundEffect& effect : *effects)
        if (effect.kind == GroundEffect::Kind::add)
          usage.added[static_cast<std::size_t>(effect.index)] = 1;
  return usage;
}

struct Changes {
  std::set<int> added, removed, written;
};

Changes changes_of(const GroundTask& task, const std::vector<GroundEffect>& effects) {
  Changes changes;
  for (const GroundEffect& effect : effects) {
    if (effect.kind == GroundEffect::Kind::add)
      changes.added.insert(effect.index);
    else if (effect.kind == GroundEffect::Kind::remove)
      changes.removed.insert(effect.index);
    else if (effect.kind == GroundEffect::Kind::call)
      for (const int v : task.calls[static_cast<std::size_t>(effect.index)].written)
        changes.written.insert(v);
    else
      changes.written.insert(effect.index);
  }
  return changes;
}

std::vector<NodeId> conjuncts(const FormulaPool& pool, NodeId node) {
  if (node == FormulaPool::kYes) return {};
  if (pool.node(node).kind == FormulaNode::Kind::all) return pool.node(node).children;
  return {node};
}

bool is_compressible(const GroundTask& task, const GroundAction& action, const Usage& usage) {
  const Changes start = changes_of(task, action.start.effects);
  const Changes end = changes_of(task, action.end.effects);
  const auto negated = [&](int fact) { return usage.negated[static_cast<std::size_t>(fact)] != 0; };
  bool enables = false;
  for (const int fact : start.added) {
    enables = true;
    if (end.removed.contains(fact)) return false;
  }
  for (const int fact : start.removed) {
    if (!negated(fact)) continue;
    enables = true;
    if (end.added.contains(fact)) return false;
  }
  for (const int variable : start.written)
    if (end.written.contains(variable)) return false;
  if (!enables) return true;
  for (const int fact : end.removed)
    if (!start.removed.contains(fact)) return false;
  for (const int fact : end.added)
    if (negated(fact)) return false;
  const auto invariant = conjuncts(task.pool, action.invariant);
  for (const NodeId node : conjuncts(task.pool, action.end.condition)) {
    const FormulaNode& condition = task.pool.node(node);
    const bool fixed = condition.kind == FormulaNode::Kind::fact &&
                       !usage.added[static_cast<std::size_t>(condition.index)];
    if (!fixed && std::find(invariant.begin(), invariant.end(), node) == invariant.end())
      return false;
  }
  return true;
}

}  // namespace

void mark_compressed(GroundTask& task, Watch& watch) {
  const Usage usage = find_usage(task);
  for (GroundAction& action : task.actions) {
    watch.tick();
    action.compressed = action.durative && is_compressible(task, action, usage);
  }
}

}  // namespace proven::task
