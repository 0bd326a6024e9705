// PDDL as written: domains and problems with types, quantifiers, conditional effects, derived
// predicates, numeric and object fluents, durative actions, timed initial literals, metrics, and
// modules (functions of shared libraries called in square brackets).
//
// Names are lower case, as PDDL ignores case; tokens with '@' and the arguments of module options
// keep theirs. Errors name file, line and column. Nothing is evaluated here.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"

namespace proven::task {

struct Place {
  int line = 0, column = 0;  // counted from 1
};

struct TypedName {
  std::string name;                // variables with their '?'
  std::vector<std::string> types;  // several: (either ...); {"object"} where none is written
  Place place;
};

// A variable, an object, or a fluent whose value is an object.
struct Term {
  enum class Kind { variable, object, fluent } kind = Kind::object;
  std::string name;
  std::vector<Term> arguments;  // of a fluent
  Place place;
};

struct Expression {
  enum class Kind {
    number,
    fluent,
    sum,
    difference,
    product,
    quotient,
    duration,    // ?duration
    total_time,  // metrics only
    violations,  // (is-violated p), metrics only: how many preferences named p the end violates
    module       // [name ...] of a cost module
  } kind = Kind::number;
  double number = 0;
  std::string name;
  std::vector<Term> arguments;
  std::vector<Expression> operands;  // a difference of one operand is its negation
  Place place;
};

enum class Comparison { less, less_equal, equal, greater_equal, greater };

struct Formula {
  enum class Kind {
    conjunction,  // of nothing: true
    disjunction,
    negation,
    forall,
    exists,
    atom,
    same,       // two terms are the same object
    compare,    // two expressions
    module,     // [name ...] of a condition checker
    preference  // (preference name formula); a problem's goal has none: see Problem
  } kind = Kind::conjunction;
  std::string name;              // predicate, module or preference
  std::vector<Term> arguments;   // of an atom, of `same`, of a module
  std::vector<Formula> parts;    // of connectives and quantifiers
  std::vector<TypedName> bound;  // of quantifiers
  Comparison comparison = Comparison::equal;
  std::vector<Expression> sides;  // of compare: two
  Place place;
};

// The parts of a durative action's time; plain actions use `start` alone.
enum class When { start, over_all, end };

// One elementary effect with the quantifiers and conditions around it.
struct Effect {
  enum class Kind {
    add,
    remove,
    assign,
    increase,
    decrease,
    scale_up,
    scale_down,
    set,
    module
  } kind;
  When when = When::start;
  std::vector<TypedName> bound;       // forall
  std::array<Formula, 3> conditions;  // `when`, by the time at which they are tested
  std::string name;                   // predicate, fluent or module
  std::vector<Term> arguments;
  Expression value;  // assign ... scale_down
  Term object;       // set: the object assigned to an object fluent
  Place place;
};

struct DurationBound {
  Comparison comparison = Comparison::equal;  // ?duration <comparison> value
  Expression value;
  bool at_end = false;
};

struct Action {
  std::string name;
  bool durative = false;
  std::vector<TypedName> parameters;
  std::vector<DurationBound> duration;
  std::array<Formula, 3> conditions;  // indexed by When
  std::vector<Effect> effects;
  Place place;
};

struct Predicate {
  std::string name;
  std::vector<TypedName> parameters;
  Place place;
};

struct FluentDeclaration {
  std::string name;
  std::vector<TypedName> parameters;
  std::vector<std::string> types;  // of its objects; empty: a number
  Place place;
};

struct DerivedRule {
  std::string name;
  std::vector<TypedName> parameters;
  Formula body;
  Place place;
};

struct ModuleDeclaration {
  enum class Kind { condition, cost, effect } kind = Kind::condition;
  std::string name;
  std::vector<TypedName> parameters;
  struct Written {
    std::string fluent;
    std::vector<Term> arguments;
    Place place;
  };
  std::vector<Written> written;   // of effect modules
  std::string function, library;  // function@library
  Place place;
};

// One call made before planning: (function@library argument ...).
struct ModuleOption {
  std::string function, library;
  std::vector<std::string> arguments;
  Place place;
};

struct Domain {
  std::string file, name;
  std::vector<std::string> requirements;
  std::vector<TypedName> types;  // each with its parents
  std::vector<TypedName> constants;
  std::vector<Predicate> predicates;  // derived ones too, declared or not
  std::vector<FluentDeclaration> fluents;
  std::vector<Action> actions;
  std::vector<DerivedRule> derived;
  std::vector<ModuleDeclaration> modules;
  std::vector<ModuleOption> module_options;
};

// A value at the start (time 0) or a timed initial literal.
struct InitialValue {
  enum class Kind { fact, number, object } kind = Kind::fact;
  double time = 0;
  bool truth = true;  // of a fact
  std::string name;
  std::vector<std::string> arguments;
  double number = 0;
  std::string object;
  Place place;
};

struct Metric {
  bool given = false, minimize = true;
  Expression value;
};

// What the end of a plan should satisfy, for each binding of `bound`.
struct Preference {
  std::string name;
  std::vector<TypedName> bound;
  Formula formula;
  Place place;
};

struct Problem {
  std::string file, name, domain;
  std::vector<TypedName> objects;
  std::vector<InitialValue> initial;
  Formula goal;  // without its preferences
  std::vector<Preference> preferences;
  Metric metric;
  std::vector<ModuleOption> module_options;
  std::vector<std::string> remarks;  // oddities that were accepted, with their places
};

// `file` only names the text in errors.
Result<Domain> parse_domain(std::string_view text, std::string file);
// Names are checked against the domain.
Result<Problem> parse_problem(std::string_view text, std::string file, const Domain& domain);

}  // namespace proven::task
