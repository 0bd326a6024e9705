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

// Who starts with an effect that may make a condition true.
class Providers {
 public:
  Providers(const GroundTask& task)
      : task_(task),
        adding_(static_cast<std::size_t>(task.fact_count)),
        removing_(static_cast<std::size_t>(task.fact_count)),
        writing_(task.variable_names.size()),
        derived_(static_cast<std::size_t>(task.fact_count)) {
    for (const Axiom& axiom : task.axioms) derived_[static_cast<std::size_t>(axiom.fact)] = 1;
    for (std::size_t a = 0; a < task.actions.size(); ++a) {
      if (!task.actions[a].durative) continue;  // needs nothing throughout: on no circle
      const Changes changes = changes_of(task, task.actions[a].start.effects);
      for (const int f : changes.added) adding_[static_cast<std::size_t>(f)].push_back(a);
      for (const int f : changes.removed) removing_[static_cast<std::size_t>(f)].push_back(a);
      for (const int v : changes.written) writing_[static_cast<std::size_t>(v)].push_back(a);
      if (!task.actions[a].start.effects.empty()) any_.push_back(a);
    }
  }

  void of(NodeId id, std::set<std::size_t>& out) const {
    const FormulaNode& node = task_.pool.node(id);
    const auto add = [&](const std::vector<std::size_t>& list) {
      out.insert(list.begin(), list.end());
    };
    const auto index = static_cast<std::size_t>(node.index);
    switch (node.kind) {
      case FormulaNode::Kind::fact:
        return add(derived_[index] ? any_ : adding_[index]);
      case FormulaNode::Kind::not_fact:
        return add(derived_[index] ? any_ : removing_[index]);
      case FormulaNode::Kind::compare:
        of_expr(node.left, out);
        return of_expr(node.right, out);
      case FormulaNode::Kind::call:
      case FormulaNode::Kind::not_call:
        return add(any_);
      default:
        for (const NodeId child : node.children) of(child, out);
    }
  }

 private:
  void of_expr(ExprId id, std::set<std::size_t>& out) const {
    const ExprNode& node = task_.pool.expr(id);
    if (node.kind == ExprNode::Kind::variable) {
      const auto& list = writing_[static_cast<std::size_t>(node.index)];
      out.insert(list.begin(), list.end());
    }
    if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return;
    of_expr(node.left, out);
    of_expr(node.right, out);
  }

  const GroundTask& task_;
  std::vector<std::vector<std::size_t>> adding_, removing_, writing_;
  std::vector<std::size_t> any_;
  std::vector<char> derived_;
};

// Leaves what neither needs nobody nor is needed by nobody: circles, and what lies between them.
void mark_circles(GroundTask& task, Watch& watch) {
  const Providers providers(task);
  std::vector<std::vector<std::size_t>> needs(task.actions.size()), needed(task.actions.size());
  for (std::size_t a = 0; a < task.actions.size(); ++a) {
    watch.tick();
    if (!task.actions[a].durative) continue;
    std::set<std::size_t> found;
    providers.of(task.actions[a].invariant, found);
    found.erase(a);
    needs[a].assign(found.begin(), found.end());
    for (const std::size_t b : found) needed[b].push_back(a);
  }
  std::vector<std::size_t> in(task.actions.size()), out(task.actions.size()), gone;
  for (std::size_t a = 0; a < task.actions.size(); ++a) {
    in[a] = needed[a].size();
    out[a] = needs[a].size();
    task.actions[a].circle = in[a] > 0 && out[a] > 0;
    if (!task.actions[a].circle) gone.push_back(a);
  }
  const auto leave = [&](std::size_t a, std::size_t& left) {
    if (--left > 0 || !task.actions[a].circle) return;
    task.actions[a].circle = false;
    gone.push_back(a);
  };
  for (std::size_t next = 0; next < gone.size(); ++next) {
    watch.tick();
    for (const std::size_t b : needs[gone[next]]) leave(b, in[b]);
    for (const std::size_t b : needed[gone[next]]) leave(b, out[b]);
  }
}

}  // namespace

void mark_compressed(GroundTask& task, Watch& watch) {
  const Usage usage = find_usage(task);
  mark_circles(task, watch);
  for (GroundAction& action : task.actions) {
    watch.tick();
    action.compressed = action.durative && !action.circle && is_compressible(task, action, usage);
  }
}

}  // namespace proven::task
