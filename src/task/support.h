// What the truth of a formula or the value of an expression depends on.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "task/ground_task.h"
#include "task/watch.h"

namespace proven::task {

struct Support {
  std::vector<int> facts, variables, calls;  // sorted, without repetition
  bool empty() const { return facts.empty() && variables.empty() && calls.empty(); }
};

// Computed once per node and kept. Derived facts count as the plain facts below them.
class Supports {
 public:
  Supports(const GroundTask& task, const Watch& watch);

  const Support& of(NodeId node) const { return nodes_[static_cast<std::size_t>(node)]; }
  const Support& of_expr(ExprId expr) const;
  // Conjuncts of a formula that depend on more than one thing.
  const std::vector<NodeId>& joint(NodeId node) const;

 private:
  Support compute(NodeId node) const;
  void collect(NodeId node, Support& support, std::vector<char>& seen_axioms) const;
  void collect_expr(ExprId expr, Support& support) const;

  const GroundTask& task_;
  std::vector<NodeId> axiom_body_;  // per fact; -1: not derived
  std::vector<Support> nodes_;
  std::vector<Support> exprs_;
  std::unordered_map<NodeId, std::vector<NodeId>> joint_;
};

}  // namespace proven::task
