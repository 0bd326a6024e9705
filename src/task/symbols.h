// Objects, types and predicates by number, and the table of ground atoms.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "proven/task/pddl.h"

namespace proven::task {

using AtomKey = std::vector<int>;  // predicate, then objects

struct AtomKeyHash {
  std::size_t operator()(const AtomKey& key) const {
    std::size_t h = 1469598103934665603u;
    for (const int value : key) h = (h ^ static_cast<std::size_t>(value)) * 1099511628211u;
    return h ^ (h >> 29);
  }
};

// Ground atoms, numbered in the order of their discovery.
class AtomTable {
 public:
  int insert(const AtomKey& key) {
    const auto [it, inserted] = ids_.try_emplace(key, static_cast<int>(keys_.size()));
    if (inserted) keys_.push_back(key);
    return it->second;
  }
  int find(const AtomKey& key) const {
    const auto it = ids_.find(key);
    return it == ids_.end() ? -1 : it->second;
  }
  const AtomKey& key(int id) const { return keys_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(keys_.size()); }

 private:
  std::unordered_map<AtomKey, int, AtomKeyHash> ids_;
  std::vector<AtomKey> keys_;
};

// Object fluents count as predicates whose last argument is the value.
class Symbols {
 public:
  Symbols(const Domain& domain, const Problem& problem);

  int object(const std::string& name) const { return objects_.at(name); }
  const std::vector<std::string>& object_names() const { return object_names_; }
  std::vector<std::string> first_types() const;
  // Objects of any of these types, ascending.
  std::vector<int> objects_of(const std::vector<std::string>& types) const;
  bool is_of(int object, const std::vector<std::string>& types) const;

  int predicate(const std::string& name) const { return predicates_.at(name); }
  int object_fluent(const std::string& name) const { return object_fluents_.at(name); }
  int fluent(const std::string& name) const { return fluents_.at(name); }
  const std::vector<std::string>& fluent_types(const std::string& name) const;

 private:
  std::map<std::string, int> objects_, predicates_, object_fluents_, fluents_;
  std::map<std::string, const FluentDeclaration*> declarations_;
  std::vector<std::string> object_names_;
  std::vector<std::vector<std::string>> object_types_;  // with all ancestors
  std::vector<std::vector<std::string>> declared_types_;
};

// Variables and the objects they stand for, innermost last.
struct Binding {
  std::vector<std::pair<std::string, int>> values;

  int value(const std::string& variable) const {
    for (auto it = values.rbegin(); it != values.rend(); ++it)
      if (it->first == variable) return it->second;
    return -1;
  }
};

}  // namespace proven::task
