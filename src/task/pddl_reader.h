// Reads the parts that domains and problems share: terms, expressions, formulas, effects.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/s_expression.h"

namespace proven::task {

// What a domain declares, by name.
struct Names {
  std::set<std::string> types;
  std::set<std::string> objects;
  std::map<std::string, std::size_t> predicates;            // arity
  std::map<std::string, const FluentDeclaration*> fluents;  // points into the domain
  std::map<std::string, const ModuleDeclaration*> modules;
};

class PddlReader {
 public:
  PddlReader(const std::string& file, const Names& names) : file_(file), names_(names) {}

  [[noreturn]] void fail_at(Place place, std::string message,
                            ErrorCode code = ErrorCode::bad_input) const;

  // "a b - T c - (either U V)" from items[first] on. Types must be known unless `types` is null.
  std::vector<TypedName> typed_list(const std::vector<SExpression>& items, std::size_t first,
                                    bool variables, const std::set<std::string>* types) const;
  std::vector<std::string> type_names(const SExpression& written,
                                      const std::set<std::string>* types) const;

  // Variables of the action, rule or quantifier being read; pop what was pushed.
  void push_scope(const std::vector<TypedName>& variables);
  void pop_scope(std::size_t count);

  Term term(const SExpression& written) const;
  Expression expression(const SExpression& written);
  Formula formula(const SExpression& written);
  // Of a problem: preferences may stand in it.
  Formula goal(const SExpression& written);
  // (at start f), (over all f), (at end f), conjunctions and forall of these.
  std::array<Formula, 3> timed_formula(const SExpression& written);
  void effects(const SExpression& written, bool durative, std::vector<Effect>& out);
  std::vector<DurationBound> duration(const SExpression& written);

  const SExpression& item(const SExpression& list, std::size_t index, const char* what) const;
  std::string token(const SExpression& written, const char* what) const;
  double number(const SExpression& written, const char* what) const;

 private:
  struct EffectContext {
    bool durative = false, timed = false;
    When when = When::start;
    std::vector<TypedName> bound;
    std::array<Formula, 3> conditions;
  };

  std::vector<Term> terms(const SExpression& list, std::size_t first) const;
  void check_arity(const SExpression& written, const std::string& name, std::size_t declared,
                   std::size_t given) const;
  const ModuleDeclaration& module(const SExpression& call, ModuleDeclaration::Kind kind,
                                  const char* kind_name) const;
  bool is_numeric(const SExpression& written) const;
  Formula quantified(const SExpression& written, Formula::Kind kind);
  Formula comparison(const SExpression& written, Comparison comparison);
  Formula equality(const SExpression& written);
  Formula atom(const SExpression& written);
  Formula preference(const SExpression& written);
  Formula module_formula(const SExpression& call);
  Expression fluent_expression(const SExpression& written, const std::string& name);
  Expression arithmetic(const SExpression& written);
  std::array<Formula, 3> timed_forall(const SExpression& written);
  void effects(const SExpression& written, const EffectContext& context, std::vector<Effect>& out);
  void conditional_effects(const SExpression& written, EffectContext context,
                           std::vector<Effect>& out);
  void quantified_effects(const SExpression& written, EffectContext context,
                          std::vector<Effect>& out);
  void elementary_effect(const SExpression& written, const EffectContext& context,
                         std::vector<Effect>& out);
  void numeric_effect(const SExpression& written, Effect& effect);

  const std::string& file_;
  const Names& names_;
  std::vector<std::string> scope_;
  bool in_goal_ = false;
};

}  // namespace proven::task
