#include "task/formula_pool.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace proven::task {
namespace {

Comparison opposite(Comparison comparison) {
  switch (comparison) {
    case Comparison::less:
      return Comparison::greater_equal;
    case Comparison::less_equal:
      return Comparison::greater;
    case Comparison::greater_equal:
      return Comparison::less;
    case Comparison::greater:
      return Comparison::less_equal;
    case Comparison::equal:
      break;
  }
  return Comparison::equal;
}

}  // namespace

bool is_exact(double value) {
  return std::isnan(value) ||
         (std::abs(value) <= 0x1p31 && std::floor(value * 1024) == value * 1024);
}

bool holds(Comparison comparison, double left, double right) {
  switch (comparison) {
    case Comparison::less:
      return left < right;
    case Comparison::less_equal:
      return left <= right;
    case Comparison::equal:
      return left == right;
    case Comparison::greater_equal:
      return left >= right;
    case Comparison::greater:
      return left > right;
  }
  return false;
}

double apply(ExprNode::Kind kind, double left, double right) {
  switch (kind) {
    case ExprNode::Kind::sum:
      return left + right;
    case ExprNode::Kind::difference:
      return left - right;
    case ExprNode::Kind::product:
      return left * right;
    case ExprNode::Kind::quotient:
      return right == 0 ? std::nan("") : left / right;
    default:
      return std::nan("");
  }
}

std::size_t FormulaPool::KeyHash::operator()(const Key& key) const {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const std::int64_t value : key) {
    h ^= static_cast<std::uint64_t>(value);
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<std::size_t>(h);
}

FormulaPool::FormulaPool() {
  nodes_.resize(2);
  nodes_[kNo].kind = FormulaNode::Kind::no;
}

NodeId FormulaPool::intern(FormulaNode node) {
  Key key{static_cast<std::int64_t>(node.kind), node.index,
          static_cast<std::int64_t>(node.comparison), node.left, node.right};
  key.insert(key.end(), node.children.begin(), node.children.end());
  const auto [it, inserted] =
      node_ids_.try_emplace(std::move(key), static_cast<NodeId>(nodes_.size()));
  if (inserted) nodes_.push_back(std::move(node));
  return it->second;
}

ExprId FormulaPool::intern(ExprNode node) {
  Key key{static_cast<std::int64_t>(node.kind), std::bit_cast<std::int64_t>(node.value), node.index,
          node.left, node.right};
  const auto [it, inserted] =
      expr_ids_.try_emplace(std::move(key), static_cast<ExprId>(exprs_.size()));
  if (inserted) exprs_.push_back(node);
  return it->second;
}

NodeId FormulaPool::fact(int index) {
  FormulaNode node;
  node.kind = FormulaNode::Kind::fact;
  node.index = index;
  return intern(std::move(node));
}

NodeId FormulaPool::call(int index) {
  FormulaNode node;
  node.kind = FormulaNode::Kind::call;
  node.index = index;
  return intern(std::move(node));
}

NodeId FormulaPool::compare(Comparison comparison, ExprId left, ExprId right) {
  if (expr(left).kind == ExprNode::Kind::constant && expr(right).kind == ExprNode::Kind::constant)
    return holds(comparison, expr(left).value, expr(right).value) ? kYes : kNo;
  FormulaNode node;
  node.kind = FormulaNode::Kind::compare;
  node.comparison = comparison;
  node.left = left;
  node.right = right;
  return intern(std::move(node));
}

NodeId FormulaPool::connective(FormulaNode::Kind kind, std::vector<NodeId> children) {
  const bool is_all = kind == FormulaNode::Kind::all;
  const NodeId neutral = is_all ? kYes : kNo, absorbing = is_all ? kNo : kYes;
  FormulaNode result;
  result.kind = kind;
  for (const NodeId child : children) {
    if (child == absorbing) return absorbing;
    if (child == neutral) continue;
    if (node(child).kind == kind)
      result.children.insert(result.children.end(), node(child).children.begin(),
                             node(child).children.end());
    else
      result.children.push_back(child);
  }
  std::sort(result.children.begin(), result.children.end());
  result.children.erase(std::unique(result.children.begin(), result.children.end()),
                        result.children.end());
  if (result.children.empty()) return neutral;
  if (result.children.size() == 1) return result.children[0];
  return intern(std::move(result));
}

NodeId FormulaPool::all(std::vector<NodeId> children) {
  return connective(FormulaNode::Kind::all, std::move(children));
}

NodeId FormulaPool::any(std::vector<NodeId> children) {
  return connective(FormulaNode::Kind::any, std::move(children));
}

NodeId FormulaPool::negate(NodeId id) {
  FormulaNode copy = node(id);
  switch (copy.kind) {
    case FormulaNode::Kind::yes:
      return kNo;
    case FormulaNode::Kind::no:
      return kYes;
    case FormulaNode::Kind::fact:
      copy.kind = FormulaNode::Kind::not_fact;
      break;
    case FormulaNode::Kind::not_fact:
      copy.kind = FormulaNode::Kind::fact;
      break;
    case FormulaNode::Kind::call:
      copy.kind = FormulaNode::Kind::not_call;
      break;
    case FormulaNode::Kind::not_call:
      copy.kind = FormulaNode::Kind::call;
      break;
    case FormulaNode::Kind::compare:
      if (copy.comparison == Comparison::equal)
        return any({compare(Comparison::less, copy.left, copy.right),
                    compare(Comparison::greater, copy.left, copy.right)});
      return compare(opposite(copy.comparison), copy.left, copy.right);
    case FormulaNode::Kind::all:
    case FormulaNode::Kind::any: {
      std::vector<NodeId> children;
      for (const NodeId child : copy.children) children.push_back(negate(child));
      return copy.kind == FormulaNode::Kind::all ? any(std::move(children))
                                                 : all(std::move(children));
    }
  }
  return intern(std::move(copy));
}

ExprId FormulaPool::constant(double value) {
  ExprNode node;
  node.value = value == 0 ? 0.0 : value;
  return intern(node);
}

ExprId FormulaPool::variable(int index) {
  ExprNode node;
  node.kind = ExprNode::Kind::variable;
  node.index = index;
  return intern(node);
}

ExprId FormulaPool::duration() {
  ExprNode node;
  node.kind = ExprNode::Kind::duration;
  return intern(node);
}

ExprId FormulaPool::total_time() {
  ExprNode node;
  node.kind = ExprNode::Kind::total_time;
  return intern(node);
}

ExprId FormulaPool::expr_call(int index) {
  ExprNode node;
  node.kind = ExprNode::Kind::call;
  node.index = index;
  return intern(node);
}

ExprId FormulaPool::violated(NodeId node) {
  ExprNode made;
  made.kind = ExprNode::Kind::violated;
  made.index = node;
  return intern(made);
}

ExprId FormulaPool::binary(ExprNode::Kind kind, ExprId left, ExprId right) {
  const ExprNode &a = expr(left), &b = expr(right);
  if (a.kind == ExprNode::Kind::constant && b.kind == ExprNode::Kind::constant) {
    const double value = apply(kind, a.value, b.value);
    note_rounding(a.value, b.value, value);
    return constant(value);
  }
  ExprNode node;
  node.kind = kind;
  node.left = left;
  node.right = right;
  return intern(node);
}

}  // namespace proven::task
