// Which derived predicates depend on themselves, and in which order to evaluate them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "proven/task/pddl.h"

namespace proven::task {

class DerivedPredicates {
 public:
  // Throws Failure where a predicate depends on its own negation.
  explicit DerivedPredicates(const Domain& domain);

  bool contains(const std::string& name) const { return uses_.contains(name); }
  bool is_recursive(const std::string& name) const;
  int stratum(const std::string& name) const { return strata_.at(name); }

 private:
  void collect(const Formula& f, bool negated, const std::string& head);
  void stratify(const Domain& domain);

  std::map<std::string, std::set<std::pair<std::string, bool>>> uses_;  // (used, negated)
  std::map<std::string, int> strata_;
};

}  // namespace proven::task
