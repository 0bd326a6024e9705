#include "task/derived.h"

#include <fmt/format.h>

#include <vector>

#include "task/failure.h"
#include "task/s_expression.h"

namespace proven::task {

DerivedPredicates::DerivedPredicates(const Domain& domain) {
  for (const DerivedRule& rule : domain.derived) uses_[rule.name];
  for (const DerivedRule& rule : domain.derived) collect(rule.body, false, rule.name);
  stratify(domain);
}

void DerivedPredicates::collect(const Formula& f, bool negated, const std::string& head) {
  if (f.kind == Formula::Kind::atom && uses_.contains(f.name)) uses_[head].emplace(f.name, negated);
  const bool inner = f.kind == Formula::Kind::negation ? !negated : negated;
  for (const Formula& part : f.parts) collect(part, inner, head);
}

bool DerivedPredicates::is_recursive(const std::string& name) const {
  std::set<std::string> seen;
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    for (const auto& [used, negated] : uses_.at(next)) {
      if (used == name) return true;
      if (seen.insert(used).second) open.push_back(used);
    }
  }
  return false;
}

void DerivedPredicates::stratify(const Domain& domain) {
  for (const auto& [name, used] : uses_) strata_[name] = 0;
  const int highest = static_cast<int>(uses_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, all_used] : uses_)
      for (const auto& [used, negated] : all_used) {
        const int least = strata_[used] + (negated ? 1 : 0);
        if (strata_[name] >= least) continue;
        strata_[name] = least;
        changed = true;
        if (least > highest)
          fail(place_text(domain.file, domain.derived[0].place),
               fmt::format("derived predicate '{}' depends on its own negation", name));
      }
  }
}

}  // namespace proven::task
