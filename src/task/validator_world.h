// The validator's own view of a task: trees of words, and states as sets of words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "proven/task/validate.h"
#include "task/watch.h"

namespace proven::task::judge {

struct Tree {
  std::string word;  // of a leaf
  std::vector<Tree> items;
  char bracket = 0;  // '(' or '[' for lists
  int line = 0;

  bool leaf() const { return bracket == 0; }
  const std::string& head() const {
    static const std::string none;
    return !leaf() && !items.empty() && items[0].leaf() ? items[0].word : none;
  }
};

// Thrown on files that make no sense; becomes an Error.
struct Unreadable {
  std::string message;
};
// Thrown when a plan breaks a rule; becomes a rejection.
struct Broken {
  std::string message;
};

Tree read_tree(std::string_view text, const char* what);

struct Variable {
  std::string name;
  std::set<std::string> types;
};
std::vector<Variable> read_variables(const std::vector<Tree>& items, std::size_t first);

struct ActionScheme {
  bool durative = false;
  std::vector<Variable> parameters;
  Tree duration, condition, effect;
};

struct DerivedScheme {
  std::vector<Variable> parameters;
  Tree body;
};

struct Module {
  std::string kind;
  std::vector<Variable> parameters;
  std::vector<Tree> written;
};

struct World {
  std::map<std::string, std::set<std::string>> parents;  // of types
  std::map<std::string, std::set<std::string>> objects;  // declared types
  std::map<std::string, ActionScheme> actions;
  std::map<std::string, std::vector<DerivedScheme>> derived;
  std::map<std::string, Module> modules;
  std::set<std::string> predicates, numbers, object_fluents;
  std::set<std::string> changing;  // predicates and fluents that some effect names
  std::vector<std::pair<double, Tree>> timed;
  Tree initial, goal, metric;
  bool minimize = true;

  bool is_of(const std::string& object, const std::set<std::string>& types) const;
  std::vector<std::string> objects_of(const std::set<std::string>& types) const;
};

World read_world(std::string_view domain, std::string_view problem);

using Bindings = std::map<std::string, std::string>;

struct WorldState {
  std::set<std::string> facts;                // "predicate object ..."
  std::map<std::string, double> numbers;      // "fluent object ..."
  std::map<std::string, std::string> values;  // object fluents
};

// What an evaluation looked at, in words.
using Reads = std::set<std::string>;

class Evaluator {
 public:
  Evaluator(const World& world, ValidationModules* modules, const Budget& budget)
      : world_(world), modules_(modules), budget_(budget), watch_(budget, "judging the plan") {}

  bool truth(const Tree& formula, const Bindings& bindings, const WorldState& state, Reads& reads);
  double number(const Tree& expression, const Bindings& bindings, const WorldState& state,
                Reads& reads);
  std::string object(const Tree& term, const Bindings& bindings, const WorldState& state,
                     Reads& reads);
  // "name object ..." with variables and fluents replaced.
  std::string atom(const Tree& written, const Bindings& bindings, const WorldState& state,
                   Reads& reads);
  bool is_numeric(const Tree& written) const;
  std::vector<double> module_effect(const std::string& call, const WorldState& state);
  template <class Visit>
  void for_each(const std::vector<Variable>& variables, std::size_t next, Bindings& bindings,
                const Visit& visit) const {
    if (next == variables.size()) return visit();
    for (const std::string& candidate : world_.objects_of(variables[next].types)) {
      bindings[variables[next].name] = candidate;
      for_each(variables, next + 1, bindings, visit);
    }
    bindings.erase(variables[next].name);
  }

  double time = 0, duration = 0, total_time = 0;

 private:
  struct Outcome {
    bool value = false;
    bool fixed = true;  // decided by what never changes
  };
  Outcome outcome(const Tree& formula, const Bindings& bindings, const WorldState& state,
                  Reads& reads);
  Outcome several(const std::vector<Outcome>& parts, const std::vector<Reads>& looked, bool all,
                  Reads& reads) const;
  Outcome quantified(const Tree& formula, const Bindings& bindings, const WorldState& state,
                     Reads& reads);
  Outcome equality(const Tree& formula, const Bindings& bindings, const WorldState& state,
                   Reads& reads);
  Outcome fact(const Tree& formula, const Bindings& bindings, const WorldState& state,
               Reads& reads);
  Outcome module_condition(const Tree& call, const Bindings& bindings, const WorldState& state);
  double violations(const Tree& goal, const std::string& name, const Bindings& bindings,
                    const WorldState& state);
  ValidationModules::World words(const WorldState& state) const;

  const World& world_;
  ValidationModules* modules_;
  const Budget& budget_;
  Watch watch_;
  std::set<std::string> in_progress_;  // derived atoms being proved
};

}  // namespace proven::task::judge
