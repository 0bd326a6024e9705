#include "task/state.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace proven::task {

State initial_state(const GroundTask& task) {
  State state;
  state.facts.resize(static_cast<std::size_t>(task.fact_count) / 64 + 1);
  for (int f = 0; f < task.fact_count; ++f)
    if (task.initial_facts[static_cast<std::size_t>(f)]) state.set(f, true);
  state.values = task.initial_values;
  derive(task, state);
  return state;
}

void derive(const GroundTask& task, State& state) {
  for (const Axiom& axiom : task.axioms) state.set(axiom.fact, false);
  for (std::size_t begin = 0; begin < task.axioms.size();) {
    std::size_t end = begin;
    while (end < task.axioms.size() && task.axioms[end].stratum == task.axioms[begin].stratum)
      ++end;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = begin; i < end; ++i) {
        const Axiom& axiom = task.axioms[i];
        if (state.fact(axiom.fact)) continue;
        if (evaluate(task, axiom.body, state, nullptr) != Truth::yes) continue;
        state.set(axiom.fact, true);
        changed = true;
      }
    }
    begin = end;
  }
}

Truth evaluate(const GroundTask& task, NodeId id, const State& state, ModuleOracle* oracle) {
  const FormulaNode& node = task.pool.node(id);
  const auto truth = [](bool value) { return value ? Truth::yes : Truth::no; };
  switch (node.kind) {
    case FormulaNode::Kind::yes:
      return Truth::yes;
    case FormulaNode::Kind::no:
      return Truth::no;
    case FormulaNode::Kind::fact:
      return truth(state.fact(node.index));
    case FormulaNode::Kind::not_fact:
      return truth(!state.fact(node.index));
    case FormulaNode::Kind::compare:
      return truth(holds(node.comparison, evaluate(task, node.left, state, 0, oracle),
                         evaluate(task, node.right, state, 0, oracle)));
    case FormulaNode::Kind::call:
    case FormulaNode::Kind::not_call: {
      const Truth answer = oracle ? oracle->condition(node.index, state) : Truth::unknown;
      if (answer == Truth::unknown || node.kind == FormulaNode::Kind::call) return answer;
      return truth(answer == Truth::no);
    }
    case FormulaNode::Kind::all:
    case FormulaNode::Kind::any:
      break;
  }
  // First without modules: what facts decide needs no call.
  const Truth deciding = node.kind == FormulaNode::Kind::all ? Truth::no : Truth::yes;
  bool unknown = false;
  for (const NodeId child : node.children) {
    const Truth t = evaluate(task, child, state, nullptr);
    if (t == deciding) return deciding;
    unknown |= t == Truth::unknown;
  }
  if (!unknown || !oracle)
    return unknown ? Truth::unknown : deciding == Truth::no ? Truth::yes : Truth::no;
  unknown = false;
  for (const NodeId child : node.children) {
    const Truth t = evaluate(task, child, state, oracle);
    if (t == deciding) return deciding;
    unknown |= t == Truth::unknown;
  }
  return unknown ? Truth::unknown : deciding == Truth::no ? Truth::yes : Truth::no;
}

double evaluate(const GroundTask& task, ExprId id, const State& state, double duration,
                ModuleOracle* oracle) {
  const ExprNode& node = task.pool.expr(id);
  switch (node.kind) {
    case ExprNode::Kind::constant:
      return node.value;
    case ExprNode::Kind::variable:
      return state.values[static_cast<std::size_t>(node.index)];
    case ExprNode::Kind::duration:
      return duration;
    case ExprNode::Kind::total_time:
      return 0;
    case ExprNode::Kind::violated:
      return evaluate(task, node.index, state, oracle) == Truth::yes ? 0 : 1;
    case ExprNode::Kind::call:
      return oracle ? oracle->cost(node.index, state) : std::nan("");
    default:
      break;
  }
  const double left = evaluate(task, node.left, state, duration, oracle);
  const double right = evaluate(task, node.right, state, duration, oracle);
  const double value = apply(node.kind, left, right);
  task.pool.note_rounding(left, right, value);
  return value;
}

bool uses_duration(const FormulaPool& pool, ExprId id) {
  const ExprNode& node = pool.expr(id);
  if (node.kind == ExprNode::Kind::duration) return true;
  if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return false;
  return uses_duration(pool, node.left) || uses_duration(pool, node.right);
}

void append_key(const GroundTask& task, const State& state, std::vector<std::uint64_t>& key) {
  key.insert(key.end(), state.facts.begin(), state.facts.end());
  for (const int v : task.observed)
    key.push_back(std::bit_cast<std::uint64_t>(state.values[static_cast<std::size_t>(v)]));
}

StateHash hash_of(const GroundTask& task, const State& state) {
  std::uint64_t a = 0x243f6a8885a308d3u, b = 0x13198a2e03707344u;
  const auto add = [&](std::uint64_t value) {
    a = (a ^ value) * 0x9e3779b97f4a7c15u;
    a ^= a >> 29;
    b = (b + value) * 0xc2b2ae3d27d4eb4fu;
    b ^= b >> 31;
  };
  for (const std::uint64_t word : state.facts) add(word);
  for (const int v : task.observed)
    add(std::bit_cast<std::uint64_t>(state.values[static_cast<std::size_t>(v)]));
  std::vector<std::uint64_t> running;
  for (const Running& r : state.running)
    running.push_back(static_cast<std::uint64_t>(r.action) ^ (r.held << 32));
  std::sort(running.begin(), running.end());
  for (const std::uint64_t value : running) add(value);
  add(static_cast<std::uint64_t>(state.next_timed));
  return {a, b};
}

}  // namespace proven::task
