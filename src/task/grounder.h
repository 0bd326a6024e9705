// Puts objects for variables and folds whatever never changes.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/derived.h"
#include "task/failure.h"
#include "task/ground_task.h"
#include "task/reachability.h"
#include "task/s_expression.h"
#include "task/symbols.h"

namespace proven::task {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

struct AtomStatus {
  bool initial = false, added = false, removed = false;
  int fact = -1;
};

struct NumberStatus {
  double initial = kUndefined;
  bool changed = false;
  int variable = -1;
};

class Grounder {
 public:
  Grounder(const Domain& domain, const Problem& problem, const Symbols& symbols,
           const std::vector<Instance>& instances, Watch& watch);
  // Keeps the instances that survive folding; true if all did.
  bool build(std::vector<Instance>& instances);
  GroundTask finish();

 private:
  [[noreturn]] void fail_at(Place place, std::string message, ErrorCode code) const {
    fail(place_text(domain_.file, place), std::move(message), code);
  }

  // What changes: grounder_changes.cpp.
  AtomStatus& atom_status(const AtomKey& key);
  NumberStatus& number_status(const AtomKey& key);
  AtomKey initial_key(const InitialValue& value) const;
  void read_initial();
  void collect_timed_changes();
  Binding bind(const Instance& instance) const;
  template <class Visit>
  void for_all(const std::vector<TypedName>& variables, std::size_t next, Binding& binding,
               const Visit& visit) {
    watch_.tick();
    if (next == variables.size()) return visit();
    for (const int object : symbols_.objects_of(variables[next].types)) {
      binding.values.emplace_back(variables[next].name, object);
      for_all(variables, next + 1, binding, visit);
      binding.values.pop_back();
    }
  }
  using Resolved = std::function<void(const std::vector<int>&, const std::vector<AtomKey>&)>;
  // Objects for terms. A fluent inside stands for each of its possible values, under the condition
  // (an atom) that it has that value.
  void resolve(const std::vector<Term>& terms, std::size_t next, const Binding& binding,
               std::vector<int>& objects, std::vector<AtomKey>& conditions, const Resolved& visit);
  void resolve(const std::vector<Term>& terms, const Binding& binding, const Resolved& visit);
  static AtomKey keyed(int head, const std::vector<int>& arguments) {
    AtomKey key{head};
    key.insert(key.end(), arguments.begin(), arguments.end());
    return key;
  }
  void collect_changes(const Instance& instance);
  void collect_changes(const Effect& effect, const Binding& binding);
  const ModuleDeclaration& module(const std::string& name, int* index = nullptr) const;
  std::vector<AtomKey> written_numbers(const std::string& name, const std::vector<int>& arguments);

  // Nodes: grounder_nodes.cpp.
  int new_fact(const AtomKey& key, const std::string& name, bool initial);
  std::string predicate_name(int predicate) const;
  // -1: constant, then `truth` says which.
  int fact_of(const AtomKey& key, bool& truth);
  NodeId atom_node(const AtomKey& key);
  NodeId conditions_node(const std::vector<AtomKey>& conditions);
  NodeId derived_node(const std::string& name, const std::vector<int>& arguments);
  NodeId rules_node(const std::string& name, const std::vector<int>& arguments);
  void ground_axioms();
  int call(const std::string& name, const std::vector<int>& arguments);
  int variable(const AtomKey& key);
  ExprId number_expr(const AtomKey& key);
  std::vector<int> plain_objects(const std::vector<Term>& terms, const Binding& binding,
                                 Place place);
  ExprId expression(const Expression& e, const Binding& binding);
  NodeId ground(const Formula& f, Binding& binding);
  NodeId leaf(const Formula& f, const std::vector<int>& objects);

  // Actions and the rest: grounder.cpp.
  void find_impossible_goal(const Formula& f, Binding& binding);
  bool ground_action(const Instance& instance, GroundAction& action);
  void ground_effect(const Effect& effect, Binding& binding, std::vector<GroundEffect>& out);
  void emit(const Effect& effect, const std::vector<int>& objects, const Binding& binding,
            GroundEffect made, std::vector<GroundEffect>& out);
  void build_timed();
  // Every atom and number that a module may ask for.
  void list_atoms();

  struct OpenAxiom {
    std::string name;
    std::vector<int> arguments;
    int fact;
  };

  const Domain& domain_;
  const Problem& problem_;
  const Symbols& symbols_;
  Watch& watch_;
  DerivedPredicates derived_;
  GroundTask task_;
  AtomTable atoms_, numbers_;
  std::vector<AtomStatus> atom_status_;
  std::vector<NumberStatus> number_status_;
  std::set<AtomKey> set_fluents_;  // object fluents that some action assigns
  std::map<AtomKey, NodeId> derived_nodes_;
  std::vector<OpenAxiom> open_axioms_;
  std::map<AtomKey, int> call_ids_;
};

}  // namespace proven::task
