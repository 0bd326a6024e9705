// Ground formulas and expressions as shared, simplified nodes.
//
// Negation stands at the leaves only. Equal nodes have equal ids, so derived predicates that are
// replaced by their bodies stay small.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "proven/task/pddl.h"

namespace proven::task {

using NodeId = std::int32_t;
using ExprId = std::int32_t;

struct ExprNode {
  enum class Kind : std::uint8_t {
    constant,
    variable,
    duration,
    total_time,
    sum,
    difference,
    product,
    quotient,
    call,
    violated  // 1 where a formula does not hold, else 0
  } kind = Kind::constant;
  double value = 0;        // constant
  std::int32_t index = 0;  // variable, module call or formula
  ExprId left = 0, right = 0;
};

struct FormulaNode {
  enum class Kind : std::uint8_t {
    yes,
    no,
    fact,
    not_fact,
    compare,
    call,
    not_call,
    all,
    any
  } kind = Kind::yes;
  std::int32_t index = 0;  // fact or module call
  Comparison comparison = Comparison::equal;
  ExprId left = 0, right = 0;    // compare
  std::vector<NodeId> children;  // all, any: sorted
};

// A multiple of 2^-10 up to 2^31, or undefined. What has 51 bits at most is never rounded: neither
// sums and products of such numbers (multiples of 2^-20) nor, since a quotient that is off differs
// from a/b by |q| 2^-51 at least, quotients that are such numbers again. Decimals that were rounded
// in reading are none.
bool is_exact(double value);

class FormulaPool {
 public:
  FormulaPool();

  static constexpr NodeId kYes = 0, kNo = 1;

  NodeId fact(int index);
  NodeId call(int index);
  NodeId compare(Comparison comparison, ExprId left, ExprId right);
  NodeId all(std::vector<NodeId> children);
  NodeId any(std::vector<NodeId> children);
  NodeId negate(NodeId node);

  ExprId constant(double value);
  ExprId variable(int index);
  ExprId duration();
  ExprId total_time();
  ExprId expr_call(int index);
  ExprId violated(NodeId node);
  ExprId binary(ExprNode::Kind kind, ExprId left, ExprId right);

  const FormulaNode& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const ExprNode& expr(ExprId id) const { return exprs_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return nodes_.size(); }
  std::size_t expr_count() const { return exprs_.size(); }
  // Some operation was carried out on, or led to, a number that is not exact.
  bool rounded() const { return rounded_; }
  void note_rounding(double left, double right, double result) const {
    rounded_ = rounded_ || !is_exact(left) || !is_exact(right) || !is_exact(result);
  }

 private:
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  NodeId intern(FormulaNode node);
  ExprId intern(ExprNode node);
  NodeId connective(FormulaNode::Kind kind, std::vector<NodeId> children);

  std::vector<FormulaNode> nodes_;
  mutable bool rounded_ = false;
  std::vector<ExprNode> exprs_;
  std::unordered_map<Key, NodeId, KeyHash> node_ids_;
  std::unordered_map<Key, ExprId, KeyHash> expr_ids_;
};

bool holds(Comparison comparison, double left, double right);  // undefined (NaN): false
double apply(ExprNode::Kind kind, double left, double right);

}  // namespace proven::task
