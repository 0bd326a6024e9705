#include "task/support.h"

#include <algorithm>

namespace proven::task {
namespace {

void make_set(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void make_sets(Support& support) {
  make_set(support.facts);
  make_set(support.variables);
  make_set(support.calls);
}

}  // namespace

Supports::Supports(const GroundTask& task, const Watch& watch) : task_(task) {
  axiom_body_.assign(static_cast<std::size_t>(task.fact_count), -1);
  for (const Axiom& axiom : task.axioms)
    axiom_body_[static_cast<std::size_t>(axiom.fact)] = axiom.body;
  nodes_.resize(task.pool.size());
  exprs_.resize(task.pool.expr_count());
  for (ExprId e = 0; e < static_cast<ExprId>(task.pool.expr_count()); ++e) {
    collect_expr(e, exprs_[static_cast<std::size_t>(e)]);
    make_sets(exprs_[static_cast<std::size_t>(e)]);
  }
  const auto prepare = [&](NodeId node) {
    Support& support = nodes_[static_cast<std::size_t>(node)];
    if (!support.empty()) return;
    watch.look();
    support = compute(node);
  };
  prepare(task.goal);
  for (const GroundAction& action : task.actions) {
    for (const NodeId node : {action.start.condition, action.invariant, action.end.condition})
      prepare(node);
    for (const auto* effects : {&action.start.effects, &action.end.effects})
      for (const GroundEffect& effect : *effects) {
        prepare(effect.condition);
        prepare(effect.start_condition);
      }
    if (joint_.contains(action.invariant)) continue;
    std::vector<NodeId>& joint = joint_[action.invariant];
    const FormulaNode& node = task.pool.node(action.invariant);
    const std::vector<NodeId> parts =
        node.kind == FormulaNode::Kind::all ? node.children : std::vector<NodeId>{action.invariant};
    for (const NodeId part : parts) {
      prepare(part);
      const Support& support = of(part);
      if (support.facts.size() + support.variables.size() + 2 * support.calls.size() > 1)
        joint.push_back(part);
    }
  }
}

const Support& Supports::of_expr(ExprId expr) const {
  return exprs_[static_cast<std::size_t>(expr)];
}

const std::vector<NodeId>& Supports::joint(NodeId node) const {
  return joint_.at(node);
}

Support Supports::compute(NodeId node) const {
  Support support;
  std::vector<char> seen_axioms(static_cast<std::size_t>(task_.fact_count));
  collect(node, support, seen_axioms);
  make_sets(support);
  return support;
}

void Supports::collect(NodeId id, Support& support, std::vector<char>& seen_axioms) const {
  const FormulaNode& node = task_.pool.node(id);
  switch (node.kind) {
    case FormulaNode::Kind::fact:
    case FormulaNode::Kind::not_fact: {
      const auto fact = static_cast<std::size_t>(node.index);
      if (axiom_body_[fact] < 0) {
        support.facts.push_back(node.index);
      } else if (!seen_axioms[fact]) {
        seen_axioms[fact] = 1;
        collect(axiom_body_[fact], support, seen_axioms);
      }
      break;
    }
    case FormulaNode::Kind::compare:
      collect_expr(node.left, support);
      collect_expr(node.right, support);
      break;
    case FormulaNode::Kind::call:
    case FormulaNode::Kind::not_call:
      support.calls.push_back(node.index);
      break;
    default:
      for (const NodeId child : node.children) collect(child, support, seen_axioms);
  }
}

void Supports::collect_expr(ExprId id, Support& support) const {
  const ExprNode& node = task_.pool.expr(id);
  if (node.kind == ExprNode::Kind::variable) support.variables.push_back(node.index);
  if (node.kind == ExprNode::Kind::call) support.calls.push_back(node.index);
  if (node.kind >= ExprNode::Kind::sum && node.kind <= ExprNode::Kind::quotient) {
    collect_expr(node.left, support);
    collect_expr(node.right, support);
  }
}

}  // namespace proven::task
