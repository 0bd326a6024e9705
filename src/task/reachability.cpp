#include "task/reachability.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_set>

#include "task/failure.h"

namespace proven::task {
namespace {

constexpr std::size_t kMostInstances = 2'000'000;

// Arguments: a slot (>= 0) or an object as ~object (< 0).
struct LiftedAtom {
  int predicate = 0;
  std::vector<int> arguments;
};

struct LiftedAdd {
  LiftedAtom atom;
  std::vector<std::vector<int>> extra;  // objects for slots beyond the parameters
};

struct Schema {
  std::vector<std::vector<int>> domains;  // objects of each parameter
  std::vector<LiftedAtom> required;
  std::vector<LiftedAdd> adds;
};

class SchemaBuilder {
 public:
  SchemaBuilder(const Domain& domain, const Symbols& symbols) : symbols_(symbols) {
    for (const DerivedRule& rule : domain.derived) derived_.insert(rule.name);
    find_circles(domain);
  }

  Schema build(const Action& action) {
    schema_ = {};
    slots_.clear();
    for (const TypedName& parameter : action.parameters) {
      slots_.push_back(parameter.name);
      schema_.domains.push_back(symbols_.objects_of(parameter.types));
    }
    for (const Effect& effect : action.effects) add_effect(effect);
    collect(action.conditions[0], {});
    // What the action itself, or one that starts with it, provides from then on is no condition.
    std::set<std::string> provided = added_at_start(action);
    provided.insert(in_circles_.begin(), in_circles_.end());
    collect(action.conditions[1], provided);
    return std::move(schema_);
  }

 private:
  static std::set<std::string> added_at_start(const Action& action) {
    std::set<std::string> names;
    for (const Effect& effect : action.effects)
      if (effect.when == When::start) names.insert(effect.name);
    return names;
  }

  static void needed_throughout(const Formula& f, std::set<std::string>& names) {
    if (f.kind == Formula::Kind::atom) names.insert(f.name);
    for (const Term& term : f.arguments)
      if (term.kind == Term::Kind::fluent) names.insert(term.name);
    for (const Formula& part : f.parts) needed_throughout(part, names);
  }

  // Predicates by which actions that start together may hold each other: one schema's over-all
  // condition needs what another's start adds, and so on round a circle. Schemas that need, or
  // provide, nothing among those left are on none.
  void find_circles(const Domain& domain) {
    std::vector<std::set<std::string>> needs, adds;
    for (const Action& action : domain.actions) {
      if (!action.durative) continue;
      needed_throughout(action.conditions[1], needs.emplace_back());
      adds.push_back(added_at_start(action));
    }
    const auto meets = [](const std::set<std::string>& names,
                          const std::vector<std::set<std::string>>& others) {
      return std::any_of(others.begin(), others.end(), [&](const auto& other) {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return other.contains(name); });
      });
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < needs.size(); ++i) {
        if (meets(needs[i], adds) && meets(adds[i], needs)) continue;
        needs.erase(needs.begin() + static_cast<std::ptrdiff_t>(i));
        adds.erase(adds.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
        break;
      }
    }
    for (const auto& names : adds) in_circles_.insert(names.begin(), names.end());
  }

  int slot(const std::string& variable) const {
    for (std::size_t i = slots_.size(); i-- > 0;)
      if (slots_[i] == variable) return static_cast<int>(i);
    return 0;
  }

  bool lift(const std::vector<Term>& terms, std::vector<int>& out) const {
    for (const Term& term : terms) {
      if (term.kind == Term::Kind::fluent) return false;
      out.push_back(term.kind == Term::Kind::variable ? slot(term.name)
                                                      : ~symbols_.object(term.name));
    }
    return true;
  }

  void collect(const Formula& f, const std::set<std::string>& own) {
    if (f.kind == Formula::Kind::conjunction) {
      for (const Formula& part : f.parts) collect(part, own);
    } else if (f.kind == Formula::Kind::atom) {
      LiftedAtom atom;
      if (derived_.contains(f.name) || own.contains(f.name)) return;
      atom.predicate = symbols_.predicate(f.name);
      if (lift(f.arguments, atom.arguments)) schema_.required.push_back(std::move(atom));
    } else if (f.kind == Formula::Kind::same) {
      collect_fluent(f.arguments[0], f.arguments[1], own);
      collect_fluent(f.arguments[1], f.arguments[0], own);
    }
  }

  void collect_fluent(const Term& fluent, const Term& value, const std::set<std::string>& own) {
    if (fluent.kind != Term::Kind::fluent || own.contains(fluent.name)) return;
    LiftedAtom atom;
    atom.predicate = symbols_.object_fluent(fluent.name);
    if (lift(fluent.arguments, atom.arguments) && lift({value}, atom.arguments))
      schema_.required.push_back(std::move(atom));
  }

  void add_effect(const Effect& effect) {
    if (effect.kind != Effect::Kind::add && effect.kind != Effect::Kind::set) return;
    LiftedAdd add;
    const std::size_t parameters = slots_.size();
    for (const TypedName& variable : effect.bound) {
      slots_.push_back(variable.name);
      add.extra.push_back(symbols_.objects_of(variable.types));
    }
    // A fluent inside an argument may have any value of its type.
    const auto lift_any = [&](const Term& term) {
      if (term.kind != Term::Kind::fluent) return lift({term}, add.atom.arguments), void();
      add.atom.arguments.push_back(static_cast<int>(slots_.size()));
      slots_.push_back("");
      add.extra.push_back(symbols_.objects_of(symbols_.fluent_types(term.name)));
    };
    for (const Term& term : effect.arguments) lift_any(term);
    if (effect.kind == Effect::Kind::set) {
      add.atom.predicate = symbols_.object_fluent(effect.name);
      lift_any(effect.object);
    } else {
      add.atom.predicate = symbols_.predicate(effect.name);
    }
    slots_.resize(parameters);
    schema_.adds.push_back(std::move(add));
  }

  const Symbols& symbols_;
  std::set<std::string> derived_, in_circles_;
  std::vector<std::string> slots_;
  Schema schema_;
};

class Reachability {
 public:
  Reachability(const Domain& domain, const Problem& problem, const Symbols& symbols, Watch& watch)
      : watch_(watch) {
    SchemaBuilder builder(domain, symbols);
    for (const Action& action : domain.actions) schemas_.push_back(builder.build(action));
    find_changing_predicates();
    for (const InitialValue& value : problem.initial) {
      if (value.kind == InitialValue::Kind::number || !value.truth) continue;
      AtomKey key;
      const bool fact = value.kind == InitialValue::Kind::fact;
      key.push_back(fact ? symbols.predicate(value.name) : symbols.object_fluent(value.name));
      for (const std::string& name : value.arguments) key.push_back(symbols.object(name));
      if (!fact) key.push_back(symbols.object(value.object));
      if (value.time > 0) changing_.insert(key[0]);
      reach(key);
    }
  }

  std::vector<Instance> run() {
    // Atoms that never change first: they only serve joins and trigger nothing.
    std::vector<int> triggers;
    for (const int atom : queue_)
      if (changing_.contains(atoms_.key(atom)[0]))
        triggers.push_back(atom);
      else
        activate(atom);
    queue_ = std::move(triggers);
    for (std::size_t s = 0; s < schemas_.size(); ++s) {
      const auto& required = schemas_[s].required;
      if (std::none_of(required.begin(), required.end(),
                       [&](const LiftedAtom& atom) { return changing_.contains(atom.predicate); }))
        start_join(s, -1, -1);
    }
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const int atom = queue_[next];
      activate(atom);
      for (std::size_t s = 0; s < schemas_.size(); ++s)
        for (std::size_t k = 0; k < schemas_[s].required.size(); ++k)
          if (schemas_[s].required[k].predicate == atoms_.key(atom)[0])
            start_join(s, static_cast<int>(k), atom);
    }
    return std::move(instances_);
  }

 private:
  void find_changing_predicates() {
    for (const Schema& schema : schemas_)
      for (const LiftedAdd& add : schema.adds) changing_.insert(add.atom.predicate);
  }

  void reach(const AtomKey& key) {
    const int before = atoms_.size();
    const int atom = atoms_.insert(key);
    if (atom == before) queue_.push_back(atom);
  }

  void activate(int atom) {
    const AtomKey& key = atoms_.key(atom);
    by_predicate_[key[0]].push_back(atom);
    for (std::size_t i = 1; i < key.size(); ++i)
      by_argument_[AtomKey{key[0], static_cast<int>(i), key[i]}].push_back(atom);
  }

  void start_join(std::size_t s, int required, int atom) {
    const Schema& schema = schemas_[s];
    binding_.assign(schema.domains.size(), -1);
    std::vector<char> done(schema.required.size(), 0);
    if (required >= 0) {
      std::vector<int> bound;
      if (!unify(schema, schema.required[static_cast<std::size_t>(required)], atom, bound)) return;
      done[static_cast<std::size_t>(required)] = 1;
    }
    join(s, done);
  }

  // Binds the slots of `pattern`; lists those newly bound.
  bool unify(const Schema& schema, const LiftedAtom& pattern, int atom, std::vector<int>& bound) {
    const AtomKey& key = atoms_.key(atom);
    for (std::size_t i = 0; i < pattern.arguments.size(); ++i) {
      const int argument = pattern.arguments[i], object = key[i + 1];
      if (argument < 0) {
        if (~argument != object) return false;
        continue;
      }
      int& value = binding_[static_cast<std::size_t>(argument)];
      if (value == object) continue;
      const auto& objects = schema.domains[static_cast<std::size_t>(argument)];
      if (value >= 0 || !std::binary_search(objects.begin(), objects.end(), object)) return false;
      value = object;
      bound.push_back(argument);
    }
    return true;
  }

  void unbind(const std::vector<int>& bound) {
    for (const int slot : bound) binding_[static_cast<std::size_t>(slot)] = -1;
  }

  // The shortest list of atoms that can match under the current binding.
  const std::vector<int>& candidates(const LiftedAtom& pattern) const {
    static const std::vector<int> none;
    const auto all = by_predicate_.find(pattern.predicate);
    if (all == by_predicate_.end()) return none;
    const std::vector<int>* best = &all->second;
    for (std::size_t i = 0; i < pattern.arguments.size(); ++i) {
      const int argument = pattern.arguments[i];
      const int object = argument < 0 ? ~argument : binding_[static_cast<std::size_t>(argument)];
      if (object < 0) continue;
      const auto found =
          by_argument_.find(AtomKey{pattern.predicate, static_cast<int>(i) + 1, object});
      if (found == by_argument_.end()) return none;
      if (found->second.size() < best->size()) best = &found->second;
    }
    return *best;
  }

  void join(std::size_t s, std::vector<char>& done) {
    const Schema& schema = schemas_[s];
    std::size_t best = done.size();
    const std::vector<int>* best_list = nullptr;
    for (std::size_t k = 0; k < done.size(); ++k) {
      if (done[k]) continue;
      const auto& list = candidates(schema.required[k]);
      if (!best_list || list.size() < best_list->size()) best = k, best_list = &list;
    }
    if (!best_list) return enumerate(s, 0);
    done[best] = 1;
    const std::size_t count = best_list->size();  // the list may grow while we recurse
    for (std::size_t i = 0; i < count; ++i) {
      watch_.tick();
      std::vector<int> bound;
      if (unify(schema, schema.required[best], (*best_list)[i], bound)) join(s, done);
      unbind(bound);
    }
    done[best] = 0;
  }

  void enumerate(std::size_t s, std::size_t slot) {
    const Schema& schema = schemas_[s];
    while (slot < binding_.size() && binding_[slot] >= 0) ++slot;
    if (slot == binding_.size()) return instantiate(s);
    for (const int object : schema.domains[slot]) {
      binding_[slot] = object;
      enumerate(s, slot + 1);
    }
    binding_[slot] = -1;
  }

  void instantiate(std::size_t s) {
    watch_.tick();
    AtomKey key{static_cast<int>(s)};
    key.insert(key.end(), binding_.begin(), binding_.end());
    if (!seen_.insert(key).second) return;
    if (instances_.size() >= kMostInstances)
      fail({}, fmt::format("more than {} ground actions", kMostInstances), ErrorCode::exhausted);
    instances_.push_back({static_cast<int>(s), binding_});
    for (const LiftedAdd& add : schemas_[s].adds) {
      std::vector<int> values = binding_;
      add_atoms(add, values);
    }
  }

  void add_atoms(const LiftedAdd& add, std::vector<int>& values) {
    const std::size_t next = values.size() - binding_.size();
    if (next < add.extra.size()) {
      for (const int object : add.extra[next]) {
        values.push_back(object);
        add_atoms(add, values);
        values.pop_back();
      }
      return;
    }
    watch_.tick();
    AtomKey key{add.atom.predicate};
    for (const int argument : add.atom.arguments)
      key.push_back(argument < 0 ? ~argument : values[static_cast<std::size_t>(argument)]);
    reach(key);
  }

  Watch& watch_;
  std::vector<Schema> schemas_;
  std::set<int> changing_;
  AtomTable atoms_;
  std::vector<int> queue_;
  std::unordered_map<int, std::vector<int>> by_predicate_;
  std::unordered_map<AtomKey, std::vector<int>, AtomKeyHash> by_argument_;
  std::vector<int> binding_;
  std::unordered_set<AtomKey, AtomKeyHash> seen_;
  std::vector<Instance> instances_;
};

}  // namespace

std::vector<Instance> reachable_instances(const Domain& domain, const Problem& problem,
                                          const Symbols& symbols, Watch& watch) {
  return Reachability(domain, problem, symbols, watch).run();
}

}  // namespace proven::task
