#include "task/relevance.h"

#include <algorithm>

namespace proven::task {
namespace {

class Relevance {
 public:
  Relevance(const GroundTask& task, Watch& watch)
      : task_(task),
        watch_(watch),
        wanted_true_(static_cast<std::size_t>(task.fact_count)),
        wanted_false_(static_cast<std::size_t>(task.fact_count)),
        wanted_number_(task.variable_names.size()),
        visited_(task.pool.size()) {}

  std::vector<char> relevant_actions() {
    want(task_.goal);
    std::vector<char> relevant(task_.actions.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (const Axiom& axiom : task_.axioms)
        if (wanted_true_[index(axiom.fact)] || wanted_false_[index(axiom.fact)]) {
          watch_.look();
          // A derived fact may be wanted either way: its body then counts for both.
          changed |= want(axiom.body);
          changed |= want_opposite(axiom.body);
        }
      for (std::size_t a = 0; a < task_.actions.size(); ++a) {
        watch_.tick();
        if (relevant[a] || !contributes(task_.actions[a])) continue;
        relevant[a] = 1;
        changed = true;
        want_all(task_.actions[a]);
      }
    }
    return relevant;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  bool contributes(const GroundAction& action) const {
    const auto wanted = [&](const GroundEffect& effect) {
      if (effect.kind == GroundEffect::Kind::add) return wanted_true_[index(effect.index)] != 0;
      if (effect.kind == GroundEffect::Kind::remove) return wanted_false_[index(effect.index)] != 0;
      if (effect.kind == GroundEffect::Kind::call) return true;
      return wanted_number_[index(effect.index)] != 0;
    };
    return std::any_of(action.start.effects.begin(), action.start.effects.end(), wanted) ||
           std::any_of(action.end.effects.begin(), action.end.effects.end(), wanted);
  }

  void want_all(const GroundAction& action) {
    want(action.start.condition);
    want(action.invariant);
    want(action.end.condition);
    for (const auto& [comparison, value] : action.duration) want_expr(value);
    for (const auto* effects : {&action.start.effects, &action.end.effects})
      for (const GroundEffect& effect : *effects) {
        want(effect.condition);
        want(effect.start_condition);
        if (effect.kind != GroundEffect::Kind::add && effect.kind != GroundEffect::Kind::remove &&
            effect.kind != GroundEffect::Kind::call)
          want_expr(effect.value);
      }
  }

  bool want(NodeId id) {
    if (visited_[index(id)]) return false;
    visited_[index(id)] = 1;
    const FormulaNode& node = task_.pool.node(id);
    if (node.kind == FormulaNode::Kind::fact) wanted_true_[index(node.index)] = 1;
    if (node.kind == FormulaNode::Kind::not_fact) wanted_false_[index(node.index)] = 1;
    if (node.kind == FormulaNode::Kind::compare) {
      want_expr(node.left);
      want_expr(node.right);
    }
    for (const NodeId child : node.children) want(child);
    return true;
  }

  bool want_opposite(NodeId id) {
    const FormulaNode& node = task_.pool.node(id);
    bool changed = false;
    const auto mark = [&](std::vector<char>& wanted) {
      changed |= !wanted[index(node.index)];
      wanted[index(node.index)] = 1;
    };
    if (node.kind == FormulaNode::Kind::fact) mark(wanted_false_);
    if (node.kind == FormulaNode::Kind::not_fact) mark(wanted_true_);
    for (const NodeId child : node.children) changed |= want_opposite(child);
    return changed;
  }

  void want_expr(ExprId id) {
    const ExprNode& node = task_.pool.expr(id);
    if (node.kind == ExprNode::Kind::variable) wanted_number_[index(node.index)] = 1;
    if (node.kind >= ExprNode::Kind::sum && node.kind <= ExprNode::Kind::quotient) {
      want_expr(node.left);
      want_expr(node.right);
    }
  }

  const GroundTask& task_;
  Watch& watch_;
  std::vector<char> wanted_true_, wanted_false_, wanted_number_, visited_;
};

}  // namespace

void remove_irrelevant_actions(GroundTask& task, Watch& watch) {
  if (!task.calls.empty()) return;
  const auto relevant = Relevance(task, watch).relevant_actions();
  std::vector<GroundAction> kept;
  for (std::size_t a = 0; a < task.actions.size(); ++a)
    if (relevant[a]) kept.push_back(std::move(task.actions[a]));
  task.actions = std::move(kept);
}

}  // namespace proven::task
