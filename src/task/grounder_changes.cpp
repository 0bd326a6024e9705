// Which facts and numbers ever change, and which objects terms stand for.
#include <fmt/format.h>

#include "task/grounder.h"

namespace proven::task {

AtomStatus& Grounder::atom_status(const AtomKey& key) {
  const auto id = static_cast<std::size_t>(atoms_.insert(key));
  if (id >= atom_status_.size()) atom_status_.resize(id + 1);
  return atom_status_[id];
}

NumberStatus& Grounder::number_status(const AtomKey& key) {
  const auto id = static_cast<std::size_t>(numbers_.insert(key));
  if (id >= number_status_.size()) number_status_.resize(id + 1);
  return number_status_[id];
}

AtomKey Grounder::initial_key(const InitialValue& value) const {
  AtomKey key;
  switch (value.kind) {
    case InitialValue::Kind::fact:
      key.push_back(symbols_.predicate(value.name));
      break;
    case InitialValue::Kind::object:
      key.push_back(symbols_.object_fluent(value.name));
      break;
    case InitialValue::Kind::number:
      key.push_back(symbols_.fluent(value.name));
      break;
  }
  for (const std::string& name : value.arguments) key.push_back(symbols_.object(name));
  if (value.kind == InitialValue::Kind::object) key.push_back(symbols_.object(value.object));
  return key;
}

void Grounder::read_initial() {
  for (const InitialValue& value : problem_.initial) {
    if (value.time > 0) continue;
    if (value.kind == InitialValue::Kind::number)
      number_status(initial_key(value)).initial = value.number;
    else
      atom_status(initial_key(value)).initial = value.truth;
  }
}

void Grounder::collect_timed_changes() {
  for (const InitialValue& value : problem_.initial) {
    if (value.time <= 0) continue;
    if (value.kind == InitialValue::Kind::number)
      number_status(initial_key(value)).changed = true;
    else if (value.kind == InitialValue::Kind::object)
      fail(place_text(problem_.file, value.place), "a timed value of an object fluent",
           ErrorCode::unsupported);
    else
      (value.truth ? atom_status(initial_key(value)).added
                   : atom_status(initial_key(value)).removed) = true;
  }
}

Binding Grounder::bind(const Instance& instance) const {
  const Action& action = domain_.actions[static_cast<std::size_t>(instance.schema)];
  Binding binding;
  for (std::size_t i = 0; i < action.parameters.size(); ++i)
    binding.values.emplace_back(action.parameters[i].name, instance.arguments[i]);
  return binding;
}

void Grounder::resolve(const std::vector<Term>& terms, std::size_t next, const Binding& binding,
                       std::vector<int>& objects, std::vector<AtomKey>& conditions,
                       const Resolved& visit) {
  if (next == terms.size()) return visit(objects, conditions);
  const Term& term = terms[next];
  if (term.kind != Term::Kind::fluent) {
    objects.push_back(term.kind == Term::Kind::variable ? binding.value(term.name)
                                                        : symbols_.object(term.name));
    resolve(terms, next + 1, binding, objects, conditions, visit);
    objects.pop_back();
    return;
  }
  std::vector<int> inner;
  resolve(term.arguments, 0, binding, inner, conditions,
          [&](const std::vector<int>& arguments, const std::vector<AtomKey>&) {
            for (const int value : symbols_.objects_of(symbols_.fluent_types(term.name))) {
              watch_.tick();
              AtomKey key{symbols_.object_fluent(term.name)};
              key.insert(key.end(), arguments.begin(), arguments.end());
              key.push_back(value);
              conditions.push_back(std::move(key));
              objects.push_back(value);
              resolve(terms, next + 1, binding, objects, conditions, visit);
              objects.pop_back();
              conditions.pop_back();
            }
          });
}

void Grounder::resolve(const std::vector<Term>& terms, const Binding& binding,
                       const Resolved& visit) {
  std::vector<int> objects;
  std::vector<AtomKey> conditions;
  resolve(terms, 0, binding, objects, conditions, visit);
}

void Grounder::collect_changes(const Instance& instance) {
  Binding binding = bind(instance);
  for (const Effect& effect : domain_.actions[static_cast<std::size_t>(instance.schema)].effects)
    for_all(effect.bound, 0, binding, [&] { collect_changes(effect, binding); });
}

void Grounder::collect_changes(const Effect& effect, const Binding& binding) {
  std::vector<Term> terms = effect.arguments;
  if (effect.kind == Effect::Kind::set) terms.push_back(effect.object);
  resolve(terms, binding, [&](const std::vector<int>& objects, const std::vector<AtomKey>&) {
    switch (effect.kind) {
      case Effect::Kind::add:
        atom_status(keyed(symbols_.predicate(effect.name), objects)).added = true;
        break;
      case Effect::Kind::remove:
        atom_status(keyed(symbols_.predicate(effect.name), objects)).removed = true;
        break;
      case Effect::Kind::set: {
        const AtomKey key = keyed(symbols_.object_fluent(effect.name), objects);
        atom_status(key).added = true;
        set_fluents_.insert(AtomKey(key.begin(), key.end() - 1));
        break;
      }
      case Effect::Kind::module:
        for (const AtomKey& key : written_numbers(effect.name, objects))
          number_status(key).changed = true;
        break;
      default:
        number_status(keyed(symbols_.fluent(effect.name), objects)).changed = true;
    }
  });
}

const ModuleDeclaration& Grounder::module(const std::string& name, int* index) const {
  for (std::size_t i = 0; i < domain_.modules.size(); ++i)
    if (domain_.modules[i].name == name) {
      if (index) *index = static_cast<int>(i);
      return domain_.modules[i];
    }
  fail({}, fmt::format("unknown module '{}'", name));
}

std::vector<AtomKey> Grounder::written_numbers(const std::string& name,
                                               const std::vector<int>& arguments) {
  const ModuleDeclaration& declaration = module(name);
  Binding binding;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    binding.values.emplace_back(declaration.parameters[i].name, arguments[i]);
  std::vector<AtomKey> keys;
  for (const auto& written : declaration.written)
    resolve(written.arguments, binding,
            [&](const std::vector<int>& objects, const std::vector<AtomKey>&) {
              keys.push_back(keyed(symbols_.fluent(written.fluent), objects));
            });
  return keys;
}

}  // namespace proven::task
